/** The modal dialog. */
import { useEffect, useId, useRef } from 'react'
import type { ReactNode } from 'react'
import './dialog.css'

type DialogProps = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Marks the control that receives focus when a dialog opens: Cancel, if the action is destructive. */
export const FOCUSED_FIRST = { 'data-focused-first': '' } as const

/**
 * Shows a modal dialog while mounted. The native element keeps focus inside, makes the page behind it inert,
 * closes on Escape, and returns the focus to the element that opened it. The focus starts on the marked control,
 * otherwise on the first field of the form, otherwise on the title.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialogRef = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = dialogRef.current
    const previousFocus = document.activeElement
    dialog?.showModal()
    const focusTarget =
      dialog?.querySelector<HTMLElement>('[data-focused-first]') ??
      dialog?.querySelector<HTMLElement>('form :is(input, select, textarea)') ??
      heading.current
    // Keep the beginning of a long dialog in view, even if a control further down has focus.
    focusTarget?.focus({ preventScroll: true })
    return () => {
      dialog?.close()
      if (previousFocus instanceof HTMLElement && previousFocus.isConnected) previousFocus.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialogRef}
      className="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <h2 className="disp" id={id} tabIndex={-1} ref={heading}>
        {title}
      </h2>
      {children}
    </dialog>
  )
}
