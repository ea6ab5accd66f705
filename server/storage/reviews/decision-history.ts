/** Writes the decision lines, which are never edited, and describes them. */
import { err, formatMoney, ok } from '../../../engine/index.ts'
import type {
  Decision,
  DecisionRefusal,
  Grounds,
  Instant,
  Paise,
  RegNo,
  Result,
  Review,
} from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { Decided, StoredDecision } from '../payments/payment-types.ts'
import { numberOf } from './open-reviews.ts'

/** What was done, as the activity says it. */
const DECIDED = {
  accept: 'payment accepted',
  dismiss: 'payment ignored',
  move: 'payment moved',
  refund: 'refund requested',
  'refund by hand': 'refunded outside Rollcall',
} as const satisfies Readonly<Record<Decision['what'] | 'refund by hand', string>>

export type DecisionAnswer = Result<Decided, DecisionRefusal>

export const refused = (code: DecisionRefusal['code'], message: string) => err({ code, message })

/** Writes the permanent line, and the same for the registration's history. */
export async function done(
  sql: Sql,
  review: Pick<Review, 'id' | 'regNo' | 'eventId'>,
  captureId: number | null,
  decision: { readonly what: Decision['what'] | 'refund by hand'; readonly to?: string },
  { why, who }: Grounds,
  amount: Paise | null,
  at: Instant,
  { message, refundId = null }: { readonly message: string; readonly refundId?: number | null },
): Promise<DecisionAnswer> {
  const { id, regNo, eventId } = review
  const what = decision.to === undefined ? decision.what : `${decision.what} to ${decision.to}`
  sql(
    `INSERT INTO decisions (registration_id, capture_id, what, about, amount, why, who, at)
     VALUES ((SELECT id FROM registrations WHERE reg_no = ?), ?, ?, ?, ?, ?, ?, ?)`,
  ).run(regNo, captureId, what, id, amount, why, who, at)
  const captured = await sql<{ amount: Paise }>('SELECT amount FROM captures WHERE id = ?').get(
    captureId,
  )
  const money = amount ?? captured?.amount ?? null
  const told = `${DECIDED[decision.what]}${decision.to === undefined ? '' : ` to ${decision.to}`}${money === null ? '' : `, ${formatMoney(money)}`}: ${why}`
  for (const each of new Set([regNo, decision.to ?? regNo]))
    sql(
      `INSERT INTO audit_log (at, who, what, event_id, reg_no, registration_id)
       VALUES (?, ?, ?, ?, ?, (SELECT id FROM registrations WHERE reg_no = ?))`,
    ).run(at, who, told, eventId, each, each)
  return ok({ regNo, message, refundId })
}

export async function gone(sql: Sql, id: string): Promise<DecisionAnswer> {
  const number = numberOf(id)
  const table = { C: 'captures', P: 'payments', R: 'refunds' }[id.charAt(0)]
  const isThere =
    number !== null &&
    table !== undefined &&
    (await sql(`SELECT 1 FROM ${table} WHERE id = ?`).get(number)) !== undefined
  return isThere
    ? refused(
        'decided_already',
        `${id} no longer needs review: it was decided, or resolved automatically.`,
      )
    : refused('not_there', `No review ${id}.`)
}

/** For one registration, oldest first. */
export function decisionsOf(sql: Sql, regNo: RegNo): Promise<readonly StoredDecision[]> {
  return sql<StoredDecision>(
    `SELECT d.what, d.about, d.amount, d.why, d.who, d.at FROM decisions d
     WHERE d.registration_id = (SELECT id FROM registrations WHERE reg_no = ?) ORDER BY d.id`,
  ).all(regNo)
}
