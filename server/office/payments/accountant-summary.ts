/** Sums a month's payments, refunds and documents by event and currency, for the accountant's file. */
import { formatInstant, INR, toAmount } from '../../../engine/index.ts'
import type { Amount, Currency } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { ListedDocument, MonthClosing, Movement, MovementSum } from '../../storage/index.ts'
import type { CsvCell } from '../spreadsheets/write-csv.ts'
import { buildAmountCell, getEventTitle } from './movement-rows.ts'

export const SUMMARY_HEADER: readonly string[] = [
  'Event',
  'Currency',
  'Payments',
  'Received',
  'Needs review',
  'Not applied',
  'Refunds',
  'Refunded',
  'Refunds of payments not applied',
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

/** Formats one row for each event and currency; amounts in different currencies are never added together. */
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
  const buildKey = (eventId: string | null, currency: Currency): string =>
    JSON.stringify([eventId, currency])
  const getCurrency = ({ body }: ListedDocument): Currency => body.currency ?? INR
  const keys = new Set([
    ...sums.map(({ eventId, currency }) => buildKey(eventId, currency)),
    ...documents.map((document) => buildKey(document.eventId, getCurrency(document))),
  ])
  return [...keys].toSorted().map((key) => {
    const [eventId, currency] = JSON.parse(key) as [string | null, Currency]
    const ownSums = sums.filter((sum) => buildKey(sum.eventId, sum.currency) === key)
    const sumField = (read: (sum: MovementSum) => number): number =>
      ownSums.reduce((total, sum) => total + read(sum), 0)
    const formatSum = (
      read: (sum: MovementSum) => number,
      sumCurrency: Currency = currency,
    ): CsvCell => buildAmountCell(toAmount(sumField(read)), sumCurrency)
    const filterDocuments = (kind: 'invoice' | 'credit'): readonly ListedDocument[] =>
      documents.filter(
        (document) =>
          document.body.kind === kind && buildKey(document.eventId, getCurrency(document)) === key,
      )
    const sumDocuments = (kind: 'invoice' | 'credit'): Amount =>
      toAmount(filterDocuments(kind).reduce((total, { body }) => total + body.total, 0))
    const closing = closings.find((entry) => entry.eventId === eventId)
    return [
      getEventTitle(deps, eventId) || 'No event',
      currency,
      sumField(({ payments }) => payments),
      formatSum(({ received }) => received),
      formatSum(({ inReview }) => inReview),
      formatSum(({ notCounted }) => notCounted),
      sumField(({ refunds }) => refunds),
      formatSum(({ refunded }) => refunded),
      formatSum(({ refundedNotCounted }) => refundedNotCounted),
      formatSum(({ received, refunded }) => received - refunded),
      formatSum(({ fee }) => fee, INR),
      filterDocuments('invoice').length,
      buildAmountCell(sumDocuments('invoice'), currency),
      filterDocuments('credit').length,
      buildAmountCell(sumDocuments('credit'), currency),
      closing?.who ?? '',
      closing === undefined ? '' : formatInstant(closing.at),
      closing === undefined
        ? ''
        : changes.filter((row) => row.eventId === eventId && row.currency === currency).length,
    ]
  })
}

/**
 * Explains a month's tables, because an accountant who compares two tables needs to know what their dates mean.
 */
export const formatReadme = (month: string): string =>
  [
    `The month ${month}. All dates and times are in Indian time.`,
    '',
    'payments and refunds: listed by the date on which the money was received or refunded.',
    'invoices and credit notes: listed by their own date.',
    'An invoice is dated when its payment was recorded. Staff record a transfer, a UPI payment or cash when they see it, ' +
      'often days after it was received. Its invoice can therefore be in a later month than the payment.',
    'A credit note is dated when its refund was recorded.',
    'settlement-fees: listed by the date on which the gateway settled the payment.',
    'Amounts in different currencies are never added up. Each row states its currency.',
    '',
  ].join('\r\n')
