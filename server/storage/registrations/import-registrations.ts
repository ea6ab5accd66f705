/** Imports registrations of another system, all or none. */
import { err, ok, paise, stateAfter } from '../../../engine/index.ts'
import type {
  Instant,
  OrderId,
  Paise,
  PaymentStatus,
  RegistrationState,
  RegNo,
  Result,
} from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
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

const byFormerNumber = statement(
  (builder, { eventId, formerNo }: { eventId: string; formerNo: string }) =>
    builder
      .selectFrom('registrations')
      .selectAll()
      .where('event_id', '=', eventId)
      .where('former_no', '=', formerNo),
)
const byNumber = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder.selectFrom('registrations').selectAll().where('reg_no', '=', regNo),
)
type ImportedPayment = {
  registrationId: number
  orderId: OrderId
  amount: Paise
  status: PaymentStatus
  reference: string | null
  createdAt: Instant
  statusAt: Instant
  paidAt: Instant | null
}
const addPayment = statement((builder, payment: ImportedPayment) =>
  builder.insertInto('payments').values({
    registration_id: payment.registrationId,
    order_id: payment.orderId,
    attempt: 1,
    gateway: null,
    amount: payment.amount,
    status: payment.status,
    reference: payment.reference,
    created_at: payment.createdAt,
    status_at: payment.statusAt,
    paid_at: payment.paidAt,
  }),
)

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
      (await byFormerNumber.get(sql, { eventId: row.eventId, formerNo })) ??
      // The imported number may already be a registration number in Rollcall.
      (await byNumber.get(sql, { regNo: formerNo as RegNo }))
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
      addPayment.run(sql, {
        registrationId: id,
        // The registration number is the order id, because no gateway has an order for an imported registration.
        orderId: row.regNo as string as OrderId,
        amount: row.total,
        status: row.paymentStatus,
        reference: row.paymentId,
        createdAt: row.createdAt,
        statusAt: row.paidAt ?? row.createdAt,
        paidAt: row.paidAt,
      })
    await keepImported(sql, id, row)
    await placeStored(sql, row.eventId, id)
    await notePayer(sql, id)
    if (row.paymentStatus === 'success' || row.paymentStatus === 'refunded') {
      const booked = { event_id: row.eventId, registration_id: id }
      const at = row.paidAt ?? row.createdAt
      book(sql, booked, at, row.total ?? 0)
      if (row.paymentStatus === 'refunded') book(sql, booked, at, -(row.total ?? 0))
    }
    const { createdAt: at, eventId, regNo } = row
    addAuditEntry(sql, { at, who: 'import', what: 'imported', eventId, regNo })
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
