/** Checks the references under which staff record refunds. */
import {
  getReceivedCurrency,
  toBankKey,
  formatMoney,
  isSlipNumber,
  isUtr,
  listReferenceKeys,
} from '../../../engine/index.ts'
import { someInOrder } from '../database/in-order.ts'
import { lockReferences } from '../database/row-locks.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import type { CaptureRow } from '../database/statements/money-tables.ts'
import { statement } from '../database/statements/statement.ts'
import { isReturned } from '../payments/returned-transfers.ts'
import { findPaymentsByKey, findReportsByKey } from '../reconciliation/bank-references.ts'
import { partsOfSameLine } from '../reconciliation/references-in-review.ts'

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
 * Explains why a refund cannot be recorded under a reference. Null if it can be. A bank reference can belong to only
 * one refund, or to the refunds of the payments of one line, which the bank returned together. It cannot belong to a
 * received payment, unless the bank returned the payment under this reference, or to a payment that a delegate reported
 * and that staff have neither recorded nor rejected. A
 * gateway's reference belongs to one refund in that gateway account. Any other reference, such as a receipt number,
 * belongs to one refund for its registration.
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
): Promise<string | null> {
  const key = toBankKey(reference) || reference.trim()
  // A front-desk slip number belongs to its event, where a receipt and a refund voucher may have the same number.
  const bankKeys = listReferenceKeys(reference).filter((part) => isUtr(part) || !isSlipNumber(part))
  lockReferences(sql, [key, ...listReferenceKeys(reference)])
  const receivedPayments = await findPaymentsByKey(sql, bankKeys)
  if (await someInOrder(receivedPayments, async ([, { id }]) => !(await isReturned(sql, id))))
    return `${reference} is the reference of a received payment. Enter the reference of the refund itself.`
  // The payment itself is not recorded yet, and could not be once a refund has its reference.
  const reports = await findReportsByKey(sql, bankKeys.filter(isUtr))
  if (receivedPayments.length === 0 && reports.some(({ isReleased }) => !isReleased))
    return `A delegate reported ${reference} as the reference of a payment. Enter the reference of the refund itself.`
  const rows = await referencesOfRefunds.all(sql)
  const returnedIds = new Set<number>()
  if (await isReturned(sql, captureId))
    for (const { id } of await partsOfSameLine.all(sql, { captureId }))
      if (await isReturned(sql, id)) returnedIds.add(id)
  const belongsToCapture = (row: (typeof rows)[number]): boolean =>
    row.capture_id === captureId ||
    (registrationId !== null && row.registration_id === registrationId)
  const belongsToGateway = (row: (typeof rows)[number]): boolean =>
    (row.asked_at !== null || row.who === 'gateway') &&
    row.source === source &&
    row.account === account
  const existingRefund = rows.find(
    (row) =>
      (belongsToCapture(row) || !returnedIds.has(row.capture_id)) &&
      (isUtr(key) || belongsToCapture(row) || belongsToGateway(row)) &&
      (toBankKey(row.reference) || row.reference.trim()) === key,
  )
  if (existingRefund === undefined) return null
  return belongsToCapture(existingRefund)
    ? `A refund of ${formatMoney(existingRefund.amount, getReceivedCurrency(existingRefund))} is already recorded under ${reference}. Enter the reference of this refund.`
    : `${reference} is already the reference of another refund.`
}
