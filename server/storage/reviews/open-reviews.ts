/**
 * Lists the open payment reviews of all kinds. Decided reviews are not listed.
 * Kinds: captures that do not match, payments without a conclusive response, and refunds that were refused or whose
 * outcome is unknown.
 */
import type { Kysely } from 'kysely'
import { flatMapInOrder, mapInOrder } from '../database/in-order.ts'
import {
  findReviewKind,
  INR,
  toAmount,
  readReportedCurrency,
  UNDECIDED_REASON,
  formatMoney,
  isManualMethod,
  updateReasonOfSecondPayment,
} from '../../../engine/index.ts'
import type { Currency, OrderId, Amount, RegNo, Review } from '../../../engine/index.ts'
import { POSSIBLE_RETURN } from '../payments/returned-transfers.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { StoreStatement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { statusOfPaymentTarget } from './move-target.ts'
import type { ReviewCounts } from '../payments/payment-types.ts'
import { isRefusedRefundOpen, refundableAmount } from '../refunds/refund-states-and-channels.ts'
import type { Payer } from '../recovery/recovery-types.ts'
import type { CaptureRow } from '../database/statements/money-tables.ts'
import { findOwner } from '../payments/unknown-orders.ts'

type Owner = {
  readonly reg_no: RegNo | null
  readonly event_id: string | null
  readonly full_name: string | null
  readonly order_id: OrderId | null
  readonly due: Amount | null
  /** The currency of the registration's price. */
  readonly price_currency: Currency | null
}

const selectCaptures = (builder: Kysely<Tables>) =>
  builder
    .selectFrom('captures as c')
    .leftJoin('registrations as g', 'g.id', 'c.registration_id')
    .leftJoin('payments as p', 'p.id', 'c.counts_for')
    .selectAll('c')
    .select(['g.reg_no', 'g.full_name', 'p.order_id', 'p.amount as due', 'g.state as standing'])
    .select(['g.currency as price_currency', 'g.due as balance'])
    .select(({ eb, fn, selectFrom }) => [
      refundableAmount.as('left'),
      // The reference of the payment that paid the registration, or the difference that this payment is for.
      eb
        .case()
        .when('p.status', 'in', ['success', 'refunded'])
        .then(eb.ref('p.reference'))
        .else(
          selectFrom('payments as n')
            .select('n.reference')
            .whereRef('n.registration_id', '=', 'c.registration_id')
            .where('n.asks_for', '=', 'whole')
            .where('n.status', 'in', ['success', 'refunded'])
            .orderBy('n.attempt')
            .limit(1),
        )
        .end()
        .as('first_reference'),
      // A payment that matches no registration belongs to the event that received it.
      fn.coalesce('g.event_id', 'c.found_for').as('event_id'),
      statusOfPaymentTarget.as('paid_as'),
      // The difference, if less than the payment's amount was accepted.
      eb
        .case()
        .when('p.status', '=', 'success')
        .then(
          eb(
            'p.amount',
            '-',
            fn.coalesce(
              selectFrom('captures as k')
                .select((counted) =>
                  counted.fn.sum<Amount>(counted.fn.coalesce('k.counted', 'k.amount')).as('amount'),
                )
                .whereRef('k.counts_for', '=', 'p.id')
                .where('k.state', 'in', ['fits', 'accepted']),
              'p.amount',
            ),
          ),
        )
        .else(toAmount(0))
        .end()
        .as('missing'),
    ])
    .where('c.state', 'in', ['review', 'unmatched'])
    .$narrowType<{ missing: Amount }>()
const openCaptures = statement((builder) => selectCaptures(builder))
const openCapture = statement((builder, { id }: { id: number }) =>
  selectCaptures(builder).where('c.id', '=', id),
)

const selectPayments = (builder: Kysely<Tables>) =>
  builder
    .selectFrom('payments as p')
    .innerJoin('registrations as g', 'g.id', 'p.registration_id')
    .select(['p.id', 'p.status', 'p.review'])
    .select(['g.reg_no', 'g.event_id', 'g.full_name', 'p.order_id', 'p.amount as due'])
    .select('g.currency as price_currency')
    .select(({ fn, selectFrom }) =>
      fn
        .coalesce(
          selectFrom('payment_facts as f')
            .select((refused) => refused.fn.max('f.at').as('at'))
            .whereRef('f.payment_id', '=', 'p.id')
            .where('f.refusal', 'is not', null),
          'p.status_at',
        )
        .as('since'),
    )
    .where('p.review', 'is not', null)
    .$narrowType<{ review: string }>()
const openPayments = statement((builder) => selectPayments(builder))
const openPayment = statement((builder, { id }: { id: number }) =>
  selectPayments(builder).where('p.id', '=', id),
)

