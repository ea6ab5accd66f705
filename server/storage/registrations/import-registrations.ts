/** Imports registrations of another system, all or none. */
import { err, ok, paise, stateAfter } from '../../../engine/index.ts'
import type { RegistrationState, Result } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { whyImportKnown } from '../reconciliation/bank-references.ts'
import { keepImported, wasPaid } from '../payments/received-payments.ts'
import { book } from '../reports/registration-and-revenue-counters.ts'
import { placeStored } from '../seats/recompute-seats.ts'
import { Refused } from '../database/rollback-error.ts'
import { notePayer } from '../payments/find-duplicate-payments.ts'
import { insertRegistration } from './insert-registration.ts'
import type { RegistrationRow } from './row-mapping.ts'
import type { ImportRefusal, ImportRow } from '../index.ts'
import { forgetRules } from './unique-answers.ts'

/** A row with an amount gets a payment, but none that our gateway is queried about. */
export async function importRegistrations(
  sql: Sql,
  rows: readonly ImportRow[],
): Promise<Result<{ added: number; unchanged: number }, ImportRefusal>> {
  let added = 0
  for (const eventId of new Set(rows.map((row) => row.eventId))) forgetRules(sql, eventId)
  for (const row of rows) {
    const { formerNo } = row
    const there =
      (await sql<RegistrationRow>(
        'SELECT * FROM registrations WHERE event_id = ? AND former_no = ?',
      ).get(row.eventId, formerNo)) ??
      (await sql<RegistrationRow>('SELECT * FROM registrations WHERE reg_no = ?').get(formerNo))
    if (there !== undefined) {
      if (!sameAs(there, row)) throw new Refused(err({ code: 'differs', formerNo }))
      continue
    }
    const known =
      row.paymentId === null || !wasPaid(row)
        ? null
        : await whyImportKnown(sql, { ...row, reference: row.paymentId })
    if (known !== null) throw new Refused(err({ code: 'payment_known', formerNo, why: known }))
    const id = await insertRegistration(sql, { ...row, state: stateOfImported(row) }, formerNo)
    if (id === null) throw new Refused(err({ code: 'reg_no_taken', formerNo }))
    added += 1
    if (row.total !== null)
      sql(
        `INSERT INTO payments (registration_id, order_id, attempt, gateway, amount, status, reference, created_at, status_at, paid_at) VALUES (?, ?, 1, NULL, ?, ?, ?, ?, ?, ?)`,
      ).run(
        id,
        row.regNo,
        row.total,
        row.paymentStatus,
        row.paymentId,
        row.createdAt,
        row.paidAt ?? row.createdAt,
        row.paidAt,
      )
    await keepImported(sql, id, row)
    await placeStored(sql, row.eventId, id)
    await notePayer(sql, id)
    if (row.paymentStatus === 'success' || row.paymentStatus === 'refunded') {
      const booked = { event_id: row.eventId, registration_id: id }
      const at = row.paidAt ?? row.createdAt
      book(sql, booked, at, row.total ?? 0)
      if (row.paymentStatus === 'refunded') book(sql, booked, at, -(row.total ?? 0))
    }
    sql(
      "INSERT INTO audit_log (at, who, what, event_id, reg_no, registration_id) VALUES (?, 'import', 'imported', ?, ?, ?)",
    ).run(row.createdAt, row.eventId, row.regNo, id)
  }
  return ok({ added, unchanged: rows.length - added })
}

/** What was not paid where it comes from has no gateway of ours to be paid through. */
function stateOfImported({ paymentStatus }: ImportRow): RegistrationState {
  return stateAfter('to_pay', {
    status: paymentStatus,
    hasExpired: true,
    due: paise(0),
    hasTerm: false,
  })
}

function sameAs(there: RegistrationRow, row: ImportRow): boolean {
  const answers = (text: string): string =>
    JSON.stringify(
      Object.entries(JSON.parse(text) as object).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    )
  return (
    there.event_id === row.eventId &&
    answers(there.answers) === answers(JSON.stringify(row.answers)) &&
    there.category === row.category &&
    there.period === row.period &&
    there.base === row.base &&
    there.gst === row.gst &&
    there.total === row.total &&
    there.payment_status === row.paymentStatus &&
    there.payment_id === row.paymentId &&
    there.created_at === row.createdAt &&
    there.paid_at === row.paidAt
  )
}
