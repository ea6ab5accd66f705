/** Stores refunds that staff request, that are made outside the gateway, or that the gateway reports. */
import { sql as raw } from 'kysely'
import type { Selectable } from 'kysely'
import { assert, toAmount } from '../../../engine/index.ts'
import type {
  DecisionGrounds,
  Instant,
  OrderId,
  Amount,
  ReportedRefund,
  RegNo,
} from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { CaptureRow } from '../database/statements/money-tables.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { emailsWereDiscarded } from '../recovery/held-during-recovery.ts'
import type { CompletedRefund, StoredRefund } from '../payments/payment-types.ts'
import { isDispute, refundableAmount, isRefundPending } from './refund-states-and-channels.ts'
import { replaceRefusedRefunds } from './replaced-refunds.ts'

type RefundRow = Pick<
  Selectable<Tables['refunds']>,
  'id' | 'capture_id' | 'amount' | 'state' | 'reference' | 'said'
>

/** Part of the key that lets the email about a refund be queued only once. The other part is the refund's id. */
export const NO_REFERENCE = 'given back'

const refundableAmountOfCapture = statement((builder, { captureId }: { captureId: number }) =>
  builder
    .selectFrom('captures as c')
    .select(refundableAmount.as('left'))
    .where('c.id', '=', captureId),
)
const refundInProgressOfCapture = statement(
  (builder, { captureId, amount }: { captureId: number; amount: Amount }) =>
    builder
      .selectFrom('refunds as f')
      .select('f.id')
      .where('f.capture_id', '=', captureId)
      .where('f.amount', '=', amount)
      .where(isRefundPending),
)
const refundsOfPaidRegistration = statement((builder, { paymentId }: { paymentId: number }) =>
  builder
    .selectFrom('payments as o')
    .innerJoin('payments as p', 'p.registration_id', 'o.registration_id')
    .innerJoin('captures as c', 'c.counts_for', 'p.id')
    .innerJoin('refunds as f', 'f.capture_id', 'c.id')
    .select(['f.amount', 'f.at', 'f.who'])
    .select(({ eb }) => eb.case().when(isRefundPending).then(1).else(0).end().as('is_pending'))
    .where('o.id', '=', paymentId),
)
const addRefundRow = statement(
  (builder, params: { captureId: number; amount: Amount; why: string; who: string; at: Instant }) =>
    builder
      .insertInto('refunds')
      .values({
        capture_id: params.captureId,
        amount: params.amount,
        state: 'wanted',
        why: params.why,
        who: params.who,
        at: params.at,
      })
      .returning('id'),
)
const setRefundEnded = statement(
  (
    builder,
    params: {
      id: number
      state: 'done' | 'refused'
      reference: string | null
      doneAt: Instant | null
    },
  ) =>
    builder
      .updateTable('refunds')
      .set((refund) => ({
        state: params.state,
        reference: refund.fn.coalesce(refund.val(params.reference), 'reference'),
        done_at: params.doneAt,
      }))
      .where('id', '=', params.id),
)
/** Stored as `said` for a refund that staff recorded as completed before the gateway reported it. */
const COMPLETED_BY_STAFF_MESSAGE =
  'Staff recorded this refund as completed. The gateway has not reported it yet.'
