/**
 * Stores gateway settlements, each line once, beside the payments that they belong to.
 * A payment that only a settlement reports needs review from then on.
 */
import { filterInOrder } from '../database/in-order.ts'
import {
  bankKey,
  formatDay,
  formatMoney,
  instant,
  isGatewayPayment,
  lineKey,
  startOfDay,
} from '../../../engine/index.ts'
import type {
  Day,
  HeldMoney,
  HeldOrder,
  Instant,
  OrderId,
  Paise,
  RegNo,
  SettlementLine,
} from '../../../engine/index.ts'
import { audit } from '../staff/audit-log-entries.ts'
import { reportPaidOut } from './references-in-review.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { toPayment } from '../registrations/row-mapping.ts'
import type { KeptSettlement, NewSettlement, SettlementAccount } from './settlement-types.ts'
import { rearm } from '../payments/apply-payment-events.ts'
import { BY_HAND } from '../refunds/refund-states-and-channels.ts'
import { isPaidElsewhere, noteSettledOrder } from '../payments/unknown-orders.ts'
import { joined, paymentById, settleRegistration, stand } from '../payments/payment-state.ts'

type LineRow = {
  line: number
  kind: SettlementLine['is']
  order_id: string
  reference: string
  amount: Paise
  fee: Paise
  tax: Paise
  net: Paise
  day: Day | null
  utr: string
  paid_on: Day | null
  nth: number
}
const toLine = ({ kind, order_id: order, paid_on: paidOn, ...row }: LineRow): SettlementLine => ({
  ...row,
  is: kind,
  order,
  paidOn,
})
const LINE = 'line, kind, order_id, reference, amount, fee, tax, net, day, utr, paid_on, nth'

/** What came before captures knew their account may be of any. */
const OF_ACCOUNT = "account IN (?, '')"

