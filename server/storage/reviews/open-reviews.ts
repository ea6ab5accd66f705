/**
 * Lists the open payment reviews of all kinds.
 * Captures that do not match, payments without a conclusive answer, refunds that were refused or are unsure.
 * Decided ones are left out.
 */
import { flatMapInOrder, mapInOrder } from '../database/in-order.ts'
import { findReviewKind, paise, UNDECIDED } from '../../../engine/index.ts'
import type {
  Instant,
  MoveTarget,
  OrderId,
  Paise,
  PaymentStatus,
  RegistrationState,
  RegNo,
  Review,
} from '../../../engine/index.ts'
import { MAY_BE_RETURNED } from '../payments/returned-transfers.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { ReviewCounts } from '../payments/payment-types.ts'
import { LEFT } from '../refunds/record-refunds.ts'
import type { Payer } from '../recovery/recovery-types.ts'
import type { CaptureRow } from '../refunds/record-refunds.ts'
import { ownerOf } from '../payments/unknown-orders.ts'

type Owner = {
  readonly reg_no: RegNo | null
  readonly event_id: string | null
  readonly full_name: string | null
  readonly order_id: OrderId | null
  readonly due: Paise | null
}
const OWNER = 'g.reg_no, g.event_id, g.full_name, p.order_id, p.amount AS due'
/** Money that nobody could match is of the event for which it was found. */
const OWNER_OF_MONEY =
  'g.reg_no, coalesce(g.event_id, c.found_for) AS event_id, g.full_name, p.order_id, p.amount AS due'

/** Of a payment `p`: what is missing to its price where less was accepted. */
const MISSING = `p.amount - coalesce((SELECT sum(coalesce(k.counted, k.amount)) FROM captures k WHERE k.counts_for = p.id AND k.state IN ('fits', 'accepted')), p.amount)`

/** All events if none is named; the longest waiting first. */
export async function reviews(sql: Sql, eventId: string | null): Promise<readonly Review[]> {
  return [
    ...(await ofMoney(sql, null)),
    ...(await ofPayments(sql, null)),
    ...(await ofRefunds(sql, null)),
  ]
    .filter((review) => eventId === null || review.eventId === eventId)
    .toSorted((a, b) => a.since - b.since)
}

/** Null: there is none, or it was decided. */
export async function reviewOf(sql: Sql, id: string): Promise<Review | null> {
  const number = numberOf(id)
  if (number === null) return null
  const of = { C: ofMoney, P: ofPayments, R: ofRefunds }[id.charAt(0)]
  return (await of?.(sql, number))?.[0] ?? null
}

/** Returns the event of a review, even after the decision; null: there is no payment or refund of this id. */
export async function eventOfReview(
  sql: Sql,
  id: string,
): Promise<{ readonly eventId: string | null } | null> {
  const number = numberOf(id)
  if (number === null) return null
  const of = {
    C: `SELECT coalesce(g.event_id, c.found_for) AS "eventId" FROM captures c LEFT JOIN registrations g ON g.id = c.registration_id WHERE c.id = ?`,
    P: `SELECT g.event_id AS "eventId" FROM payments p JOIN registrations g ON g.id = p.registration_id WHERE p.id = ?`,
    R: `SELECT coalesce(g.event_id, c.found_for) AS "eventId" FROM refunds r JOIN captures c ON c.id = r.capture_id
        LEFT JOIN registrations g ON g.id = c.registration_id WHERE r.id = ?`,
  }[id.charAt(0)]
  return of === undefined ? null : ((await sql<{ eventId: string | null }>(of).get(number)) ?? null)
}

/** Returns the number in a review's id; null: not a review id. */
export function numberOf(id: string): number | null {
  return /^[CPR][1-9]\d{0,14}$/.test(id) ? Number(id.slice(1)) : null
}

const owner = (row: Owner) => ({
  eventId: row.event_id,
  regNo: row.reg_no,
  orderId: row.order_id,
  name: row.full_name ?? '',
  due: row.due,
})

const cameOf = (row: CaptureRow): Review['came'] => ({
  amount: row.amount,
  currency: row.currency,
  kind: row.kind,
  reference: row.reference,
  source: row.source,
  account: row.account,
  paidAt: row.paid_at,
})

async function ofMoney(sql: Sql, only: number | null): Promise<readonly Review[]> {
  return mapInOrder(
    await sql<
      CaptureRow &
        Owner & {
          left: Paise
          paid_as: PaymentStatus | null
          standing: RegistrationState | null
          unknown_order: string | null
          payer: string | null
          missing: number
        }
    >(
      `SELECT c.*, ${LEFT} AS left, ${OWNER_OF_MONEY}, g.state AS standing, iif(p.asks_for = 'difference', p.status, g.payment_status) AS paid_as,
       CASE WHEN p.status = 'success' THEN ${MISSING} ELSE 0 END AS missing FROM captures c
     LEFT JOIN registrations g ON g.id = c.registration_id LEFT JOIN payments p ON p.id = c.counts_for
     WHERE c.state IN ('review', 'unmatched') AND (? IS NULL OR c.id = ?)`,
    ).all(only, only),
    async (row) => ({
      id: `C${row.id}`,
      is: findReviewKind({
        kind: row.kind,
        currency: row.currency,
        isMatched: row.reg_no !== null && row.state !== 'unmatched',
        isPaid: row.paid_as === 'success' || row.paid_as === 'refunded',
        // Where nothing was asked for, nothing can be paid with it.
        isEnded:
          row.standing === 'cancelled' ||
          row.standing === 'refused' ||
          (row.counts_for === null && row.paid_as !== 'success'),
        isRest: row.left === row.amount && row.amount <= row.missing,
      }),
      ...owner(row),
      came: cameOf(row),
      left: row.left,
      said: null,
      why: row.why ?? 'It matches no registration.',
      since: row.seen_at,
      ...(await unknownOf(sql, row)),
    }),
  )
}

