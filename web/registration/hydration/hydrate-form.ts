/**
 * The form as the server drew it becomes the form of this script: what was typed and chosen before the
 * script had come is read from the page and stays where it is, answers that this tab kept are laid in, and
 * whoever pressed Pay by then has pressed it.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { RawAnswers } from '../../../engine/index.ts'
import { recall, startOf } from '../draft-storage.ts'
import type { Kept } from '../draft-storage.ts'
import { elementOf, FORM_ID } from '../form/field-keys.ts'
import type { EventPage } from '../price/live-price.ts'
import { isSame, takeOver, typedIn } from './answers-typed-before-hydration.ts'
import type { Typed } from './answers-typed-before-hydration.ts'

/**
 * Once, in the same breath in which React has taken the page over, so that no key can come between: with the
 * next thing it draws, and be it an input that finds itself filled, it would lay what it knows over what was typed.
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
  useLayoutEffect(() => {
    if (found === null) return
    // As React knows them, before it opens those that have a price: it would find nothing to change in a button
    // that is shut again later.
    for (const button of document.querySelectorAll<HTMLButtonElement>(`[form="${FORM_ID}"]`))
      button.disabled = true
    setPressed(takeOver())
    const kept = recall(event)
    const typed = found.form === theForm() ? withLists(typedIn(event), found.typed) : found.typed
    if (kept === null && typed.length === 0) return
    const before = kept?.data ?? startOf(event)
    layIn({ ...before, ...Object.fromEntries(typed) })
    latest.current(
      kept,
      typed.some(([id, answer]) => !isSame(answer, before[id])),
    )
  }, [found, event, layIn])
  useEffect(() => {
    if (!isPressed) return
    // When what was laid in has reached everything that reads it.
    const later = setTimeout(pressPay)
    return () => clearTimeout(later)
  }, [isPressed])
}

/** The browser's own list: React sets it to what it knows when it takes it over, other inputs it leaves. */
const isList = (id: string): boolean =>
  document.getElementById(elementOf(id)) instanceof HTMLSelectElement

/** What stands in the page now, and of lists what stood there before React had taken them over. */
function withLists(now: Typed, before: Typed): Typed {
  const known = new Set(now.map(([id]) => id))
  return [...now, ...before.filter(([id]) => !known.has(id) && isList(id))]
}

/** Sends the form as its button would; Safari before 16 has no call for it. */
function pressPay(): void {
  const button = document.createElement('button')
  button.hidden = true
  theForm()?.append(button)
  button.click()
  button.remove()
}

const theForm = () => document.querySelector<HTMLFormElement>(`form#${FORM_ID}`)
