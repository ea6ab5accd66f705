/** Stores gateway settlements, with each line once. Payments that only a settlement reports go to review. */
import {
  INR,
  assert,
  toBankKey,
  findChangedDeductions,
  formatDay,
  formatMoney,
  instant,
  getLineKey,
  startOfDay,
  getTransferKey,
  toOrderKey,
} from '../../../engine/index.ts'
import type { Instant, OrderId, Amount, SettlementLine } from '../../../engine/index.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
import { SETTLEMENT_LINE_COLUMNS } from './read-settlements.ts'
import { changeDeductions } from './settlement-line-decisions.ts'
import { reviewPayoutReference } from './references-in-review.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { toPayment } from '../registrations/row-mapping.ts'
import type { SettlementResult, NewSettlement, SettlementAccount } from './settlement-types.ts'
import { scheduleGatewayQueries } from '../payments/gateway-queries.ts'
import { hasUnmatchedPayment, saveSettledOrder } from '../payments/unknown-orders.ts'
import { joinReasons, readPayment, savePaymentState } from '../payments/payment-state.ts'
import { settleRegistration } from '../payments/settle-registration.ts'

type Account = SettlementAccount
const linesUnderReference = statement((builder, { reference }: { reference: string }) =>
  builder
    .selectFrom('settlement_lines')
    .select(['id', 'source', 'account', ...SETTLEMENT_LINE_COLUMNS])
    .where('reference', '=', reference),
)
const linesUnderOrder = statement((builder, { order }: { order: string }) =>
  builder
    .selectFrom('settlement_lines')
    .select(['id', 'source', 'account', ...SETTLEMENT_LINE_COLUMNS])
    .where('order_id', '=', order),
)
const insertSettlement = statement(
  (
    builder,
    {
      source,
      account,
      eventId,
      sha256,
      who: user,
      at,
    }: Omit<NewSettlement, 'lines' | 'ask' | 'orderEvents'>,
  ) =>
    builder
      .insertInto('settlements')
      .values({ source, account, event_id: eventId, sha256, who: user, at })
      .returning('id'),
)
type NewLine = Account & SettlementLine & { settlementId: number; key: string; utrKey: string }
const insertLine = statement((builder, line: NewLine) =>
  builder.insertInto('settlement_lines').values({
    settlement_id: line.settlementId,
    source: line.source,
    account: line.account,
    key: line.key,
    utr_key: line.utrKey,
    line: line.line,
    kind: line.is,
    order_id: line.order,
    reference: line.reference,
    amount: line.amount,
    fee: line.fee,
    tax: line.tax,
    net: line.net,
    day: line.day,
    utr: line.utr,
    paid_on: line.paidOn,
    nth: line.nth,
  }),
)
/**
 * Selects a payment by its reference. A payment without an account was stored before accounts were recorded, and may
 * belong to any account.
 */
