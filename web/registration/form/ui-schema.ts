/** The RJSF UI schema of an event: widget, hint and input attributes of each field. */
import type { UiSchema } from '@rjsf/utils'
import { uiSchema } from '../../../engine/index.ts'
import type { Field, PublicEvent, RawAnswers } from '../../../engine/index.ts'
import { limitText } from '../../ui/file-size.ts'
import { typingOf } from '../fields/keyboard-and-autofill.ts'
import { wayOf } from '../fields/choose-field-widget.ts'

/** The hint from the event file; for a file field also its accepted types and maximum size. */
function hintOf(field: Field): string | undefined {
  if (field.type !== 'file') return field.hint
  const kinds = (field.accept ?? []).map((ending) => ending.toUpperCase())
  const list =
    kinds.length > 1 ? `${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1)}` : kinds.join('')
  const size =
    field.bytesMax === undefined ? '' : `${list ? ', ' : ''}at most ${limitText(field.bytesMax)}`
  return [field.hint, `${list}${size}`].filter(Boolean).join('. ')
}

/** Order and labels from the engine; for each field its widget, hint and input attributes. */
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

/** UI schema of one field. `roles` is null for a field about another person: no autofill. */
export function uiOfField(field: Field, roles: PublicEvent['roles'] | null): UiSchema {
  const { inputMode, spellCheck, enterKeyHint, ...options } = typingOf(field, roles)
  return {
    'ui:widget': wayOf(field),
    'ui:help': hintOf(field),
    'ui:options': {
      ...options,
      // A cleared input stays an empty answer; RJSF's `undefined` would not reach our state.
      emptyValue: '',
      mui: { slotProps: { htmlInput: { inputMode, spellCheck, enterKeyHint } } },
    },
  } as UiSchema
}
