/**
 * Text inputs, the native select and the switch. All except the switch use the theme's input,
 * which is linked to its hint and message.
 */
import NativeSelect from '@mui/material/NativeSelect'
import type { NativeSelectProps } from '@mui/material/NativeSelect'
import Switch from '@mui/material/Switch'
import ThemeInput from '@rjsf/mui/lib/BaseInputTemplate/BaseInputTemplate.js'
import type { BaseInputTemplateProps, WidgetProps } from '@rjsf/utils'
import { use } from 'react'
import { formatUnit } from '../../../engine/index.ts'
import { COMMON_MESSAGES, FORM_MESSAGES } from '../../../engine/messages.ts'
import { OptionStatuses } from '../form/form-context.ts'
import type { OptionStatus } from '../form/form-context.ts'
import { Chevron, useControl } from './field-control.tsx'
import { EmailSuggestion } from './misspelt-email-suggestion.tsx'

/** A text area grows with its content up to a maximum, then scrolls. */
const MIN_LINES = 3
const MAX_LINES = 8

/**
 * Builds the props of a text field. The theme sets `aria-describedby` on the box around an input; `NO_DESCRIPTION`
 * removes it. The theme also passes `required` from the schema to the browser, which then reports an empty input as
 * invalid before anything is typed. `aria-required` on the input conveys the same without that effect.
 */
export const buildTextFieldProps = (htmlName: string) =>
  ({ htmlName, hideLabel: true, required: false }) as const
export const NO_DESCRIPTION = { 'aria-describedby': undefined }

/** Shows a single-line or multi-line text input, as the theme renders it. */
export function TextInput(props: BaseInputTemplateProps) {
  const { field, name, aria } = useControl(props)
  const unitId = `${props.id}-unit`
  const unit = field.unit && {
    endAdornment: (
      <span className="unit" id={unitId}>
        {formatUnit(field, props.value)}
      </span>
    ),
  }
  const describedBy =
    [aria['aria-describedby'], unit && unitId].filter(Boolean).join(' ') || undefined
  const lineLimits = props['multiline'] === true ? { minRows: MIN_LINES, maxRows: MAX_LINES } : {}
  return (
    <>
      {field.type === 'email' && (
        <EmailSuggestion id={props.id} value={props.value} change={props.onChange} />
      )}
      <ThemeInput
        {...props}
        {...buildTextFieldProps(name)}
        slotProps={{
          root: NO_DESCRIPTION,
          ...(unit && { input: unit }),
          htmlInput: { ...lineLimits, ...aria, 'aria-describedby': describedBy },
        }}
      />
    </>
  )
}

/** Returns the label of an option in the native select, on one line: "Twin room, ₹ 2,500, 3 left". */
const formatOption = (label: string, status: OptionStatus | undefined): string =>
  [
    label,
    status?.soldOutText ?? (status?.price === null ? FORM_MESSAGES.optionNotOnSale : status?.price),
    status?.seatsLeftText,
  ]
    .filter(Boolean)
    .join(', ')

/**
 * Replaces MUI's Select, which would load its menu too. `native` and `labelId` are props of MUI's
 * Select only.
 */
function NativeSelectInput({
  native: _native,
  labelId: _labelId,
  ...props
}: NativeSelectProps & { readonly native?: boolean; readonly labelId?: string }) {
  return <NativeSelect {...props} />
}

/**
 * Replaces the theme's SelectWidget, which renders its own menu. Phones show the native select as a
 * wheel or a sheet, and users can select one of 37 states by typing its first letters.
 */
export function NativeSelectField(props: WidgetProps) {
  const { field, name, aria } = useControl(props)
  const statuses = use(OptionStatuses)
  return (
    <ThemeInput
      {...(props as BaseInputTemplateProps)}
      {...buildTextFieldProps(name)}
      select
      slots={{ select: NativeSelectInput }}
      slotProps={{
        root: NO_DESCRIPTION,
        select: { native: true, IconComponent: Chevron },
        htmlInput: aria,
      }}
    >
      {field.default === undefined && <option value="">{FORM_MESSAGES.choose}</option>}
      {field.options?.map((option) => (
        <option
          key={option.id}
          value={option.id}
          disabled={
            option.id !== props.value &&
            statuses.get(`${field.id}.${option.id}`)?.soldOutText !== undefined
          }
        >
          {formatOption(option.label, statuses.get(`${field.id}.${option.id}`))}
        </option>
      ))}
    </ThemeInput>
  )
}

/**
 * Replaces the theme's CheckboxWidget: an empty checkbox does not distinguish "No" from "not
 * answered".
 */
export function SwitchInput(props: WidgetProps) {
  const { name, aria, change, onLeave } = useControl(props)
  const isOn = props.value === true
  return (
    <>
      <b aria-hidden="true">
        <span>{COMMON_MESSAGES.yes}</span>
        <span>{COMMON_MESSAGES.no}</span>
      </b>
      <Switch
        checked={isOn}
        onChange={(event) => change(event.target.checked)}
        onBlur={onLeave}
        slotProps={{
          input: {
            id: props.id,
            name,
            role: 'switch',
            'aria-labelledby': `${props.id}-label`,
            ...aria,
          },
        }}
      />
    </>
  )
}
