/**
 * Hydration of a server-rendered form, keeping what the delegate has already done.
 * Answers entered before the script loaded are read from the page and stay in place; answers kept
 * in this tab are restored; if Pay was pressed, the form is submitted.
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
 * Runs once, synchronously with React's hydration, so that no keystroke can come between. Any later
 * render, even of an input that is already filled, would overwrite what was typed. `then` receives
 * the kept answers, and whether the current answers differ from them.
 */
export function useTakeOver(
  { drawn, event: { event } }: EventPage,
  { layIn }: { readonly layIn: (data: RawAnswers) => void },
  then: (kept: Kept | null, changed: boolean) => void,
): void {
  const latest = useRef(then)
  latest.current = then
  // If something else has changed the page, such as a translation extension, React renders it anew
  // and the typed text is lost; read it now.
  const [found] = useState(() =>
    drawn && typeof document !== 'undefined' ? { form: theForm(), typed: typedIn(event) } : null,
  )
  const [isPressed, setPressed] = useState(false)
  useLayoutEffect(() => {
    if (found === null) return
    // Set the state that React knows, before React enables the buttons that have a price. Otherwise
    // React would see no change in a button that is disabled again later.
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
    // Wait until the restored answers have reached every component that reads them.
    const later = setTimeout(pressPay)
    return () => clearTimeout(later)
  }, [isPressed])
}

/**
 * Whether the field is a native select. On hydration, React resets a select to its own value; it
 * leaves other inputs alone.
 */
const isList = (id: string): boolean =>
  document.getElementById(elementOf(id)) instanceof HTMLSelectElement

/** Answers now in the page; for native selects, the answers from before hydration. */
function withLists(now: Typed, before: Typed): Typed {
  const known = new Set(now.map(([id]) => id))
  return [...now, ...before.filter(([id]) => !known.has(id) && isList(id))]
}

/** Submits the form as its button would; Safari before version 16 has no method for it. */
function pressPay(): void {
  const button = document.createElement('button')
  button.hidden = true
  theForm()?.append(button)
  button.click()
  button.remove()
}

const theForm = () => document.querySelector<HTMLFormElement>(`form#${FORM_ID}`)
