/** Reads Razorpay's settlement reconciliation, and converts it to a table that the settlement reader accepts. */
import {
  formatPlainAmount,
  dayOf,
  err,
  INR,
  instant,
  ok,
  toAmount,
} from '../../../../engine/index.ts'
import type { Result } from '../../../../engine/index.ts'
import type { SettlementPeriod } from '../gateway-definition.ts'
import { describeFailure, asItems, requestApi, asText } from './api.ts'
import type { Api, Json } from './api.ts'

/** The gateway returns at most this many rows at a time. */
const PAGE_ROWS = 1000
/** Enough for a month of the largest conference. This limit also stops a gateway that repeats a page. */
const MAX_PAGES = 100

export async function fetchSettlement(
  api: Api,
  { year, month, day }: SettlementPeriod,
): Promise<Result<readonly Json[], string>> {
  const rows: Json[] = []
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({
      year: String(year),
      month: String(month).padStart(2, '0'),
      ...(day === null ? {} : { day: String(day).padStart(2, '0') }),
      count: String(PAGE_ROWS),
      skip: String(page * PAGE_ROWS),
    })
    const response = await requestApi(api, 'GET', `settlements/recon/combined?${query.toString()}`)
    if (response.is !== 'ok') return err(describeFailure(response))
    const items = asItems(response.json)
    if (items === null) return err('the settlement cannot be read')
    rows.push(...items)
    if (items.length < PAGE_ROWS) return ok(rows)
  }
  return err(`the settlement has more than ${MAX_PAGES * PAGE_ROWS} rows`)
}

export const SETTLEMENT_HEADINGS = [
  'Order ID',
  'Payment ID',
  'Type',
  'Amount',
  'Fee',
  'Tax',
  'Net amount',
  'Settlement date',
  'Settlement UTR',
  'Payment date',
  'Currency',
] as const

/**
 * Converts a row of the report to a row of the table; null if it is not in the documented format. Amounts become
 * rupees. The gateway's fee includes its tax, which the table has in a separate column. A row that is not settled has
 * no date and no UTR.
 */
export function toSettlementRow(row: Json): readonly string[] | null {
  const amounts = ['amount', 'fee', 'tax', 'debit', 'credit'].map((name) =>
    readWholeNumber(row[name]),
  )
  const [amount, fee, tax, debit, credit] = amounts
  const id = asText(row['entity_id'])
  const type = asText(row['type'])
  if (id === '' || type === '' || amount == null || fee == null || tax == null) return null
  if (debit == null || credit == null) return null
  const isSettled = row['settled'] === true
  return [
    // The receipt of a second checkout of an order is our order id followed by a number.
    asText(row['order_receipt']).replace(/-\d+$/, ''),
    id,
    type,
    formatRupees(amount),
    formatRupees(fee - tax),
    formatRupees(tax),
    formatRupees(credit - debit),
    isSettled ? formatDayText(row['settled_at']) : '',
    isSettled ? asText(row['settlement_utr']) : '',
    formatDayText(row['created_at']),
    asText(row['currency']),
  ]
}

const formatRupees = (minorUnits: number): string => formatPlainAmount(toAmount(minorUnits), INR)

function readWholeNumber(value: unknown): number | null {
  if (value === null || value === undefined) return 0
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
}

function formatDayText(seconds: unknown): string {
  return typeof seconds === 'number' && seconds > 0 ? dayOf(instant(seconds * 1000)) : ''
}
