/** Stores proofs sent ahead of their registration, by the hash of a token that only the sender has. */
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { DraftProof } from '../registrations/registration-types.ts'

/** Drafts cost nothing to make: they may not take the disk from those who register. */
const DRAFT_BYTES_MAX = 2 * 1024 * 1024 * 1024
/** As many small ones would fill the database instead; a whole conference has some hundred. */
const DRAFT_ROWS_MAX = 20_000

/** False: the limit is reached, and it is not stored. */
export async function keepDraft(sql: Sql, tokenHash: string, draft: DraftProof): Promise<boolean> {
  const { eventId, field, sha256, name, type, bytes, at } = draft
  const kept = (await sql<{ rows: number; bytes: number }>(
    'SELECT count(*) AS rows, coalesce(sum(bytes), 0) AS bytes FROM draft_proofs',
  ).get()) ?? { rows: 0, bytes: 0 }
  if (kept.rows >= DRAFT_ROWS_MAX || kept.bytes + bytes > DRAFT_BYTES_MAX) return false
  sql(
    'INSERT INTO draft_proofs (token_hash, event_id, field, sha256, name, type, bytes, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  ).run(tokenHash, eventId, field, sha256, name, type, bytes, at)
  return true
}

/** Null: it was never sent, or has been deleted. Also runs outside the writer's transaction. */
export async function draftOf(sql: Sql, tokenHash: string): Promise<DraftProof | null> {
  return (
    (await sql<DraftProof>(
      'SELECT event_id AS eventId, field, sha256, name, type, bytes, at FROM draft_proofs WHERE token_hash = ?',
    ).get(tokenHash)) ?? null
  )
}

/** Deletes a draft that its sender withdraws; one of another event stays. */
export function forgetDraft(sql: Sql, eventId: string, tokenHash: string): void {
  sql('DELETE FROM draft_proofs WHERE token_hash = ? AND event_id = ?').run(tokenHash, eventId)
}

/**
 * Deletes drafts sent before that instant; returns their files. A file that a registration uses has a row of its
 * own.
 */
export async function forgetOldDrafts(sql: Sql, before: Instant): Promise<readonly string[]> {
  const old = await sql<{ sha256: string }>(
    'SELECT DISTINCT sha256 FROM draft_proofs WHERE at <= ?',
  ).all(before)
  if (old.length > 0) sql('DELETE FROM draft_proofs WHERE at <= ?').run(before)
  return old.map(({ sha256 }) => sha256)
}
