/**
 * Invariants for figures: payments minus refunds are equal, to the paisa, in the list, its CSV, the sales, the
 * dashboard and the reconciliation with the gateway's report, and equal to the sum of captures and refunds.
 */
import { parse } from 'csv-parse/sync'
import { amountText, dayOf } from '../../engine/index.ts'
import type { Instant, SoldAnswer } from '../../engine/index.ts'
import type { ListAnswer, StatsAnswer, WireSettlement } from '../../engine/api.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { compileServedEvent } from './events.ts'
import type { EventId } from './events.ts'
import { isCapture } from './gateway.ts'
import type { GatewayRefund, Gateway, Order, Transaction } from './gateway.ts'
import type { StaffClient } from './office-sessions.ts'
import type { Violation } from './check-payments.ts'
import type { Tally } from './tally.ts'

const KEPT = `SELECT coalesce(sum(c.amount - (SELECT coalesce(sum(f.amount), 0) FROM refunds f WHERE f.capture_id = c.id AND f.state = 'done')), 0) AS kept
  FROM captures c JOIN payments p ON p.id = c.counts_for JOIN registrations r ON r.id = p.registration_id
  WHERE r.event_id = ? AND c.state IN ('fits', 'accepted')`

const KEPT_ELSEWHERE = `${KEPT} AND c.source <> 'airpay'`

type Captured = {
  readonly id: number
  readonly reference: string
  readonly amount: number
  readonly account: string
}
/** The gateway's payments, whatever staff decided about them; a moved payment belongs to its new event. */
const CAPTURED = `SELECT c.id, c.reference, c.amount, c.account FROM captures c
  JOIN registrations r ON r.id = c.registration_id WHERE r.event_id = ? AND c.source = 'airpay'`
type Refunded = {
  readonly capture_id: number
  readonly reference: string | null
  readonly amount: number
}
const REFUNDED = `SELECT f.capture_id, f.reference, f.amount FROM refunds f WHERE f.state = 'done'`

const toPaise = (rupees: unknown): number => Math.round(Number(rupees ?? 0) * 100)

/** The figure of each staff page, in paise. Null if a request failed, or something happened in the meantime. */
async function readFigures(
  client: StaffClient,
  { sql, gateway, now }: Omit<FiguresContext, 'tally'>,
  event: EventId,
): Promise<Readonly<Record<string, number>> | 'read' | null> {
  const [list] = compileServedEvent(event, 'usual').config.admin.lists
  if (list === undefined) return null
  const token = await client.signIn('Omar')
  if (token === null) return null
  const readKept = async (): Promise<number> =>
    (await sql()<{ kept: number }>(KEPT).get(event))?.kept ?? 0
  const before = await readKept()
  const fetchBody = async (url: string): Promise<string | null> => {
    const answer = await client.call('GET', url, token)
    return answer?.status === 200 ? answer.body : null
  }
  const listed = await fetchBody(`${list.api}?page_size=${Math.max(...list.pageSizes)}`)
  const csv = list.export === null ? null : await fetchBody(list.export.api)
  const sold = await fetchBody(`/admin/sold/?event_id=${event}&list_id=${list.id}`)
  const stats = await fetchBody('/admin/dashboard/stats/')
  if (listed === null || csv === null || sold === null || stats === null) return null
  const settled = await reconcileReport(client, token, { sql, gateway, now }, event)
  if (settled === 'read') return 'read'
  if ((await readKept()) !== before) return null
  const { registrations, sums } = JSON.parse(listed) as ListAnswer
  const { rows, paid_beside: beside } = JSON.parse(sold) as SoldAnswer
  const { data } = JSON.parse(stats) as StatsAnswer
  const lines = parse(csv.replace(/^\uFEFF/, ''), { columns: true }) as Record<string, string>[]
  const sum = <T>(all: readonly T[], amountOfOne: (one: T) => number): number =>
    all.reduce((added, one) => added + amountOfOne(one), 0)
  const dashboard = data[`${event}_stats`] as { readonly total_revenue?: number } | undefined
  return {
    captures: before,
    beside: toPaise(beside),
    list: toPaise(sums?.money),
    rows: sum(registrations, (row) => toPaise(row['money.paid']) - toPaise(row['money.refunded'])),
    csv: sum(lines, (row) => toPaise(row['Amount paid']) - toPaise(row['Amount refunded'])),
    sales: toPaise(beside) + sum(rows, (row) => toPaise(row.paid_total)),
    dashboard: toPaise(dashboard?.total_revenue),
    ...(settled === null ? {} : { reconciliation: settled }),
  }
}

type Settled = { readonly order: Order; readonly made: Transaction; readonly back: GatewayRefund[] }

/**
 * The kept amount by the reconciliation: the settled sales minus refunds, plus payments outside the gateway. The
 * report contains every transaction of the gateway. Null if a comparison is impossible, because the event has payments
 * of another account, or the gateway has refunded something that the server does not know yet.
 */
