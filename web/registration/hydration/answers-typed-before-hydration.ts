/** Reads answers from a server-rendered form, and hands the form over to React. */
import { assertNever } from '../../../engine/index.ts'
import type { Field, PublicEvent, RawAnswers } from '../../../engine/index.ts'
import { buildInitialAnswers } from '../draft-storage.ts'
import { toElementId } from '../form/field-keys.ts'
import { chooseWidget } from '../fields/choose-field-widget.ts'

/**
 * Event fired by the hydrating form at the moment of takeover. The pre-hydration script cancels it
 * if Pay was pressed.
 */
const TAKEOVER_EVENT = 'rollcall:takeover'

/**
 * Stops the pre-hydration script, which undoes its changes to the page. Returns whether Pay was
 * pressed in the meantime.
 */
export const dispatchTakeover = (): boolean =>
  !document.dispatchEvent(new Event(TAKEOVER_EVENT, { cancelable: true }))

/** Calls `handleTakeover` when React takes over the form. `handleTakeover` returns whether Pay was pressed. */
export function onTakeover(handleTakeover: () => boolean): void {
  document.addEventListener(
    TAKEOVER_EVENT,
    (takeoverEvent) => handleTakeover() && takeoverEvent.preventDefault(),
    { once: true },
  )
}

type RawAnswer = RawAnswers[string]

export const isSameAnswer = (one: RawAnswer, other: RawAnswer): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

export type EnteredAnswers = readonly (readonly [id: string, answer: RawAnswer])[]

/** Returns the answers entered on the page that differ from the form's initial answers. */
export function readEnteredAnswers(event: PublicEvent): EnteredAnswers {
  const initialAnswers = buildInitialAnswers(event)
  return event.fields.flatMap((field) => {
    const answer = readEnteredAnswer(field)
    const isEmpty = answer === '' || answer === false || isSameAnswer(answer, [])
    return answer === undefined ||
      isSameAnswer(answer, initialAnswers[field.id] ?? (isEmpty ? answer : undefined))
      ? []
      : [[field.id, answer] as const]
  })
}

/**
 * Returns the answer entered on the page for a field. Undefined if there is none, or if the field requires
 * JavaScript.
 */
function readEnteredAnswer(field: Field): RawAnswer {
  const widget = chooseWidget(field)
  switch (widget) {
    case 'line':
    case 'lines':
    case 'list': {
      const control = document.getElementById(toElementId(field.id))
      return control instanceof HTMLInputElement ||
        control instanceof HTMLTextAreaElement ||
        control instanceof HTMLSelectElement
        ? control.value
        : undefined
    }
    case 'switch':
    case 'consent': {
      const control = document.getElementById(toElementId(field.id))
      return control instanceof HTMLInputElement ? control.checked : undefined
    }
    case 'rows':
      return readSelectedValues(field)[0]
    case 'yes-no':
      // RJSF numbers the two options: 0 is Yes, 1 is No.
      return { 0: true, 1: false }[readSelectedValues(field)[0] ?? '']
    case 'boxes':
      return readSelectedValues(field)
    // A menu requires JavaScript, a list of people starts empty, and a file field reads its own input.
    case 'menu':
    case 'people':
    case 'file':
      return undefined
    default:
      return assertNever(widget)
  }
}

const readSelectedValues = ({ id }: Field): string[] =>
  [...document.querySelectorAll<HTMLInputElement>(`input[name="${CSS.escape(id)}"]:checked`)].map(
    ({ value }) => value,
  )