const setCompletedByStaff = statement((builder, { id }: { id: number }) =>
  builder.updateTable('refunds').set({ said: COMPLETED_BY_STAFF_MESSAGE }).where('id', '=', id),
)
const setReported = statement((builder, { id, reference }: { id: number; reference: string }) =>
  builder.updateTable('refunds').set({ reference, said: null }).where('id', '=', id),
)
const capturesOfPayment = statement((builder, { paymentId }: { paymentId: number }) =>
  builder
    .selectFrom('captures as c')
    .selectAll('c')
    .select(refundableAmount.as('left'))
    .where('c.payment_id', '=', paymentId)
    .orderBy('c.id'),
)
const refundsOfPayment = statement((builder, { paymentId }: { paymentId: number }) =>
  builder
    .selectFrom('refunds as r')
    .innerJoin('captures as c', 'c.id', 'r.capture_id')
    .select(['r.id', 'r.capture_id', 'r.amount', 'r.state', 'r.reference', 'r.said'])
    .where('c.payment_id', '=', paymentId)
    .orderBy('r.id'),
)
const REPORTED_BY_GATEWAY = { why: 'Reported by the gateway.', who: 'gateway' } as const
const addReportedRefund = statement(
  (builder, params: { captureId: number; amount: Amount; reference: string; at: Instant }) =>
    builder.insertInto('refunds').values({
      capture_id: params.captureId,
      amount: params.amount,
      state: 'done',
      reference: params.reference,
      ...REPORTED_BY_GATEWAY,
      at: params.at,
      done_at: params.at,
    }),
)
const refundsOfRegistration = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('refunds as r')
    .innerJoin('captures as c', 'c.id', 'r.capture_id')
    .innerJoin('registrations as g', 'g.id', 'c.registration_id')
    .select(['r.id', 'r.capture_id as captureId', 'r.amount', 'r.state', 'r.reference'])
    .select(['r.why', 'r.who', 'r.at', 'r.said'])
    .where('g.reg_no', '=', regNo)
    .orderBy('r.id'),
)
const completedRefundsWithoutEmail = statement(
  (
    builder,
    { after, eventIds, limit }: { after: Instant; eventIds: string; limit: number },
    dialect,
  ) =>
    builder
      .selectFrom('refunds as f')
      .innerJoin('captures as c', 'c.id', 'f.capture_id')
      .leftJoin('payments as p', 'p.id', 'c.counts_for')
      .innerJoin('registrations as g', (join) =>
        join.on('g.id', '=', ({ fn }) => fn.coalesce('p.registration_id', 'c.registration_id')),
      )
      .select([
        'f.id',
        'g.reg_no as regNo',
        'f.amount',
        'f.reference',
        'f.done_at as at',
        'p.created_at as attemptedAt',
        isDispute.as('isDispute'),
      ])
      .where('f.state', '=', 'done')
      .where('f.done_at', '>', after)
      // Imported refunds were made in the previous system, which also notified the delegates.
      .where('f.who', 'not in', ['import', 'migration'])
      .where('g.email', '<>', '')
      .where(({ ref }) => dialect.isIn(ref('g.event_id'), eventIds))
      .where(({ not, exists, selectFrom, ref }) =>
        not(
          exists(
            selectFrom('mail_queue as m')
              .select('m.id')
              .where('m.once', '=', raw<string>`${NO_REFERENCE} || ' ' || ${ref('f.id')}`),
          ),
        ),
      )
      .where(({ not, ref }) =>
        not(
          emailsWereDiscarded(({ and, between, eb }) =>
            and([
              eb(ref('g.created_at'), '<', eb.ref('v.begun_at')),
              between(ref('f.done_at'), eb.ref('v.begun_at'), eb.ref('v.ended_at')),
            ]),
          ),
        ),
      )
      .$narrowType<{ at: Instant }>()
      .orderBy('f.done_at')
      .orderBy('f.id')
      .limit(dialect.limit(limit)),
)
const orderOfRefund = statement((builder, { id }: { id: number }) =>
  builder
    .selectFrom('refunds as r')
    .innerJoin('captures as c', 'c.id', 'r.capture_id')
    .innerJoin('payments as p', 'p.id', 'c.payment_id')
    .select('p.order_id')
    .where('r.id', '=', id),
)

export async function getRefundableAmount(sql: Sql, captureId: number): Promise<Amount> {
  const row = await refundableAmountOfCapture.get(sql, { captureId })
  return toAmount(row?.left ?? 0)
}

/**
 * Returns true if a refund of the same amount is in progress for this capture. The gateway identifies refunds by
 * amount, so Rollcall could not distinguish the two.
 */
export async function isRefundInProgress(
  sql: Sql,
  captureId: number,
  amount: Amount,
): Promise<boolean> {
  return (await refundInProgressOfCapture.get(sql, { captureId, amount })) !== undefined
}

/**
 * Returns true if a refund of the same amount is in progress for any payment of the same registration. Without this
 * check, a request that arrives twice would be refunded from two payments.
 */
export async function isSameRefundInProgress(
  sql: Sql,
  paymentId: number,
  amount: Amount,
): Promise<boolean> {
  const refunds = await refundsOfPaidRegistration.all(sql, { paymentId })
  // The parts of a split refund were requested at the same time. Completed and refused parts count towards the total.
  const sumParts = ({ at, who: user }: (typeof refunds)[number]): number =>
    refunds.reduce(
      (sum, part) => (part.at === at && part.who === user ? sum + part.amount : sum),
      0,
    )
  return refunds.some(
    (refund) =>
      refund.is_pending === 1 && (refund.amount === amount || sumParts(refund) === amount),
  )
}

/** Stores a refund request, and returns its id. */
export async function addRefundRequest(
  sql: Sql,
  captureId: number,
  amount: Amount,
  { why: reason, who: user }: DecisionGrounds,
  at: Instant,
): Promise<number> {
  const newRow = await addRefundRow.get(sql, { captureId, amount, why: reason, who: user, at })
  assert(newRow !== undefined, 'an inserted refund has no id')
  return newRow.id
}

export function endRefund(
  sql: Sql,
  id: number,
  state: 'done' | 'refused',
  reference: string | null,
  at: Instant,
): void {
  setRefundEnded.run(sql, { id, state, reference, doneAt: state === 'done' ? at : null })
}

