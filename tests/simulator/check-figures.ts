/**
 * Invariants for figures: payments minus refunds are the same, to the paisa, in the list, its CSV file, the sales, the
 * dashboard and the reconciliation with the gateway's report, and equal the captures minus the refunds.
 */
import { parse } from 'csv-parse/sync'
import { INR, formatPlainAmount, dayOf } from '../../engine/index.ts'
import type { Instant, SalesResponse } from '../../engine/index.ts'
import type { ListResponse, StatsResponse, WireSettlement } from '../../engine/api.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import {
  TWO_CURRENCIES_EVENT,
  TWO_GATEWAYS_EVENT,
  compileServedEvent,
  getCurrency,
} from './events.ts'
import type { EventId } from './events.ts'
import { isCapture } from './gateway.ts'
import type { GatewayRefund, Gateway, Order, Transaction } from './gateway.ts'
import type { StaffClient } from './office-sessions.ts'
import type { Violation } from './check-payments.ts'
import type { Tally } from './tally.ts'

const NET_PAYMENTS_SQL = `SELECT coalesce(sum(c.amount - (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state = 'done')), 0) AS kept
  FROM captures c JOIN payments p ON p.id = c.counts_for JOIN registrations r ON r.id = p.registration_id
  WHERE r.event_id = ? AND c.currency = ? AND c.state IN ('fits', 'accepted')`

const NET_PAYMENTS_ELSEWHERE_SQL = `${NET_PAYMENTS_SQL} AND c.source NOT IN ('airpay', 'razorpay')`
/** For an event with two gateways, the report is Airpay's. */
const NET_PAYMENTS_BESIDE_AIRPAY_SQL = `${NET_PAYMENTS_SQL} AND c.source <> 'airpay'`

type CaptureRow = {
  readonly id: number
  readonly reference: string
  readonly amount: number
  readonly account: string
  readonly source: string
}
/** Payments through a gateway, regardless of staff decisions. A moved payment belongs to its new event. */
const CAPTURED_SQL = `SELECT c.id, c.reference, c.amount, c.account, c.source FROM captures c
  JOIN registrations r ON r.id = c.registration_id WHERE r.event_id = ? AND c.source IN ('airpay', 'razorpay')`
type RefundRow = {
  readonly capture_id: number
  readonly reference: string | null
  readonly amount: number
}
const REFUNDED_SQL = `SELECT f.capture_id, f.reference, f.amount FROM refunds f WHERE f.state = 'done'`

const toPaise = (rupees: unknown): number => Math.round(Number(rupees ?? 0) * 100)

/**
 * Reads the figures on each staff page, in paise. Returns null if a request fails or the figures change meanwhile,
 * 'read' if a settlement line in another currency is accepted, and 'added' if a dashboard total mixes currencies.
 */
async function readFigures(
  client: StaffClient,
  { sql, gateway, now }: Omit<FiguresContext, 'tally'>,
  event: EventId,
): Promise<Readonly<Record<string, number>> | 'read' | 'added' | null> {
  const [list] = compileServedEvent(event, 'usual').config.admin.lists
  if (list === undefined) return null
  const token = await client.signIn('Omar')
  if (token === null) return null
  // All figures are in the event's currency. Amounts in other currencies are reported separately.
  const currency = getCurrency(event, null)
  const readNetPayments = async (): Promise<number> =>
    (await sql()<{ kept: number }>(NET_PAYMENTS_SQL).get(event, currency))?.kept ?? 0
  const netBefore = await readNetPayments()
  const fetchBody = async (url: string): Promise<string | null> => {
    const pageResponse = await client.call('GET', url, token)
    return pageResponse?.status === 200 ? pageResponse.body : null
  }
  const listBody = await fetchBody(`${list.api}?page_size=${Math.max(...list.pageSizes)}`)
  const csv = list.export === null ? null : await fetchBody(list.export.api)
  const salesBody = await fetchBody(`/admin/sold/?event_id=${event}&list_id=${list.id}`)
  const statsBody = await fetchBody('/admin/dashboard/stats/')
  if (listBody === null || csv === null || salesBody === null || statsBody === null) return null
  const settledAmount = await reconcileReport(client, token, { sql, gateway, now }, event)
  if (settledAmount === 'read') return 'read'
  if ((await readNetPayments()) !== netBefore) return null
  const { registrations, sums } = JSON.parse(listBody) as ListResponse
  const { rows, paid_beside: paidElsewhere } = JSON.parse(salesBody) as SalesResponse
  const { data } = JSON.parse(statsBody) as StatsResponse
  const hasTwoCurrencies = event === TWO_CURRENCIES_EVENT || event === TWO_GATEWAYS_EVENT
  const currencySuffix = currency === INR ? '' : ` (${currency})`
  const isInCurrency = (candidate: unknown): boolean => !hasTwoCurrencies || candidate === currency
  const lines = parse(csv.replace(/^\uFEFF/, ''), { columns: true }) as Record<string, string>[]
  const sumOver = <T>(items: readonly T[], getAmount: (item: T) => number): number =>
    items.reduce((total, item) => total + getAmount(item), 0)
  if (!isEachTotalInOneCurrency(data)) return 'added'
  const dashboard = data[`${event}_stats`] as { readonly total_revenue?: number } | undefined
  return {
    captures: netBefore,
    beside: toPaise(paidElsewhere),
    list: toPaise(sums?.money),
    rows: sumOver(
      registrations.filter((row) => isInCurrency(row['money.currency'])),
      (row) => toPaise(row['money.paid']) - toPaise(row['money.refunded']),
    ),
    csv: sumOver(
      lines.filter((row) => isInCurrency(row['Currency'])),
      (row) =>
        toPaise(row[`Amount paid${currencySuffix}`]) -
        toPaise(row[`Amount refunded${currencySuffix}`]),
    ),
    sales:
      toPaise(paidElsewhere) +
      sumOver(
        rows.filter((row) => isInCurrency(row.currency ?? currency)),
        (row) => toPaise(row.paid_total),
      ),
    dashboard: toPaise(dashboard?.total_revenue),
    ...(settledAmount === null ? {} : { reconciliation: settledAmount }),
  }
}

