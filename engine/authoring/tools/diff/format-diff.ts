/** Formats the comparison of two versions of an event as lines. */
import { INR, formatMoney, formatPrice, type Amount } from '../../../lib/money.ts'
import { formatDaysBefore } from '../../../lib/time.ts'
import type { EventDiff, PriceChange, PriceOn, ValueChange } from './diff.ts'

/**
 * Formats a price change as one line: "1–2 January 2026  afpi-pg  ₹ 9,440 → ₹ 7,080
 * ▼ ₹ 2,360".
 */
function formatPriceChange(change: PriceChange): string {
  const days = formatDaysBefore(change.from, change.until)
  const currency = change.next?.is === 'price' ? (change.next.currency ?? INR) : INR
  const difference =
    change.old?.is === 'price' &&
    change.next?.is === 'price' &&
    change.old.currency === change.next.currency
      ? change.next.total - change.old.total
      : null
  const arrow =
    difference === null || difference === 0
      ? ''
      : difference > 0
        ? `  ▲ ${formatMoney(difference as Amount, currency)}`
        : `  ▼ ${formatMoney(-difference as Amount, currency)}`
  const formatPriceOrNone = (price: PriceOn | null): string =>
    difference === 0 && price?.is === 'price'
      ? `${formatPrice(price.total, currency)} (${price.period}${price.total === 0 ? '' : `, ${formatMoney(price.base, currency)} + ${formatMoney(price.gst, currency)}`})`
      : formatOptionalPrice(price)
  return `${days}  ${change.category}  ${formatPriceOrNone(change.old)} → ${formatPriceOrNone(change.next)}${arrow}`
}

function formatOptionalPrice(price: PriceOn | null): string {
  if (price === null) return 'no category'
  if (price.is === 'price') return formatPrice(price.total, price.currency ?? INR)
  return { closed: 'closed', 'not-on-sale': 'not on sale', 'no-price': 'free of charge' }[price.is]
}

/** The heading for each kind of change. */
export const HEADINGS = {
  event: 'Event',
  field: 'Fields',
  message: 'Messages',
  route: 'Addresses',
  wording: 'Wording',
  layout: 'Order',
  office: 'Office',
} as const satisfies Record<ValueChange['kind'], string>

/** Formats a whole comparison as lines; empty if there are no changes. */
export function formatDiff(diff: EventDiff): string {
  const formatBlock = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [`${title}\n${lines.map((line) => `  ${line}`).join('\n')}`]
  const quote = (text: string | null): string => (text === null ? 'nothing' : JSON.stringify(text))
  return [
    ...(diff.currency === undefined
      ? []
      : formatBlock('Currency', [
          `${diff.currency.old} → ${diff.currency.next}: every price and total is in ${diff.currency.next}`,
        ])),
    ...formatBlock('Prices', diff.prices.map(formatPriceChange)),
    ...formatBlock(
      'Items and charges',
      diff.sold.map(({ what, old, next }) => `${what}: ${old ?? 'nothing'} → ${next ?? 'nothing'}`),
    ),
    ...formatBlock(
      'Categories',
      diff.rules.map(
        ({ answers, old, next }) =>
          `${answers === '' ? 'all answers' : answers}: ${old ?? 'none'} → ${next ?? 'none'}`,
      ),
    ),
    ...Object.entries(HEADINGS).flatMap(([kind, title]) =>
      formatBlock(
        title,
        diff.values
          .filter((change) => change.kind === kind)
          .map(({ path, old, next }) => `${path}: ${quote(old)} → ${quote(next)}`),
      ),
    ),
  ].join('\n\n')
}
