/** A button that opens a panel below it: the event switcher and the user menu. */
import { useEffect, useId, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { useInertPage } from './use-inert-page.ts'
import './panel.css'

type PanelProps = {
  readonly className: string
  /** The button's content. Its text is the button's accessible name. */
  readonly button: ReactNode
  readonly children: (close: () => void) => ReactNode
}

/**
 * Shows a button and its panel. The page is inert while the panel covers it. The panel closes on Escape, which returns
 * the focus to the button, and when the user clicks or tabs elsewhere. The arrow keys move between the links and
 * buttons inside.
 */
export function Popup({ className, button, children }: PanelProps) {
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const id = useId()
  useInertPage(box, isOpen)
  useEffect(() => {
    if (!isOpen) return
    const closeOutside = ({ target }: Event) => {
      if (target instanceof Node && box.current?.contains(target) !== true) setOpen(false)
    }
    addEventListener('pointerdown', closeOutside)
    return () => removeEventListener('pointerdown', closeOutside)
  }, [isOpen])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      // Otherwise the dialog around the panel would also close.
      event.preventDefault()
      event.stopPropagation()
      setOpen(false)
      opener.current?.focus()
      return
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const isRadio = event.target instanceof HTMLInputElement && event.target.type === 'radio'
    const isTab = event.key === 'Tab'
    if (!isTab && (step === 0 || isRadio)) return
    const controls = [
      ...(box.current?.querySelectorAll<HTMLElement>(FOCUSABLE_CONTROLS) ?? []),
    ].filter((control) => control.offsetParent !== null)
    if (isTab) {
      // The focus moves to the page, which must no longer be inert.
      const lastControl = event.shiftKey ? opener.current : controls.at(-1)
      if (document.activeElement === lastControl) setOpen(false)
      return
    }
    const index = controls.findIndex((control) => control === document.activeElement)
    event.preventDefault()
    controls[Math.min(controls.length - 1, Math.max(0, index + step))]?.focus()
  }
  return (
    <div className={`popup-box ${className}`} ref={box} {...(isOpen && { onKeyDown })}>
      <button
        type="button"
        ref={opener}
        id={`${id}-opener`}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      <div
        className="popup"
        id={id}
        role="dialog"
        aria-modal="true"
        aria-labelledby={`${id}-opener`}
        hidden={!isOpen}
      >
        {isOpen && children(() => setOpen(false))}
      </div>
    </div>
  )
}

const FOCUSABLE_CONTROLS = '.popup :is(a, button, input, summary)'
