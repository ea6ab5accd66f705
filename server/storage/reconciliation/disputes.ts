/** Stores each dispute once, with the gateway's latest description of it and the time of the next query. */
import { expressionBuilder } from 'kysely'
import { INR, instant, toAmount } from '../../../engine/index.ts'
import type { Amount, Instant, OrderId, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import type { GatewayDispute, OpenDispute, StoredDispute } from './dispute-types.ts'
import { isManualRefund } from '../refunds/refund-states-and-channels.ts'
import { isNotUndone } from '../registrations/undone-notes.ts'

/** The interval between queries, which find changes that no webhook reported. */
const QUERY_INTERVAL_MS = 6 * 60 * 60_000
/** The delay after a query without a usable response. */
const RETRY_MS = 10 * 60_000

const DISPUTE_COLUMNS = [
  'd.dispute_id as disputeId',
  'd.order_id as orderId',
  'd.reference',
  'd.amount',
  'd.deducted',
  'd.currency',
  'd.reason',
  'd.phase',
  'd.status',
  'd.respond_by as respondBy',
  'd.status_at as statusAt',
] as const

const fromDispute = expressionBuilder<Tables & { d: Tables['disputes'] }, 'd'>()
/** The total amount of all lost disputes about the same payment as dispute `d`. */
const lostDisputeTotal = fromDispute
  .selectFrom('disputes as e')
  .select(({ fn, val }) => fn.coalesce(fn.sum<Amount>('e.amount'), val(0 as Amount)).as('lost'))
  .whereRef('e.registration_id', '=', 'd.registration_id')
  .whereRef('e.reference', '=', 'd.reference')
  .where('e.status', '=', 'lost')
/**
 * The total amount of the refunds that staff recorded for the payment that dispute `d` is about, since the payment's
 * first lost dispute. References are not compared, because a bank may number a chargeback differently.
 */
const recordedRefundTotal = fromDispute
  .selectFrom('refunds as f')
  .innerJoin('captures as c', 'c.id', 'f.capture_id')
  .select(({ fn, val }) => fn.coalesce(fn.sum<Amount>('f.amount'), val(0 as Amount)).as('recorded'))
  .whereRef('c.registration_id', '=', 'd.registration_id')
  .whereRef('c.reference', '=', 'd.reference')
  .where(isManualRefund)
  .where(({ eb, selectFrom }) =>
    eb(
      'f.at',
      '>=',
      selectFrom('disputes as e')
        .select(({ fn }) => fn.min('e.status_at').as('first'))
        .whereRef('e.registration_id', '=', 'd.registration_id')
        .whereRef('e.reference', '=', 'd.reference')
        .where('e.status', '=', 'lost'),
    ),
  )
/**
 * True for a lost dispute `d` that staff have not recorded: refunds with the dispute's id as reference do not cover its
 * amount, refunds of the disputed payment do not cover the payment's lost disputes, and no note has been added since.
 */
export const isUnhandledLoss = fromDispute.and([
  fromDispute(
    'd.amount',
    '>',
    fromDispute
      .selectFrom('refunds as f')
      .innerJoin('captures as c', 'c.id', 'f.capture_id')
      .select(({ fn, val }) =>
        fn.coalesce(fn.sum<Amount>('f.amount'), val(0 as Amount)).as('recorded'),
      )
      .whereRef('c.registration_id', '=', 'd.registration_id')
      .whereRef('f.reference', '=', 'd.dispute_id')
      .where('f.state', '=', 'done'),
  ),
  fromDispute(lostDisputeTotal, '>', recordedRefundTotal),
  fromDispute.not(
    fromDispute.exists(
      fromDispute
        .selectFrom('acts as b')
        .select('b.id')
        .whereRef('b.registration_id', '=', 'd.registration_id')
        .whereRef('b.at', '>=', 'd.status_at')
        .where('b.act', '=', 'note')
        .where(isNotUndone('b')),
    ),
  ),
])

const registrationOfOrder = statement((builder, { orderId }: { orderId: OrderId }) =>
  builder.selectFrom('payments').select('registration_id').where('order_id', '=', orderId),
)
type NewDispute = {
  readonly disputeId: string
  readonly orderId: OrderId
  readonly registrationId: number
  readonly at: Instant
}
const insertDispute = statement((builder, { disputeId, orderId, registrationId, at }: NewDispute) =>
  builder
    .insertInto('disputes')
    .values({
      dispute_id: disputeId,
      registration_id: registrationId,
      order_id: orderId,
      reference: '',
      amount: toAmount(0),
      deducted: toAmount(0),
      currency: INR,
      reason: '',
      phase: '',
      status: 'unknown',
      respond_by: null,
      noted_at: at,
      asked_at: instant(0),
      status_at: at,
      next_ask_at: at,
    })
    .onConflict((conflict) => conflict.column('dispute_id').doUpdateSet({ next_ask_at: at })),
)
const saveDisputeDetails = statement(
  (
    builder,
    dispute: GatewayDispute & { readonly queriedAt: Instant; readonly nextQueryAt: Instant },
  ) =>
    builder
      .updateTable('disputes')
      .set(({ eb, ref }) => ({
        reference: dispute.reference,
        amount: dispute.amount,
        deducted: dispute.deducted,
        currency: dispute.currency,
        reason: dispute.reason,
        phase: dispute.phase,
        respond_by: dispute.respondBy,
        status_at: eb
          .case()
          .when(ref('status'), '=', dispute.status)
          .then(ref('status_at'))
          .else(dispute.queriedAt)
          .end(),
        status: dispute.status,
        asked_at: dispute.queriedAt,
        next_ask_at: dispute.nextQueryAt,
      }))
      .where('dispute_id', '=', dispute.disputeId)
      .where('asked_at', '<=', dispute.queriedAt),
)
const stopQueries = statement((builder, { disputeId }: { disputeId: string }) =>
  builder
    .updateTable('disputes')
    .set({ next_ask_at: null })
    .where('dispute_id', '=', disputeId)
    .where('status', 'in', ['won', 'lost', 'closed']),
)
const postponeQuery = statement((builder, params: { disputeId: string; nextQueryAt: Instant }) =>
  builder
    .updateTable('disputes')
    .set({ next_ask_at: params.nextQueryAt })
    .where('dispute_id', '=', params.disputeId),
)
const disputesDueForQuery = statement(
  (builder, { at, limit }: { at: Instant; limit: number }, dialect) =>
    builder
      .selectFrom('disputes as d')
      .select(DISPUTE_COLUMNS)
      .where('d.next_ask_at', 'is not', null)
      .where('d.next_ask_at', '<=', at)
      .orderBy('d.next_ask_at')
      .orderBy('d.dispute_id')
      .limit(dialect.limit(limit)),
)
const disputesOfRegistration = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('disputes as d')
    .innerJoin('registrations as r', 'r.id', 'd.registration_id')
    .select(DISPUTE_COLUMNS)
    .where('r.reg_no', '=', regNo)
    .orderBy('d.noted_at')
    .orderBy('d.dispute_id'),
)
const lostDisputesForPayment = statement((builder, { reference }: { reference: string }) =>
  builder
    .selectFrom('disputes as d')
    .select(['d.dispute_id as disputeId', 'd.amount'])
    .where('d.reference', '=', reference)
    .where('d.status', '=', 'lost')
    .where(isUnhandledLoss)
    .orderBy('d.dispute_id'),
)
const disputedCaptures = statement((builder, { disputeId }: { disputeId: string }) =>
  builder
    .selectFrom('disputes as d')
    .innerJoin('captures as c', 'c.reference', 'd.reference')
    .innerJoin('payments as o', (join) =>
      join.onRef('o.id', '=', 'c.payment_id').onRef('o.order_id', '=', 'd.order_id'),
    )
    .select('c.id')
    .where('d.dispute_id', '=', disputeId),
)
const openDisputesOfEvent = statement(
  (builder, { eventId, limit }: { eventId: string; limit: number }, dialect) =>
    builder
      .selectFrom('disputes as d')
      .innerJoin('registrations as r', 'r.id', 'd.registration_id')
      .select([...DISPUTE_COLUMNS, 'r.event_id as eventId', 'r.reg_no as regNo'])
      .where('d.status', 'in', ['unknown', 'open'])
      .where('r.event_id', '=', eventId)
      .orderBy('d.noted_at')
      .orderBy('d.dispute_id')
      .limit(dialect.limit(limit)),
)

