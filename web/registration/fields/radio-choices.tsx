/** Radio choices: rows with prices, and Yes or No in two boxes. */
import Radio from '@mui/material/Radio'
import RadioWidget from '@rjsf/mui/lib/RadioWidget/RadioWidget.js'
import type { WidgetProps } from '@rjsf/utils'
import { use } from 'react'
import type { ComponentProps, CSSProperties } from 'react'
import {
  getCurrency,
  dayOf,
  formatDay,
  formatPrice,
  fromMajorUnits,
  hasDifferentLastDays,
  getLastDayOfFee,
  getListedPart,
  getListedTaxText,
  placeTaxTexts,
  readInstant,
} from '../../../engine/index.ts'
import { FORM_MESSAGES, formatMessage } from '../../../engine/messages.ts'
import type { Colour, Day, Option, PublicEvent } from '../../../engine/index.ts'
import type { TariffResponse } from '../../../engine/api.ts'
import { OptionStatuses, Prices } from '../form/form-context.ts'
import { useControl } from './field-control.tsx'
import './radio-choices.css'

const getColourStyle = (colour: Colour | undefined): CSSProperties =>
  ({ '--c': colour ? `var(--c-${colour})` : 'transparent' }) as CSSProperties

/** Shows the colour of a category, always next to its label. */
export const Swatch = ({ colour }: { readonly colour: Colour | undefined }) => (
  <i className="sw" style={getColourStyle(colour)} />
)

/** Returns today's price of a category in the format of a price list, or null if it is not on sale. */
export function formatOptionPrice(
  event: PublicEvent,
  tariff: TariffResponse,
  option: Pick<Option, 'id'>,
): string | null {
  const price = tariff.pricing[option.id]
  const currency = getCurrency(event, option.id)
  const today = readToday(tariff)
  const listedPrice =
    price && today && getListedPart(event, { category: option.id, on: today }, price)
  const amount = fromMajorUnits(listedPrice, currency)
  return amount === null ? null : formatPrice(amount, currency)
}

/** Returns the texts about the tax in today's prices: one above the list, or one per category if they differ. */
function listTaxes(event: PublicEvent, tariff: TariffResponse) {
  const today = readToday(tariff)
  const ids = event.categories.map(({ id }) => id).filter((id) => tariff.pricing[id] !== undefined)
  const { above, rows } = placeTaxTexts(
    ids.map((id) => [today === null ? null : getListedTaxText(event, { category: id, on: today })]),
  )
  return { above, byCategory: new Map(ids.map((id, index) => [id, rows[index]?.text ?? ''])) }
}

/**
 * Returns, for each category, how its price differs from the others in the list: "until 30 June 2027, 18% GST
 * included". The text is empty if the price does not differ or if the category has no price.
 */
export function listPriceDetails(
  event: PublicEvent,
  tariff: TariffResponse,
): ReadonlyMap<string, string> {
  const { byCategory } = listTaxes(event, tariff)
  return new Map(
    event.categories.map(({ id }) => [
      id,
      [formatPriceEnd(event, tariff, id), byCategory.get(id) ?? '']
        .filter((part) => part !== '')
        .join(', '),
    ]),
  )
}

const readToday = ({ now }: TariffResponse): Day | null => {
  const time = readInstant(now)
  return time === null ? null : dayOf(time)
}

/**
 * Formats the last day on which a category's price is valid: "until 30 June 2027". Empty if the day is the same for
 * all categories, or if this one's price has no end.
 */
function formatPriceEnd(event: PublicEvent, tariff: TariffResponse, category: string): string {
  const today = findTodayIfEndDaysDiffer(event, tariff)
  const lastDay =
    today === null || tariff.pricing[category] === undefined
      ? null
      : getLastDayOfFee(event, today, category)
  return lastDay === null
    ? ''
    : formatMessage(FORM_MESSAGES.fees.untilOfCategory, { day: formatDay(lastDay) })
}

/** Returns today's date if the categories' prices end on different days, otherwise null. */
function findTodayIfEndDaysDiffer(event: PublicEvent, tariff: TariffResponse): Day | null {
  const today = readToday(tariff)
  return today !== null && hasDifferentLastDays(event, today) ? today : null
}

/**
 * States whether the listed prices include tax and, unless it depends on the category, the last day on which they
 * are valid.
 */
export function PriceNote({
  event,
  tariff,
}: {
  readonly event: PublicEvent
  readonly tariff: TariffResponse | null
}) {
  if (event.fees.prices === null) return null
  const until =
    tariff?.until && findTodayIfEndDaysDiffer(event, tariff) === null
      ? formatMessage(FORM_MESSAGES.fees.until, { day: formatDay(tariff.until as Day) })
      : FORM_MESSAGES.fees.heading
  if (tariff === null) return <p className="hint"> </p>
  const taxText = listTaxes(event, tariff).above
  // If each price states its own last day and tax, a heading with neither would be useless.
  if (taxText === '' && until === FORM_MESSAGES.fees.heading) return null
  return <p className="hint">{[until, taxText].filter((text) => text !== '').join(', ')}.</p>
}

