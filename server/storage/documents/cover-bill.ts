/** Issues the documents of a registration after every change, unless its invoice is waiting for an exchange rate. */
import { INR } from '../../../engine/index.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { listRefunds } from './document-amounts.ts'
import { findOrAwaitRate, hasWaitingInvoice } from './exchange-rates.ts'
import {
  issueDifference,
  lastPaid,
  readRegistrationRow,
  type CoverOptions,
} from './issue-documents.ts'

/**
 * Issues documents for the difference that no document covers yet. If the invoice was waiting for an exchange rate,
 * issues it for the whole bill at the time of the payment, followed by a credit note for each later refund.
 */
export async function coverBill(
  sql: Sql,
  registrationId: number,
  at: Instant,
  cover: CoverOptions = {},
): Promise<void> {
  const row = await readRegistrationRow(sql, registrationId)
  if (row.currency === INR || !(await hasWaitingInvoice(sql, registrationId)))
    return issueDifference(sql, registrationId, at, cover)
  const payment = await lastPaid.get(sql, { registrationId })
  if (payment === undefined) return
  if ((await findOrAwaitRate(sql, row, payment)) === 'missing') return
  await issueDifference(sql, registrationId, at, { isWholeBill: true, action: cover.action })
  const refunds = await listRefunds(sql, registrationId)
  let refundedBefore = refunds.reduce((sum, { amount }) => sum + amount, 0)
  for (const { amount, reference } of refunds) {
    refundedBefore -= amount
    const refund = { reference: reference ?? '' }
    await issueDifference(sql, registrationId, at, { refund, refundedBefore })
  }
  return issueDifference(sql, registrationId, at, cover)
}
