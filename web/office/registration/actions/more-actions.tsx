/** The “More” button and the list of actions that it opens. */
import { useEffect, useId, useRef, useState } from 'react'
import { Icon } from '../../../ui/icons-and-logo.tsx'
import { ACTION_LABELS, DESTRUCTIVE_ACTIONS } from '../action-buttons.ts'
import type { ButtonAction } from '../action-buttons.ts'

/** Renders nothing if there are no more actions. Escape or a click elsewhere closes the list. */
export function MoreActions({
  actions,
  onPick,
}: {
  readonly actions: readonly ButtonAction[]
  readonly onPick: (button: ButtonAction) => void
}) {
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const toggleButton = useRef<HTMLButtonElement>(null)
  const id = useId()
  useEffect(() => {
    if (!isOpen) return
    // Near the bottom of a phone's window, the bottom bar would hide the menu.
    box.current?.querySelector('ul')?.scrollIntoView({ block: 'nearest' })
    const closeIfOutside = ({ target }: Event): void => {
      if (target instanceof Node && box.current?.contains(target) === false) setOpen(false)
    }
    const closeOnEscape = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return
      setOpen(false)
      toggleButton.current?.focus()
    }
    document.addEventListener('keydown', closeOnEscape)
    document.addEventListener('pointerdown', closeIfOutside)
    document.addEventListener('focusin', closeIfOutside)
    return () => {
      document.removeEventListener('keydown', closeOnEscape)
      document.removeEventListener('pointerdown', closeIfOutside)
      document.removeEventListener('focusin', closeIfOutside)
    }
  }, [isOpen])
  if (actions.length === 0) return null
  return (
    <div className="more-actions" ref={box}>
      <button
        ref={toggleButton}
        type="button"
        className="btn line sm"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        More
        <Icon name="chev" small />
      </button>
      <ul id={id} hidden={!isOpen}>
        {actions.map((button) => (
          <li key={button}>
            <button
              type="button"
              className={DESTRUCTIVE_ACTIONS.has(button) ? 'plain-button danger' : 'plain-button'}
              onClick={() => {
                setOpen(false)
                // Moves the focus to the button first: the dialog returns the focus to the element
                // that had it, and this entry will be hidden.
                toggleButton.current?.focus()
                onPick(button)
              }}
            >
              {ACTION_LABELS[button]}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
