/**
 * The form as the server drew it becomes the form of this script: what was typed and chosen before the
 * script had come is read from the page and stays where it is, answers that this tab kept are laid in, and
 * whoever pressed Pay by then has pressed it.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { RawAnswers } from '../../engine/index.ts'
import { recall, recallProofs, startOf } from '../shared/keep.ts'
import type { Kept } from '../shared/keep.ts'
import { elementOf, FORM_ID } from './keys.ts'
import type { EventPage } from './price.ts'
import { isSame, takeOver, typedIn } from './typed.ts'
import type { Typed } from './typed.ts'

/**
 * Once, and before anything else that changes an answer: React would draw what it knows over what was typed.
 * `then` is told what was kept, and whether the answers are others than those.
 */
export function useTakeOver(
  { drawn, event: { event } }: EventPage,
  { layIn }: { readonly layIn: (data: RawAnswers) => void },
  then: (kept: Kept | null, changed: boolean) => void,
): void {
  const latest = useRef(then)
  latest.current = then
  // Where something else has changed the page, a translation, React draws it anew: by then what was typed is gone.
  const [found] = useState(() =>
    drawn && typeof document !== 'undefined' ? { form: theForm(), typed: typedIn(event) } : null,
  )
  const [isPressed, setPressed] = useState(false)
  const waiting = useRef<(() => void) | null>(null)
  useLayoutEffect(() => {
    if (found === null) return
    // As React knows them, before it opens those that have a price: it would find nothing to change in a button
    // that is shut again later.
    for (const button of document.querySelectorAll<HTMLButtonElement>(`[form="${FORM_ID}"]`))
      button.disabled = true
    const kept = recall(event)
    const isOurs = found.form === theForm()
    const now = (): Typed => {
      const typed = typedIn(event)
      const known = new Set(typed.map(([id]) => id))
      const chosen = found.typed.filter(([id]) => !known.has(id) && isList(id))
      return [...typed, ...chosen]
    }
    const typed = isOurs ? now() : found.typed
    const take = (typed: Typed): void => {
      setPressed(takeOver())
      if (kept === null && typed.length === 0) return
      const before = kept?.data ?? startOf(event)
      layIn({ ...before, ...Object.fromEntries(typed) })
      latest.current(
        kept,
        typed.some(([id, answer]) => !isSame(answer, before[id])),
      )
    }
    // What was kept changes answers by itself, also the names of files.
    if (!isOurs || kept !== null || recallProofs(event).size > 0) return take(typed)
    const leave = beforeTouched(() => take(now()))
    waiting.current = () => leave() && take(typed)
    return () => void leave()
  }, [found, event, layIn])
  // Inputs find out about themselves by now, and will be drawn anew with what React knew: this is drawn with it.
  useEffect(() => inNextTask(() => flushSync(() => waiting.current?.())), [])
  useEffect(() => {
    if (!isPressed) return
    // When what was laid in has reached everything that reads it.
    const later = setTimeout(() => theForm()?.requestSubmit())
    return () => clearTimeout(later)
  }, [isPressed])
}

/** All by which somebody changes an answer, leaves a question, or asks for what the answers are. */
const TOUCHES = ['keydown', 'input', 'change', 'click', 'focusout', 'drop', 'submit']

/** Runs before the first touch is heard by anything else; what is answered leaves it, and says whether there was none. */
function beforeTouched(run: () => void): () => boolean {
  const listening = new AbortController()
  const { signal } = listening
  const leave = (): boolean => {
    const isWaiting = !signal.aborted
    listening.abort()
    return isWaiting
  }
  const touched = (): void => void (leave() && flushSync(run))
  for (const type of TOUCHES) document.addEventListener(type, touched, { capture: true, signal })
  return leave
}

/** Between this task and the next the page answers; what React draws next comes after that, for it asks in the same way later. */
function inNextTask(run: () => void): () => void {
  const { port1, port2 } = new MessageChannel()
  port1.addEventListener('message', run, { once: true })
  port1.start()
  port2.postMessage(null)
  return () => port1.close()
}

/** The browser's own list: React sets it to what it knows when it takes it over, other inputs it leaves. */
const isList = (id: string): boolean =>
  document.getElementById(elementOf(id)) instanceof HTMLSelectElement

const theForm = () => document.querySelector<HTMLFormElement>(`form#${FORM_ID}`)