async function reconcileReport(
  client: StaffClient,
  token: string,
  { sql, gateway, now }: Omit<FiguresContext, 'tally'>,
  event: EventId,
): Promise<number | 'read' | null> {
  const at = now()
  const readBooks = async () => ({
    captured: await sql()<Captured>(CAPTURED).all(event),
    refunded: await sql()<Refunded>(REFUNDED).all(),
  })
  const before = await readBooks()
  const { captured, refunded } = before
  const isKnown = ({ reference }: GatewayRefund): boolean =>
    refunded.some((one) => one.reference === reference)
  const settled = captured.flatMap(({ reference }): Settled[] => {
    const found = gateway.find(reference)
    if (found === null || !isCapture(found.made)) return []
    const back = found.order.gatewayRefunds.filter(
      (one) => one.of === reference && one.doneAt <= at,
    )
    return [{ ...found, back }]
  })
  const isComparable =
    settled.length === captured.length &&
    captured.every(({ account }) => account === 'sample') &&
    settled.every(({ back }) => back.every(isKnown))
  if (!isComparable) return null
  const answer = await client.call(
    'POST',
    `/admin/reconcile/?event=${event}`,
    token,
    [...buildReport(settled, dayOf(at)), buildDollarLine(dayOf(at))].join('\n'),
  )
  if (answer?.status !== 200 || JSON.stringify(await readBooks()) !== JSON.stringify(before))
    return null
  const { settlement } = JSON.parse(answer.body) as { settlement?: WireSettlement }
  // While the event file accepts no cards, the report is read as a bank statement.
  if (settlement === undefined) return null
  const { unread, lines } = settlement
  if (unread.length !== 1 || lines.some(({ reference }) => reference === IN_DOLLARS)) return 'read'
  const linesByReference = new Map(settlement.lines.map((line) => [line.reference, line]))
  const findAmount = (reference: string, status: 'settled' | 'refunded'): number => {
    const line = linesByReference.get(reference)
    return line?.as === status ? toPaise(line.amount) : 0
  }
  const inReport = new Set(settled.flatMap(({ back }) => back.map(({ reference }) => reference)))
  const refundedBy = ({ reference, amount }: Refunded): number =>
    reference !== null && inReport.has(reference) ? findAmount(reference, 'refunded') : amount
  const refunds = Map.groupBy(refunded, ({ capture_id: id }) => id)
  const gatewayKept = captured.reduce((sum, { id, reference }) => {
    const sale = findAmount(reference, 'settled')
    const back = (refunds.get(id) ?? []).reduce((so, refund) => so + refundedBy(refund), 0)
    return sale === 0 ? sum : sum + sale - back
  }, 0)
  return gatewayKept + ((await sql()<{ kept: number }>(KEPT_ELSEWHERE).get(event))?.kept ?? 0)
}

/** The gateway's settlement report: each sale and each refund, without a fee. */
function buildReport(settled: readonly Settled[], day: string): readonly string[] {
  const line = (
    { orderId }: Order,
    reference: string,
    amount: Transaction['amount'],
    type: string,
  ) =>
    `${orderId},${reference},${amountText(amount)},0,0,${amountText(amount)},UTR1,${formatDate(day)},${type},INR`
  return [
    'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type,Currency',
    ...settled.flatMap(({ order, made, back }) => [
      line(order, made.reference, made.amount, 'Sale'),
      ...back.map(({ reference, amount }) => line(order, reference, amount, 'Refund')),
    ]),
  ]
}
const formatDate = (day: string): string => day.split('-').toReversed().join('-')
const IN_DOLLARS = 'DOLLARS1'
/** Of another merchant's customer; the amount is not in rupees. */
const buildDollarLine = (day: string): string =>
  `SMPL1,${IN_DOLLARS},1180.00,0,0,1180.00,UTR1,${formatDate(day)},Sale,USD`

export type FiguresContext = {
  readonly sql: () => Sql
  readonly gateway: Gateway
  readonly now: () => Instant
  readonly tally: Tally
}

/** Compares them. Null if they agree, or could not be read at one moment. */
export async function compareFigures(
  client: StaffClient,
  context: FiguresContext,
  event: EventId,
): Promise<Violation | null> {
  const read = await readFigures(client, context, event)
  if (read === null) return null
  if (read === 'read')
    return { invariant: 'only a settlement in another currency stays unread', cause: event }
  context.tally.figures += 1
  if (read['reconciliation'] !== undefined) context.tally.settlements += 1
  const { beside, ...figures } = read
  const cause = `${event}: ${JSON.stringify(read)}`
  if ((beside ?? 0) < 0)
    return { invariant: 'the sales page shows no more as paid than was received', cause }
  return new Set(Object.values(figures)).size === 1
    ? null
    : {
        invariant: 'list, CSV, sales, dashboard and reconciliation show payments minus refunds',
        cause,
      }
}

/** Something may happen while the pages are read. */
const TRIES_MAX = 3

/** Compares the figures of each event, and repeats until they could be read at one moment. */
export async function compareAllFigures(
  client: StaffClient,
  context: FiguresContext,
  events: Iterable<EventId>,
): Promise<Violation | null> {
  for (const event of events) {
    const read = context.tally.figures
    for (let tries = 0; tries < TRIES_MAX && context.tally.figures === read; tries++) {
      const found = await compareFigures(client, context, event)
      if (found !== null) return found
    }
    if (context.tally.figures === read)
      return { invariant: 'the figures of an idle event can be read', cause: event }
  }
  return null
}
