/**
 * Controls that are not rows: lines to type in, the browser's list, the menu, the switch. All but the
 * switch are the theme's input, tied to its hint and message.
 */
import MenuItem from '@mui/material/MenuItem'
import Switch from '@mui/material/Switch'
import ThemeInput from '@rjsf/mui/lib/BaseInputTemplate/BaseInputTemplate.js'
import type { BaseInputTemplateProps, WidgetProps } from '@rjsf/utils'
import { use } from 'react'
import { Marks, Prices } from './context.ts'
import type { Mark } from './context.ts'
import { Chevron, useControl } from './control.tsx'
import { PriceNote, Swatch, priceOfOption } from './choices.tsx'

/** A text of several lines grows with what is typed, and scrolls from here on. */
const LINES_MIN = 3
const LINES_MAX = 8

/**
 * The theme gives `aria-describedby` to the box around an input: it stays off the box. `required` it
 * takes from the schema and hands to the browser, which calls an empty input invalid before anybody
 * has typed: `aria-required` on the input says the same without that.
 */
const ours = (htmlName: string) => ({ htmlName, hideLabel: true, required: false }) as const
const untied = { 'aria-describedby': undefined }

/** A line or several, as the theme draws them. */
export function Input(props: BaseInputTemplateProps) {
  const { field, name, aria } = useControl(props)
  const unitId = `${props.id}-unit`
  const unit = field.unit && {
    endAdornment: (
      <span className="unit" id={unitId}>
        {field.unit}
      </span>
    ),
  }
  const said = [aria['aria-describedby'], unit && unitId].filter(Boolean).join(' ') || undefined
  const lines = props['multiline'] === true ? { minRows: LINES_MIN, maxRows: LINES_MAX } : {}
  return (
    <ThemeInput
      {...props}
      {...ours(name)}
      slotProps={{
        root: untied,
        ...(unit && { input: unit }),
        htmlInput: { ...lines, ...aria, 'aria-describedby': said },
      }}
    />
  )
}

/** The browser's list has room for one line: "Twin room, ₹ 2,500, 3 left". */
const withMark = (label: string, mark: Mark | undefined): string =>
  [label, mark?.full ?? (mark?.price === null ? 'not on sale' : mark?.price), mark?.left]
    .filter(Boolean)
    .join(', ')

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

/**
 * Replaces the theme's SelectWidget where there are more categories than fit as rows: its entries are
 * labels, these say what the rows would, description, colour and price.
 */
export function Menu(props: WidgetProps) {
  const { field, name, constants, aria, leave } = useControl(props)
  const tariff = use(Prices)
  const marks = use(Marks)
  const { event } = constants
  const priced = field.offersCategories === true && event.fees.prices !== null
  const chosen = field.options?.find((option) => option.id === props.value)
  return (
    <>
      {priced && <PriceNote event={event} tariff={tariff} />}
      <ThemeInput
        {...(props as BaseInputTemplateProps)}
        {...ours(name)}
        value={chosen?.id}
        select
        slotProps={{
          root: untied,
          // What one sees and focuses is a box; the input behind it only holds the value.
          htmlInput: { 'aria-hidden': true, tabIndex: -1 },
          select: {
            IconComponent: Chevron,
            displayEmpty: true,
            labelId: `${props.id}-label`,
            onClose: leave,
            SelectDisplayProps: { id: props.id, ...aria },
            renderValue: () =>
              chosen ? (
                <span className="rich">
                  <Swatch colour={chosen.colour} />
                  {chosen.label}
                </span>
              ) : (
                'Choose'
              ),
          },
        }}
      >
        {field.options?.map((option) => {
          const mark = marks.get(`${field.id}.${option.id}`)
          const stated = priced && tariff ? priceOfOption(event, tariff, option) : mark?.price
          const price = mark?.full ?? (stated === null ? 'Not on sale' : stated)
          return (
            <MenuItem
              key={option.id}
              value={option.id}
              disabled={mark?.full !== undefined && option !== chosen}
            >
              <span className="rich">
                <Swatch colour={option.colour} />
                <span>
                  <b>{option.label}</b>
                  {option.about && <em>{option.about}</em>}
                  {mark?.left && <em>{mark.left}</em>}
                </span>
                {price && <span className="pr">{price}</span>}
              </span>
            </MenuItem>
          )
        })}
      </ThemeInput>
    </>
  )
}

/** Replaces the theme's CheckboxWidget: a box with a tick does not say whether No was meant or nothing yet. */
export function SwitchAnswer(props: WidgetProps) {
  const { name, aria, change, leave } = useControl(props)
  const on = props.value === true
  return (
    <>
      <b aria-hidden="true">{on ? 'Yes' : 'No'}</b>
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
