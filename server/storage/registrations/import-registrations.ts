/** Imports registrations from another system: all of them, or none. */
import { err, ok, toAmount, computeNextState } from '../../../engine/index.ts'
import type {
  Instant,
  OrderId,
  Amount,
  PaymentStatus,
  RegistrationState,
  RegNo,
  Result,
} from '../../../engine/index.ts'
import { reportProgress } from '../../ops/progress.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
import { explainKnownImport } from '../reconciliation/bank-references.ts'
import { saveImportedPayment, wasPaid } from '../payments/received-payments.ts'
import { recordRevenue } from '../reports/registration-and-revenue-counters.ts'
import { recordSeats } from '../seats/recompute-seats.ts'
import { RollbackError } from '../database/rollback-error.ts'
import { recordPayer } from '../payments/find-duplicate-payments.ts'
import { insertRegistration } from './insert-registration.ts'
import type { RegistrationRow } from './row-mapping.ts'
import type { ImportRefusal, ImportRow } from '../index.ts'
import { refillRules } from './fill-unique-answers.ts'

const registrationWithFormerNumber = statement(
  (builder, { eventId, formerNo }: { eventId: string; formerNo: string }) =>
    builder
      .selectFrom('registrations')
      .selectAll()
      .where('event_id', '=', eventId)
      .where('former_no', '=', formerNo),
)
const registrationWithNumber = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder.selectFrom('registrations').selectAll().where('reg_no', '=', regNo),
)
type ImportedPayment = {
  registrationId: number
  orderId: OrderId
  amount: Amount
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

const ROWS_PER_REPORT = 200

/** Imports all rows, or none. A row with an amount gets a payment. Our gateway is never queried about such payments. */
export async function importRegistrations(
  sql: Sql,
  rows: readonly ImportRow[],
): Promise<Result<{ added: number; unchanged: number }, ImportRefusal>> {
  let addedCount = 0
  for (const eventId of new Set(rows.map((row) => row.eventId))) refillRules(sql, eventId)
  for (const [index, row] of rows.entries()) {
    if (index % ROWS_PER_REPORT === 0)
      reportProgress({
        step: 'Storing registrations',
        done: index,
        total: rows.length,
      })
    const { formerNo } = row
    const existingRow =
      (await registrationWithFormerNumber.get(sql, { eventId: row.eventId, formerNo })) ??
      // The imported number may already be a registration number in Rollcall.
      (await registrationWithNumber.get(sql, { regNo: formerNo as RegNo }))
    if (existingRow !== undefined) {
      if (!isSameRow(existingRow, row)) throw new RollbackError(err({ code: 'differs', formerNo }))
      continue
    }
    const paymentOwner =
      row.paymentId === null || !wasPaid(row)
        ? null
        : await explainKnownImport(sql, { ...row, reference: row.paymentId })
    if (paymentOwner !== null)
      throw new RollbackError(err({ code: 'payment_known', formerNo, why: paymentOwner }))
    const id = await insertRegistration(sql, { ...row, state: getImportedState(row) }, formerNo)
    if (id === null) throw new RollbackError(err({ code: 'reg_no_taken', formerNo }))
    addedCount += 1
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
    await saveImportedPayment(sql, id, row)
    await recordSeats(sql, row.eventId, id)
    await recordPayer(sql, id)
    if (row.paymentStatus === 'success' || row.paymentStatus === 'refunded') {
      const counterRow = { event_id: row.eventId, registration_id: id, currency: row.currency }
      const at = row.paidAt ?? row.createdAt
      recordRevenue(sql, counterRow, at, row.total ?? 0)
      if (row.paymentStatus === 'refunded') recordRevenue(sql, counterRow, at, -(row.total ?? 0))
    }
    const { createdAt: at, eventId, regNo } = row
    addAuditEntry(sql, { at, who: 'import', what: 'imported', eventId, regNo })
  }
  return ok({ added: addedCount, unchanged: rows.length - addedCount })
}

/**
 * Returns the state of an imported registration. If it was unpaid in the other system, it cannot be paid through our
 * gateway.
 */
function getImportedState({ paymentStatus }: ImportRow): RegistrationState {
  return computeNextState('to_pay', {
    status: paymentStatus,
    hasExpired: true,
    due: toAmount(0),
    hasPaymentDeadline: false,
  })
}

function isSameRow(existingRow: RegistrationRow, row: ImportRow): boolean {
  const sortAnswerKeys = (text: string): string =>
    JSON.stringify(
      Object.entries(JSON.parse(text) as object).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    )
  return (
    existingRow.event_id === row.eventId &&
    sortAnswerKeys(existingRow.answers) === sortAnswerKeys(JSON.stringify(row.answers)) &&
    existingRow.category === row.category &&
    existingRow.period === row.period &&
    existingRow.base === row.base &&
    existingRow.gst === row.gst &&
    existingRow.total === row.total &&
    existingRow.payment_status === row.paymentStatus &&
    existingRow.payment_id === row.paymentId &&
    existingRow.created_at === row.createdAt &&
    existingRow.paid_at === row.paidAt
  )
}
