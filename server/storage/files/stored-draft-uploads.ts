/** Stores uploads sent ahead of their registration, by the hash of a token that only the sender has. */
import { instant } from '../../../engine/index.ts'
import type { Instant, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { wasLinkRevoked } from '../registrations/access-links.ts'
import type { DraftProof } from '../registrations/registration-types.ts'
import type { DraftSaveResult } from './upload-and-clock-types.ts'

/** Anyone can upload drafts, so they must not fill the disk that registrations need. */
const MAX_DRAFT_BYTES = 2 * 1024 * 1024 * 1024
/** Many small drafts must not fill the database either. A large conference has a few hundred. */
const MAX_DRAFT_ROWS = 20_000

/** Stored before the field of a file that a self-service page sent, because the table has no column for it. */
const getOwnerPrefix = (regNo: RegNo): string => `${regNo}@`

const sizeOfDrafts = statement((builder) =>
  builder
    .selectFrom('draft_proofs')
    .select(({ fn, lit }) => [
      fn.countAll<number>().as('rows'),
      fn.coalesce(fn.sum<number>('bytes'), lit(0)).as('bytes'),
    ]),
)
const addDraft = statement((builder, draft: DraftProof & { tokenHash: string }) =>
  builder.insertInto('draft_proofs').values({
    token_hash: draft.tokenHash,
    event_id: draft.eventId,
    field: draft.field,
    sha256: draft.sha256,
    name: draft.name,
    type: draft.type,
    bytes: draft.bytes,
    at: draft.at,
  }),
)
const draftByToken = statement((builder, { tokenHash }: { tokenHash: string }) =>
  builder
    .selectFrom('draft_proofs')
    .select(['event_id as eventId', 'field', 'sha256', 'name', 'type', 'bytes', 'at'])
    .where('token_hash', '=', tokenHash),
)
const deleteDraft = statement(
  (builder, { tokenHash, eventId }: { tokenHash: string; eventId: string }) =>
    builder
      .deleteFrom('draft_proofs')
      .where('token_hash', '=', tokenHash)
      .where('event_id', '=', eventId),
)
const oldFiles = statement((builder, { before }: { before: Instant }) =>
  builder.selectFrom('draft_proofs').select('sha256').distinct().where('at', '<=', before),
)
const deleteOldDrafts = statement((builder, { before }: { before: Instant }) =>
  builder.deleteFrom('draft_proofs').where('at', '<=', before),
)

const expireDrafts = statement((builder, { prefix }: { prefix: string }, dialect) =>
  builder
    .updateTable('draft_proofs')
    .set({ name: '', at: instant(0) })
    .where(({ eb, ref }) => eb(dialect.position(ref('field'), prefix), '=', 1)),
)

/**
 * Stores a draft, unless the limit is reached. If its link was revoked while the file was being sent, stores an expired
 * draft without a name, so that the job that deletes old drafts also deletes the file.
 */
export async function saveDraftUpload(
  sql: Sql,
  tokenHash: string,
  draft: DraftProof,
): Promise<DraftSaveResult> {
  const drafts = (await sizeOfDrafts.get(sql)) ?? { rows: 0, bytes: 0 }
  if (drafts.rows >= MAX_DRAFT_ROWS || drafts.bytes + draft.bytes > MAX_DRAFT_BYTES)
    return 'no_room'
  const { owner, field } = draft
  if (owner !== undefined && (await wasLinkRevoked(sql, owner.link))) {
    addDraft.run(sql, { tokenHash, ...draft, name: '', at: instant(0) })
    return 'link_revoked'
  }
  const storedField = owner === undefined ? field : getOwnerPrefix(owner.regNo) + field
  addDraft.run(sql, { tokenHash, ...draft, field: storedField })
  return 'saved'
}

/**
 * Returns the draft with this token. Null if no draft was sent, or it was deleted. Also runs outside the writer's
 * transaction.
 */
export async function readDraft(sql: Sql, tokenHash: string): Promise<DraftProof | null> {
  const draft = await draftByToken.get(sql, { tokenHash })
  if (draft === undefined) return null
  return { ...draft, field: draft.field.slice(draft.field.lastIndexOf('@') + 1) }
}

/** Deletes a draft that its sender withdraws, unless it belongs to another event. */
export function deleteDraftUpload(sql: Sql, eventId: string, tokenHash: string): void {
  deleteDraft.run(sql, { tokenHash, eventId })
}

/** Ends the drafts that a registration's page sent. The job that deletes old drafts then deletes them and their files. */
export function expireDraftsOf(sql: Sql, regNo: RegNo): void {
  expireDrafts.run(sql, { prefix: getOwnerPrefix(regNo) })
}

/**
 * Deletes drafts sent at or before that instant, and returns the hashes of their files. A registration that uses such a
 * file has its own row for it.
 */
export async function deleteOldDraftUploads(
  sql: Sql,
  sentBefore: Instant,
): Promise<readonly string[]> {
  const oldDrafts = await oldFiles.all(sql, { before: sentBefore })
  if (oldDrafts.length > 0) deleteOldDrafts.run(sql, { before: sentBefore })
  return oldDrafts.map(({ sha256 }) => sha256)
}