/** One transaction: new lines, and the consequences of those about unknown payments. */
export async function keepSettlement(sql: Sql, kept: NewSettlement): Promise<KeptSettlement> {
  const { source, account, eventId, sha256, who, at, lines, ask = [] } = kept
  for (const order of ask) {
    const row = await orderRow(sql, source, order)
    if (row !== undefined) rearm(sql, row.order_id, at)
  }
  const fresh = await filterInOrder(
    lines,
    async (line) =>
      (await sql('SELECT 1 FROM settlement_lines WHERE source = ? AND account = ? AND key = ?').get(
        source,
        account,
        lineKey(line),
      )) === undefined,
  )
  if (fresh.length === 0) return { added: 0, known: lines.length, toReview: 0 }
  const settlementId = await sql(
    'INSERT INTO settlements (source, account, event_id, sha256, who, at) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(source, account, eventId, sha256, who, at).lastInsertRowid
  const what = `kept ${fresh.length} ${fresh.length === 1 ? 'line' : 'lines'} of a settlement`
  audit(sql, { at, who, what, eventId, regNo: null })
  let toReview = 0
  for (const line of fresh) {
    sql(
      `INSERT INTO settlement_lines (settlement_id, source, account, key, utr_key, ${LINE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      settlementId,
      source,
      account,
      lineKey(line),
      bankKey(line.utr),
      line.line,
      line.is,
      line.order,
      line.reference,
      line.amount,
      line.fee,
      line.tax,
      line.net,
      line.day,
      line.utr,
      line.paidOn,
      line.nth,
    )
    if (line.is === 'sale' && (await keepUnknown(sql, kept, line))) toReview += 1
    else if (line.is === 'refund') await askAgain(sql, kept, line)
  }
  for (const utr of new Set(fresh.map((line) => line.utr).filter((one) => one !== '')))
    await reportPaidOut(sql, utr)
  return { added: fresh.length, known: lines.length - fresh.length, toReview }
}

/** True: the money was not known, and is before a person now. */
async function keepUnknown(
  sql: Sql,
  { source, account, eventId, at }: NewSettlement,
  line: SettlementLine,
): Promise<boolean> {
  const reference = line.reference === '' ? line.order : line.reference
  const row = await orderRow(sql, source, line.order)
  // Also what the account before paid out: under its own order it is the same money.
  const isKnown =
    (await sql(
      `SELECT 1 FROM captures WHERE source = ? AND (${OF_ACCOUNT} OR payment_id = ?) AND reference = ?`,
    ).get(source, account, row?.id ?? null, reference)) !== undefined
  const isOfOrder =
    line.reference === '' &&
    row !== undefined &&
    (await sql('SELECT 1 FROM captures WHERE payment_id = ?').get(row.id)) !== undefined
  // The gateway may have confirmed it for an order that is not here.
  const isOfUnknown =
    line.reference === '' && row === undefined && (await isPaidElsewhere(sql, line.order))
  if (isKnown || isOfOrder || isOfUnknown) return false
  const day = line.paidOn ?? line.day
  const paidAt = day === null ? at : instant(Math.min(startOfDay(day), at))
  const on = line.day === null ? '' : ` of ${formatDay(line.day)}`
  const unknownOrder = row === undefined && line.order !== '' ? line.order : null
  const why =
    unknownOrder === null
      ? `${formatMoney(line.amount)} is in the gateway’s settlement${on}, but the gateway never reported the payment.`
      : `${formatMoney(line.amount)} is in the gateway’s settlement${on} for the order ${unknownOrder}, which is not in this database.`
  sql(
    `INSERT INTO captures (payment_id, counts_for, registration_id, source, account, reference, amount, currency, kind, paid_at, seen_at, state, why, found_for, unknown_order)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'INR', 'sale', ?, ?, ?, ?, ?, ?)`,
  ).run(
    row?.id ?? null,
    row?.id ?? null,
    row?.registration_id ?? null,
    source,
    account,
    reference,
    line.amount,
    paidAt,
    at,
    row === undefined ? 'unmatched' : 'review',
    why,
    row === undefined ? eventId : null,
    unknownOrder,
  )
  if (unknownOrder !== null)
    await noteSettledOrder(sql, { orderId: unknownOrder as OrderId, eventId }, at)
  if (row === undefined) return true
  const payment = await paymentById(sql, row.id)
  await stand(sql, payment, { ...toPayment(payment), review: joined(payment.review, why) }, at)
  await settleRegistration(sql, payment.registration_id)
  // The gateway itself may say more.
  rearm(sql, payment.order_id, at)
  return true
}

/** A refund that the gateway took off and never told us of: its own words say which it is. */
async function askAgain(
  sql: Sql,
  { source, account, at }: NewSettlement,
  line: SettlementLine,
): Promise<void> {
  const order =
    (
      await sql<{ order_id: OrderId }>(
        `SELECT p.order_id FROM captures c JOIN payments p ON p.id = c.payment_id
       WHERE c.source = ? AND c.${OF_ACCOUNT} AND c.reference = ?`,
      ).get(source, account, line.reference)
    )?.order_id ??
    (await orderRow(sql, source, line.order))?.order_id ??
    null
  if (order !== null) rearm(sql, order, at)
}

async function orderRow(
  sql: Sql,
  source: string,
  order: string,
): Promise<{ id: number; order_id: OrderId; registration_id: number } | undefined> {
  return order === ''
    ? undefined
    : await sql<{ id: number; order_id: OrderId; registration_id: number }>(
        'SELECT id, order_id, registration_id FROM payments WHERE order_id = ? AND gateway = ?',
      ).get(order, source)
}

/** Returns all lines of an account that were ever stored, in order. Runs on the reader thread. */
export async function settlementLines(
  sql: Sql,
  { source, account }: SettlementAccount,
): Promise<readonly SettlementLine[]> {
  return (
    await sql<LineRow>(
      `SELECT ${LINE} FROM settlement_lines WHERE source = ? AND account = ? ORDER BY id`,
    ).all(source, account)
  ).map(toLine)
}

type HeldRow = {
  id: number
  reference: string
  order_id: string | null
  reg_no: RegNo | null
  event_id: string | null
  source: string
  account: string
  amount: Paise
  state: HeldMoney['state']
  is_money: 0 | 1
  is_of_account: 0 | 1
  paid_at: Instant
}
type RefundOf = Omit<HeldMoney['refunds'][number], 'byHand'> & {
  capture_id: number
  is_by_hand: 0 | 1
}

/**
 * Returns the accounts through which an event was paid, or for which it loaded settlements: the account in its
 * event file may have changed, and the gateway still pays out to the one before.
 */
export async function accountsOfEvent(
  sql: Sql,
  eventId: string,
): Promise<readonly SettlementAccount[]> {
  return (
    await sql<{ source: string; account: string }>(
      `SELECT DISTINCT c.source, c.account FROM captures c LEFT JOIN registrations r ON r.id = c.registration_id WHERE coalesce(r.event_id, c.found_for) = :event
     UNION SELECT source, account FROM settlements WHERE event_id = :event ORDER BY 1, 2`,
    ).all({ event: eventId })
  ).filter(({ source }) => isGatewayPayment(source))
}

/**
 * Returns all payments through the gateway of an account, also those it calls no sale: a report that lists one says that it
 * was. The account of an event may have changed, and the previous one still pays out.
 */
export async function heldMoney(
  sql: Sql,
  { source, account }: SettlementAccount,
): Promise<readonly HeldMoney[]> {
  const refunds = Map.groupBy(
    await sql<RefundOf>(
      `SELECT f.capture_id, f.id, f.reference, f.amount, f.state, CASE WHEN ${BY_HAND('f')} THEN 1 ELSE 0 END AS is_by_hand FROM refunds f JOIN captures c ON c.id = f.capture_id
       WHERE c.source = ? ORDER BY f.id`,
    ).all(source),
    ({ capture_id: id }) => id,
  )
  return (
    await sql<HeldRow>(
      `SELECT c.id, c.reference, coalesce(p.order_id, c.unknown_order) AS order_id, r.reg_no, coalesce(r.event_id, c.found_for) AS event_id, c.source, c.account, c.amount, c.state, c.paid_at,
       CASE WHEN c.kind = 'sale' OR c.state = 'accepted' THEN 1 ELSE 0 END AS is_money,
       CASE WHEN c.${OF_ACCOUNT} THEN 1 ELSE 0 END AS is_of_account
     FROM captures c LEFT JOIN payments p ON p.id = c.payment_id LEFT JOIN registrations r ON r.id = c.registration_id
     WHERE c.source = ? ORDER BY c.id`,
    ).all(account, source)
  ).map((row) => ({
    id: row.id,
    reference: row.reference,
    order: row.order_id,
    regNo: row.reg_no,
    eventId: row.event_id,
    source: row.source,
    account: row.account,
    amount: row.amount,
    state: row.state,
    isMoney: row.is_money === 1,
    isOfAccount: row.is_of_account === 1,
    paidAt: row.paid_at,
    refunds: (refunds.get(row.id) ?? []).map(
      ({ capture_id: _, is_by_hand: isByHand, ...refund }) => ({
        ...refund,
        byHand: isByHand === 1,
      }),
    ),
  }))
}

/** Returns those orders that are ours. */
export async function heldOrders(
  sql: Sql,
  orders: readonly string[],
): Promise<readonly HeldOrder[]> {
  const transfers = Map.groupBy(
    await sql<{ order: string; key: string }>(
      `SELECT p.order_id AS "order", b.key FROM payments p JOIN captures c ON c.registration_id = p.registration_id AND c.source <> p.gateway
       JOIN bank_references b ON b.capture_id = c.id WHERE p.order_id IN (SELECT value FROM json_each(?)) ORDER BY b.key`,
    ).all(JSON.stringify(orders)),
    ({ order }) => order,
  )
  return (
    await sql<Omit<HeldOrder, 'transfers'>>(
      `SELECT p.order_id AS "order", r.reg_no AS regNo, r.event_id AS eventId FROM payments p JOIN registrations r ON r.id = p.registration_id
     WHERE p.order_id IN (SELECT value FROM json_each(?))`,
    ).all(JSON.stringify(orders))
  ).map((held) => {
    const keys = transfers.get(held.order)?.map(({ key }) => key)
    return keys === undefined ? held : { ...held, transfers: keys }
  })
}

/** For one registration, in order of day. Reads only; also runs outside the writer's transaction. */
export async function settledOf(sql: Sql, regNo: RegNo): Promise<readonly SettlementLine[]> {
  return (
    await sql<LineRow>(
      `SELECT ${LINE} FROM settlement_lines s WHERE s.id IN (
       SELECT l.id FROM registrations r JOIN captures c ON c.registration_id = r.id
         JOIN settlement_lines l ON l.reference = c.reference AND l.source = c.source AND c.account IN (l.account, '') WHERE r.reg_no = :number
       UNION SELECT l.id FROM registrations r JOIN payments p ON p.registration_id = r.id
         JOIN settlement_lines l ON l.order_id = p.order_id AND l.source = p.gateway WHERE r.reg_no = :number)
     ORDER BY coalesce(day, ''), id`,
    ).all({ number: regNo })
  ).map(toLine)
}
