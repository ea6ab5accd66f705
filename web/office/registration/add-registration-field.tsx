/** One field of the manual registration form: plain controls with their errors. */
import { useId } from 'react'
import type { FieldType, Option } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'

type AskedFieldProps = {
  readonly name: string
  readonly kind: FieldType
  readonly label: string
  readonly options: readonly Option[]
  readonly value: unknown
  readonly wrong: string | undefined
  readonly onChange: (value: unknown) => void
}

/** HTML input types of the fields that are not plain text. */
const INPUTS: Readonly<Partial<Record<FieldType, string>>> = {
  email: 'email',
  phone: 'tel',
  date: 'date',
}

export function AskedField(props: AskedFieldProps) {
  const { label, kind, wrong } = props
  const id = useId()
  const message = wrong !== undefined && (
    <p className="ferr" id={`${id}-wrong`}>
      <Icon name="bang" small />
      {wrong}
    </p>
  )
  const look = wrong === undefined ? 'lf' : 'lf wrong'
  if (kind === 'many')
    return (
      <fieldset
        className={look}
        {...(wrong !== undefined && { 'aria-describedby': `${id}-wrong` })}
      >
        <legend>{label}</legend>
        {message}
        <Ticks {...props} />
      </fieldset>
    )
  if (kind === 'yes-no' || kind === 'consent')
    return (
      <div className={look}>
        {message}
        <label className="choice" htmlFor={id}>
          <Control {...props} id={id} />
          {label}
        </label>
      </div>
    )
  return (
    <div className={look}>
      <label htmlFor={id}>{label}</label>
      {message}
      <Control {...props} id={id} />
    </div>
  )
}

/** A choice of several options: one checkbox each. */
function Ticks({ options, value, wrong, onChange }: AskedFieldProps) {
  const chosen = Array.isArray(value) ? value.map(String) : []
  return options.map(({ id, label }) => (
    <label className="choice" key={id}>
      <input
        type="checkbox"
        aria-invalid={wrong !== undefined}
        checked={chosen.includes(id)}
        onChange={({ target }) =>
          onChange(
            options
              .map((option) => option.id)
              .filter((one) => (one === id ? target.checked : chosen.includes(one))),
          )
        }
      />
      {label}
    </label>
  ))
}

function Control({
  id,
  name,
  kind,
  options,
  value,
  wrong,
  onChange,
}: AskedFieldProps & { readonly id: string }) {
  const common = {
    id,
    name,
    'aria-invalid': wrong !== undefined,
    ...(wrong !== undefined && { 'aria-describedby': `${id}-wrong` }),
  }
  if (kind === 'yes-no' || kind === 'consent')
    return (
      <input
        {...common}
        type="checkbox"
        checked={value === true}
        onChange={({ target }) => onChange(target.checked)}
      />
    )
  if (kind === 'select') {
    const isOffered = options.some((option) => option.id === '')
    return (
      <select
        {...common}
        value={String(value ?? '')}
        onChange={({ target }) => onChange(target.value)}
      >
        {!isOffered && <option value="">Please choose</option>}
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
        {...common}
        rows={3}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
    )
  return (
    <input
      {...common}
      type={INPUTS[kind] ?? 'text'}
      inputMode={kind === 'number' ? 'decimal' : undefined}
      value={text}
      autoComplete="off"
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