const paymentWithReference = statement(
  (
    builder,
    {
      source,
      account,
      attemptId,
      reference,
    }: Account & { attemptId: number | null; reference: string },
  ) =>
    builder
      .selectFrom('captures')
      .select('id')
      .where('source', '=', source)
      .where(({ eb, or }) =>
        or([eb('account', 'in', [account, '']), eb('payment_id', '=', attemptId)]),
      )
      .where('reference', '=', reference),
)
/** Selects a payment by its order, even if it was received through another gateway of the event. */
const paymentOfOrder = statement(
  (builder, { order, reference }: { order: string; reference: string }) =>
    builder
      .selectFrom('captures as c')
      .innerJoin('payments as p', 'p.id', 'c.payment_id')
      .select('c.id')
      .where('p.order_id', '=', order as OrderId)
      .where('c.reference', '=', reference),
)
const paymentOfAttempt = statement((builder, { attemptId }: { attemptId: number }) =>
  builder.selectFrom('captures').select('id').where('payment_id', '=', attemptId),
)
type NewPayment = Account & {
  readonly attemptId: number | null
  readonly registrationId: number | null
  readonly reference: string
  readonly amount: Amount
  readonly paidAt: Instant
  readonly at: Instant
  readonly state: 'unmatched' | 'review'
  readonly why: string
  readonly foundFor: string | null
  readonly unknownOrder: string | null
}
const insertPayment = statement((builder, payment: NewPayment) =>
  builder.insertInto('captures').values({
    payment_id: payment.attemptId,
    counts_for: payment.attemptId,
    registration_id: payment.registrationId,
    source: payment.source,
    account: payment.account,
    reference: payment.reference,
    amount: payment.amount,
    currency: 'INR',
    kind: 'sale',
    paid_at: payment.paidAt,
    seen_at: payment.at,
    state: payment.state,
    why: payment.why,
    found_for: payment.foundFor,
    unknown_order: payment.unknownOrder,
  }),
)
const orderWithReference = statement(
  (builder, { source, account, reference }: Account & { reference: string }) =>
    builder
      .selectFrom('captures as c')
      .innerJoin('payments as p', 'p.id', 'c.payment_id')
      .select('p.order_id')
      .where('c.source', '=', source)
      .where('c.account', 'in', [account, ''])
      .where('c.reference', '=', reference),
)
const attemptOfOrder = statement((builder, { source, order }: { source: string; order: OrderId }) =>
  builder
    .selectFrom('payments as p')
    .innerJoin('registrations as r', 'r.id', 'p.registration_id')
    .select(['p.id', 'p.order_id', 'p.registration_id', 'r.event_id'])
    .where('p.order_id', '=', order)
    .where('p.gateway', '=', source),
)
/** Stores new lines, and puts unknown payments into review, in one transaction. */
export async function saveSettlement(
  sql: Sql,
  newSettlement: NewSettlement,
): Promise<SettlementResult> {
  const { source, account, who: user, at, lines, ask = [] } = newSettlement
  for (const order of ask) {
    const row = await findOrder(sql, source, order)
    if (row !== undefined) scheduleGatewayQueries(sql, row.order_id, at)
  }
  const newLines: SettlementLine[] = []
  let changed = 0
  for (const line of lines) {
    const storedLines = await findStoredLines(sql, { source, account }, line)
    if (storedLines.length === 0) newLines.push(line)
    let isChanged = false
    for (const stored of storedLines) {
      const deductions = findChangedDeductions(stored, line)
      if (deductions === null) continue
      const name = stored.reference === '' ? stored.order : stored.reference
      changeDeductions(sql, { ...stored, name }, deductions, {
        who: user,
        at,
        // The audit log entry may contain the order id, so only owners of the order's event may read the entry.
        eventId: await findLineEvent(sql, newSettlement, stored),
      })
      isChanged = true
    }
    if (isChanged) changed += 1
  }
  const known = lines.length - newLines.length - changed
  if (newLines.length === 0) return { added: 0, changed, known, toReview: 0 }
  const settlement = await insertSettlement.get(sql, newSettlement)
  assert(settlement !== undefined, 'an inserted settlement has no id')
  // Several events may share the account. Each event's owners can read how many lines were saved for its payments.
  const savedByEvent = new Map<string, number>()
  let toReview = 0
  for (const line of newLines) {
    const lineEventId = await findLineEvent(sql, newSettlement, line)
    savedByEvent.set(lineEventId, (savedByEvent.get(lineEventId) ?? 0) + 1)
    insertLine.run(sql, {
      ...line,
      settlementId: settlement.id,
      source,
      account,
      key: getLineKey(line),
      utrKey: toBankKey(line.utr),
    })
    if (line.is === 'sale' && (await saveUnknownPayment(sql, newSettlement, line))) toReview += 1
    else if (line.is === 'refund') await queryOrderAgain(sql, newSettlement, line)
  }
  for (const [lineEventId, count] of savedByEvent)
    addAuditEntry(sql, {
      at,
      who: user,
      what: `saved ${count} ${count === 1 ? 'line' : 'lines'} of a settlement`,
      eventId: lineEventId,
      regNo: null,
    })
  for (const utr of new Map(newLines.map((line) => [getTransferKey(line), line.utr])).values())
    if (utr !== '') await reviewPayoutReference(sql, utr)
  return { added: newLines.length, changed, known, toReview }
}

/** Finds stored lines by key. Older versions stored a line once per spelling of its payout's reference. */
async function findStoredLines(sql: Sql, { source, account }: Account, line: SettlementLine) {
  const { reference, order } = line
  const candidates =
    reference === ''
      ? await linesUnderOrder.all(sql, { order })
      : await linesUnderReference.all(sql, { reference })
  return candidates.filter(
    (stored) =>
      stored.source === source &&
      stored.account === account &&
      getLineKey(stored) === getLineKey(line),
  )
}

