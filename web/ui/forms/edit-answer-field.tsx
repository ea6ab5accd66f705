/** The input for one answer that is edited individually, by the field's type. */
import { COMMON_MESSAGES } from '../../../engine/messages.ts'
import type { WireEditableField } from '../../../engine/api.ts'

/** Returns the value in the format of the API: a yes-no answer is a boolean. */
export function toApiValue({ kind, value }: WireEditableField): unknown {
  return kind === 'yes-no' ? value === 'true' : value
}

type AnswerFieldProps = {
  readonly field: WireEditableField
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  /** Id of the error about the value. */
  readonly describedBy?: string
}

/** Shows a controlled input; the caller keeps the value. Each control is inside its label. */
export function AnswerField({ field, value, onChange, describedBy }: AnswerFieldProps) {
  const { label, kind, options } = field
  const errorProps =
    describedBy === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': describedBy }
  const text = typeof value === 'string' ? value : ''
  switch (kind) {
    case 'yes-no':
      return (
        <label>
          {label}
          <select
            {...errorProps}
            value={value === true ? 'yes' : 'no'}
            onChange={({ target }) => onChange(target.value === 'yes')}
          >
            <option value="no">{COMMON_MESSAGES.no}</option>
            <option value="yes">{COMMON_MESSAGES.yes}</option>
          </select>
        </label>
      )
    case 'select':
      return (
        <label>
          {label}
          <select {...errorProps} value={text} onChange={({ target }) => onChange(target.value)}>
            <option value="">{COMMON_MESSAGES.noAnswer}</option>
            {options.map((option) => (
              <option key={option.id} value={option.id}>
                {option.label}
              </option>
            ))}
          </select>
        </label>
      )
    case 'many': {
      const selectedIds = Array.isArray(value) ? value : []
      return (
        <fieldset className="ticks">
          <legend>{label}</legend>
          {options.map(({ id, label: optionLabel }) => (
            <label key={id}>
              <input
                {...errorProps}
                type="checkbox"
                checked={selectedIds.includes(id)}
                onChange={({ target }) =>
                  onChange(
                    options
                      .map((option) => option.id)
                      .filter((candidate) =>
                        candidate === id ? target.checked : selectedIds.includes(candidate),
                      ),
                  )
                }
              />
              {optionLabel}
            </label>
          ))}
        </fieldset>
      )
    }
    case 'date':
    case 'text':
      return (
        <label>
          {label}
          <input
            {...errorProps}
            type={kind}
            value={text}
            onChange={({ target }) => onChange(target.value)}
            autoComplete="off"
          />
        </label>
      )
  }
}
