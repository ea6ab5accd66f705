/**
 * The form as the server drew it becomes the form of this script: what was typed and chosen before the
 * script had come is read from the page and stays where it is, and answers that this tab kept are laid in.
 */
import { useLayoutEffect, useRef, useState } from 'react'
import { assertNever } from '../../engine/index.ts'
import type { Field, PublicEvent, RawAnswers } from '../../engine/index.ts'
import { recall, startOf } from '../shared/keep.ts'
import type { Kept } from '../shared/keep.ts'
import { FORM_ID } from './form.tsx'
import { elementOf } from './keys.ts'
import type { EventPage } from './price.ts'
import { wayOf } from './way.ts'

/**
 * Once, in the same breath in which React has taken the page over, so that no key can come between.
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
  useLayoutEffect(() => {
    if (found === null) return
    const kept = recall(event)
    const typed = found.form === theForm() ? typedIn(event) : found.typed
    if (kept === null && typed.length === 0) return
    const before = kept?.data ?? startOf(event)
    layIn({ ...before, ...Object.fromEntries(typed) })
    latest.current(
      kept,
      typed.some(([id, answer]) => !isSame(answer, before[id])),
    )
  }, [found, event, layIn])
}

const theForm = (): Element | null => document.getElementById(FORM_ID)

type Raw = RawAnswers[string]

const isSame = (one: Raw, other: Raw): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The answers in the page that are not those with which a form starts. */
function typedIn(event: PublicEvent): readonly (readonly [id: string, answer: Raw])[] {
  const start = startOf(event)
  return event.fields.flatMap((field) => {
    const answer = answerIn(field)
    const nothing = answer === '' || answer === false || isSame(answer, [])
    return answer === undefined || isSame(answer, start[field.id] ?? (nothing ? answer : undefined))
      ? []
      : [[field.id, answer] as const]
  })
}

/** What stands in the page for a question; undefined: nothing, or nothing that can be answered without the script. */
function answerIn(field: Field): Raw {
  const way = wayOf(field)
  switch (way) {
    case 'line':
    case 'lines':
    case 'list': {
      const control = document.getElementById(elementOf(field.id))
      return control instanceof HTMLInputElement ||
        control instanceof HTMLTextAreaElement ||
        control instanceof HTMLSelectElement
        ? control.value
        : undefined
    }
    case 'switch':
    case 'consent': {
      const control = document.getElementById(elementOf(field.id))
      return control instanceof HTMLInputElement ? control.checked : undefined
    }
    case 'rows':
      return chosenIn(field)[0]
    case 'yes-no':
      // The form library counts the two: Yes, then No.
      return { 0: true, 1: false }[chosenIn(field)[0] ?? '']
    case 'boxes':
      return chosenIn(field)
    // A menu opens by script; a list of people begins empty; a file is taken by its own control.
    case 'menu':
    case 'people':
    case 'file':
      return undefined
    default:
      return assertNever(way)
  }
}

const chosenIn = ({ id }: Field): string[] =>
  [...document.querySelectorAll<HTMLInputElement>(`input[name="${CSS.escape(id)}"]:checked`)].map(
    ({ value }) => value,
  )
