/** The fee table with current and upcoming fees, and the delegate's next price. Loaded on demand. */
import {
  currencyOf,
  dayOf,
  formatDayShort,
  formatPrice,
  labelOf,
  listedPart,
  listedTaxSentence,
  nextPrice,
  checkRegistrationOpen,
  quoteCategory,
  readInstant,
  priceRangesFrom,
  priceTables,
  addDays,
} from '../../../engine/index.ts'
import { FEE_TABLE_MESSAGES, formatMessage } from '../../../engine/messages.ts'
import type { Answers, Day, PublicEvent, Quote, PriceRange } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import './fee-table.css'

const text = FEE_TABLE_MESSAGES

const dayOfServerTime = (now: string): Day | null => {
  const at = readInstant(now)
  return at === null ? null : dayOf(at)
}
/** Returns a day without line breaks. */
const formatShortDay = (day: Day): string => formatDayShort(day).replaceAll(' ', '\u00a0')

export type PriceUntilProps = {
  readonly event: PublicEvent
  readonly answers: Answers
  readonly quote: Quote
  /** Server time. */
  readonly now: string
}

/**
 * "Price valid until 30 Sep 2025; then ₹ 8,260 from 1 Oct 2025", for these answers. Empty if no change
 * is scheduled.
 */
export function PriceUntil({ event, answers, quote, now }: PriceUntilProps) {
  const today = dayOfServerTime(now)
  const next = today === null ? null : nextPrice(event, answers, quote.category, today)
  if (next === null) return null
  const { from, total } = next
  const messages = quote.total === 0 ? text.freeUntil : text.priceUntil
  const day = formatShortDay(addDays(from, -1))
  return (
    <p className="why">
      <Icon name="clock" />
      <span>
        {total !== null
          ? formatMessage(messages.thenPrice, {
              day,
              next: formatShortDay(from),
              amount: formatPrice(total, quote.currency),
            })
          : formatMessage(
              checkRegistrationOpen(event, from).open
                ? messages.thenNotOnSale
                : messages.thenClosed,
              {
                day,
              },
            )}
      </span>
    </p>
  )
}

export type FeeTableProps = {
  readonly event: PublicEvent
  /** The delegate's category. Null if not known yet. */
  readonly category: string | null
  readonly now: string
}

/** A row per category, a column per range of days from today. On a phone, each row is a block. */
export function FeeTable({ event, category: ownCategory, now }: FeeTableProps) {
  const today = dayOfServerTime(now)
  const taxNote = listedTaxSentence(event)
  return (
    <>
      {taxNote !== '' && <p className="hint">{taxNote}</p>}
      {priceTables(event).map(({ label: heading, rows }) => {
        const first = rows[0]?.category.id ?? null
        const stretches = today === null ? [] : priceRangesFrom(event, today, first)
        return (
          <table className="fee" aria-labelledby="fees" key={heading ?? ''}>
            {heading !== null && <caption>{heading}</caption>}
            <thead>
              <tr>
                <th scope="col">
                  <span className="vh">{labelOf(event, 'category')}</span>
                </th>
                {stretches.map((stretch, index) => (
                  <th scope="col" key={stretch.from}>
                    {formatDays(stretch, index === 0)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ category: { id, label } }) => (
                <tr key={id} className={id === ownCategory ? 'own' : ''}>
                  <th scope="row">
                    {label}
                    {id === ownCategory && <span className="yours">{text.yourCategory}</span>}
                  </th>
                  {stretches.map((stretch, index) => (
                    <td key={stretch.from} className={index === 0 ? 'now' : ''}>
                      <small aria-hidden="true">{formatDays(stretch, index === 0)}</small>
                      {formatPriceIn(event, id, stretch)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )
      })}
    </>
  )
}

function formatDays({ from, to }: PriceRange, isNow: boolean): string {
  if (isNow)
    return to === null ? text.today : formatMessage(text.until, { day: formatShortDay(to) })
  return formatMessage(text.from, { day: formatShortDay(from) })
}

function formatPriceIn(event: PublicEvent, category: string, { period }: PriceRange): string {
  const price = quoteCategory(event, category, period.id)
  if (price === null) return text.notOnSale
  return formatPrice(listedPart(event, price), currencyOf(event, category))
}
