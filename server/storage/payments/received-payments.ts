/** Stores received payments: one capture for each reference in a gateway account. */
import { toAmount } from '../../../engine/index.ts'
import type {
  Currency,
  Instant,
  Amount,
  Payment,
  PaymentEvent,
  RegNo,
} from '../../../engine/index.ts'
import { assignImportReference } from '../reconciliation/bank-references.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { CaptureRow } from '../database/statements/money-tables.ts'
import { refundableAmount, isRefundableByGateway } from '../refunds/refund-states-and-channels.ts'
import type { JoinedPaymentRow } from '../registrations/row-mapping.ts'
import type { ImportRow, StoredCapture } from '../index.ts'

// Captures are independent of attempts. A payment that matches no attempt is under review until staff decide.

type Confirmation = PaymentEvent & { readonly type: 'confirmed' }
/** The gateway's confirmation of a payment. */
type ConfirmedCapture = {
  amount: Amount
  currency: string
  kind: 'sale' | 'other' | 'test'
  paidAt: Instant
}

const captureByReference = statement(
  (builder, params: { source: string; account: string; reference: string }) =>
    builder
      .selectFrom('captures')
      .selectAll()
      .where('source', '=', params.source)
      .where('account', '=', params.account)
      .where('reference', '=', params.reference),
)
/** Selects a registration if nothing was paid, refunded or invoiced for it, and no payment awaits a decision. */
const registrationWithoutMoney = statement(
  (builder, { registrationId }: { registrationId: number }) =>
    builder
      .selectFrom('registrations as r')
      .select('r.id')
      .where('r.id', '=', registrationId)
      .where(({ exists, not, or, selectFrom }) =>
        not(
          or([
            exists(
              selectFrom('payments as p')
                .select('p.id')
                .whereRef('p.registration_id', '=', 'r.id')
                .where(({ and, eb, or: anyOf }) =>
                  anyOf([
                    eb('p.status', 'in', ['success', 'refunded']),
                    and([eb('p.status', '=', 'pending'), eb('p.way', 'is not', null)]),
                  ]),
                ),
            ),
            exists(
              selectFrom('captures as c').select('c.id').whereRef('c.registration_id', '=', 'r.id'),
            ),
            exists(
              selectFrom('captures as c')
                .innerJoin('payments as p', 'p.id', 'c.counts_for')
                .select('c.id')
                .whereRef('p.registration_id', '=', 'r.id'),
            ),
            exists(
              selectFrom('documents as d')
                .select('d.id')
                .whereRef('d.registration_id', '=', 'r.id'),
            ),
          ]),
        ),
      ),
)
type NewCapture = ConfirmedCapture & {
  paymentId: number
  registrationId: number
  source: string
  account: string
  reference: string
  seenAt: Instant
  state: 'fits' | 'review'
  why: string | null
}
const addCapture = statement((builder, capture: NewCapture) =>
  builder.insertInto('captures').values({
    payment_id: capture.paymentId,
    counts_for: capture.paymentId,
    registration_id: capture.registrationId,
    source: capture.source,
    account: capture.account,
    reference: capture.reference,
    amount: capture.amount,
    currency: capture.currency,
    kind: capture.kind,
    paid_at: capture.paidAt,
    seen_at: capture.seenAt,
    state: capture.state,
    why: capture.why,
  }),
)
const setCaptureMatched = statement((builder, params: ConfirmedCapture & { id: number }) =>
  builder
    .updateTable('captures')
    .set({
      state: 'fits',
      amount: params.amount,
      currency: params.currency,
      kind: params.kind,
      paid_at: params.paidAt,
      why: null,
    })
    .where('id', '=', params.id),
)
type ImportedCapture = {
  registrationId: number
  source: string
  reference: string
  amount: Amount
  currency: Currency
  at: Instant
}
const addImportedCapture = statement((builder, params: ImportedCapture) =>
  builder
    .insertInto('captures')
    .columns([
      'payment_id',
      'counts_for',
      'registration_id',
      'source',
      'account',
      'reference',
      'amount',
      'currency',
      'kind',
      'paid_at',
      'seen_at',
      'state',
    ])
    .expression(({ selectFrom }) =>
      selectFrom('payments as p')
        .select(({ val }) => [
          'p.id as payment_id',
          'p.id as counts_for',
          'p.registration_id',
          val(params.source).as('source'),
          val('').as('account'),
          val(params.reference).as('reference'),
          val(params.amount).as('amount'),
          val(params.currency).as('currency'),
          val('sale').as('kind'),
          val(params.at).as('paid_at'),
          val(params.at).as('seen_at'),
          val('fits').as('state'),
        ])
        .where('p.registration_id', '=', params.registrationId),
    )
    .onConflict((conflict) => conflict.columns(['source', 'account', 'reference']).doNothing()),
)
const captureOfRegistration = statement((builder, { registrationId }: { registrationId: number }) =>
  builder.selectFrom('captures').select('id').where('registration_id', '=', registrationId),
)
const addImportedRefund = statement(
  (builder, { registrationId, at }: { registrationId: number; at: Instant }) =>
    builder
      .insertInto('refunds')
      .columns(['capture_id', 'amount', 'state', 'why', 'who', 'at', 'done_at'])
      .expression(({ selectFrom }) =>
        selectFrom('captures as c')
          .select(({ val }) => [
            'c.id as capture_id',
            'c.amount',
            val('done').as('state'),
            val('It was refunded before it was imported.').as('why'),
            val('import').as('who'),
            val(at).as('at'),
            val(at).as('done_at'),
          ])
          .where('c.registration_id', '=', registrationId),
      ),
)
const capturesOfRegistration = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('captures as c')
    .leftJoin('payments as t', 't.id', 'c.counts_for')
    .leftJoin('registrations as r', 'r.id', 'c.registration_id')
    .leftJoin('payments as p', 'p.id', 'c.payment_id')
    .select(['c.id', 'r.reg_no as regNo', 'r.event_id as eventId', 'p.order_id as orderId'])
    .select(['c.source', 'c.account', 'c.reference', 'c.amount', 'c.currency', 'c.kind'])
    .select(['c.paid_at as paidAt', 'c.seen_at as seenAt', 'c.state', 'c.why'])
    .select('t.order_id as countsFor')
    .select(({ and, case: when, eb }) =>
      when()
        .when(and([eb('c.state', 'in', ['fits', 'accepted']), isRefundableByGateway]))
        .then(refundableAmount)
        .else(toAmount(0))
        .end()
        .as('refundableByGateway'),
    )
    .where('r.reg_no', '=', regNo)
    .orderBy('c.id'),
)

