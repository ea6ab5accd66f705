/** One field of the manual registration form, with its error. */
import { useId } from 'react'
import type { FieldType, Option } from '../../../../engine/index.ts'
import { Icon } from '../../../ui/icons-and-logo.tsx'

type FormFieldProps = {
  readonly name: string
  readonly kind: FieldType
  readonly label: string
  readonly options: readonly Option[]
  readonly value: unknown
  readonly error: string | undefined
  readonly onChange: (value: unknown) => void
}

/** HTML input types of fields other than plain text. */
const INPUT_TYPES: Readonly<Partial<Record<FieldType, string>>> = {
  email: 'email',
  phone: 'tel',
  date: 'date',
}

export function FormField(props: FormFieldProps) {
  const { label, kind, error } = props
  const id = useId()
  const errorMessage = error !== undefined && (
    <p className="field-error" id={`${id}-wrong`}>
      <Icon name="bang" small />
      {error}
    </p>
  )
  const className = error === undefined ? 'labelled-field' : 'labelled-field wrong'
  if (kind === 'many')
    return (
      <fieldset
        className={className}
        {...(error !== undefined && { 'aria-describedby': `${id}-wrong` })}
      >
        <legend>{label}</legend>
        {errorMessage}
        <OptionCheckboxes {...props} />
      </fieldset>
    )
  if (kind === 'yes-no' || kind === 'consent')
    return (
      <div className={className}>
        {errorMessage}
        <label className="choice" htmlFor={id}>
          <FieldControl {...props} id={id} />
          {label}
        </label>
      </div>
    )
  return (
    <div className={className}>
      <label htmlFor={id}>{label}</label>
      {errorMessage}
      <FieldControl {...props} id={id} />
    </div>
  )
}

/** Shows a checkbox for each option of a multiple-choice field. */
function OptionCheckboxes({ options, value, error, onChange }: FormFieldProps) {
  const selectedIds = Array.isArray(value) ? value.map(String) : []
  return options.map(({ id, label }) => (
    <label className="choice" key={id}>
      <input
        type="checkbox"
        aria-invalid={error !== undefined}
        checked={selectedIds.includes(id)}
        onChange={({ target }) =>
          onChange(
            options
              .map((option) => option.id)
              .filter((optionId) =>
                optionId === id ? target.checked : selectedIds.includes(optionId),
              ),
          )
        }
      />
      {label}
    </label>
  ))
}

function FieldControl({
  id,
  name,
  kind,
  options,
  value,
  error,
  onChange,
}: FormFieldProps & { readonly id: string }) {
  const sharedProps = {
    id,
    name,
    'aria-invalid': error !== undefined,
    ...(error !== undefined && { 'aria-describedby': `${id}-wrong` }),
  }
  if (kind === 'yes-no' || kind === 'consent')
    return (
      <input
        {...sharedProps}
        type="checkbox"
        checked={value === true}
        onChange={({ target }) => onChange(target.checked)}
      />
    )
  if (kind === 'select') {
    const hasEmptyOption = options.some((option) => option.id === '')
    return (
      <select
        {...sharedProps}
        value={String(value ?? '')}
        onChange={({ target }) => onChange(target.value)}
      >
        {!hasEmptyOption && <option value="">Choose an option</option>}
        {options.map((option) => (
          <option key={option.id} value={option.id}>
            {option.label}
          </option>
        ))}
      </select>
    )
  }
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  if (kind === 'multiline')
    return (
      <textarea
        {...sharedProps}
        rows={3}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
    )
  return (
    <input
      {...sharedProps}
      type={INPUT_TYPES[kind] ?? 'text'}
      inputMode={kind === 'number' ? 'decimal' : undefined}
      value={text}
      autoComplete="off"
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
