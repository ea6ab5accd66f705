/** Derives the state of a registration from its payment attempts. */
import { sql as raw } from 'kysely'
import type { Expression } from 'kysely'
import { assert, computeNextState } from '../../../engine/index.ts'
import type { Instant, Amount, PaymentStatus, RegistrationState } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { getQuote } from '../registrations/row-mapping.ts'
import type { JoinedPaymentRow, RegistrationRow } from '../registrations/row-mapping.ts'
import { updateSeats } from '../seats/keep-and-release-seats.ts'
import { predictStoredBalance } from './balance-adjustments.ts'
import { recordPayer, payerOfRegistration, prefetchPayer } from './find-duplicate-payments.ts'
import { predictBalance } from './stored-balance.ts'
import {
  predictCoverReads,
  prefetchInvoiceData,
  prefetchReceiptData,
} from '../documents/issue-documents.ts'

type RegistrationParams = { registrationId: number }
const isDistinct = (column: Expression<unknown>, value: unknown) =>
  raw<boolean>`${column} is distinct from ${value}`
const attemptsOfRegistration = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('payments')
    .select(['attempt', 'status', 'review', 'reference', 'paid_at', 'amount', 'period'])
    .select(['base', 'gst', 'bill', 'reason', 'asks_for'])
    .where('registration_id', '=', registrationId)
    .orderBy('attempt', 'desc'),
)
const storedState = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('registrations')
    .select(['state', 'due', 'is_corrected', 'freed_at_attempt', 'total', 'payment_id'])
    .select(['paid_at', 'pay_until', 'payment_status', 'booked'])
    .where('id', '=', registrationId),
)
const captureInReview = statement((builder, { registrationId }: RegistrationParams) =>
  builder
    .selectFrom('captures')
    .select('id')
    .where('registration_id', '=', registrationId)
    .where('state', '=', 'review')
    .limit(1),
)
type Price = {
  period: string | null
  base: Amount | null
  gst: Amount | null
  total: Amount
  bill: number | null
}
const setPrice = statement((builder, next: RegistrationParams & Price) =>
  builder
    .updateTable('registrations')
    .set({
      period: next.period,
      base: next.base,
      gst: next.gst,
      total: next.total,
      bill: next.bill,
    })
    .where('id', '=', next.registrationId)
    .where(({ or, ref }) =>
      or([
        isDistinct(ref('period'), next.period),
        isDistinct(ref('total'), next.total),
        isDistinct(ref('bill'), next.bill),
      ]),
    ),
)
const setRegistrationState = statement(
  (
    builder,
    next: RegistrationParams & {
      status: PaymentStatus
      paymentId: string | null
      paidAt: Instant | null
      inReview: 0 | 1
      state: RegistrationState
    },
  ) =>
    builder
      .updateTable('registrations')
      .set({
        payment_status: next.status,
        payment_id: next.paymentId,
        paid_at: next.paidAt,
        in_review: next.inReview,
        state: next.state,
      })
      .where('id', '=', next.registrationId),
)

/** Prefetches the data that `settleRegistration` reads first. */
export const prefetchSettlingData = (
  sql: Sql,
  registrationId: number,
): readonly Promise<unknown>[] => [
  attemptsOfRegistration.all(sql, { registrationId }),
  storedState.get(sql, { registrationId }),
  captureInReview.get(sql, { registrationId }),
]

/** Prefetches all data that the first payment of a registration needs. */
export const prefetchFirstPayment = (
  sql: Sql,
  paid: Parameters<typeof prefetchReceiptData>[1],
): readonly Promise<unknown>[] => [
  ...prefetchSettlingData(sql, paid.registration_id),
  ...prefetchReceiptData(sql, paid),
  ...prefetchInvoiceData(sql, paid.registration_id),
  ...prefetchPayer(sql, paid.registration_id),
]

/** Predicts what a read of the payer returns once this payment is the only one of its registration. */
function predictPayer(
  sql: Sql,
  { amount }: { readonly amount: Amount },
  row: RegistrationRow,
): void {
  const { id, event_id, email, full_name, state } = row
  const isPaid = row.payment_status === 'success' && amount > 0
  const hasEnded = state === 'cancelled' || state === 'refused'
  const isCounted = isPaid && row.erased_at === null && !hasEnded
  payerOfRegistration.predict(
    sql,
    { registrationId: id },
    isCounted ? [{ id, event_id, email, full_name }] : [],
  )
}

/** Predicts what is read after a first payment is confirmed: the payer, the balance, and the amounts in documents. */
export function predictReadsAfter(
  sql: Sql,
  row: JoinedPaymentRow,
  registration: RegistrationRow,
  paid: { readonly reference: string; readonly paidAt: Instant },
): void {
  predictPayer(sql, row, registration)
  predictBalance(sql, row, registration)
  predictStoredBalance(sql, registration)
  predictCoverReads(sql, row, registration, paid)
}

/** Fails unless the payment has this state, which makes the whole operation fail. */
export const stateIsSet = statement(
  (builder, { id, status, review }: Pick<JoinedPaymentRow, 'id' | 'status' | 'review'>) =>
    builder.selectNoFrom(({ exists, selectFrom }) =>
      raw<number>`cast(case when ${exists(
        selectFrom('payments')
          .select('id')
          .where('id', '=', id)
          .where('status', '=', status)
          .where(({ ref }) => raw<boolean>`${ref('review')} is not distinct from ${review}`),
      )} then '1' else 'another operation has changed the payment' end as bigint)`.as('one'),
    ),
)
type Attempts = Awaited<ReturnType<typeof attemptsOfRegistration.all>>
type ChangedAttempt = Pick<JoinedPaymentRow, 'attempt'> & Partial<Attempts[number]>
/**
 * Predicts what `settleRegistration` reads after the first payment of a registration. Call `predict` after the write.
 */