/**
 * Returns the source within which references are unique. Imported rows have a source of their own, and so has the
 * unnamed gateway in tests.
 */
export function getSource(gateway: string | null): string {
  return gateway === null ? 'import' : gateway === '' ? 'gateway' : gateway
}

/** Returns the capture with this gateway reference. Undefined if there is none. */
export function findCapture(
  sql: Sql,
  row: Pick<JoinedPaymentRow, 'gateway' | 'account'>,
  reference: string,
): Promise<CaptureRow | undefined> {
  return captureByReference.get(sql, {
    source: getSource(row.gateway),
    account: row.account ?? '',
    reference,
  })
}

/** Returns true if nothing was ever paid for the registration and it has no open manual payment. */
export async function isWithoutMoney(sql: Sql, registrationId: number): Promise<boolean> {
  return (await registrationWithoutMoney.get(sql, { registrationId })) !== undefined
}

/** Returns true if the results of all reads after the writes can be predicted, as they can for most payments. */
export async function isFirstPayment(
  sql: Sql,
  row: JoinedPaymentRow,
  event: PaymentEvent,
  { status, review }: Payment,
): Promise<boolean> {
  if (sql.batch === null || event.type !== 'confirmed' || (event.further ?? []).length > 0)
    return false
  if (status.is !== 'success' || row.status === 'success' || row.asks_for === 'difference')
    return false
  const hasReview = review !== null || row.review !== null || row.given_back === 1
  return !hasReview && row.gateway !== null && isWithoutMoney(sql, row.registration_id)
}

