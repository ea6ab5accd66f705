/** Issues invoices that were waiting for an exchange rate. */
import type { Instant, RegNo } from '../../../engine/index.ts'
import { mapInOrder } from '../database/in-order.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { hasWaitingInvoice } from './exchange-rates.ts'
import { enqueue } from '../mail/email-queue.ts'
import { coverBill } from './cover-bill.ts'
import type { InvoiceEmail } from './document-types.ts'

const idOfNumber = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder.selectFrom('registrations').select('id').where('reg_no', '=', regNo),
)

/** Issues the invoices of these registrations if their rate has been entered, and queues the emails. */
export async function issueWaitingInvoices(
  sql: Sql,
  regNos: readonly RegNo[],
  at: Instant,
  emails: readonly InvoiceEmail[] = [],
): Promise<void> {
  await mapInOrder(regNos, async (regNo) => {
    const row = await idOfNumber.get(sql, { regNo })
    if (row === undefined || !(await hasWaitingInvoice(sql, row.id))) return
    await coverBill(sql, row.id, at)
    const email = emails.find((candidate) => candidate.regNo === regNo)?.email
    if (email !== undefined && !(await hasWaitingInvoice(sql, row.id)))
      await enqueue(sql, row.id, 'documents', email, at, 'system')
  })
}