const selectRefunds = (builder: Kysely<Tables>) =>
  builder
    .selectFrom('refunds as f')
    .innerJoin('captures as c', 'c.id', 'f.capture_id')
    .leftJoin('registrations as g', 'g.id', 'c.registration_id')
    .leftJoin('payments as p', 'p.id', 'c.counts_for')
    .selectAll('c')
    .select(['g.reg_no', 'g.event_id', 'g.full_name', 'p.order_id', 'p.amount as due'])
    .select('g.currency as price_currency')
    .select(['f.id as refund_id', 'f.amount as refund_amount', 'f.state as refund_state'])
    .select(['f.why as refund_why', 'f.said'])
    .select(({ fn, selectFrom }) => [
      fn.coalesce('f.asked_at', 'f.at').as('since'),
      selectFrom('refunds as n')
        .innerJoin('captures as m', 'm.id', 'n.capture_id')
        .select(({ fn }) => fn.sum<number | null>('n.amount').as('sum'))
        .whereRef('m.registration_id', '=', 'c.registration_id')
        .whereRef('n.id', '>', 'f.id')
        .where('n.state', '<>', 'refused')
        .as('refunded_later'),
    ])
    .where((refund) => refund.or([refund('f.state', '=', 'unsure'), isRefusedRefundOpen]))
const openRefunds = statement((builder) => selectRefunds(builder))
const openRefund = statement((builder, { id }: { id: number }) =>
  selectRefunds(builder).where('f.id', '=', id),
)

/** Queries that find the event of a review, keyed by the first letter of the review's id. */
const EVENTS_OF_REVIEWS: Readonly<
  Record<string, StoreStatement<{ id: number }, { eventId: string | null }>>
> = {
  C: statement((builder, { id }: { id: number }) =>
    builder
      .selectFrom('captures as c')
      .leftJoin('registrations as g', 'g.id', 'c.registration_id')
      .select(({ fn }) => fn.coalesce('g.event_id', 'c.found_for').as('eventId'))
      .where('c.id', '=', id),
  ),
  P: statement((builder, { id }: { id: number }) =>
    builder
      .selectFrom('payments as p')
      .innerJoin('registrations as g', 'g.id', 'p.registration_id')
      .select('g.event_id as eventId')
      .where('p.id', '=', id),
  ),
  R: statement((builder, { id }: { id: number }) =>
    builder
      .selectFrom('refunds as r')
      .innerJoin('captures as c', 'c.id', 'r.capture_id')
      .leftJoin('registrations as g', 'g.id', 'c.registration_id')
      .select(({ fn }) => fn.coalesce('g.event_id', 'c.found_for').as('eventId'))
      .where('r.id', '=', id),
  ),
}
const reasonsOfCaptures = statement((builder, { paymentId }: { paymentId: number }) =>
  builder
    .selectFrom('captures')
    .select('why')
    .where('counts_for', '=', paymentId)
    .where('state', '=', 'review'),
)
/** Returns the reviews of an event, or of all events, oldest first. */
export async function readReviews(sql: Sql, eventId: string | null): Promise<readonly Review[]> {
  return [
    ...(await listCaptureReviews(sql, null)),
    ...(await listPaymentReviews(sql, null)),
    ...(await listRefundReviews(sql, null)),
  ]
    .filter((review) => eventId === null || review.eventId === eventId)
    .toSorted((a, b) => a.since - b.since || a.id.localeCompare(b.id, 'en', { numeric: true }))
}

/** Returns an open review. Null if no review has this id, or if the review has been decided. */
export async function findReview(sql: Sql, id: string): Promise<Review | null> {
  const number = parseReviewNumber(id)
  if (number === null) return null
  const listReviews = { C: listCaptureReviews, P: listPaymentReviews, R: listRefundReviews }[
    id.charAt(0)
  ]
  return (await listReviews?.(sql, number))?.[0] ?? null
}

/** Returns the event of a review, even if the review has been decided. Null if no payment or refund has this id. */
export async function findEventOfReview(
  sql: Sql,
  id: string,
): Promise<{ readonly eventId: string | null } | null> {
  const number = parseReviewNumber(id)
  if (number === null) return null
  return (await EVENTS_OF_REVIEWS[id.charAt(0)]?.get(sql, { id: number })) ?? null
}

/** Returns the number in a review id. Null if the text is not a review id. */
export function parseReviewNumber(id: string): number | null {
  return /^[CPR][1-9]\d{0,14}$/.test(id) ? Number(id.slice(1)) : null
}

const toOwner = (row: Owner) => ({
  eventId: row.event_id,
  regNo: row.reg_no,
  orderId: row.order_id,
  name: row.full_name ?? '',
  due: row.due,
  dueCurrency: row.price_currency ?? INR,
})

/** Returns the currency of an amount: the gateway's currency if known, otherwise the registration's. */
const getCurrencyOfRow = (row: Owner & { readonly currency: string }): Currency =>
  readReportedCurrency(row.currency) ?? row.price_currency ?? INR

const toReceivedPayment = (row: CaptureRow): Review['came'] => ({
  amount: row.amount,
  currency: row.currency,
  kind: row.kind,
  reference: row.reference,
  source: row.source,
  account: isManualMethod(row.source) ? '' : row.account,
  paidAt: row.paid_at,
})

