/** Lists the answers of a registration that the office can correct, as form fields. */
import { getOwn, listOfferedOptions } from '../../../engine/index.ts'
import type { EventConfig, Field } from '../../../engine/index.ts'
import type { WireEditableField } from '../../../engine/api.ts'
import type { StoredRegistration } from '../../storage/index.ts'

/** People, files and consents are not text and cannot be corrected here. */
const KINDS: Readonly<Record<Field['type'], WireEditableField['kind'] | null>> = {
  text: 'text',
  multiline: 'text',
  email: 'text',
  phone: 'text',
  number: 'text',
  date: 'date',
  'yes-no': 'yes-no',
  select: 'select',
  many: 'many',
  people: null,
  file: null,
  consent: null,
}

export function listEditableAnswers(
  { fields }: EventConfig,
  { answers, currency }: Pick<StoredRegistration, 'answers' | 'currency'>,
): WireEditableField[] {
  return fields.flatMap((field): WireEditableField[] => {
    const { id, label, type } = field
    const options = listOfferedOptions(field, currency)
    const kind = KINDS[type]
    if (kind === null) return []
    const answer = getOwn(answers, id)
    const value = Array.isArray(answer)
      ? answer.filter((chosenOption) => typeof chosenOption === 'string')
      : answer === undefined
        ? ''
        : String(answer)
    return [
      {
        id,
        label,
        kind,
        options: options.map((option) => ({ id: option.id, label: option.label })),
        value: kind === 'many' ? [value].flat() : value,
      },
    ]
  })
}