/**
 * Stores a payment that only the settlement reports. Returns true if it was unknown, and is therefore under review now.
 */
async function saveUnknownPayment(
  sql: Sql,
  newSettlement: NewSettlement,
  line: SettlementLine,
): Promise<boolean> {
  const { source, account, at } = newSettlement
  const reference = line.reference === '' ? line.order : line.reference
  const row = await findOrder(sql, source, line.order)
  // The order identifies the payment, even if it was received through an earlier account.
  const attemptId = row?.id ?? null
  const isKnown =
    (await paymentWithReference.get(sql, { source, account, attemptId, reference })) !==
      undefined ||
    (await paymentOfOrder.get(sql, { order: row?.order_id ?? line.order, reference })) !== undefined
  const hasPaymentOfAttempt =
    line.reference === '' &&
    row !== undefined &&
    (await paymentOfAttempt.get(sql, { attemptId: row.id })) !== undefined
  // The gateway may have confirmed the payment for an unknown order.
  const isConfirmedForUnknownOrder =
    line.reference === '' && row === undefined && (await hasUnmatchedPayment(sql, line.order))
  if (isKnown || hasPaymentOfAttempt || isConfirmedForUnknownOrder) return false
  const day = line.paidOn ?? line.day
  const paidAt = day === null ? at : instant(Math.min(startOfDay(day), at))
  const dateText = line.day === null ? '' : ` of ${formatDay(line.day)}`
  const unknownOrder = row === undefined && line.order !== '' ? line.order : null
  const reason =
    unknownOrder === null
      ? `${formatMoney(line.amount, INR)} is in the gateway’s settlement${dateText}, but the gateway never reported the payment.`
      : `${formatMoney(line.amount, INR)} is in the gateway’s settlement${dateText} for the order ${unknownOrder}, which is not in this database.`
  const eventId = await findLineEvent(sql, newSettlement, line)
  insertPayment.run(sql, {
    source,
    account,
    attemptId,
    registrationId: row?.registration_id ?? null,
    reference,
    amount: line.amount,
    paidAt,
    at,
    state: row === undefined ? 'unmatched' : 'review',
    why: reason,
    foundFor: row === undefined ? eventId : null,
    unknownOrder,
  })
  if (unknownOrder !== null)
    await saveSettledOrder(sql, { orderId: unknownOrder as OrderId, eventId }, at)
  if (row === undefined) return true
  const payment = await readPayment(sql, row.id)
  await savePaymentState(
    sql,
    payment,
    { ...toPayment(payment), review: joinReasons(payment.review, reason) },
    at,
  )
  await settleRegistration(sql, payment.registration_id)
  // The gateway may know more about the payment.
  scheduleGatewayQueries(sql, payment.order_id, at)
  return true
}

/**
 * Schedules another query about an order if the gateway deducted a refund that it never reported. The response
 * identifies the refund.
 */
async function queryOrderAgain(
  sql: Sql,
  { source, account, at }: NewSettlement,
  line: SettlementLine,
): Promise<void> {
  const order =
    (await orderWithReference.get(sql, { source, account, reference: line.reference }))?.order_id ??
    (await findOrder(sql, source, line.order))?.order_id ??
    null
  if (order !== null) scheduleGatewayQueries(sql, order, at)
}

/**
 * Returns the event of a line's order, even if the report was loaded for another event. If the order is unknown, the
 * prefix of its id determines the event.
 */
async function findLineEvent(
  sql: Sql,
  { source, eventId, orderEvents = [] }: NewSettlement,
  { order }: Pick<SettlementLine, 'order'>,
): Promise<string> {
  const knownOrder = await findOrder(sql, source, order)
  return knownOrder?.event_id ?? new Map(orderEvents).get(order) ?? eventId
}

async function findOrder(
  sql: Sql,
  source: string,
  order: string,
): Promise<Awaited<ReturnType<typeof attemptOfOrder.get>>> {
  if (order === '') return undefined
  return (
    (await attemptOfOrder.get(sql, { source, order: order as OrderId })) ??
    (await attemptOfOrder.get(sql, { source, order: toOrderKey(order) as OrderId }))
  )
}
