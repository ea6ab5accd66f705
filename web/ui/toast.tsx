/**
 * Messages that appear over the page (a snackbar, or toasts) and hide by themselves. What the gateway
 * sends is a notice; these have nothing to do with it.
 */
import { createContext, use, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import './toast.css'
import { Icon } from './icons-and-logo.tsx'

export type MessageTone = 'bad' | 'good' | 'info'
type Message = {
  readonly id: number
  readonly text: string
  readonly tone: MessageTone
  /** How long it stays, while nobody hovers over it or has the focus in it. */
  readonly ms: number
}
type Say = (text: string, tone: MessageTone) => void

/** Older toasts leave when more than this would pile up: a phone's screen holds no more. */
const TOASTS_MAX = 4

const Saying = createContext<Say>(() => {})
/** Shows a message that hides by itself, can be dismissed, and waits while it is read (hover or focus). */
export const useMessage = (): Say => use(Saying)

type ProviderProps = {
  readonly as: 'snackbar' | 'toast'
  readonly ms: number
  readonly children: ReactNode
}

/** A snackbar takes the place of the one before it; toasts pile up. */
export function MessageProvider({ as, ms, children }: ProviderProps) {
  const [shown, setShown] = useState<readonly Message[]>([])
  const next = useRef(0)
  const say = useCallback<Say>(
    (text, tone) => {
      const message = { id: next.current++, text, tone, ms }
      setShown((old) =>
        // The same once more takes the place of the same: nothing is said in a stack.
        as === 'snackbar'
          ? [message]
          : [...old.filter((one) => one.text !== text).slice(-(TOASTS_MAX - 1)), message],
      )
    },
    [as, ms],
  )
  const hide = useCallback(
    (id: number) => setShown((old) => old.filter((message) => message.id !== id)),
    [],
  )
  const list = useMemo(
    () => shown.map((message) => <MessageBox key={message.id} message={message} hide={hide} />),
    [shown, hide],
  )
  return (
    <Saying value={say}>
      {children}
      <div className={`messages ${as}`} role="status" aria-live="polite">
        {list}
      </div>
    </Saying>
  )
}

const iconOf = { bad: 'bang', good: 'tick', info: 'info' } as const

function MessageBox({
  message,
  hide,
}: {
  readonly message: Message
  readonly hide: (id: number) => void
}) {
  const [held, setHeld] = useState(false)
  const left = useRef(message.ms)
  useEffect(() => {
    if (held) return
    const since = performance.now()
    const timer = setTimeout(() => hide(message.id), left.current)
    return () => {
      clearTimeout(timer)
      left.current -= performance.now() - since
    }
  }, [held, hide, message.id])
  const hold = () => setHeld(true)
  const release = () => setHeld(false)
  return (
    <div
      className={`message ${message.tone}`}
      onMouseEnter={hold}
      onMouseLeave={release}
      onFocus={hold}
      onBlur={release}
    >
      <Icon name={iconOf[message.tone]} />
      <p>{message.text}</p>
      <button type="button" aria-label="Dismiss" onClick={() => hide(message.id)}>
        <Icon name="cross" />
      </button>
    </div>
  )
}
