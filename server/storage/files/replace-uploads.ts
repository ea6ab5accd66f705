/** Stores the uploads of a registration; a new upload for a field replaces the earlier one. */
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { StoredUpload } from '../registrations/registration-types.ts'

const saveUpload = statement((builder, upload: StoredUpload & { registrationId: number }) =>
  builder
    .insertInto('uploads')
    .values({
      registration_id: upload.registrationId,
      field: upload.field,
      sha256: upload.sha256,
      name: upload.name,
      type: upload.type,
      bytes: upload.bytes,
    })
    .onConflict((conflict) =>
      conflict.columns(['registration_id', 'field']).doUpdateSet(({ ref }) => ({
        sha256: ref('excluded.sha256'),
        name: ref('excluded.name'),
        type: ref('excluded.type'),
        bytes: ref('excluded.bytes'),
        dropped_at: null,
      })),
    ),
)

export function replaceUploads(
  sql: Sql,
  registrationId: number,
  uploads: readonly StoredUpload[],
): void {
  for (const upload of uploads) saveUpload.run(sql, { ...upload, registrationId })
}
