/** The RJSF UI schema of an event: widget, hint and input attributes of each field. */
import type { UiSchema } from '@rjsf/utils'
import { createUiSchema } from '../../../engine/index.ts'
import { formatFileTypes, formatMessage, UPLOAD_MESSAGES } from '../../../engine/messages.ts'
import type { Field, PublicEvent, RawAnswers } from '../../../engine/index.ts'
import { formatFileSizeLimit } from '../../ui/file-size.ts'
import { getAmountInputMode } from '../../ui/forms/amount-input-mode.ts'
import { getInputAttributes } from '../fields/keyboard-and-autofill.ts'
import { chooseWidget } from '../fields/choose-field-widget.ts'

/** Returns the hint from the event file; for a file field, also the accepted types and maximum size. */
function buildHint(field: Field): string | undefined {
  if (field.type !== 'file') return field.hint
  const text = UPLOAD_MESSAGES
  const types = formatFileTypes(field.accept)
  const limit = field.maxBytes === undefined ? null : formatFileSizeLimit(field.maxBytes)
  const acceptedFiles =
    limit === null
      ? types
      : types === ''
        ? formatMessage(text.limit, { limit })
        : formatMessage(text.limitAndTypes, { types, limit })
  return [field.hint, acceptedFiles].filter(Boolean).join('. ')
}

/** Builds the UI schema: order and labels from the engine, and the widget, hint and input attributes of each field. */
export function buildUiSchema(event: PublicEvent): UiSchema<RawAnswers> {
  const ui = createUiSchema(event)
  return {
    ...ui,
    ...Object.fromEntries(
      event.fields.map((field) => [
        field.id,
        {
          ...(ui[field.id] as UiSchema | undefined),
          ...buildFieldUiSchema(markWholeAmount(field, event), event.roles),
        },
      ]),
    ),
  }
}

/** Marks an amount in a currency without decimals as a whole number, so that its keyboard has no decimal point. */
const markWholeAmount = (field: Field, { currency }: PublicEvent): Field =>
  field.isAmount === true && getAmountInputMode(currency) === 'numeric'
    ? { ...field, isWhole: true }
    : field

/** Builds the UI schema of one field. `roles` is null for a field about another person, which gets no autofill. */
export function buildFieldUiSchema(field: Field, roles: PublicEvent['roles'] | null): UiSchema {
  const { inputMode, spellCheck, enterKeyHint, ...options } = getInputAttributes(field, roles)
  return {
    'ui:widget': chooseWidget(field),
    'ui:help': buildHint(field),
    'ui:options': {
      ...options,
      // A cleared input stays an empty answer; RJSF's `undefined` would not reach our state.
      emptyValue: '',
      mui: { slotProps: { htmlInput: { inputMode, spellCheck, enterKeyHint } } },
    },
  } as UiSchema
}