export async function readAttempts(
  sql: Sql,
  registrationId: number,
): Promise<{ readonly predict: (changedAttempt: ChangedAttempt) => void }> {
  const storedAttempts = await attemptsOfRegistration.all(sql, { registrationId })
  return {
    predict({ attempt, status, review, reference, reason, paid_at }) {
      const changedColumns = { status, review, reference, reason, paid_at } as Attempts[number]
      const rows = storedAttempts.map((earlier) =>
        earlier.attempt === attempt ? { ...earlier, ...changedColumns } : earlier,
      )
      attemptsOfRegistration.predict(sql, { registrationId }, rows)
      captureInReview.predict(sql, { registrationId }, [])
    },
  }
}

/** The changed columns of a registration. */
export type SettledColumns = Pick<
  RegistrationRow,
  'payment_status' | 'payment_id' | 'paid_at' | 'in_review' | 'state'
> &
  Partial<Pick<RegistrationRow, 'period' | 'base' | 'gst' | 'total' | 'bill'>>

/**
 * Derives the registration's state from its attempts: from a successful one, otherwise from a refunded one, otherwise
 * from the newest. After the writes, calls `prepare`, which prefetches or predicts what the caller reads next.
 */
export async function settleRegistration(
  sql: Sql,
  registrationId: number,
  prepare: (settledColumns: SettledColumns) => void = () => {},
): Promise<void> {
  const [attempts, row, waitingCapture] = await Promise.all([
    attemptsOfRegistration.all(sql, { registrationId }),
    storedState.get(sql, { registrationId }),
    captureInReview.get(sql, { registrationId }),
  ])
  assert(row !== undefined, 'an unknown registration cannot be settled')
  // Payments for a difference belong to the balance. They do not determine the state of the registration.
  const wholeAttempts = attempts.filter(({ asks_for }) => asks_for === 'whole')
  // If the registration once became free, the attempts before that do not determine its later price.
  const chargedAttempts = wholeAttempts.filter(
    ({ attempt }) => attempt > (row.freed_at_attempt ?? 0),
  )
  const decidingAttempt =
    wholeAttempts.find(({ status }) => status === 'success') ??
    chargedAttempts.find(({ status }) => status === 'refunded') ??
    chargedAttempts[0]
  // The price is that of the attempt that determines the state, unless it has been corrected since.
  const price =
    decidingAttempt === undefined || row.is_corrected !== 0 || getQuote(decidingAttempt) === null
      ? null
      : {
          period: decidingAttempt.period,
          base: decidingAttempt.base,
          gst: decidingAttempt.gst,
          total: decidingAttempt.amount,
          bill: decidingAttempt.bill,
        }
  if (price !== null) setPrice.run(sql, { registrationId, ...price })
  const inReview = attempts.some(({ review }) => review !== null) || waitingCapture !== undefined
  // A registration counts as paid if no amount was ever requested, or if a correction made it free.
  const isFree = decidingAttempt === undefined || (row.is_corrected === 1 && row.total === 0)
  const status = isFree ? getFreeStatus(row) : getKeptStatus(decidingAttempt.status, row)
  const hasExpired = decidingAttempt?.status === 'failed' && decidingAttempt.reason === 'expired'
  const hasPaymentDeadline = row.pay_until !== null
  const state = computeNextState(row.state, {
    status,
    hasExpired,
    due: row.due,
    hasPaymentDeadline,
  })
  updateSeats(sql, registrationId, {
    state,
    status,
    inReview,
    hasPaymentDeadline,
  })
  const paymentId = decidingAttempt === undefined ? row.payment_id : decidingAttempt.reference
  const paidAt = decidingAttempt === undefined ? row.paid_at : decidingAttempt.paid_at
  const inReviewBit = inReview ? 1 : 0
  setRegistrationState.run(sql, {
    registrationId,
    status,
    paymentId,
    paidAt,
    inReview: inReviewBit,
    state,
  })
  prepare({
    ...price,
    payment_status: status,
    payment_id: paymentId,
    paid_at: paidAt,
    in_review: inReviewBit,
    state,
  })
  sql.batch?.prefetch(() => prefetchPayer(sql, registrationId))
  if (status === 'success' || row.payment_status === 'success')
    await recordPayer(sql, registrationId)
}

/** Returns `success` if the full price was refunded but a payment for a difference was not. */
const getKeptStatus = (status: PaymentStatus, { booked }: StoredStateRow): PaymentStatus =>
  status === 'refunded' && booked > 0 ? 'success' : status

/**
 * Returns the payment status of a free registration: paid, unless it awaits approval, or ended before it was approved
 * or paid.
 */
function getFreeStatus({ state, payment_status: previousStatus }: StoredStateRow): PaymentStatus {
  if (state === 'to_approve') return 'pending'
  const wasNeverAccepted =
    state === 'refused' || (state === 'cancelled' && previousStatus !== 'success')
  return wasNeverAccepted ? 'failed' : 'success'
}

type StoredStateRow = Pick<
  RegistrationRow,
  | 'state'
  | 'due'
  | 'is_corrected'
  | 'freed_at_attempt'
  | 'total'
  | 'payment_id'
  | 'paid_at'
  | 'pay_until'
  | 'payment_status'
  | 'booked'
>
