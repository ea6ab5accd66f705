/**
 * Stores access links to registrations, as hashes only: whoever has a link can open the registration.
 */
import type { Instant, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { NewLink, StoredLink } from '../payments/payment-types.ts'

export function addLink(sql: Sql, { tokenHash, regNo, purpose, at, expiresAt }: NewLink): void {
  sql(
    `INSERT INTO links (token_hash, registration_id, purpose, created_at, expires_at)
     SELECT ?, id, ?, ?, ? FROM registrations WHERE reg_no = ?`,
  ).run(tokenHash, purpose, at, expiresAt, regNo)
}

export function linkUsed(sql: Sql, tokenHash: string, at: Instant): void {
  sql('UPDATE links SET used_at = ? WHERE token_hash = ?').run(at, tokenHash)
}

/** Reads only; also runs outside the writer's transaction. */
export async function linkOf(sql: Sql, tokenHash: string): Promise<StoredLink | null> {
  return (
    (await sql<{
      regNo: RegNo
      purpose: NewLink['purpose']
      expiresAt: Instant
      usedAt: Instant | null
    }>(
      `SELECT r.reg_no AS regNo, l.purpose, l.expires_at AS expiresAt, l.used_at AS usedAt
       FROM links l JOIN registrations r ON r.id = l.registration_id WHERE l.token_hash = ?`,
    ).get(tokenHash)) ?? null
  )
}
