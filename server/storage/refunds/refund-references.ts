/** Checks the references under which staff record refunds. */
import {
  getReceivedCurrency,
  formatMoney,
  isSlipNumber,
  isUtr,
  listReferenceKeys,
} from '../../../engine/index.ts'
import type { Amount } from '../../../engine/index.ts'
import { filterInOrder } from '../database/in-order.ts'
import { lockReferences } from '../database/row-locks.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { CaptureRow } from '../database/statements/money-tables.ts'
import { statement } from '../database/statements/statement.ts'
import { isReturned } from '../payments/returned-transfers.ts'
import { findPaymentsByKey, findReportsByKey } from '../reconciliation/bank-references.ts'
import { findDisputedCapture } from '../reconciliation/disputes.ts'
import { findOtherParts } from '../reconciliation/bank-line-parts.ts'
import { explainMoreThanWithdrawn, readReturnedLine, toReferenceKey } from './returned-lines.ts'

/** Selects the references of refunds that are completed or that the gateway has started. */
const referencesOfRefunds = statement((builder) =>
  builder
    .selectFrom('refunds as r')
    .innerJoin('captures as c', 'c.id', 'r.capture_id')
    .select(['c.source', 'c.account', 'r.asked_at', 'r.who'])
    .select(['r.reference', 'r.amount', 'c.currency', 'r.capture_id', 'c.registration_id'])
    .where('r.state', 'in', ['done', 'asked'])
    .where('r.reference', 'is not', null)
    .$narrowType<{ reference: string }>()
    .orderBy('r.id'),
)

/**
 * Returns true if the bank returned the payment, and each of these payments, whose references were entered, is this
 * payment or another part of the same line. Only the first part has the line's reference.
 */
async function isReturnedUnder(
  sql: Sql,
  captureId: number,
  owners: Awaited<ReturnType<typeof findPaymentsByKey>>,
): Promise<boolean> {
  if (owners.length === 0 || !(await isReturned(sql, captureId))) return false
  const parts = await findOtherParts(sql, [captureId])
  const ids = new Set([captureId, ...parts.map(({ id }) => id)])
  return owners.every(([, { id }]) => ids.has(id))
}

/**
 * Selects the payments that a refund's reference names: those that the bank returned under it, or the disputed payment
 * if it is the id of a dispute. Only these payments can have been refunded under it. Empty if it names none of them.
 */
export async function selectNamedPayments<Payment extends Pick<CaptureRow, 'id'>>(
  sql: Sql,
  reference: string,
  captures: readonly Payment[],
): Promise<readonly Payment[]> {
  const keys = listReferenceKeys(reference)
  lockReferences(sql, keys)
  const disputedId = await findDisputedCapture(sql, reference.trim())
  if (disputedId !== null) return captures.filter(({ id }) => id === disputedId)
  // Cheque numbers too, although they are as short as slip numbers.
  const owners = await findPaymentsByKey(sql, keys)
  return filterInOrder(captures, ({ id }) => isReturnedUnder(sql, id, owners))
}

/**
 * Explains why a refund cannot be recorded under a reference. Null if it can be. A bank reference can belong to only
 * one refund, or to the refunds of the payments of one line, which the bank returned together: up to the sum of its
 * withdrawals. It cannot belong to a received payment, unless the refund is of that payment, which the bank returned,
 * or of another part of its line. It cannot belong to a payment that a delegate reported and that staff have neither
 * recorded nor rejected. The id of a dispute belongs to refunds of the disputed payment. A gateway's reference belongs
 * to one refund in that gateway account. Any other reference, such as a receipt number, belongs to one refund for its
 * registration. `amount`: the sum of the refunds that are to be recorded under it.
 */
export async function explainRefundReference(
  sql: Sql,
  reference: string,
  {
    id: captureId,
    registration_id: registrationId,
    source,
    account,
  }: Pick<CaptureRow, 'id' | 'registration_id' | 'source' | 'account'>,
  amount: Amount,
): Promise<string | null> {
  const key = toReferenceKey(reference)
  // A front-desk slip number belongs to its event, where a receipt and a refund voucher may have the same number.
  const bankKeys = listReferenceKeys(reference).filter((part) => isUtr(part) || !isSlipNumber(part))
  lockReferences(sql, [key, ...listReferenceKeys(reference)])
  const disputedId = await findDisputedCapture(sql, reference.trim())
  if (disputedId !== null && disputedId !== captureId)
    return `Dispute ${reference} is about another payment. Enter the reference of the refund itself.`
  const receivedPayments = await findPaymentsByKey(sql, bankKeys)
  if (receivedPayments.length > 0 && !(await isReturnedUnder(sql, captureId, receivedPayments)))
    return `${reference} is the reference of a received payment. Enter the reference of the refund itself.`
  // The payment itself is not recorded yet, and could not be once a refund has its reference.
  const reports = await findReportsByKey(sql, bankKeys.filter(isUtr))
  if (receivedPayments.length === 0 && reports.some(({ isReleased }) => !isReleased))
    return `A delegate reported ${reference} as the reference of a payment. Enter the reference of the refund itself.`
  const rows = await referencesOfRefunds.all(sql)
  const line = await readReturnedLine(sql, captureId, reference)
  const namesLine = receivedPayments.length > 0
  const excess =
    line === null || !(namesLine || line.refunded > 0)
      ? null
      : explainMoreThanWithdrawn(reference, line, amount)
  if (excess !== null) return excess
  const belongsToCapture = (row: (typeof rows)[number]): boolean =>
    row.capture_id === captureId ||
    (registrationId !== null && row.registration_id === registrationId)
  // Several refunds can share the reference of a returned line, because their sum is limited.
  const sharesReference = (row: (typeof rows)[number]): boolean =>
    line?.captureIds.has(row.capture_id) === true &&
    (!belongsToCapture(row) || (namesLine && line.withdrawn !== null))
  const belongsToGateway = (row: (typeof rows)[number]): boolean =>
    (row.asked_at !== null || row.who === 'gateway') &&
    row.source === source &&
    row.account === account
  const existingRefund = rows.find(
    (row) =>
      !sharesReference(row) &&
      (isUtr(key) || belongsToCapture(row) || belongsToGateway(row)) &&
      toReferenceKey(row.reference) === key,
  )
  if (existingRefund === undefined) return null
  return belongsToCapture(existingRefund)
    ? `A refund of ${formatMoney(existingRefund.amount, getReceivedCurrency(existingRefund))} is already recorded under ${reference}. Enter the reference of this refund.`
    : `${reference} is already the reference of another refund.`
}
