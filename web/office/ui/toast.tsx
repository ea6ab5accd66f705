/** Toasts in the office: the result of an action, at the bottom left, with Undo if possible. */
import { useCallback } from 'react'
import type { ReactNode } from 'react'
import { ToastProvider, useShowToast } from '../../ui/toast.tsx'
import type { ToastTone } from '../../ui/toast.tsx'
import './toast.css'

const DISPLAY_MS = 8000

/** Shows toasts, which screen readers announce. A toast stays while it is hovered or focused. */
export const OfficeToasts = ({ children }: { readonly children: ReactNode }) => (
  <ToastProvider as="toast" ms={DISPLAY_MS}>
    {children}
  </ToastProvider>
)

type ToastOptions = {
  readonly tone?: ToastTone
  /**
   * Reverses the action. Only for actions without effects outside the office: sent emails and refunds cannot be
   * undone.
   */
  readonly onUndo?: () => void
}

/** Returns a function that shows a toast, such as “Note added”. */
export function useToast(): (text: string, options?: ToastOptions) => void {
  const showMessage = useShowToast()
  return useCallback(
    (text, { tone = 'good', onUndo } = {}) =>
      showMessage(
        text,
        tone,
        onUndo === undefined ? undefined : { label: 'Undo', onClick: onUndo },
      ),
    [showMessage],
  )
}
