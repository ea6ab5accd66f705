/**
 * Promises about figures: money that was received less what was refunded is the same, to the paisa, in the list, its CSV, the
 * sales, the dashboard and the reconciliation with the gateway's report, and the same as the captures and refunds add up to.
 */
import { parse } from 'csv-parse/sync'
import { amountText, dayOf } from '../../engine/index.ts'
import type { Instant, SoldAnswer } from '../../engine/index.ts'
import type { ListAnswer, StatsAnswer, WireSettlement } from '../../engine/api.ts'
import type { Sql } from '../../server/storage/database/sqlite-connection.ts'
import { served } from './events.ts'
import type { EventId } from './events.ts'
import { isMoney } from './gateway.ts'
import type { GivenBack, Gateway, Order, Transaction } from './gateway.ts'
import type { Hands } from './office-sessions.ts'
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
/** Of the gateway, whatever staff decided about it; one that was moved belongs to the event to which it was moved. */
const CAPTURED = `SELECT c.id, c.reference, c.amount, c.account FROM captures c
  JOIN registrations r ON r.id = c.registration_id WHERE r.event_id = ? AND c.source = 'airpay'`
type Refunded = {
  readonly capture_id: number
  readonly reference: string | null
  readonly amount: number
}
const REFUNDED = `SELECT f.capture_id, f.reference, f.amount FROM refunds f WHERE f.state = 'done'`

const paiseIn = (rupees: unknown): number => Math.round(Number(rupees ?? 0) * 100)

/** What each page of the office says, in paise; null: one was not answered, or something happened meanwhile. */
async function readFigures(
  hands: Hands,
  { sql, gateway, now }: Omit<FiguresGiven, 'tally'>,
  event: EventId,
): Promise<Readonly<Record<string, number>> | 'read' | null> {
  const [list] = served(event, 'usual').config.admin.lists
  if (list === undefined) return null
  const token = await hands.signIn('Omar')
  if (token === null) return null
  const kept = (): number => sql()<{ kept: number }>(KEPT).get(event)?.kept ?? 0
  const before = kept()
  const get = async (url: string): Promise<string | null> => {
    const answer = await hands.call('GET', url, token)
    return answer?.status === 200 ? answer.body : null
  }
  const listed = await get(`${list.api}?page_size=${Math.max(...list.pageSizes)}`)
  const csv = list.export === null ? null : await get(list.export.api)
  const sold = await get(`/admin/sold/?event_id=${event}&list_id=${list.id}`)
  const stats = await get('/admin/dashboard/stats/')
  if (listed === null || csv === null || sold === null || stats === null) return null
  const settled = await reconcile(hands, token, { sql, gateway, now }, event)
  if (settled === 'read') return 'read'
  if (kept() !== before) return null
  const { registrations, sums } = JSON.parse(listed) as ListAnswer
  const { rows, paid_beside: beside } = JSON.parse(sold) as SoldAnswer
  const { data } = JSON.parse(stats) as StatsAnswer
  const lines = parse(csv.replace(/^\uFEFF/, ''), { columns: true }) as Record<string, string>[]
  const sum = <T>(all: readonly T[], of: (one: T) => number): number =>
    all.reduce((added, one) => added + of(one), 0)
  const dashboard = data[`${event}_stats`] as { readonly total_revenue?: number } | undefined
  return {
    captures: before,
    beside: paiseIn(beside),
    list: paiseIn(sums?.money),
    rows: sum(registrations, (row) => paiseIn(row['money.paid']) - paiseIn(row['money.refunded'])),
    csv: sum(lines, (row) => paiseIn(row['Amount paid']) - paiseIn(row['Amount refunded'])),
    sales: paiseIn(beside) + sum(rows, (row) => paiseIn(row.paid_total)),
    dashboard: paiseIn(dashboard?.total_revenue),
    ...(settled === null ? {} : { reconciliation: settled }),
  }
}

type Settled = { readonly order: Order; readonly made: Transaction; readonly back: GivenBack[] }

/**
 * What the reconciliation says is kept: the sales that it calls settled, less refunds, beside money that no gateway knows.
 * The report has all that the gateway holds. Null: nobody could compare it, because the event has money of another account, or
 * the gateway has refunded something that the server does not know yet.
 */
