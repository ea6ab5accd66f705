/** Stores discount codes: created, listed, withdrawn, and used while registrations hold them. */
import { dayOf, err, ok } from '../../../engine/index.ts'
import type { CodeStatus, Day, Instant, RegNo, Result } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { Refused } from '../database/rollback-error.ts'
import type { MadeCodes, StoredCode } from './pricing-context-types.ts'

/**
 * True if a registration `r` holds its use of a code: it is paid, its payment needs review, it waits for approval or for
 * a payment deadline, or a delegate may still be paying. Parameters: how long it is held after the newest
 * hand-off, in milliseconds, and the instant. A payment that the bank is processing holds them until its result
 * is known.
 */
const HELD_USE = `(r.state NOT IN ('cancelled', 'refused') AND (r.payment_status = 'success' OR r.in_review = 1
  OR r.state IN ('to_approve', 'told') OR (r.state = 'to_pay' AND r.pay_until IS NOT NULL) OR (r.payment_status = 'pending' AND EXISTS (
  SELECT 1 FROM payments p WHERE p.registration_id = r.id AND p.status = 'pending'
    AND (p.last_answer = 'in-process' OR coalesce(p.handed_off_at, p.created_at) + ? > ?)))))`

type CodeRow = {
  id: number
  kind: string
  uses_max: number
  last_day: Day | null
  withdrawn_at: Instant | null
}

/** Returns the code and what it is worth at that instant; `except`: a registration whose own use does not count. */
export async function codeAt(
  sql: Sql,
  eventId: string,
  folded: string,
  holdMs: number,
  at: Instant,
  except: number | null = null,
): Promise<{ readonly id: number | null; readonly fact: CodeStatus }> {
  const [row, uses] = await Promise.all([
    sql<CodeRow>(
      'SELECT id, kind, uses_max, last_day, withdrawn_at FROM codes WHERE event_id = ? AND folded = ?',
    ).get(eventId, folded),
    usesOf(sql, eventId, folded, holdMs, at, except),
  ])
  if (row === undefined) return { id: null, fact: { is: 'unknown' } }
  const { id, kind } = row
  if (row.withdrawn_at !== null) return { id, fact: { is: 'withdrawn' } }
  if (row.last_day !== null && row.last_day < dayOf(at)) return { id, fact: { is: 'over' } }
  return uses >= row.uses_max ? { id, fact: { is: 'spent' } } : { id, fact: { is: 'valid', kind } }
}

async function usesOf(
  sql: Sql,
  eventId: string,
  folded: string,
  holdMs: number,
  at: Instant,
  except: number | null,
): Promise<number> {
  return (
    (
      await sql<{ n: number }>(
        `SELECT count(*) AS n FROM registrations r
       WHERE r.id IN (SELECT registration_id FROM code_uses WHERE code_id = (SELECT id FROM codes WHERE event_id = ? AND folded = ?)) AND r.id IS NOT ? AND ${HELD_USE}`,
      ).get(eventId, folded, except, holdMs, at)
    )?.n ?? 0
  )
}

export function noteUse(sql: Sql, registrationId: number, codeId: number): void {
  sql('INSERT INTO code_uses (registration_id, code_id) VALUES (?, ?)').run(registrationId, codeId)
}

/** Returns the code that a registration used; null: none. */
export async function codeUsed(sql: Sql, registrationId: number): Promise<string | null> {
  return (
    (
      await sql<{ folded: string }>(
        'SELECT folded FROM codes WHERE id = (SELECT code_id FROM code_uses WHERE registration_id = ?)',
      ).get(registrationId)
    )?.folded ?? null
  )
}

/** As issued; null: it used none. */
export async function codeOf(sql: Sql, regNo: RegNo): Promise<string | null> {
  return (
    (
      await sql<{ code: string }>(
        `SELECT code FROM codes WHERE id = (SELECT code_id FROM code_uses
         WHERE registration_id = (SELECT id FROM registrations WHERE reg_no = ?))`,
      ).get(regNo)
    )?.code ?? null
  )
}

export async function makeCodes(
  sql: Sql,
  { eventId, kind, codes, usesMax, lastDay, note, who, at }: MadeCodes,
): Promise<Result<number, { readonly code: 'code_taken' }>> {
  for (const { code, folded } of codes) {
    const made = sql(
      `INSERT INTO codes (event_id, kind, code, folded, uses_max, last_day, note, made_at, made_by)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (event_id, folded) DO NOTHING`,
    ).run(eventId, kind, code, folded, usesMax, lastDay, note, at, who)
    if ((await made.changes) === 0) throw new Refused(err({ code: 'code_taken' }))
  }
  sql('INSERT INTO audit_log (at, who, what, event_id) VALUES (?, ?, ?, ?)').run(
    at,
    who,
    `made ${codes.length} ${codes.length === 1 ? 'code' : 'codes'} of kind ${kind}`,
    eventId,
  )
  return ok(codes.length)
}

export async function withdrawCode(
  sql: Sql,
  eventId: string,
  folded: string,
  who: string,
  at: Instant,
): Promise<'withdrawn' | 'unknown' | 'before'> {
  const row = await sql<{ id: number; withdrawn_at: Instant | null }>(
    'SELECT id, withdrawn_at FROM codes WHERE event_id = ? AND folded = ?',
  ).get(eventId, folded)
  if (row === undefined) return 'unknown'
  if (row.withdrawn_at !== null) return 'before'
  sql('UPDATE codes SET withdrawn_at = ? WHERE id = ?').run(at, row.id)
  sql(
    "INSERT INTO audit_log (at, who, what, event_id) SELECT ?, ?, 'withdrew the code ' || code, event_id FROM codes WHERE id = ?",
  ).run(at, who, row.id)
  return 'withdrawn'
}

/** In order of creation. */
export function codesOf(
  sql: Sql,
  eventId: string,
  holdMs: number,
  at: Instant,
): Promise<readonly StoredCode[]> {
  return sql<StoredCode>(
    `SELECT c.code, c.kind, c.uses_max AS usesMax, c.last_day AS lastDay, c.note, c.made_at AS madeAt, c.made_by AS madeBy, c.withdrawn_at AS withdrawnAt,
       (SELECT count(*) FROM code_uses u JOIN registrations r ON r.id = u.registration_id WHERE u.code_id = c.id AND ${HELD_USE}) AS uses
     FROM codes c WHERE c.event_id = ? ORDER BY c.id`,
  ).all(holdMs, at, eventId)
}
