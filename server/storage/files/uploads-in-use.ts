/** Finds the files that registrations and drafts refer to. */
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'

type Files = { /** Hashes as a JSON array. */ files: string }
const filesInUse = statement((builder, { files }: Files, dialect) =>
  builder
    .selectFrom('uploads')
    .select('sha256')
    .where('dropped_at', 'is', null)
    .where(({ ref }) => dialect.isIn(ref('sha256'), files))
    .union(
      builder
        .selectFrom('draft_proofs')
        .select('sha256')
        .where(({ ref }) => dialect.isIn(ref('sha256'), files)),
    ),
)
const unreferencedFiles = statement((builder, { files }: Files, dialect) =>
  builder
    .selectFrom('uploads as u')
    .select('u.sha256')
    .distinct()
    .where(({ ref }) => dialect.isIn(ref('u.sha256'), files))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('uploads as k')
            .select('k.sha256')
            .whereRef('k.sha256', '=', 'u.sha256')
            .where('k.dropped_at', 'is', null),
        ),
      ),
    )
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('draft_proofs as d').select('d.sha256').whereRef('d.sha256', '=', 'u.sha256'),
        ),
      ),
    ),
)

export async function listUploadsInUse(
  sql: Sql,
  sha256s: readonly string[],
): Promise<readonly string[]> {
  const rows = await filesInUse.all(sql, { files: JSON.stringify(sha256s) })
  return rows.map(({ sha256 }) => sha256)
}

export async function listUnreferencedUploads(
  sql: Sql,
  sha256s: readonly string[],
): Promise<readonly string[]> {
  const rows = await unreferencedFiles.all(sql, { files: JSON.stringify(sha256s) })
  return rows.map(({ sha256 }) => sha256)
}