/** Returns true if staff decided not to count the capture for this payment. */
export function isDecidedOtherwise(capture: CaptureRow | undefined, paymentId: number): boolean {
  return (
    capture !== undefined &&
    (capture.state === 'refused' ||
      (capture.state === 'accepted' && capture.counts_for !== paymentId) ||
      (capture.state === 'review' && capture.counts_for !== capture.payment_id))
  )
}

type SavedCapture = { readonly clearedReason: string | null; readonly isAdded: boolean }
export const UNCHANGED_CAPTURE: SavedCapture = { clearedReason: null, isAdded: false }

/**
 * Stores a payment that the gateway confirmed. If its reference is already stored, nothing changes, unless the stored
 * payment was under review and now matches: a complete response may follow an incomplete one. `clearedReason`: the
 * review reason that has ceased to apply, or null. `isAdded`: the reference is new.
 */
export async function saveCapture(
  sql: Sql,
  row: JoinedPaymentRow,
  paymentEvent: Confirmation,
  refusal: string | null,
  reason: string | null,
): Promise<SavedCapture> {
  // The payment belongs to another order, under which it is stored.
  if (refusal === 'reference_taken') return UNCHANGED_CAPTURE
  const existing = await findCapture(sql, row, paymentEvent.reference)
  const { amount, currency, kind, paidAt = paymentEvent.at } = paymentEvent
  if (existing === undefined) {
    addCapture.run(sql, {
      paymentId: row.id,
      registrationId: row.registration_id,
      source: getSource(row.gateway),
      account: row.account ?? '',
      reference: paymentEvent.reference,
      amount,
      currency,
      kind,
      paidAt,
      seenAt: paymentEvent.at,
      state: refusal === null ? 'fits' : 'review',
      why: refusal === null ? null : (reason ?? refusal),
    })
    return { clearedReason: null, isAdded: true }
  }
  if (existing.state !== 'review' || existing.payment_id !== row.id || refusal !== null)
    return UNCHANGED_CAPTURE
  setCaptureMatched.run(sql, { id: existing.id, amount, currency, kind, paidAt })
  return { clearedReason: existing.why, isAdded: false }
}

/** Returns true if an imported row was paid, even if it was refunded later. */
export const wasPaid = ({ total, paymentStatus }: ImportRow): boolean =>
  total !== null && (paymentStatus === 'success' || paymentStatus === 'refunded')

/**
 * Stores the payment in an imported row. A row may have no reference, or the same one as other rows, such as "cash".
 * The registration number then makes the reference unique.
 */
export async function saveImportedPayment(sql: Sql, id: number, row: ImportRow): Promise<void> {
  const { total: amount, currency } = row
  if (amount === null || !wasPaid(row)) return
  const at = row.paidAt ?? row.createdAt
  const source = getSource(null)
  const writeCapture = async (reference: string): Promise<boolean> =>
    (await addImportedCapture.run(sql, {
      registrationId: id,
      source,
      reference,
      amount,
      currency,
      at,
    }).changes) === 1
  if (!(await writeCapture(row.paymentId ?? row.regNo)))
    await writeCapture(`${row.paymentId} ${row.regNo}`)
  const capture = await captureOfRegistration.get(sql, { registrationId: id })
  if (row.paymentId !== null && capture !== undefined)
    assignImportReference(sql, capture.id, { ...row, reference: row.paymentId })
  if (row.paymentStatus === 'refunded' && amount > 0)
    addImportedRefund.run(sql, { registrationId: id, at })
}

/** Returns the payments of a registration, oldest first. Also runs outside the writer's transaction. */
export function readCaptures(sql: Sql, regNo: RegNo): Promise<readonly StoredCapture[]> {
  return capturesOfRegistration.all(sql, { regNo })
}