async function listCaptureReviews(sql: Sql, id: number | null): Promise<readonly Review[]> {
  return mapInOrder(
    id === null ? await openCaptures.all(sql) : await openCapture.all(sql, { id }),
    async (row) => {
      const kind = findReviewKind({
        kind: row.kind,
        currency: row.currency,
        expected: row.price_currency ?? getCurrencyOfRow(row),
        isMatched: row.reg_no !== null && row.state !== 'unmatched',
        isPaid: row.paid_as === 'success' || row.paid_as === 'refunded',
        // Without a requested amount, the payment cannot count for an order.
        isEnded:
          row.standing === 'cancelled' ||
          row.standing === 'refused' ||
          (row.counts_for === null && row.paid_as !== 'success'),
        isRest: row.left === row.amount && row.amount <= row.missing,
      })
      const reason = row.why ?? 'It matches no registration.'
      return {
        id: `C${row.id}`,
        is: kind,
        ...toOwner(row),
        came: toReceivedPayment(row),
        left: row.left,
        currency: getCurrencyOfRow(row),
        gatewayAnswer: null,
        why: reason,
        since: row.seen_at,
        ...(kind === 'second' && {
          // Another payment may have been accepted after this one was stored.
          why: updateReasonOfSecondPayment(reason, row.first_reference ?? '', row.reference),
          due: toAmount(Math.max(0, row.balance ?? 0)),
        }),
        ...(await readUnknownOrder(sql, row)),
      }
    },
  )
}

async function readUnknownOrder(
  sql: Sql,
  row: { readonly unknown_order: string | null; readonly payer: string | null },
): Promise<Pick<Review, 'unknown'>> {
  const { unknown_order: orderId, payer } = row
  if (orderId === null) return {}
  return {
    unknown: {
      orderId,
      payer: payer === null ? null : (JSON.parse(payer) as Payer),
      suggested: (await findOwner(sql, orderId))?.regNo ?? null,
    },
  }
}

/** Returns a payment's review reasons, except those of captures that are reviewed separately. */
export async function joinRemainingReasons(
  sql: Sql,
  paymentId: number,
  review: string | null,
): Promise<string | null> {
  if (review === null) return null
  const captureReasons = await reasonsOfCaptures.all(sql, { paymentId })
  const remainingReasons = captureReasons
    .reduce((text, { why: reason }) => (reason === null ? text : text.replace(reason, '')), review)
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  return remainingReasons === '' ? null : remainingReasons
}

async function listPaymentReviews(sql: Sql, id: number | null): Promise<readonly Review[]> {
  return flatMapInOrder(
    id === null ? await openPayments.all(sql) : await openPayment.all(sql, { id }),
    async (row) => {
      const reason = await joinRemainingReasons(sql, row.id, row.review)
      if (reason === null) return []
      const isUndecided = row.status === 'pending' && reason.includes(UNDECIDED_REASON)
      return [
        {
          id: `P${row.id}`,
          is: isUndecided
            ? ('undecided' as const)
            : row.status === 'success' && reason.includes(POSSIBLE_RETURN)
              ? ('returned' as const)
              : ('unclear' as const),
          ...toOwner(row),
          came: null,
          left: toAmount(0),
          currency: row.price_currency,
          gatewayAnswer: null,
          why: reason,
          since: row.since,
        },
      ]
    },
  )
}

async function listRefundReviews(sql: Sql, id: number | null): Promise<readonly Review[]> {
  return (id === null ? await openRefunds.all(sql) : await openRefund.all(sql, { id })).map(
    (row) => ({
      id: `R${row.refund_id}`,
      is: row.refund_state === 'unsure' ? ('refund-unsure' as const) : ('refund-refused' as const),
      ...toOwner(row),
      came: toReceivedPayment(row),
      left: row.refund_amount,
      currency: getCurrencyOfRow(row),
      ...(Number(row.refunded_later) > 0 && {
        refundedLater: toAmount(Number(row.refunded_later)),
      }),
      gatewayAnswer: row.said,
      why: `${
        row.refund_state === 'unsure'
          ? 'We do not know whether the gateway made this refund.'
          : 'The gateway rejected this refund.'
      }${describeLaterRefunds(toAmount(Number(row.refunded_later)), getCurrencyOfRow(row))} Reason for the refund: ${row.refund_why}`,
      since: row.since,
    }),
  )
}

/** Warns that the amount may already have been refunded in parts. */
const describeLaterRefunds = (amount: Amount, currency: Currency): string =>
  amount === 0
    ? ''
    : ` Since then, other refunds for this registration have been requested or made: ${formatMoney(amount, currency)}.`

export async function countReviews(sql: Sql): Promise<ReviewCounts> {
  const openReviews = await readReviews(sql, null)
  const countKind = (kind: Review['is']): number =>
    openReviews.filter(({ is }) => is === kind).length
  return {
    reviews: openReviews.length,
    undecided: countKind('undecided'),
    unsure: countKind('refund-unsure'),
  }
}
