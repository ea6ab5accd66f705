/**
 * Controls that are not rows: lines to type in, the browser's list, the switch. All but the switch are
 * the theme's input, tied to its hint and message.
 */
import NativeSelect from '@mui/material/NativeSelect'
import type { NativeSelectProps } from '@mui/material/NativeSelect'
import Switch from '@mui/material/Switch'
import ThemeInput from '@rjsf/mui/lib/BaseInputTemplate/BaseInputTemplate.js'
import type { BaseInputTemplateProps, WidgetProps } from '@rjsf/utils'
import { use } from 'react'
import { unitText } from '../../../engine/index.ts'
import { Marks } from '../form/form-context.ts'
import type { Mark } from '../form/form-context.ts'
import { Chevron, useControl } from './field-control.tsx'
import { Meant } from './email-typo-suggestion.tsx'

/** A text of several lines grows with what is typed, and scrolls from here on. */
const LINES_MIN = 3
const LINES_MAX = 8

/**
 * The theme gives `aria-describedby` to the box around an input: it stays off the box. `required` it
 * takes from the schema and hands to the browser, which calls an empty input invalid before anybody
 * has typed: `aria-required` on the input says the same without that.
 */
export const ours = (htmlName: string) => ({ htmlName, hideLabel: true, required: false }) as const
export const untied = { 'aria-describedby': undefined }

/** A line or several, as the theme draws them. */
export function Input(props: BaseInputTemplateProps) {
  const { field, name, aria } = useControl(props)
  const unitId = `${props.id}-unit`
  const unit = field.unit && {
    endAdornment: (
      <span className="unit" id={unitId}>
        {unitText(field, props.value)}
      </span>
    ),
  }
  const said = [aria['aria-describedby'], unit && unitId].filter(Boolean).join(' ') || undefined
  const lines = props['multiline'] === true ? { minRows: LINES_MIN, maxRows: LINES_MAX } : {}
  return (
    <>
      {field.type === 'email' && (
        <Meant id={props.id} value={props.value} change={props.onChange} />
      )}
      <ThemeInput
        {...props}
        {...ours(name)}
        slotProps={{
          root: untied,
          ...(unit && { input: unit }),
          htmlInput: { ...lines, ...aria, 'aria-describedby': said },
        }}
      />
    </>
  )
}

/** The browser's list has room for one line: "Twin room, ₹ 2,500, 3 left". */
const withMark = (label: string, mark: Mark | undefined): string =>
  [label, mark?.full ?? (mark?.price === null ? 'not on sale' : mark?.price), mark?.left]
    .filter(Boolean)
    .join(', ')

/** Instead of MUI's Select, which brings its menu along; `native` and `labelId` are told to that one. */
function BrowsersList({
  native: _native,
  labelId: _labelId,
  ...props
}: NativeSelectProps & { readonly native?: boolean; readonly labelId?: string }) {
  return <NativeSelect {...props} />
}

/**
 * Replaces the theme's SelectWidget, which makes a menu of its own: the browser's list is a wheel or a
 * sheet on a phone, and finds one of 37 states by its first letters.
 */
export function List(props: WidgetProps) {
  const { field, name, aria } = useControl(props)
  const marks = use(Marks)
  return (
    <ThemeInput
      {...(props as BaseInputTemplateProps)}
      {...ours(name)}
      select
      slots={{ select: BrowsersList }}
      slotProps={{
        root: untied,
        select: { native: true, IconComponent: Chevron },
        htmlInput: aria,
      }}
    >
      {field.default === undefined && <option value="">Choose</option>}
      {field.options?.map((option) => (
        <option
          key={option.id}
          value={option.id}
          disabled={
            option.id !== props.value && marks.get(`${field.id}.${option.id}`)?.full !== undefined
          }
        >
          {withMark(option.label, marks.get(`${field.id}.${option.id}`))}
        </option>
      ))}
    </ThemeInput>
  )
}

/** Replaces the theme's CheckboxWidget: a box with a tick does not say whether No was meant or nothing yet. */
export function SwitchAnswer(props: WidgetProps) {
  const { name, aria, change, leave } = useControl(props)
  const on = props.value === true
  return (
    <>
      <b aria-hidden="true">
        <span>Yes</span>
        <span>No</span>
      </b>
      <Switch
        checked={on}
        onChange={(event) => change(event.target.checked)}
        onBlur={leave}
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