async function unknownOf(
  sql: Sql,
  row: { readonly unknown_order: string | null; readonly payer: string | null },
): Promise<Pick<Review, 'unknown'>> {
  const { unknown_order: orderId, payer } = row
  if (orderId === null) return {}
  return {
    unknown: {
      orderId,
      payer: payer === null ? null : (JSON.parse(payer) as Payer),
      suggested: (await ownerOf(sql, orderId))?.regNo ?? null,
    },
  }
}

/** Returns the review reasons of a payment, without those of captures that are reviewed separately. */
export async function restOf(
  sql: Sql,
  paymentId: number,
  review: string | null,
): Promise<string | null> {
  if (review === null) return null
  const said = await sql<{ why: string | null }>(
    "SELECT why FROM captures WHERE counts_for = ? AND state = 'review'",
  ).all(paymentId)
  const rest = said
    .reduce((text, { why }) => (why === null ? text : text.replace(why, '')), review)
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  return rest === '' ? null : rest
}

async function ofPayments(sql: Sql, only: number | null): Promise<readonly Review[]> {
  return flatMapInOrder(
    await sql<Owner & { id: number; status: PaymentStatus; review: string; since: Instant }>(
      `SELECT p.id, p.status, p.review, ${OWNER},
       coalesce((SELECT max(f.at) FROM payment_facts f WHERE f.payment_id = p.id AND f.refusal IS NOT NULL), p.status_at) AS since
     FROM payments p JOIN registrations g ON g.id = p.registration_id WHERE p.review IS NOT NULL AND (? IS NULL OR p.id = ?)`,
    ).all(only, only),
    async (row) => {
      const why = await restOf(sql, row.id, row.review)
      if (why === null) return []
      const isUndecided = row.status === 'pending' && why.includes(UNDECIDED)
      return [
        {
          id: `P${row.id}`,
          is: isUndecided
            ? ('undecided' as const)
            : row.status === 'success' && why.includes(MAY_BE_RETURNED)
              ? ('returned' as const)
              : ('unclear' as const),
          ...owner(row),
          came: null,
          left: paise(0),
          said: null,
          why,
          since: row.since,
        },
      ]
    },
  )
}

async function ofRefunds(sql: Sql, only: number | null): Promise<readonly Review[]> {
  return (
    await sql<
      CaptureRow &
        Owner & {
          refund_id: number
          refund_amount: Paise
          refund_state: 'unsure' | 'refused'
          refund_why: string
          said: string | null
          since: Instant
        }
    >(
      `SELECT c.*, ${OWNER}, r.id AS refund_id, r.amount AS refund_amount, r.state AS refund_state, r.why AS refund_why,
       r.said, coalesce(r.asked_at, r.at) AS since
     FROM refunds r JOIN captures c ON c.id = r.capture_id
     LEFT JOIN registrations g ON g.id = c.registration_id LEFT JOIN payments p ON p.id = c.counts_for
     WHERE (r.state = 'unsure' OR r.state = 'refused' AND NOT EXISTS (SELECT 1 FROM decisions d WHERE d.about = 'R' || r.id))
       AND (? IS NULL OR r.id = ?)`,
    ).all(only, only)
  ).map((row) => ({
    id: `R${row.refund_id}`,
    is: row.refund_state === 'unsure' ? ('refund-unsure' as const) : ('refund-refused' as const),
    ...owner(row),
    came: cameOf(row),
    left: row.refund_amount,
    said: row.said,
    why:
      row.refund_state === 'unsure'
        ? `We do not know whether the gateway made this refund. Reason for the refund: ${row.refund_why}`
        : `The gateway refused this refund. Reason for the refund: ${row.refund_why}`,
    since: row.since,
  }))
}

export async function reviewCounts(sql: Sql): Promise<ReviewCounts> {
  const all = await reviews(sql, null)
  const of = (kind: Review['is']): number => all.filter(({ is }) => is === kind).length
  return { reviews: all.length, undecided: of('undecided'), unsure: of('refund-unsure') }
}

/** Returns the registration that a payment may be moved to, by its number or its previous number. */
export async function moveTarget(sql: Sql, to: string): Promise<MoveTarget | null> {
  const row = await sql<{
    reg_no: RegNo
    event_id: string
    state: RegistrationState
    paid_as: PaymentStatus
    due: Paise | null
  }>(
    `SELECT g.reg_no, g.event_id, g.state, p.amount AS due, iif(p.asks_for = 'difference', p.status, g.payment_status) AS paid_as
     FROM registrations g LEFT JOIN payments p ON p.id = (SELECT id FROM payments WHERE registration_id = g.id ORDER BY attempt DESC LIMIT 1)
     WHERE g.reg_no = ?`,
  ).get(to)
  return row === undefined
    ? null
    : {
        regNo: row.reg_no,
        eventId: row.event_id,
        // What people have ended takes no money.
        due: row.state === 'cancelled' || row.state === 'refused' ? null : row.due,
        isPaid: row.paid_as === 'success' || row.paid_as === 'refunded',
      }
}
