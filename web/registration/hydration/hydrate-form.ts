/**
 * Hydrates a server-rendered form without losing the delegate's input.
 * Answers entered before the script loaded are read from the page and stay in place. The draft of this
 * tab is restored. If Pay was pressed, the form is submitted.
 */
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { RawAnswers } from '../../../engine/index.ts'
import { loadDraft, buildInitialAnswers } from '../draft-storage.ts'
import type { Draft } from '../draft-storage.ts'
import { toElementId, FORM_ID } from '../form/field-keys.ts'
import type { FormPageData } from '../price/live-price.ts'
import {
  isSameAnswer,
  dispatchTakeover,
  readEnteredAnswers,
} from './answers-typed-before-hydration.ts'
import type { EnteredAnswers } from './answers-typed-before-hydration.ts'

/**
 * Runs once, synchronously with React's hydration, so that no keystroke is lost. Any later render
 * would overwrite the entered answers. `onHydrated` receives the draft, and whether the current
 * answers differ from it.
 */
export function useHydratedAnswers(
  { drawn, event: { event } }: FormPageData,
  { replaceAnswers }: { readonly replaceAnswers: (data: RawAnswers) => void },
  onHydrated: (draft: Draft | null, isChanged: boolean) => void,
): void {
  const latest = useRef(onHydrated)
  latest.current = onHydrated
  // If a browser extension has changed the page, React re-renders it and the entered text is lost. So the text is read
  // now.
  const [beforeHydration] = useState(() =>
    drawn && typeof document !== 'undefined'
      ? { form: findForm(), answers: readEnteredAnswers(event) }
      : null,
  )
  const [isPressed, setPressed] = useState(false)
  useLayoutEffect(() => {
    if (beforeHydration === null) return
    // Set the state that React expects, before React enables the buttons that have a price.
    // Otherwise React would see no change in a button that is disabled again later.
    for (const button of document.querySelectorAll<HTMLButtonElement>(`[form="${FORM_ID}"]`))
      button.disabled = true
    setPressed(dispatchTakeover())
    const draft = loadDraft(event)
    const enteredAnswers =
      beforeHydration.form === findForm()
        ? restoreSelects(readEnteredAnswers(event), beforeHydration.answers)
        : beforeHydration.answers
    if (draft === null && enteredAnswers.length === 0) return
    const baseAnswers = draft?.data ?? buildInitialAnswers(event)
    replaceAnswers({ ...baseAnswers, ...Object.fromEntries(enteredAnswers) })
    latest.current(
      draft,
      enteredAnswers.some(([id, answer]) => !isSameAnswer(answer, baseAnswers[id])),
    )
  }, [beforeHydration, event, replaceAnswers])
  useEffect(() => {
    if (!isPressed) return
    // Wait until the restored answers have reached every component that reads them.
    const timer = setTimeout(submitForm)
    return () => clearTimeout(timer)
  }, [isPressed])
}

/**
 * Returns true if the field is a native select, the only input that React resets to its own value on hydration.
 */
const isNativeSelect = (id: string): boolean =>
  document.getElementById(toElementId(id)) instanceof HTMLSelectElement

/** Returns the answers entered on the page; for native selects, the answers from before hydration. */
function restoreSelects(
  currentAnswers: EnteredAnswers,
  previousAnswers: EnteredAnswers,
): EnteredAnswers {
  const knownFields = new Set(currentAnswers.map(([id]) => id))
  return [
    ...currentAnswers,
    ...previousAnswers.filter(([id]) => !knownFields.has(id) && isNativeSelect(id)),
  ]
}

/** Submits the form as its button would. Safari versions before 16 have no method for this. */
function submitForm(): void {
  const button = document.createElement('button')
  button.hidden = true
  findForm()?.append(button)
  button.click()
  button.remove()
}

const findForm = () => document.querySelector<HTMLFormElement>(`form#${FORM_ID}`)