/**
 * Radio or tick mark, styled from the state of the input before it, so it is correct even before the script has loaded.
 */
export const OptionMark = (
  <span className="dot">
    <svg className="i s" aria-hidden="true">
      <use href="#i-tick" />
    </svg>
  </span>
)

/**
 * Shows each option in its own row with a colour bar, its description, today's price and remaining seats; the whole
 * row is clickable. Replaces the theme's RadioWidget, whose options are plain labels.
 */
export function ChoiceRows(props: WidgetProps) {
  const { change } = useControl(props)
  return (
    <OptionRows props={props} Box={Radio} isChosen={(id) => props.value === id} choose={change} />
  )
}

/** Shows the rows of a field that accepts one answer, or several if `Box` is a checkbox. */
export function OptionRows({
  props,
  Box,
  isChosen: isOptionSelected,
  choose,
}: {
  readonly props: WidgetProps
  readonly Box: typeof Radio
  readonly isChosen: (id: string) => boolean
  readonly choose: (id: string) => void
}) {
  const { id } = props
  const { field, name, constants, onLeave, aria } = useControl(props)
  const tariff = use(Prices)
  const statuses = use(OptionStatuses)
  const { event } = constants
  const isHidden = ({ id: optionId }: Option): boolean =>
    statuses.get(`${field.id}.${optionId}`)?.isHidden === true
  const options = (field.options ?? []).filter((option) => !isHidden(option))
  // If the default method is hidden, the engine uses the first method that is offered.
  const isHiddenOptionSelected = (field.options ?? []).some(
    (option) => isHidden(option) && isOptionSelected(option.id) && option.id === field.default,
  )
  const isPriced = field.offersCategories === true && event.fees.prices !== null
  const priceDetails = isPriced && tariff ? listPriceDetails(event, tariff) : null
  return (
    <>
      {isPriced && <PriceNote event={event} tariff={tariff} />}
      <div
        className="cats"
        onBlur={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget)) onLeave()
        }}
      >
        {options.map((option, index) => {
          const status = statuses.get(`${field.id}.${option.id}`)
          const price =
            isPriced && tariff ? formatOptionPrice(event, tariff, option) : status?.price
          const noteText =
            status?.soldOutText ??
            (price === undefined ? (isPriced ? '' : undefined) : (price ?? FORM_MESSAGES.notOnSale))
          const details = priceDetails?.get(option.id) ?? ''
          const isSelected = isOptionSelected(option.id) || (isHiddenOptionSelected && index === 0)
          const isDisabled = status?.soldOutText !== undefined && !isSelected
          const rowId = index === 0 ? id : `${id}-${index}`
          return (
            <label
              key={option.id}
              className={`cat${isSelected ? ' on' : ''}${isDisabled ? ' off' : ''}`}
              style={getColourStyle(option.colour)}
              htmlFor={rowId}
            >
              <Box
                icon={OptionMark}
                checkedIcon={OptionMark}
                checked={isSelected}
                disabled={isDisabled || props.disabled === true}
                onChange={() => choose(option.id)}
                value={option.id}
                name={name}
                slotProps={{
                  input: {
                    id: rowId,
                    'aria-labelledby': `${rowId}-name`,
                    ...aria,
                    'aria-describedby':
                      [
                        option.about && `${rowId}-about`,
                        noteText && `${rowId}-price`,
                        details && `${rowId}-details`,
                        status?.seatsLeftText && `${rowId}-left`,
                        aria['aria-describedby'],
                      ]
                        .filter(Boolean)
                        .join(' ') || undefined,
                    'aria-required': undefined,
                  },
                }}
              />
              <strong id={`${rowId}-name`}>{option.label}</strong>
              {noteText !== undefined && (
                <span
                  className={
                    noteText !== '' && (price === null || status?.soldOutText) ? 'pr mute' : 'pr'
                  }
                  id={`${rowId}-price`}
                >
                  {noteText}
                </span>
              )}
              {details && <em id={`${rowId}-details`}>{details}</em>}
              {option.about && <em id={`${rowId}-about`}>{option.about}</em>}
              {status?.seatsLeftText && <em id={`${rowId}-left`}>{status.seatsLeftText}</em>}
            </label>
          )
        })}
      </div>
    </>
  )
}

/** Omits the theme's description, which refers to elements that the form does not have. */
function GroupBox({ 'aria-describedby': _, ...props }: ComponentProps<'div'>) {
  return <div {...props} />
}

/** Shows the theme's RadioWidget as two boxes. Each radio references the hint and the message. */
export function YesNo(props: WidgetProps) {
  const { aria, name } = useControl(props)
  const input = { ...aria, 'aria-required': undefined }
  const rjsfSlotProps = {
    // The field's fieldset is the group; a second group inside it would be announced as well.
    radioGroup: { className: 'yn', role: undefined, as: GroupBox },
    radio: { icon: OptionMark, checkedIcon: OptionMark, slotProps: { input } },
  }
  return (
    <RadioWidget
      {...props}
      hideLabel
      htmlName={name}
      options={{ ...props.options, mui: { rjsfSlotProps } }}
    />
  )
}
