/** Links payments to the bank statement line that shows them, so that a split line never counts more than it received. */
import { assert, err, formatMoney, getReceivedCurrency, ok } from '../../../engine/index.ts'
import type { Amount, Currency, Result } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { completedRefundSum, refundedFlag } from '../refunds/refund-states-and-channels.ts'
import type { BankLineOfPayment, LinePart } from './bank-statement-types.ts'

const partsOfSameLines = statement((builder, { ids }: { ids: string }, dialect) =>
  builder
    .selectFrom('bank_line_payments as p')
    .innerJoin('bank_line_payments as o', 'o.bank_line_id', 'p.bank_line_id')
    .innerJoin('captures as c', 'c.id', 'o.capture_id')
    .innerJoin('registrations as r', 'r.id', 'c.registration_id')
    .select(({ ref }) => [
      ref('p.capture_id').as('partOf'),
      'c.id',
      'c.state',
      'c.amount',
      'c.currency',
      'r.reg_no as regNo',
      'r.full_name as name',
      'r.event_id as eventId',
      'o.bank_line_id as lineId',
      refundedFlag.as('isRefunded'),
      completedRefundSum.as('refundedAmount'),
    ])
    .where(({ ref }) => dialect.isIdIn(ref('p.capture_id'), ids))
    .whereRef('c.id', '<>', 'p.capture_id')
    .orderBy('c.id'),
)
const lineWithId = statement((builder, { id }: { id: number }) =>
  builder.selectFrom('bank_lines').select('amount').where('id', '=', id),
)
const linesOfPayments = statement((builder, { ids }: { ids: string }, dialect) =>
  builder
    .selectFrom('bank_line_payments')
    .select('bank_line_id as id')
    .distinct()
    .where(({ ref }) => dialect.isIdIn(ref('capture_id'), ids))
    .orderBy('bank_line_id'),
)
const paymentsOfLines = statement((builder, { ids }: { ids: string }, dialect) =>
  builder
    .selectFrom('bank_line_payments as p')
    .innerJoin('captures as c', 'c.id', 'p.capture_id')
    .select(['c.amount', 'c.currency'])
    .where(({ ref }) => dialect.isIdIn(ref('p.bank_line_id'), ids)),
)
const insertLink = statement(
  (builder, { captureId, lineId }: { captureId: number; lineId: number }) =>
    builder
      .insertInto('bank_line_payments')
      .columns(['bank_line_id', 'capture_id'])
      // Another user may have removed the statement.
      .expression(({ selectFrom, val }) =>
        selectFrom('bank_lines')
          .select(['id', val(captureId).as('capture_id')])
          .where('id', '=', lineId),
      )
      .onConflict((conflict) => conflict.column('capture_id').doNothing()),
)

/** Links a payment to a line. A payment stays linked to the first line that shows it. */
export const linkPaymentToLine = (
  sql: Sql,
  link: { readonly captureId: number; readonly lineId: number },
): void => void insertLink.run(sql, link)

/** Returns the other payments from the lines of these payments. */
export async function findOtherParts(
  sql: Sql,
  captureIds: readonly number[],
): Promise<readonly LinePart[]> {
  const parts = await partsOfSameLines.all(sql, { ids: JSON.stringify(captureIds) })
  return parts.map((part) => ({ ...part, currency: getReceivedCurrency(part) }))
}

/**
 * Returns the line under which all parts of the transfer are stored: the first line that showed one of them, whichever
 * download it is from. If the bank received less than the recorded parts and this one together, the error says so.
 * `captureIds`: the parts recorded so far, which are linked to that line.
 */
export async function findLineForPart(
  sql: Sql,
  { amount, currency }: { readonly amount: Amount; readonly currency: Currency },
  line: BankLineOfPayment,
  captureIds: readonly number[],
): Promise<Result<number, string>> {
  const storedLine = await lineWithId.get(sql, line)
  assert(storedLine !== undefined, 'a line with a decision is never removed')
  const ids = JSON.stringify(captureIds)
  const lineId = (await linesOfPayments.get(sql, { ids }))?.id ?? line.id
  for (const captureId of captureIds) linkPaymentToLine(sql, { captureId, lineId })
  const lines = await linesOfPayments.all(sql, { ids })
  const lineIds = JSON.stringify([...new Set([line.id, ...lines.map(({ id }) => id)])])
  const recorded = (await paymentsOfLines.all(sql, { ids: lineIds }))
    .filter((payment) => getReceivedCurrency(payment) === currency)
    .reduce((sum, payment) => sum + payment.amount, 0) as Amount
  if (recorded + amount <= storedLine.amount) return ok(lineId)
  return err(
    `${formatMoney(recorded, currency)} of this bank line is already recorded, and the bank received ${formatMoney(storedLine.amount, currency)}. Reload the statement.`,
  )
}
