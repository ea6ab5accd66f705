/** Maps database rows to the types of `index.ts`. */
import { assertNever, findFailure, paise } from '../../../engine/index.ts'
import type { Answers, Instant, Paise, Payment, RegNo } from '../../../engine/index.ts'
import { amongIds } from '../database/select-by-ids.ts'
import type { Among } from '../database/select-by-ids.ts'
import { linesOf } from '../payments/stored-bill-lines.ts'
import { OWED } from '../reports/registration-and-revenue-counters.ts'
import type { Selectable } from 'kysely'
import type { Tables } from '../database/statements/tables.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { AttemptQuote } from '../payments/payment-types.ts'
import type { StoredPayment, StoredRegistration } from '../index.ts'

export type RegistrationRow = Selectable<Tables['registrations']>
/** A payment, and what `PAYMENT_COLUMNS` reads from other tables. */
export type PaymentRow = Selectable<Tables['payments']> & {
  /** The gateway's code for a failure; null if it has not failed, or failed without one. */
  declined_code: string | null
  review_since: Instant | null
  money_in_review: 0 | 1
  refunded: Paise
  /** For a failed payment: it was refunded, or is about to be. */
  given_back: 0 | 1
}
export type OwnedPaymentRow = PaymentRow & { reg_no: RegNo; event_id: string }
type UploadRow = Selectable<Tables['uploads']>

/** A payment's row with what stands elsewhere: the code that made it fail, what waits for a person, what went back. */
const PAYMENT_COLUMNS = `p.*, iif(p.status = 'failed', (SELECT json_extract(f.body, '$.code') FROM payment_facts f
  WHERE f.payment_id = p.id AND f.type = 'declined' ORDER BY f.id LIMIT 1), NULL) AS declined_code,
  iif(p.review IS NULL, NULL, coalesce((SELECT min(c.seen_at) FROM captures c WHERE c.counts_for = p.id AND c.state = 'review'),
    (SELECT max(f.at) FROM payment_facts f WHERE f.payment_id = p.id AND f.refusal IS NOT NULL), p.status_at)) AS review_since,
  iif(p.review IS NULL, 0, EXISTS (SELECT 1 FROM captures c WHERE c.counts_for = p.id AND c.state = 'review')) AS money_in_review,
  iif(p.status IN ('success', 'refunded'), coalesce((SELECT sum(b.amount) FROM refunds b JOIN captures c ON c.id = b.capture_id
    WHERE c.counts_for = p.id AND c.state IN ('fits', 'accepted') AND b.state = 'done'), 0), 0) AS refunded,
  iif(p.status <> 'failed', 0, EXISTS (SELECT 1 FROM refunds b JOIN captures c ON c.id = b.capture_id
    WHERE c.counts_for = p.id AND c.state = 'refused' AND b.state <> 'refused')) AS given_back`
export const ownedPayment = `SELECT ${PAYMENT_COLUMNS}, r.reg_no, r.event_id FROM payments p JOIN registrations r ON r.id = p.registration_id`
/**
 * The attempt of one order id. Uses a subquery, because SQLite plans a join anew at every run when its condition
 * compares with a bound value: 30 µs instead of one. Bound limits do the same; see `LIMIT`.
 */
export const paymentOfOrder = `${ownedPayment} WHERE p.id = (SELECT id FROM payments WHERE order_id = ?)`
/** A bound limit without planning: with a bare `LIMIT ?` the statement is prepared anew at every run. */
export const LIMIT = 'LIMIT abs(?)'

export const toStoredPayment = (row: OwnedPaymentRow): StoredPayment => ({
  id: row.id,
  orderId: row.order_id,
  regNo: row.reg_no,
  eventId: row.event_id,
  amount: row.amount,
  status: row.status,
  reference: row.reference,
  review: row.review,
  failure:
    row.status === 'failed'
      ? findFailure(row.declined_code, row.reason, row.given_back === 1)
      : null,
  createdAt: row.created_at,
  paidAt: row.paid_at,
  account: row.account,
  merchantId: row.merchant_id,
  watchUntil: row.watch_until,
  nextAskAt: row.next_ask_at,
  quote: quoteOf(row),
  holdUntil: row.hold_until,
  handedOffAt: row.handed_off_at,
  lastAnswer: row.last_answer,
  claimedAt: row.claimed_at,
  reviewSince: row.review_since,
  hasMoneyInReview: row.money_in_review === 1,
  refunded: row.refunded,
  way: row.way,
  isDifference: row.asks_for === 'difference',
})

