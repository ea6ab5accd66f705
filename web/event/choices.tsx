import MenuItem from '@mui/material/MenuItem'
import OutlinedInput from '@mui/material/OutlinedInput'
import Radio from '@mui/material/Radio'
import Select from '@mui/material/Select'
import { use } from 'react'
import type { CSSProperties } from 'react'
import { formatDay, formatMoney } from '../../engine/index.ts'
import type { Colour, Day, Option, PublicEvent, TariffAnswer } from '../../engine/index.ts'
import { Prices } from './context.ts'
import { Chevron } from './control.tsx'
import type { ControlProps } from './control.tsx'
import { toPaise } from './price.ts'
import '../styles/choices.css'

const colourOf = (colour: Colour | undefined): CSSProperties =>
  ({ '--c': colour ? `var(--c-${colour})` : 'transparent' }) as CSSProperties

/** Today's price of a category as its event file states it: before tax, or with the tax inside. Null: not on sale. */
export function priceOfOption(
  event: PublicEvent,
  tariff: TariffAnswer,
  option: Pick<Option, 'id'>,
): string | null {
  const price = tariff.pricing[option.id]
  const amount = toPaise(event.fees.tax?.prices === 'exclusive' ? price?.base : price?.total)
  return amount === null ? null : formatMoney(amount)
}

/** Until when the prices beside the categories hold, and whether the tax is in them. */
export function PriceNote({
  event,
  tariff,
}: {
  readonly event: PublicEvent
  readonly tariff: TariffAnswer | null
}) {
  if (event.fees.prices === null) return null
  const { tax } = event.fees
  const until = tariff?.until ? `Fees until ${formatDay(tariff.until as Day)}` : 'Fees'
  const taxed =
    tax === null
      ? ''
      : tax.prices === 'exclusive'
        ? `, exclusive of ${tax.percent}% ${tax.name}`
        : `, ${tax.percent}% ${tax.name} included`
  return <p className="hint">{tariff ? `${until}${taxed}.` : ' '}</p>
}

const Dot = <span className="dot" />
const Ticked = (
  <span className="dot on">
    <svg className="i s" aria-hidden="true">
      <use href="#i-tick" />
    </svg>
  </span>
)

/** Every choice in a row of its own: colour bar, description, today's price. The whole row is the target. */
export function ChoiceRows({ field, constants, id, value, change, aria }: ControlProps) {
  const tariff = use(Prices)
  const { event } = constants
  const priced = field.offersCategories === true && event.fees.prices !== null
  return (
    <>
      {priced && <PriceNote event={event} tariff={tariff} />}
      <div className="cats">
        {field.options?.map((option, index) => {
          const price = priced && tariff ? priceOfOption(event, tariff, option) : null
          const chosen = value === option.id
          const rowId = index === 0 ? id : `${id}-${index}`
          return (
            <label
              key={option.id}
              className={chosen ? 'cat on' : 'cat'}
              style={colourOf(option.colour)}
              htmlFor={rowId}
            >
              <Radio
                icon={Dot}
                checkedIcon={Ticked}
                checked={chosen}
                onChange={() => change(option.id)}
                value={option.id}
                name={field.id}
                slotProps={{
                  input: {
                    id: rowId,
                    'aria-labelledby': `${rowId}-name`,
                    ...aria,
                    'aria-describedby':
                      [
                        option.about && `${rowId}-about`,
                        price && `${rowId}-price`,
                        aria['aria-describedby'],
                      ]
                        .filter(Boolean)
                        .join(' ') || undefined,
                    'aria-required': undefined,
                  },
                }}
              />
              <strong id={`${rowId}-name`}>{option.label}</strong>
              {priced && (
                <span className={price === null && tariff ? 'pr mute' : 'pr'} id={`${rowId}-price`}>
                  {price ?? (tariff ? 'Not on sale' : '')}
                </span>
              )}
              {option.about && <em id={`${rowId}-about`}>{option.about}</em>}
            </label>
          )
        })}
      </div>
    </>
  )
}

export function YesNoRows({ field, id, value, change, aria }: ControlProps) {
  return (
    <div className="yn">
      {[true, false].map((answer) => {
        const rowId = answer ? id : `${id}-no`
        return (
          <label key={String(answer)} className={value === answer ? 'on' : ''} htmlFor={rowId}>
            <Radio
              icon={Dot}
              checkedIcon={Ticked}
              checked={value === answer}
              onChange={() => change(answer)}
              value={String(answer)}
              name={field.id}
              slotProps={{ input: { id: rowId, ...aria, 'aria-required': undefined } }}
            />
            {answer ? 'Yes' : 'No'}
          </label>
        )
      })}
    </div>
  )
}

/** More categories than fit as rows: a menu whose entries say what the rows would. */
export function RichSelect({ field, constants, id, value, change, leave, aria }: ControlProps) {
  const tariff = use(Prices)
  const { event } = constants
  const priced = field.offersCategories === true && event.fees.prices !== null
  const chosen = field.options?.find((option) => option.id === value)
  return (
    <>
      {priced && <PriceNote event={event} tariff={tariff} />}
      <Select
        input={<OutlinedInput />}
        IconComponent={Chevron}
        displayEmpty
        value={chosen?.id ?? ''}
        onChange={(change_) => change(change_.target.value)}
        onClose={leave}
        renderValue={() =>
          chosen ? (
            <span className="rich">
              <i className="sw" style={colourOf(chosen.colour)} />
              {chosen.label}
            </span>
          ) : (
            'Choose'
          )
        }
        labelId={`${id}-label`}
        name={field.id}
        inputProps={{ 'aria-hidden': true, tabIndex: -1 }}
        SelectDisplayProps={{ id, ...aria }}
      >
        {field.options?.map((option) => {
          const price =
            priced && tariff ? (priceOfOption(event, tariff, option) ?? 'Not on sale') : null
          return (
            <MenuItem key={option.id} value={option.id}>
              <span className="rich">
                <i className="sw" style={colourOf(option.colour)} />
                <span>
                  <b>{option.label}</b>
                  {option.about && <em>{option.about}</em>}
                </span>
                {price && <span className="pr">{price}</span>}
              </span>
            </MenuItem>
          )
        })}
      </Select>
    </>
  )
}
