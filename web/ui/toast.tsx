/**
 * Toasts: temporary messages over the page, as a snackbar or as a stack.
 */
import { createContext, use, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { COMMON_MESSAGES } from '../../engine/messages.ts'
import './toast.css'
import { Icon } from './icons-and-logo.tsx'

export type ToastTone = 'bad' | 'good' | 'info'
type Message = {
  readonly id: number
  readonly text: string
  readonly tone: ToastTone
  /** Display time in milliseconds; paused while the toast is hovered or focused. */
  readonly ms: number
  readonly action?: ToastAction | undefined
}
/** A button in the toast, which also closes it. */
export type ToastAction = { readonly label: string; readonly onClick: () => void }
export type ShowToast = (text: string, tone: ToastTone, action?: ToastAction) => void

/**
 * Maximum number of toasts; older ones are removed, because a phone's screen has no room for more.
 */
const MAX_TOASTS = 4

const ToastContext = createContext<ShowToast>(() => {})
/**
 * Returns a function that shows a message. It disappears automatically, can be dismissed, and stays while it is
 * hovered or focused.
 */
export const useShowToast = (): ShowToast => use(ToastContext)

type ProviderProps = {
  readonly as: 'snackbar' | 'toast'
  readonly ms: number
  readonly children: ReactNode
}

/** Shows the toasts. A snackbar replaces the previous one; other toasts form a stack. */
export function ToastProvider({ as, ms, children }: ProviderProps) {
  const [toasts, setToasts] = useState<readonly Message[]>([])
  const nextId = useRef(0)
  const showToast = useCallback<ShowToast>(
    (text, tone, action) => {
      const message = { id: nextId.current++, text, tone, ms, action }
      setToasts((previous) =>
        // A repeated message replaces the identical one instead of stacking.
        as === 'snackbar'
          ? [message]
          : [
              ...previous.filter((candidate) => candidate.text !== text).slice(-(MAX_TOASTS - 1)),
              message,
            ],
      )
    },
    [as, ms],
  )
  const hide = useCallback(
    (id: number) => setToasts((previous) => previous.filter((message) => message.id !== id)),
    [],
  )
  const list = useMemo(
    () => toasts.map((message) => <MessageBox key={message.id} message={message} hide={hide} />),
    [toasts, hide],
  )
  return (
    <ToastContext value={showToast}>
      {children}
      <div className={`messages ${as}`} role="status" aria-live="polite">
        {list}
      </div>
    </ToastContext>
  )
}

const TONE_ICONS = { bad: 'bang', good: 'tick', info: 'info' } as const

function MessageBox({
  message,
  hide,
}: {
  readonly message: Message
  readonly hide: (id: number) => void
}) {
  const [isPaused, setPaused] = useState(false)
  const remainingMs = useRef(message.ms)
  useEffect(() => {
    if (isPaused) return
    const since = performance.now()
    const timer = setTimeout(() => hide(message.id), remainingMs.current)
    return () => {
      clearTimeout(timer)
      remainingMs.current -= performance.now() - since
    }
  }, [isPaused, hide, message.id])
  const pause = () => setPaused(true)
  const resume = () => setPaused(false)
  /** The element that had focus before the toast, to which it returns. */
  const previousFocus = useRef<EventTarget | null>(null)
  const close = () => {
    if (previousFocus.current instanceof HTMLElement) previousFocus.current.focus()
    hide(message.id)
  }
  return (
    <div
      className={`message ${message.tone}`}
      onMouseEnter={pause}
      onMouseLeave={resume}
      onFocus={({ relatedTarget, currentTarget }) => {
        if (!currentTarget.contains(relatedTarget)) previousFocus.current = relatedTarget
        pause()
      }}
      onBlur={resume}
    >
      <Icon name={TONE_ICONS[message.tone]} />
      <p>{message.text}</p>
      {message.action && (
        <button
          type="button"
          className="act"
          onClick={() => {
            close()
            message.action?.onClick()
          }}
        >
          {message.action.label}
        </button>
      )}
      <button type="button" aria-label={COMMON_MESSAGES.dismiss} onClick={close}>
        <Icon name="cross" />
      </button>
    </div>
  )
}