/** An attempt's own price; null: not known. */
export function quoteOf({
  period,
  base,
  gst,
}: Pick<PaymentRow, 'period' | 'base' | 'gst'>): AttemptQuote | null {
  return base === null || gst === null ? null : { period, base, gst }
}

/** Returns the input of the engine's `applyFact`. A refunded payment keeps its sale's reference there. */
export function toPayment(row: PaymentRow): Payment {
  const common = { orderId: row.order_id, amount: row.amount, review: row.review }
  switch (row.status) {
    case 'pending':
      return { ...common, status: { is: 'pending' } }
    case 'failed':
      return { ...common, status: { is: 'failed', reason: row.reason ?? '', at: row.status_at } }
    case 'success':
      return {
        ...common,
        status: {
          is: 'success',
          reference: row.reference ?? '',
          at: row.status_at,
          paidAt: row.paid_at ?? row.status_at,
        },
      }
    case 'refunded':
      return {
        ...common,
        status: { is: 'refunded', reference: row.reference ?? '', at: row.status_at },
      }
    default:
      return assertNever(row.status)
  }
}

/**
 * Returns whole registrations in the order of the ids: one statement each for rows, payments and uploads, for any
 * number.
 */
export async function registrationsByIds(
  sql: Sql,
  ids: readonly number[],
): Promise<readonly StoredRegistration[]> {
  if (ids.length === 0) return []
  const found = await registrationsAmong(sql, amongIds(ids))
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** Returns the registration that an `Among` of one selects; null: there is none. */
export async function registrationBy(sql: Sql, among: Among): Promise<StoredRegistration | null> {
  return (await registrationsAmong(sql, among)).values().next().value ?? null
}

/** By id. One statement each for rows, payments, uploads and lines, none of which waits for another. */
async function registrationsAmong(
  sql: Sql,
  among: Among,
): Promise<ReadonlyMap<number, StoredRegistration>> {
  const { are, bound } = among
  const [rows, paymentRows, uploadRows, lines] = await Promise.all([
    sql<RegistrationRow & { owed: Paise }>(
      `SELECT r.*, ${OWED} AS owed FROM registrations r WHERE id ${are}`,
    ).all(bound),
    sql<PaymentRow>(
      `SELECT ${PAYMENT_COLUMNS} FROM payments p WHERE p.registration_id ${are} ORDER BY p.attempt DESC`,
    ).all(bound),
    sql<UploadRow>(`SELECT * FROM uploads WHERE registration_id ${are} ORDER BY field`).all(bound),
    linesOf(sql, among),
  ])
  const payments = Map.groupBy(paymentRows, (row) => row.registration_id)
  const uploads = Map.groupBy(uploadRows, (row) => row.registration_id)
  return new Map(
    rows.map((row): [number, StoredRegistration] => {
      const { id } = row
      return [
        id,
        {
          id,
          eventId: row.event_id,
          eventHash: row.event_hash,
          regNo: row.reg_no,
          formerNo: row.former_no,
          answers: JSON.parse(row.answers) as Answers,
          category: row.category,
          period: row.period,
          base: row.base,
          gst: row.gst,
          total: row.total,
          lines: lines(id, row.bill),
          paymentStatus: row.payment_status,
          inReview: row.in_review === 1,
          state: row.state,
          due: row.due,
          money: {
            paid: paise(row.booked + row.refunded),
            refunded: row.refunded,
            owed: row.owed,
          },
          approval: row.approval,
          decideBy: row.decide_by,
          offer: row.offer,
          payUntil: row.pay_until,
          paymentId: row.payment_id,
          paidAt: row.paid_at,
          createdAt: row.created_at,
          payments: (payments.get(id) ?? []).map((payment) =>
            toStoredPayment({ ...payment, reg_no: row.reg_no, event_id: row.event_id }),
          ),
          uploads: (uploads.get(id) ?? []).map(
            ({ field, sha256, name, type, bytes, dropped_at }) => ({
              field,
              sha256,
              name,
              type,
              bytes,
              droppedAt: dropped_at,
            }),
          ),
        },
      ]
    }),
  )
}