async function reconcile(
  hands: Hands,
  token: string,
  { sql, gateway, now }: Omit<FiguresGiven, 'tally'>,
  event: EventId,
): Promise<number | 'read' | null> {
  const at = now()
  const read = () => ({
    captured: sql()<Captured>(CAPTURED).all(event),
    refunded: sql()<Refunded>(REFUNDED).all(),
  })
  const before = read()
  const { captured, refunded } = before
  const isKnown = ({ reference }: GivenBack): boolean =>
    refunded.some((one) => one.reference === reference)
  const held = captured.flatMap(({ reference }): Settled[] => {
    const found = gateway.find(reference)
    if (found === null || !isMoney(found.made)) return []
    const back = found.order.givenBack.filter((one) => one.of === reference && one.doneAt <= at)
    return [{ ...found, back }]
  })
  const isComparable =
    held.length === captured.length &&
    captured.every(({ account }) => account === 'sample') &&
    held.every(({ back }) => back.every(isKnown))
  if (!isComparable) return null
  const answer = await hands.call(
    'POST',
    `/admin/reconcile/?event=${event}`,
    token,
    [...reportOf(held, dayOf(at)), lineInDollars(dayOf(at))].join('\n'),
  )
  if (answer?.status !== 200 || JSON.stringify(read()) !== JSON.stringify(before)) return null
  const { settlement } = JSON.parse(answer.body) as { settlement?: WireSettlement }
  // While the file of the event takes no cards, the report is read as a bank statement.
  if (settlement === undefined) return null
  const { unread, lines } = settlement
  if (unread.length !== 1 || lines.some(({ reference }) => reference === IN_DOLLARS)) return 'read'
  const standing = new Map(settlement.lines.map((line) => [line.reference, line]))
  const amountOf = (reference: string, as: 'settled' | 'refunded'): number => {
    const line = standing.get(reference)
    return line?.as === as ? paiseIn(line.amount) : 0
  }
  const inReport = new Set(held.flatMap(({ back }) => back.map(({ reference }) => reference)))
  const backOf = ({ reference, amount }: Refunded): number =>
    reference !== null && inReport.has(reference) ? amountOf(reference, 'refunded') : amount
  const refunds = Map.groupBy(refunded, ({ capture_id: id }) => id)
  const ofGateway = captured.reduce((sum, { id, reference }) => {
    const sale = amountOf(reference, 'settled')
    const back = (refunds.get(id) ?? []).reduce((so, refund) => so + backOf(refund), 0)
    return sale === 0 ? sum : sum + sale - back
  }, 0)
  return ofGateway + (sql()<{ kept: number }>(KEPT_ELSEWHERE).get(event)?.kept ?? 0)
}

/** The gateway's settlement report: each sale and each refund, without a fee. */
function reportOf(held: readonly Settled[], day: string): readonly string[] {
  const line = ({ orderId }: Order, reference: string, amount: Transaction['amount'], is: string) =>
    `${orderId},${reference},${amountText(amount)},0,0,${amountText(amount)},UTR1,${dateIn(day)},${is},INR`
  return [
    'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type,Currency',
    ...held.flatMap(({ order, made, back }) => [
      line(order, made.reference, made.amount, 'Sale'),
      ...back.map(({ reference, amount }) => line(order, reference, amount, 'Refund')),
    ]),
  ]
}
const dateIn = (day: string): string => day.split('-').toReversed().join('-')
const IN_DOLLARS = 'DOLLARS1'
/** Of another merchant's customer; the amount is no rupees. */
const lineInDollars = (day: string): string =>
  `SMPL1,${IN_DOLLARS},1180.00,0,0,1180.00,UTR1,${dateIn(day)},Sale,USD`

export type FiguresGiven = {
  readonly sql: () => Sql
  readonly gateway: Gateway
  readonly now: () => Instant
  readonly tally: Tally
}

/** Compares them; null: they agree, or could not be read at one moment. */
export async function compareFigures(
  hands: Hands,
  given: FiguresGiven,
  event: EventId,
): Promise<Violation | null> {
  const read = await readFigures(hands, given, event)
  if (read === null) return null
  if (read === 'read')
    return { promise: 'a settlement in another currency stays unread, and no other', by: event }
  given.tally.figures += 1
  if (read['reconciliation'] !== undefined) given.tally.settlements += 1
  const { beside, ...figures } = read
  const by = `${event}: ${JSON.stringify(read)}`
  if ((beside ?? 0) < 0)
    return { promise: 'the sales page shows as paid no more than was received', by }
  return new Set(Object.values(figures)).size === 1
    ? null
    : {
        promise:
          'list, CSV, sales, dashboard and reconciliation show the money that was received less refunds',
        by,
      }
}

/** Something may happen while the pages are read. */
const TRIES_MAX = 3

/** Compares them of each event until they could be read at one moment. */
export async function compareAllFigures(
  hands: Hands,
  given: FiguresGiven,
  events: Iterable<EventId>,
): Promise<Violation | null> {
  for (const event of events) {
    const read = given.tally.figures
    for (let tries = 0; tries < TRIES_MAX && given.tally.figures === read; tries++) {
      const found = await compareFigures(hands, given, event)
      if (found !== null) return found
    }
    if (given.tally.figures === read)
      return { promise: 'the figures of an event at rest can be read', by: event }
  }
  return null
}