type RevenueStats = {
  readonly total_revenue: number
  readonly currency?: string
  readonly other_currencies?: readonly {
    readonly currency: string
    readonly total_revenue: number
  }[]
}
/** Returns true if the totals in each currency equal the sums over the events. */
function isEachTotalInOneCurrency(data: StatsResponse['data']): boolean {
  const addUp = (revenueStats: readonly RevenueStats[]): string => {
    const sums = new Map<string, number>()
    for (const { total_revenue, currency = INR, other_currencies = [] } of revenueStats)
      for (const revenue of [{ currency, total_revenue }, ...other_currencies])
        sums.set(
          revenue.currency,
          (sums.get(revenue.currency) ?? 0) + toPaise(revenue.total_revenue),
        )
    return JSON.stringify([...sums].filter(([, amount]) => amount !== 0).toSorted())
  }
  const eventFigures = Object.entries(data).flatMap(([key, stats]) =>
    key.endsWith('_stats') && key !== 'revenue_stats' ? [stats as RevenueStats] : [],
  )
  return addUp(eventFigures) === addUp([data.revenue_stats])
}

type SettledOrder = {
  readonly order: Order
  readonly transaction: Transaction
  readonly gatewayRefunds: GatewayRefund[]
}

/**
 * Returns the net amount according to the reconciliation: the settled sales minus refunds, plus payments outside the
 * gateway. The report contains all the gateway's transactions. Returns null if the amounts cannot be compared, because
 * the event has payments to another account or the server does not know one of the gateway's refunds yet; 'read' if a
 * line in another currency is accepted.
 */
async function reconcileReport(
  client: StaffClient,
  token: string,
  { sql, gateway, now }: Omit<FiguresContext, 'tally'>,
  event: EventId,
): Promise<number | 'read' | null> {
  const reportedAt = now()
  const readBooks = async () => ({
    captured: (await sql()<CaptureRow>(CAPTURED_SQL).all(event)).filter(
      ({ source }) => event !== TWO_GATEWAYS_EVENT || source === 'airpay',
    ),
    refunded: await sql()<RefundRow>(REFUNDED_SQL).all(),
  })
  const booksBefore = await readBooks()
  const { captured, refunded } = booksBefore
  const isKnown = ({ reference }: GatewayRefund): boolean =>
    refunded.some((candidate) => candidate.reference === reference)
  const settledOrders = captured.flatMap(({ reference }): SettledOrder[] => {
    const gatewayRecord = gateway.find(reference)
    if (gatewayRecord === null || !isCapture(gatewayRecord.transaction)) return []
    const gatewayRefunds = gatewayRecord.order.gatewayRefunds.filter(
      (gatewayRefund) =>
        gatewayRefund.captureReference === reference && gatewayRefund.doneAt <= reportedAt,
    )
    return [{ ...gatewayRecord, gatewayRefunds }]
  })
  const isComparable =
    settledOrders.length === captured.length &&
    captured.every(({ account }) => account === 'sample') &&
    settledOrders.every(({ gatewayRefunds }) => gatewayRefunds.every(isKnown))
  if (!isComparable) return null
  const response = await client.call(
    'POST',
    `/admin/reconcile/?event=${event}`,
    token,
    [...buildReport(settledOrders, dayOf(reportedAt)), buildDollarLine(dayOf(reportedAt))].join(
      '\n',
    ),
  )
  if (response?.status !== 200 || JSON.stringify(await readBooks()) !== JSON.stringify(booksBefore))
    return null
  const { settlement } = JSON.parse(response.body) as { settlement?: WireSettlement }
  // While the event file accepts no cards, the report is parsed as a bank statement.
  if (settlement === undefined) return null
  const { unread: unreadableLines, lines } = settlement
  if (unreadableLines.length !== 1 || lines.some(({ reference }) => reference === DOLLAR_REFERENCE))
    return 'read'
  const linesByReference = new Map(settlement.lines.map((line) => [line.reference, line]))
  const findAmount = (reference: string, status: 'settled' | 'refunded'): number => {
    const line = linesByReference.get(reference)
    return line?.as === status ? toPaise(line.amount) : 0
  }
  const reportedReferences = new Set(
    settledOrders.flatMap(({ gatewayRefunds }) => gatewayRefunds.map(({ reference }) => reference)),
  )
  const sumRefundsOf = ({ reference, amount }: RefundRow): number =>
    reference !== null && reportedReferences.has(reference)
      ? findAmount(reference, 'refunded')
      : amount
  const refunds = Map.groupBy(refunded, ({ capture_id: id }) => id)
  const gatewayNet = captured.reduce((netSoFar, { id, reference }) => {
    const saleAmount = findAmount(reference, 'settled')
    const refundedAmount = (refunds.get(id) ?? []).reduce(
      (sumSoFar, refund) => sumSoFar + sumRefundsOf(refund),
      0,
    )
    return saleAmount === 0 ? netSoFar : netSoFar + saleAmount - refundedAmount
  }, 0)
  return (
    gatewayNet +
    ((
      await sql()<{ kept: number }>(
        event === TWO_GATEWAYS_EVENT ? NET_PAYMENTS_BESIDE_AIRPAY_SQL : NET_PAYMENTS_ELSEWHERE_SQL,
      ).get(event, getCurrency(event, null))
    )?.kept ?? 0)
  )
}

