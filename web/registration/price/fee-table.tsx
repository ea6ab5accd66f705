/** The fee table with current and upcoming fees, and the delegate's next price. Loaded on demand. */
import {
  getCurrency,
  dayOf,
  formatDayShort,
  formatPrice,
  getLabel,
  getListedPart,
  getListedTaxText,
  findApproval,
  findNextPrice,
  isPricedOnCredit,
  checkRegistrationOpen,
  quoteCategory,
  readInstant,
  placeTaxTexts,
  listPriceRanges,
  buildPriceTables,
  formatTaxSentence,
  addDays,
} from '../../../engine/index.ts'
import { FEE_TABLE_MESSAGES, formatMessage } from '../../../engine/messages.ts'
import type { Answers, Day, PublicEvent, Quote, PriceRange } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import './fee-table.css'

const text = FEE_TABLE_MESSAGES

const readServerDay = (now: string): Day | null => {
  const time = readInstant(now)
  return time === null ? null : dayOf(time)
}
/** Formats a day with non-breaking spaces. */
const formatShortDay = (day: Day): string => formatDayShort(day).replaceAll(' ', '\u00a0')

export type PriceUntilProps = {
  readonly event: PublicEvent
  readonly answers: Answers
  readonly quote: Quote
  /** The server's time. */
  readonly now: string
}

/**
 * Shows "Price valid until 30 Sep 2025; then ₹ 8,260 from 1 Oct 2025" for these answers. Renders nothing if no change
 * is scheduled.
 */
export function PriceUntil({ event, answers, quote, now }: PriceUntilProps) {
  const today = readServerDay(now)
  const nextPrice = today === null ? null : findNextPrice(event, answers, quote.category, today)
  if (nextPrice === null) return null
  const { from, total } = nextPrice
  const messages = quote.total === 0 ? text.freeUntil : text.priceUntil
  const day = formatShortDay(addDays(from, -1))
  // The price of the registration date also applies if the approval and the payment come later.
  const isPriceKept =
    quote.total > 0 &&
    findApproval(event.approvals, answers, quote.category) !== null &&
    !isPricedOnCredit(event, answers)
  return (
    <p className="why">
      <Icon name="clock" />
      <span>
        {isPriceKept
          ? formatMessage(text.registerBy, { day })
          : total === null
            ? formatEnd(event, from, messages, day)
            : formatMessage(messages.thenPrice, {
                day,
                next: formatShortDay(from),
                amount: formatPrice(total, quote.currency),
              })}
      </span>
    </p>
  )
}

/** Returns the message that there is no price from this day on. */
function formatEnd(
  event: PublicEvent,
  from: Day,
  messages: (typeof text)['priceUntil' | 'freeUntil'],
  day: string,
): string {
  const registration = checkRegistrationOpen(event, from)
  if (registration.open) return formatMessage(messages.thenNotOnSale, { day })
  return 'opens' in registration && registration.opens !== undefined
    ? formatMessage(messages.thenPaused, { day, next: formatShortDay(registration.opens) })
    : formatMessage(messages.thenClosed, { day })
}

export type FeeTableProps = {
  readonly event: PublicEvent
  /** The delegate's category. Null if not known yet. */
  readonly category: string | null
  /** The delegate's answers, on which the tax of their category may depend. */
  readonly answers: Answers
  readonly now: string
}

/** Shows a row per category, and a column per date range from today. On a phone, each row is a block. */
export function FeeTable({ event, category: ownCategory, answers, now }: FeeTableProps) {
  const today = readServerDay(now)
  const tables = buildPriceTables(event).map(({ label: heading, rows }) => {
    const ranges = today === null ? [] : listPriceRanges(event, today, rows[0]?.category.id ?? null)
    return {
      heading,
      ranges,
      rows: rows.map(({ category: { id, label } }) => ({
        id,
        label,
        prices: ranges.map((range) =>
          quoteTablePrice(event, id, range, id === ownCategory ? answers : null),
        ),
      })),
    }
  })
  const taxes = placeTaxTexts(
    tables.flatMap(({ rows }) => rows.map(({ prices }) => prices.map(({ tax }) => tax))),
  )
  const taxOfRow = new Map(
    tables.flatMap(({ rows }) => rows).map(({ id }, index) => [id, taxes.rows[index]]),
  )
  return (
    <>
      {taxes.above !== '' && <p className="hint">{formatTaxSentence(taxes.above)}</p>}
      {tables.map(({ heading, ranges, rows }) => (
        <table className="fee" aria-labelledby="fees" key={heading ?? ''}>
          {heading !== null && <caption>{heading}</caption>}
          <thead>
            <tr>
              <th scope="col">
                <span className="vh">{getLabel(event, 'category')}</span>
              </th>
              {ranges.map((range, index) => (
                <th scope="col" key={range.from}>
                  {formatDays(range, index === 0)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, label, prices }) => (
              <tr key={id} className={id === ownCategory ? 'own' : ''}>
                <th scope="row">
                  {label}
                  {id === ownCategory && <span className="yours">{text.yourCategory}</span>}
                  <TaxNote text={taxOfRow.get(id)?.text} />
                </th>
                {prices.map(({ range, price }, index) => (
                  <td key={range.from} className={index === 0 ? 'now' : ''}>
                    <small aria-hidden="true">{formatDays(range, index === 0)}</small>
                    {price}
                    <TaxNote text={taxOfRow.get(id)?.cells[index]} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </>
  )
}

const TaxNote = ({ text: note }: { readonly text: string | undefined }) =>
  note ? <span className="tax">{note}</span> : null

function formatDays({ from, to }: PriceRange, isNow: boolean): string {
  if (isNow)
    return to === null ? text.today : formatMessage(text.until, { day: formatShortDay(to) })
  return formatMessage(text.from, { day: formatShortDay(from) })
}

/**
 * Returns a price in the table and the text about its tax. If the category is not on sale then, the price says so
 * and the tax is null.
 */
function quoteTablePrice(
  event: PublicEvent,
  category: string,
  range: PriceRange,
  answers: Answers | null,
) {
  const price = quoteCategory(event, category, range.period.id, range.from, answers)
  if (price === null) return { range, price: text.notOnSale, tax: null }
  const listedPart = { category, on: range.from, answers }
  return {
    range,
    price: formatPrice(getListedPart(event, listedPart, price), getCurrency(event, category)),
    tax: getListedTaxText(event, listedPart),
  }
}
