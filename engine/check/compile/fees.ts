/** The tax, the periods and the price table: rows to amounts, columns to periods. */
import type { Fees } from '../../config.ts'
import { paise, type Paise, type Tax } from '../../money.ts'
import { words } from '../../texts.ts'
import { TAX_PRICES, TAX_ROUND } from '../defaults.ts'
import { given, list, map, maybe, maybeDay, paiseOf, text, texts, type Plain } from './plain.ts'

/** Whether a value is one that these fees have: without a tax there is no `gst` to show, and no page speaks of one. */
export function isCharged({ tax }: Pick<Fees, 'tax'>, value: unknown): boolean {
  return tax !== null || value !== 'gst'
}

export function toFees(fees: Plain): Fees {
  const tax = fees.tax === undefined ? null : map(fees.tax)
  const prices = fees.prices === undefined ? null : map(fees.prices)
  const columns = texts(prices?.period)
  return {
    tax:
      tax === null
        ? null
        : {
            name: text(tax.name),
            percent: Number(tax.percent),
            prices: (tax.prices as Tax['prices'] | undefined) ?? TAX_PRICES,
            round: (tax.round as Tax['round'] | undefined) ?? TAX_ROUND,
          },
    periods: list(fees.periods)
      .map(map)
      .map((period) => ({
        id: text(period.id),
        label: maybe(period.label) ?? words(text(period.id)),
        ...given({ from: maybeDay(period.from), to: maybeDay(period.to) }),
      })),
    otherDates:
      fees.other_dates === undefined || fees.other_dates === 'closed'
        ? null
        : text(fees.other_dates),
    prices:
      prices === null
        ? null
        : Object.fromEntries(
            Object.entries(prices)
              .filter(([category]) => category !== 'period')
              .map(([category, row]) => [
                category,
                Object.fromEntries(columns.map((period, i) => [period, toPrice(list(row)[i])])),
              ]),
          ),
  }
}

/** `none`, and a cell that a short row lacks, is not on sale; `free` is on sale for nothing. */
function toPrice(cell: unknown): Paise | null {
  if (cell === 'none' || cell === undefined) return null
  return cell === 'free' ? paise(0) : paiseOf(cell)
}
