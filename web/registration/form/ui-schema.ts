/** What the form library is told of each field beside its schema: its widget, its hint, what one types into. */
import type { UiSchema } from '@rjsf/utils'
import { uiSchema } from '../../../engine/index.ts'
import type { Field, PublicEvent, RawAnswers } from '../../../engine/index.ts'
import { limitText } from '../../ui/file-size.ts'
import { typingOf } from '../fields/keyboard-and-autofill.ts'
import { wayOf } from '../fields/choose-field-widget.ts'

/** The event file's hint; of a file also its kinds and its size. */
function hintOf(field: Field): string | undefined {
  if (field.type !== 'file') return field.hint
  const kinds = (field.accept ?? []).map((ending) => ending.toUpperCase())
  const list =
    kinds.length > 1 ? `${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1)}` : kinds.join('')
  const size =
    field.bytesMax === undefined ? '' : `${list ? ', ' : ''}at most ${limitText(field.bytesMax)}`
  return [field.hint, `${list}${size}`].filter(Boolean).join('. ')
}

/** The engine's order and labels, and for each field its widget, its hint and what the browser is told of it. */
export function uiOf(event: PublicEvent): UiSchema<RawAnswers> {
  const ui = uiSchema(event)
  return {
    ...ui,
    ...Object.fromEntries(
      event.fields.map((field) => [
        field.id,
        { ...(ui[field.id] as UiSchema | undefined), ...uiOfField(field, event.roles) },
      ]),
    ),
  }
}

/** One field; of somebody else (`roles` null) the browser fills in nothing. */
export function uiOfField(field: Field, roles: PublicEvent['roles'] | null): UiSchema {
  const { inputMode, spellCheck, enterKeyHint, ...options } = typingOf(field, roles)
  return {
    'ui:widget': wayOf(field),
    'ui:help': hintOf(field),
    'ui:options': {
      ...options,
      // What was typed and deleted again stays an answer of nothing: RJSF's `undefined` would not reach our state.
      emptyValue: '',
      mui: { slotProps: { htmlInput: { inputMode, spellCheck, enterKeyHint } } },
    },
  } as UiSchema
}
