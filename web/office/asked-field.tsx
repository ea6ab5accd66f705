/** One question of a form as the office asks it: plain controls, and what is wrong at its place. */
import { useId } from 'react'
import type { FieldType, Option } from '../../engine/index.ts'
import { Icon } from '../shared/icons.tsx'

type AskedFieldProps = {
  readonly name: string
  readonly kind: FieldType
  readonly label: string
  readonly options: readonly Option[]
  readonly value: unknown
  readonly wrong: string | undefined
  readonly onChange: (value: unknown) => void
}

/** What the browser calls the controls that are more than a line of text. */
const INPUTS: Readonly<Partial<Record<FieldType, string>>> = {
  email: 'email',
  phone: 'tel',
  date: 'date',
}

export function AskedField(props: AskedFieldProps) {
  const { label, wrong } = props
  const id = useId()
  return (
    <div className={wrong === undefined ? 'lf' : 'lf wrong'}>
      <label htmlFor={id}>{label}</label>
      {wrong !== undefined && (
        <p className="ferr" id={`${id}-wrong`}>
          <Icon name="bang" small />
          {wrong}
        </p>
      )}
      <Control {...props} id={id} />
    </div>
  )
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
  if (kind === 'select' || kind === 'many') {
    const isMany = kind === 'many'
    const chosen = isMany ? (Array.isArray(value) ? value.map(String) : []) : String(value ?? '')
    const isOffered = options.some((option) => option.id === '')
    return (
      <select
        {...common}
        multiple={isMany}
        value={chosen}
        onChange={({ target }) =>
          onChange(
            isMany ? Array.from(target.selectedOptions, (option) => option.value) : target.value,
          )
        }
      >
        {!isMany && !isOffered && <option value="">Please choose</option>}
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
