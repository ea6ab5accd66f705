import { createContext, use, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { Icon } from './icons.tsx'

export type NoticeTone = 'bad' | 'good' | 'info'
type Shown = {
  readonly id: number
  readonly text: string
  readonly tone: NoticeTone
  readonly ms: number
}
type Show = (text: string, tone: NoticeTone) => void

const Notices = createContext<Show>(() => {})
/** Shows a notice that hides by itself, can be dismissed, and waits while it is read (hover or focus). */
export const useNotice = (): Show => use(Notices)

type ProviderProps = {
  readonly as: 'snackbar' | 'toast'
  readonly ms: number
  readonly children: ReactNode
}

/** A snackbar takes the place of the one before it; toasts pile up, at most four. */
export function NoticeProvider({ as, ms, children }: ProviderProps) {
  const [shown, setShown] = useState<readonly Shown[]>([])
  const next = useRef(0)
  const show = useCallback<Show>(
    (text, tone) => {
      const notice = { id: next.current++, text, tone, ms }
      setShown((old) => (as === 'snackbar' ? [notice] : [...old.slice(-3), notice]))
    },
    [as, ms],
  )
  const hide = useCallback(
    (id: number) => setShown((old) => old.filter((notice) => notice.id !== id)),
    [],
  )
  const list = useMemo(
    () => shown.map((notice) => <NoticeBox key={notice.id} notice={notice} hide={hide} />),
    [shown, hide],
  )
  return (
    <Notices value={show}>
      {children}
      <div className={`notices ${as}`} role="status" aria-live="polite">
        {list}
      </div>
    </Notices>
  )
}

const iconOf = { bad: 'bang', good: 'tick', info: 'info' } as const

function NoticeBox({
  notice,
  hide,
}: {
  readonly notice: Shown
  readonly hide: (id: number) => void
}) {
  const [held, setHeld] = useState(false)
  const left = useRef(notice.ms)
  useEffect(() => {
    if (held) return
    const since = performance.now()
    const timer = setTimeout(() => hide(notice.id), left.current)
    return () => {
      clearTimeout(timer)
      left.current -= performance.now() - since
    }
  }, [held, hide, notice.id])
  const hold = () => setHeld(true)
  const release = () => setHeld(false)
  return (
    <div
      className={`notice ${notice.tone}`}
      onMouseEnter={hold}
      onMouseLeave={release}
      onFocus={hold}
      onBlur={release}
    >
      <Icon name={iconOf[notice.tone]} />
      <p>{notice.text}</p>
      <button type="button" aria-label="Dismiss" onClick={() => hide(notice.id)}>
        <Icon name="cross" />
      </button>
    </div>
  )
}
