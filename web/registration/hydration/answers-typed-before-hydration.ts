/** What was typed and chosen in a form that the server drew, read from the page; and how it changes hands. */
import { assertNever } from '../../../engine/index.ts'
import type { Field, PublicEvent, RawAnswers } from '../../../engine/index.ts'
import { startOf } from '../draft-storage.ts'
import { elementOf } from '../form/field-keys.ts'
import { wayOf } from '../fields/choose-field-widget.ts'

/** Told by what takes the form over, in the breath in which it does; cancelled by what has pressed Pay for it. */
const TAKEN = 'rollcall:taken'

/** What a script did to the form before is undone, and it does no more. Answers whether Pay was pressed meanwhile. */
export const takeOver = (): boolean =>
  !document.dispatchEvent(new Event(TAKEN, { cancelable: true }))

/** `then` answers whether Pay was pressed. */
export function whenTaken(then: () => boolean): void {
  document.addEventListener(TAKEN, (taken) => then() && taken.preventDefault(), { once: true })
}

type Raw = RawAnswers[string]

export const isSame = (one: Raw, other: Raw): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

export type Typed = readonly (readonly [id: string, answer: Raw])[]

/** The answers in the page that are not those with which a form starts. */
export function typedIn(event: PublicEvent): Typed {
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
