import OutlinedInput from '@mui/material/OutlinedInput'
import Select from '@mui/material/Select'
import Switch from '@mui/material/Switch'
import { use } from 'react'
import type { ReactNode } from 'react'
import type { WidgetProps } from '@rjsf/utils'
import type { Field } from '../../engine/index.ts'
import { Icon } from '../shared/icons.tsx'
import { ChoiceRows, RichSelect, YesNoRows } from './choices.tsx'
import { Must } from './context.ts'
import type { FormConstants } from './context.ts'
import { Chevron, sizeText } from './control.tsx'
import type { ControlProps } from './control.tsx'
import { Upload } from './upload.tsx'
import '../styles/fields.css'

/** More options than this do not fit a phone as rows. */
const rowsMax = 7

/** The only widget RJSF gets: it looks the field up and draws it. RJSF's own error and help templates stay unused. */
export function FieldWidget(props: WidgetProps) {
  const constants = props.registry.formContext as FormConstants
  const must = use(Must).has(props.name)
  const field = constants.fields.get(props.name)
  if (!field) return null
  const error = props.rawErrors?.[0]
  const hint = hintOf(field)
  const described = [hint && `${props.id}-hint`, error && `${props.id}-error`]
    .filter(Boolean)
    .join(' ')
  const control: ControlProps = {
    field,
    constants,
    id: props.id,
    value: props.value as unknown,
    change: props.onChange,
    leave: () => props.onBlur(props.id, props.value),
    aria: {
      ...(described ? { 'aria-describedby': described } : {}),
      ...(error === undefined ? {} : { 'aria-invalid': true as const }),
      ...(must ? { 'aria-required': true as const } : {}),
    },
  }
  const optional = !must && field.default === undefined
  const notes = (
    <>
      {hint && (
        <span className="hint" id={`${props.id}-hint`}>
          {hint}
        </span>
      )}
      {error !== undefined && (
        <p className="msg" id={`${props.id}-error`}>
          <Icon name="bang" />
          {error}
        </p>
      )}
    </>
  )
  const label = (
    <>
      {field.label}
      {optional && <i> (optional)</i>}
    </>
  )
  return <div className={error === undefined ? 'f' : 'f bad'}>{draw(control, label, notes)}</div>
}

function draw(control: ControlProps, label: ReactNode, notes: ReactNode): ReactNode {
  const { field, id } = control
  const grouped =
    field.type === 'select' ? asRows(field) : field.type === 'yes-no' && field.as !== 'switch'
  if (grouped) {
    return (
      <fieldset
        onBlur={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget)) control.leave()
        }}
        {...groupAria(control)}
      >
        <legend
          className={
            control.constants.event.sections[field.section]?.title === field.label ? 'vh' : 'lab'
          }
        >
          {label}
        </legend>
        {notes}
        {field.type === 'select' ? <ChoiceRows {...control} /> : <YesNoRows {...control} />}
      </fieldset>
    )
  }
  if (field.type === 'yes-no')
    return (
      <>
        {notes}
        <SwitchRow {...control} label={label} />
      </>
    )
  if (field.type === 'file')
    return (
      <>
        <span className="lab" id={`${id}-label`}>
          {label}
        </span>
        {notes}
        <Upload {...control} />
      </>
    )
  const rich =
    field.type === 'select' &&
    (field.offersCategories === true ||
      field.options?.some((option) => option.about !== undefined || option.colour !== undefined))
  if (rich)
    return (
      <>
        <span className="lab" id={`${id}-label`}>
          {label}
        </span>
        {notes}
        <RichSelect {...control} />
      </>
    )
  return (
    <>
      <label className="lab" htmlFor={id}>
        {label}
      </label>
      {notes}
      {field.type === 'select' ? <Dropdown {...control} /> : <Line {...control} />}
    </>
  )
}

/** A group's own description and state; the radios inside carry them too, for readers that skip the group. */
const groupAria = ({ aria }: ControlProps) => ({ 'aria-describedby': aria['aria-describedby'] })

