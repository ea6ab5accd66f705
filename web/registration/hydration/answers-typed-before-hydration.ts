/** Reads answers from a server-rendered form, and hands the form over to React. */
import { assertNever } from '../../../engine/index.ts'
import type { Field, PublicEvent, RawAnswers } from '../../../engine/index.ts'
import { startOf } from '../draft-storage.ts'
import { elementOf } from '../form/field-keys.ts'
import { wayOf } from '../fields/choose-field-widget.ts'

/**
 * Event fired by the hydrating form at the moment of takeover. The pre-hydration script cancels it
 * if Pay was pressed.
 */
const TAKEN = 'rollcall:taken'

/**
 * Stops the pre-hydration script, which undoes its changes to the page. Returns whether Pay was
 * pressed in the meantime.
 */
export const takeOver = (): boolean =>
  !document.dispatchEvent(new Event(TAKEN, { cancelable: true }))

/** `then` returns whether Pay was pressed. */
export function whenTaken(then: () => boolean): void {
  document.addEventListener(TAKEN, (taken) => then() && taken.preventDefault(), { once: true })
}

type Raw = RawAnswers[string]

export const isSame = (one: Raw, other: Raw): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

export type Typed = readonly (readonly [id: string, answer: Raw])[]

/** Answers in the page that differ from the form's initial answers. */
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

/**
 * The answer in the page for a field, or undefined if there is none or the field cannot be answered
 * without the script.
 */
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
      // RJSF numbers the two options: 0 is Yes, 1 is No.
      return { 0: true, 1: false }[chosenIn(field)[0] ?? '']
    case 'boxes':
      return chosenIn(field)
    // A menu needs the script; a list of people starts empty; a file is handled by its own control.
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