/**
 * Records that staff completed a refund that was sent to the gateway. When the gateway reports it, under its own
 * reference, the report belongs to this refund.
 */
export function completeSentRefund(
  sql: Sql,
  id: number,
  reference: string | null,
  at: Instant,
): void {
  endRefund(sql, id, 'done', reference, at)
  setCompletedByStaff.run(sql, { id })
}

/** The payment to which a reported refund belongs, and the part of the amount that was not yet recorded. */
export type PlacedRefund = { readonly capture: CaptureRow; readonly amount: Amount }

/**
 * Assigns a refund that the gateway reports for an order. The gateway gives the amount and its own reference, but not
 * always the refunded payment. The refund is therefore matched first with a refund that staff recorded as completed
 * before the gateway reported it, then with one of our refunds in progress, then with the whole amount of a capture
 * under review, then with a counted capture, then with any other capture. Returns null if no payment matches, and
 * `known` if the refund is already recorded.
 */
export async function insertRefund(
  sql: Sql,
  paymentId: number,
  { reference, amount }: ReportedRefund,
  at: Instant,
): Promise<PlacedRefund | 'known' | null> {
  const captures = await capturesOfPayment.all(sql, { paymentId })
  const rows = await refundsOfPayment.all(sql, { paymentId })
  const refundsWithReference = rows.filter((row) => row.reference === reference)
  const recordedAmount = refundsWithReference
    .filter(({ state }) => state === 'done')
    .reduce((sum, row) => sum + row.amount, 0)
  if (recordedAmount >= amount) return 'known'
  const remaining = toAmount(amount - recordedAmount)
  const isOpen = ({ state, amount: refundAmount }: RefundRow): boolean =>
    refundAmount === remaining && (state === 'asked' || state === 'unsure')
  const openRefundWithReference = refundsWithReference.find(isOpen)
  const completedByStaff = rows.find(
    ({ state, amount: of, reference: known, said }) =>
      state === 'done' &&
      of === remaining &&
      (known === null || said === COMPLETED_BY_STAFF_MESSAGE),
  )
  if (openRefundWithReference === undefined && completedByStaff !== undefined) {
    setReported.run(sql, { id: completedByStaff.id, reference })
    return 'known'
  }
  const ownRequest =
    openRefundWithReference ??
    rows.find(isOpen) ??
    // The amount was refunded in the merchant panel before our request was sent. If the request were sent, the amount
    // would be refunded twice.
    rows.find(({ state, amount: of }) => of === remaining && state === 'wanted')
  if (ownRequest !== undefined) {
    endRefund(sql, ownRequest.id, 'done', reference, at)
    const capture = captures.find(({ id }) => id === ownRequest.capture_id)
    return capture === undefined ? null : { capture, amount: remaining }
  }
  const isInReview = ({ state }: CaptureRow): boolean => state === 'review'
  const isCounted = ({ state }: CaptureRow): boolean => state === 'fits' || state === 'accepted'
  const refundableCaptures = captures.filter(({ left }) => left >= remaining)
  const capture =
    refundableCaptures.find((candidate) => isInReview(candidate) && candidate.left === remaining) ??
    refundableCaptures.find(isCounted) ??
    refundableCaptures.find(isInReview) ??
    refundableCaptures[0]
  if (capture === undefined) return null
  await replaceRefusedRefunds(sql, capture.id, [remaining], REPORTED_BY_GATEWAY, at)
  addReportedRefund.run(sql, { captureId: capture.id, amount: remaining, reference, at })
  return { capture, amount: remaining }
}

/** Returns the refunds of a registration, oldest first. May also run outside the writer's transaction. */
export function readRefunds(sql: Sql, regNo: RegNo): Promise<readonly StoredRefund[]> {
  return refundsOfRegistration.all(sql, { regNo })
}

/**
 * Returns refunds that were completed after `doneAfter` and have no email yet, oldest first. May also run outside the
 * writer's transaction.
 */
export async function listCompletedRefunds(
  sql: Sql,
  doneAfter: Instant,
  eventIds: readonly string[],
  limit: number,
): Promise<readonly CompletedRefund[]> {
  const rows = await completedRefundsWithoutEmail.all(sql, {
    after: doneAfter,
    eventIds: JSON.stringify(eventIds),
    limit,
  })
  return rows.map((row) => ({ ...row, isDispute: row.isDispute === 1 }))
}

/** Returns the order to use in a gateway query about a refund. Null if the payment was not made through a gateway. */
export async function findOrderOfRefund(sql: Sql, id: number): Promise<OrderId | null> {
  return (await orderOfRefund.get(sql, { id }))?.order_id ?? null
}