/** Rows show what they mean at once; the event file may ask for a dropdown. */
function asRows(field: Field): boolean {
  const count = field.options?.length ?? 0
  if (field.as === 'dropdown' || count > rowsMax) return false
  return (
    field.as === 'radio' ||
    field.offersCategories === true ||
    (field.options?.some((option) => option.about !== undefined) ?? false)
  )
}

function hintOf(field: Field): string | undefined {
  if (field.type !== 'file') return field.hint
  const kinds = (field.accept ?? []).map((ending) => ending.toUpperCase())
  const list =
    kinds.length > 1 ? `${kinds.slice(0, -1).join(', ')} or ${kinds.at(-1)}` : kinds.join('')
  const size =
    field.bytesMax === undefined ? '' : `${list ? ', ' : ''}at most ${sizeText(field.bytesMax)}`
  return [field.hint, `${list}${size}`].filter(Boolean).join('. ')
}

/** What browsers fill in by themselves, by type and by the ids that event files use for it. */
const autocomplete: Readonly<Record<string, string>> = {
  email: 'email',
  phone: 'tel',
  phone_number: 'tel',
  address: 'street-address',
  city: 'address-level2',
  state: 'address-level1',
  hospital: 'organization',
  institution: 'organization',
  present_institute: 'organization',
  designation: 'organization-title',
}
const inputTypes: Partial<Record<Field['type'], string>> = {
  email: 'email',
  phone: 'tel',
  date: 'date',
}
const inputModes: Partial<Record<Field['type'], 'email' | 'tel' | 'decimal'>> = {
  email: 'email',
  phone: 'tel',
  number: 'decimal',
}

function Line({ field, constants, id, value, change, leave, aria }: ControlProps) {
  const fills =
    field.id === constants.event.roles.fullName
      ? 'name'
      : (autocomplete[field.type] ?? autocomplete[field.id])
  return (
    <OutlinedInput
      id={id}
      name={field.id}
      type={inputTypes[field.type] ?? 'text'}
      multiline={field.type === 'multiline'}
      {...(field.type === 'multiline' ? { minRows: 3, maxRows: 8 } : {})}
      value={value === undefined || value === null ? '' : String(value)}
      onChange={(event) => change(event.target.value)}
      onBlur={leave}
      slotProps={{
        input: {
          ...aria,
          ...(inputModes[field.type] ? { inputMode: inputModes[field.type] } : {}),
          ...(fills ? { autoComplete: fills } : {}),
          ...(field.type === 'email' ? { autoCapitalize: 'off', spellCheck: false } : {}),
        },
      }}
    />
  )
}

/** The browser's own list: on a phone 37 states are a wheel or a sheet, not a menu of ours. */
function Dropdown({ field, id, value, change, leave, aria }: ControlProps) {
  return (
    <Select
      native
      input={<OutlinedInput />}
      IconComponent={Chevron}
      value={value ?? ''}
      onChange={(event) => change(event.target.value)}
      onBlur={leave}
      inputProps={{ id, name: field.id, ...aria }}
    >
      {field.default === undefined && <option value="">Choose</option>}
      {field.options?.map((option) => (
        <option key={option.id} value={option.id}>
          {option.label}
        </option>
      ))}
    </Select>
  )
}

function SwitchRow({
  field,
  id,
  value,
  change,
  leave,
  aria,
  label,
}: ControlProps & { readonly label: ReactNode }) {
  const on = value === true
  return (
    <label className="sw-row" htmlFor={id}>
      <span id={`${id}-label`}>{label}</span>
      <b aria-hidden="true">{on ? 'Yes' : 'No'}</b>
      <Switch
        checked={on}
        onChange={(event) => change(event.target.checked)}
        onBlur={leave}
        slotProps={{
          input: { id, name: field.id, role: 'switch', 'aria-labelledby': `${id}-label`, ...aria },
        }}
      />
    </label>
  )
}
