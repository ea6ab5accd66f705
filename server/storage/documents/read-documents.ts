/** Reads the stored documents of a registration. */
import { statedAmount } from '../../../engine/index.ts'
import type { DocumentBody, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { StoredDocument } from './document-types.ts'

/** For one registration, oldest first. */
export async function documentsOf(sql: Sql, regNo: RegNo): Promise<readonly StoredDocument[]> {
  return (
    await sql<Omit<StoredDocument, 'form' | 'total'> & { readonly body: string }>(
      `SELECT d.id, d.kind, d.serial, d.at, d.body FROM documents d WHERE d.registration_id = (SELECT id FROM registrations WHERE reg_no = ?) ORDER BY d.id`,
    ).all(regNo)
  ).map(({ body, ...document }) => {
    const stated = JSON.parse(body) as DocumentBody
    const { form } = stated
    return { ...document, ...(form && { form }), total: statedAmount(stated) }
  })
}

/** Null: this registration has no document with that id. */
export async function documentBody(
  sql: Sql,
  regNo: RegNo,
  id: number,
): Promise<DocumentBody | null> {
  const row = await sql<{ body: string }>(
    'SELECT body FROM documents WHERE id = ? AND registration_id = (SELECT id FROM registrations WHERE reg_no = ?)',
  ).get(id, regNo)
  return row === undefined ? null : (JSON.parse(row.body) as DocumentBody)
}
