/** Reads the stored documents of a registration. */
import { INR, getStatedAmount } from '../../../engine/index.ts'
import type { DocumentBody, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { StoredDocument } from './document-types.ts'

const documentsOfRegistration = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('documents')
    .select(['id', 'kind', 'serial', 'at', 'body'])
    .where('registration_id', '=', ({ selectFrom }) =>
      selectFrom('registrations').select('registrations.id').where('reg_no', '=', regNo),
    )
    .orderBy('id'),
)
const selectDocumentBody = statement((builder, { regNo, id }: { regNo: RegNo; id: number }) =>
  builder
    .selectFrom('documents')
    .select('body')
    .where('id', '=', id)
    .where('registration_id', '=', ({ selectFrom }) =>
      selectFrom('registrations').select('registrations.id').where('reg_no', '=', regNo),
    ),
)

/** Returns the documents of a registration, oldest first. */
export async function readDocuments(sql: Sql, regNo: RegNo): Promise<readonly StoredDocument[]> {
  return (await documentsOfRegistration.all(sql, { regNo })).map(({ body, ...document }) => {
    const content = JSON.parse(body) as DocumentBody
    const { form, of } = content
    return {
      ...document,
      ...(form && { form }),
      ...(of && { creditedAt: of.at }),
      total: getStatedAmount(content),
      currency: content.currency ?? INR,
    }
  })
}

/** Returns a document of this registration. Null if it has none with that id. */
export async function readDocumentBody(
  sql: Sql,
  regNo: RegNo,
  id: number,
): Promise<DocumentBody | null> {
  const row = await selectDocumentBody.get(sql, { regNo, id })
  return row === undefined ? null : (JSON.parse(row.body) as DocumentBody)
}
