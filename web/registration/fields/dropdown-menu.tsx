/** The dropdown for long lists of detailed options, loaded for events that have one. */
import MenuItem from '@mui/material/MenuItem'
import Select from '@mui/material/Select'
import ThemeInput from '@rjsf/mui/lib/BaseInputTemplate/BaseInputTemplate.js'
import type { BaseInputTemplateProps, WidgetProps } from '@rjsf/utils'
import { use } from 'react'
import { FORM_MESSAGES } from '../../../engine/messages.ts'
import { PriceNote, Swatch, formatOptionPrice, listPriceDetails } from './radio-choices.tsx'
import { OptionStatuses, Prices } from '../form/form-context.ts'
import { Chevron, useControl } from './field-control.tsx'
import { buildTextFieldProps, NO_DESCRIPTION } from './text-select-switch-inputs.tsx'

/**
 * Replaces the theme's SelectWidget if there are too many categories for rows. The theme's entries are plain labels;
 * these also show the description, colour and price, as rows do.
 */
export function DropdownMenu(props: WidgetProps) {
  const { field, name, constants, aria, onLeave } = useControl(props)
  const tariff = use(Prices)
  const statuses = use(OptionStatuses)
  const { event } = constants
  const isPriced = field.offersCategories === true && event.fees.prices !== null
  const priceDetails = isPriced && tariff ? listPriceDetails(event, tariff) : null
  const selected = field.options?.find((option) => option.id === props.value)
  return (
    <>
      {isPriced && <PriceNote event={event} tariff={tariff} />}
      <ThemeInput
        {...(props as BaseInputTemplateProps)}
        {...buildTextFieldProps(name)}
        value={selected?.id}
        select
        slots={{ select: Select }}
        slotProps={{
          root: NO_DESCRIPTION,
          // The visible, focusable element is a box. The input behind it only contains the value.
          htmlInput: { 'aria-hidden': true, tabIndex: -1 },
          select: {
            IconComponent: Chevron,
            displayEmpty: true,
            // Render the menu inside the page's landmarks; MUI's default is the end of the
            // document.
            MenuProps: { container: () => document.getElementById('main') },
            labelId: `${props.id}-label`,
            onClose: onLeave,
            SelectDisplayProps: { id: props.id, ...aria },
            renderValue: () =>
              selected ? (
                <span className="rich">
                  <Swatch colour={selected.colour} />
                  {selected.label}
                </span>
              ) : (
                FORM_MESSAGES.choose
              ),
          },
        }}
      >
        {field.options?.map((option) => {
          const status = statuses.get(`${field.id}.${option.id}`)
          const optionPrice =
            isPriced && tariff ? formatOptionPrice(event, tariff, option) : status?.price
          const details = priceDetails?.get(option.id) ?? ''
          const price =
            status?.soldOutText ?? (optionPrice === null ? FORM_MESSAGES.notOnSale : optionPrice)
          return (
            <MenuItem
              key={option.id}
              value={option.id}
              disabled={status?.soldOutText !== undefined && option !== selected}
            >
              <span className="rich">
                <Swatch colour={option.colour} />
                <span>
                  <b>{option.label}</b>
                  {details && <em>{details}</em>}
                  {option.about && <em>{option.about}</em>}
                  {status?.seatsLeftText && <em>{status.seatsLeftText}</em>}
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