/** Builds the gateway's settlement report, with each sale and each refund and without fees. */
function buildReport(settledOrders: readonly SettledOrder[], day: string): readonly string[] {
  const formatLine = (
    { orderId }: Order,
    reference: string,
    amount: Transaction['amount'],
    type: string,
  ) =>
    `${orderId},${reference},${formatPlainAmount(amount, INR)},0,0,${formatPlainAmount(amount, INR)},UTR1,${formatDate(day)},${type},INR`
  return [
    'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type,Currency',
    ...settledOrders.flatMap(({ order, transaction, gatewayRefunds }) => [
      formatLine(order, transaction.reference, transaction.amount, 'Sale'),
      ...gatewayRefunds.map(({ reference, amount }) =>
        formatLine(order, reference, amount, 'Refund'),
      ),
    ]),
  ]
}
const formatDate = (day: string): string => day.split('-').toReversed().join('-')
const DOLLAR_REFERENCE = 'DOLLARS1'
/** Builds a line for a payment in dollars to another merchant. */
const buildDollarLine = (day: string): string =>
  `SMPL1,${DOLLAR_REFERENCE},1180.00,0,0,1180.00,UTR1,${formatDate(day)},Sale,USD`

export type FiguresContext = {
  readonly sql: () => Sql
  readonly gateway: Gateway
  readonly now: () => Instant
  readonly tally: Tally
}

/** Compares an event's figures. Returns null if they agree, or if they changed while being read. */
export async function compareFigures(
  client: StaffClient,
  context: FiguresContext,
  event: EventId,
): Promise<Violation | null> {
  const pageFigures = await readFigures(client, context, event)
  if (pageFigures === null) return null
  if (pageFigures === 'read')
    return {
      invariant: 'settlement lines are skipped if, and only if, they are in another currency',
      cause: event,
    }
  if (pageFigures === 'added')
    return { invariant: 'no dashboard total mixes currencies', cause: event }
  context.tally.figures += 1
  if (pageFigures['reconciliation'] !== undefined) context.tally.settlements += 1
  const { beside: paidElsewhere, ...figures } = pageFigures
  const cause = `${event}: ${JSON.stringify(pageFigures)}`
  if ((paidElsewhere ?? 0) < 0)
    return { invariant: 'the sales page does not show more as paid than was received', cause }
  return new Set(Object.values(figures)).size === 1
    ? null
    : {
        invariant: 'list, CSV, sales, dashboard and reconciliation show payments minus refunds',
        cause,
      }
}

/** The figures are read again if they change while the pages are being read. */
const MAX_TRIES = 3

/** Compares each event's figures. Retries until they do not change while being read. */
export async function compareAllFigures(
  client: StaffClient,
  context: FiguresContext,
  events: Iterable<EventId>,
): Promise<Violation | null> {
  for (const event of events) {
    const figures = context.tally.figures
    for (let attempts = 0; attempts < MAX_TRIES && context.tally.figures === figures; attempts++) {
      const violation = await compareFigures(client, context, event)
      if (violation !== null) return violation
    }
    if (context.tally.figures === figures)
      return { invariant: 'the figures of an event without activity can be read', cause: event }
  }
  return null
}
