/** Adds up a month for each event and currency, for the accountant's file. */
import { formatInstant, INR, toAmount } from '../../../engine/index.ts'
import type { Amount, Currency } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { ListedDocument, MonthClosing, Movement, MovementSum } from '../../storage/index.ts'
import type { CsvCell } from '../spreadsheets/write-csv.ts'
import { amountCell, eventTitle } from './movement-rows.ts'

export const SUMMARY_HEAD: readonly string[] = [
  'Event',
  'Currency',
  'Payments',
  'Received',
  'Needs review',
  'Not counted',
  'Refunds',
  'Refunded',
  'Refunds of payments not counted',
  'Received less refunded',
  'Gateway fees of these payments (INR)',
  'Invoices',
  'Invoiced',
  'Credit notes',
  'Credited',
  'Closed by',
  'Closed on',
  'Changes after closing',
]

/** One row for each event and currency; two currencies are never added. */
export function formatSummary(
  deps: Pick<Deps, 'events'>,
  {
    sums,
    documents,
    closings,
    changes,
  }: {
    readonly sums: readonly MovementSum[]
    readonly documents: readonly ListedDocument[]
    readonly closings: readonly MonthClosing[]
    readonly changes: readonly Movement[]
  },
): readonly (readonly CsvCell[])[] {
  const keyOf = (eventId: string | null, currency: Currency): string =>
    JSON.stringify([eventId, currency])
  const currencyOf = ({ body }: ListedDocument): Currency => body.currency ?? INR
  const keys = new Set([
    ...sums.map(({ eventId, currency }) => keyOf(eventId, currency)),
    ...documents.map((document) => keyOf(document.eventId, currencyOf(document))),
  ])
  return [...keys].toSorted().map((key) => {
    const [eventId, currency] = JSON.parse(key) as [string | null, Currency]
    const own = sums.filter((sum) => keyOf(sum.eventId, sum.currency) === key)
    const add = (read: (sum: MovementSum) => number): number =>
      own.reduce((total, sum) => total + read(sum), 0)
    const money = (read: (sum: MovementSum) => number, in_: Currency = currency): CsvCell =>
      amountCell(toAmount(add(read)), in_)
    const documentsOf = (kind: 'invoice' | 'credit'): readonly ListedDocument[] =>
      documents.filter(
        (document) =>
          document.body.kind === kind && keyOf(document.eventId, currencyOf(document)) === key,
      )
    const totalOf = (kind: 'invoice' | 'credit'): Amount =>
      toAmount(documentsOf(kind).reduce((total, { body }) => total + body.total, 0))
    const closing = closings.find((entry) => entry.eventId === eventId)
    return [
      eventTitle(deps, eventId) || 'No event',
      currency,
      add(({ payments }) => payments),
      money(({ received }) => received),
      money(({ inReview }) => inReview),
      money(({ notCounted }) => notCounted),
      add(({ refunds }) => refunds),
      money(({ refunded }) => refunded),
      money(({ refundedNotCounted }) => refundedNotCounted),
      money(({ received, refunded }) => received - refunded),
      money(({ fee }) => fee, INR),
      documentsOf('invoice').length,
      amountCell(totalOf('invoice'), currency),
      documentsOf('credit').length,
      amountCell(totalOf('credit'), currency),
      closing?.who ?? '',
      closing === undefined ? '' : formatInstant(closing.at),
      closing === undefined
        ? ''
        : changes.filter((row) => row.eventId === eventId && row.currency === currency).length,
    ]
  })
}

/** How to read the tables of a month. An accountant who compares two of them needs the meaning of their dates. */
export const formatReadme = (month: string): string =>
  [
    `The month ${month}. All days and times are those of India.`,
    '',
    'payments and refunds: listed by the day on which the money was received or refunded.',
    'invoices and credit notes: listed by their own date.',
    'An invoice is dated when its payment was recorded. Staff record a transfer, a UPI payment or cash when they see it, ' +
      'often days after it was received. Its invoice can therefore be in a later month than the payment.',
    'A credit note is dated when its refund was recorded.',
    'settlement-fees: listed by the day on which the gateway settled the payment.',
    'Amounts in different currencies are never added up. Each row states its currency.',
    '',
  ].join('\r\n')
