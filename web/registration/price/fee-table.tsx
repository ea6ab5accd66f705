/** The table of current and upcoming fees, and the delegate's next price. Loaded on demand. */
import {
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
  addDays,
} from '../../../engine/index.ts'
import { FEE_TABLE_MESSAGES, formatMessage } from '../../../engine/messages.ts'
import type { Answers, Day, PublicEvent, Quote, PriceRange } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import './fee-table.css'

const text = FEE_TABLE_MESSAGES

const today = (now: string): Day | null => {
  const at = readInstant(now)
  return at === null ? null : dayOf(at)
}
/** A day in one piece, never broken over two lines. */
const short = (day: Day): string => formatDayShort(day).replaceAll(' ', '\u00a0')

export type UntilProps = {
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
export function PriceUntil({ event, answers, quote, now }: UntilProps) {
  const on = today(now)
  const next = on === null ? null : nextPrice(event, answers, quote.category, on)
  if (next === null) return null
  const { from, total } = next
  const messages = quote.total === 0 ? text.freeUntil : text.priceUntil
  const day = short(addDays(from, -1))
  return (
    <p className="why">
      <Icon name="clock" />
      <span>
        {total !== null
          ? formatMessage(messages.thenPrice, {
              day,
              next: short(from),
              amount: formatPrice(total),
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

export type TableProps = {
  readonly event: PublicEvent
  /** The delegate's category; null: not known yet. */
  readonly category: string | null
  readonly now: string
}

/** A row per category, a column per range of days from today. On a phone, each row is a block. */
export function FeeTable({ event, category: own, now }: TableProps) {
  const on = today(now)
  const stretches = on === null ? [] : priceRangesFrom(event, on)
  const taxed = listedTaxSentence(event)
  return (
    <>
      {taxed !== '' && <p className="hint">{taxed}</p>}
      <table className="fee" aria-labelledby="fees">
        <thead>
          <tr>
            <th scope="col">
              <span className="vh">{labelOf(event, 'category')}</span>
            </th>
            {stretches.map((stretch, at) => (
              <th scope="col" key={stretch.from}>
                {days(stretch, at === 0)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {event.categories.map(({ id, label }) => (
            <tr key={id} className={id === own ? 'own' : ''}>
              <th scope="row">
                {label}
                {id === own && <span className="yours">{text.yourCategory}</span>}
              </th>
              {stretches.map((stretch, at) => (
                <td key={stretch.from} className={at === 0 ? 'now' : ''}>
                  <small aria-hidden="true">{days(stretch, at === 0)}</small>
                  {priceIn(event, id, stretch)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function days({ from, to }: PriceRange, isNow: boolean): string {
  if (isNow) return to === null ? text.today : formatMessage(text.until, { day: short(to) })
  return formatMessage(text.from, { day: short(from) })
}

function priceIn(event: PublicEvent, category: string, { period }: PriceRange): string {
  const price = quoteCategory(event, category, period.id)
  if (price === null) return text.notOnSale
  return formatPrice(listedPart(event, price))
}