export async function addDispute(
  sql: Sql,
  disputeId: string,
  orderId: OrderId,
  at: Instant,
): Promise<boolean> {
  const payment = await registrationOfOrder.get(sql, { orderId })
  if (payment === undefined) return false
  insertDispute.run(sql, { disputeId, orderId, registrationId: payment.registration_id, at })
  return true
}

export function recordDispute(sql: Sql, dispute: GatewayDispute, queriedAt: Instant): void {
  saveDisputeDetails.run(sql, {
    ...dispute,
    queriedAt,
    nextQueryAt: instant(queriedAt + QUERY_INTERVAL_MS),
  })
  stopQueries.run(sql, dispute)
}

export function postponeDisputeQuery(sql: Sql, disputeId: string, at: Instant): void {
  postponeQuery.run(sql, { disputeId, nextQueryAt: instant(at + RETRY_MS) })
}

/**
 * Explains that the bank took the payment back in a dispute that staff have not recorded. Null if there is no such
 * dispute.
 */
export async function explainUnrecordedLoss(sql: Sql, reference: string): Promise<string | null> {
  const [loss] = await lostDisputesForPayment.all(sql, { reference })
  return loss === undefined
    ? null
    : `The bank charged back this payment (lost dispute ${loss.disputeId}). A refund would return the money a second time. Record the chargeback as already refunded outside Rollcall, with ${loss.disputeId} as the reference. If the money has already been refunded, add a note instead.`
}

/** Returns true if the bank charged back this amount of the payment in a dispute that staff have not recorded. */
export const hasUnrecordedLoss = async (
  sql: Sql,
  reference: string,
  amount: Amount,
): Promise<boolean> =>
  (await lostDisputesForPayment.all(sql, { reference })).some((loss) => loss.amount === amount)

/** Returns the id of the payment that a dispute is about. Null if there is no dispute with this id. */
export const findDisputedCapture = async (sql: Sql, disputeId: string): Promise<number | null> =>
  (await disputedCaptures.get(sql, { disputeId }))?.id ?? null

export const listDisputesToQuery = (
  sql: Sql,
  at: Instant,
  limit: number,
): Promise<readonly StoredDispute[]> => disputesDueForQuery.all(sql, { at, limit })

export const listDisputes = (sql: Sql, regNo: RegNo): Promise<readonly StoredDispute[]> =>
  disputesOfRegistration.all(sql, { regNo })

export async function listOpenDisputes(
  sql: Sql,
  eventIds: readonly string[],
  limit: number,
): Promise<readonly OpenDispute[]> {
  const disputes: OpenDispute[] = []
  for (const eventId of eventIds)
    disputes.push(...(await openDisputesOfEvent.all(sql, { eventId, limit })))
  const getDeadline = ({ respondBy }: OpenDispute): number => respondBy ?? Number.MAX_SAFE_INTEGER
  return disputes.toSorted((a, b) => getDeadline(a) - getDeadline(b)).slice(0, limit)
}
