/** Interprets Airpay's response to a refund request. */
import type { RefundResult } from '../../../dependencies.ts'
import { getChild } from './parse-message.ts'

/**
 * Interprets the response. "true" means that the refund has started. Returns `refused` only if the gateway clearly
 * rejected the refund. Any ambiguous response is `unsure`, because staff might otherwise refund the payment twice.
 */
export function parseRefundResponse(text: string, reference: string): RefundResult {
  const createUnsure = (error: string): RefundResult => ({ is: 'unsure', error, raw: text })
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return createUnsure('the response is not JSON')
  }
  const transactions = getChild(json, 'transactions')
  const listedTransactions: readonly unknown[] = Array.isArray(transactions) ? transactions : []
  const matchingTransactions = listedTransactions.filter(
    (item) => toText(getChild(item, 'airpayid')) === reference,
  )
  const overallSuccess = readYesOrNo(getChild(json, 'success'))
  if (matchingTransactions.length > 1) return createUnsure('the response lists the payment twice')
  const [transaction] = matchingTransactions
  if (transaction === undefined) {
    // If the whole request is rejected, the response lists no transactions.
    if (overallSuccess !== 'no' || listedTransactions.length > 0)
      return createUnsure('the response does not list the payment')
    return { is: 'refused', message: toText(getChild(json, 'message')), raw: text }
  }
  const transactionSuccess = readYesOrNo(getChild(transaction, 'success'))
  const refundReference = toText(getChild(transaction, 'refundairpayid'))
  if (
    transactionSuccess === 'no' &&
    overallSuccess !== null &&
    (refundReference === '' || refundReference === '0')
  ) {
    const message = toText(getChild(transaction, 'message')) || toText(getChild(json, 'message'))
    return { is: 'refused', message, raw: text }
  }
  if (transactionSuccess !== 'yes' || overallSuccess !== 'yes')
    return createUnsure('the response contradicts itself')
  if (refundReference === '' || refundReference === '0')
    return createUnsure('the response contains no refund reference')
  return { is: 'begun', reference: refundReference, raw: text }
}

function readYesOrNo(value: unknown): 'yes' | 'no' | null {
  switch (toText(value).toLowerCase()) {
    case 'true':
      return 'yes'
    case 'false':
      return 'no'
    default:
      return null
  }
}

/** Returns "" for anything except a single value: lists and objects are not expected here. */
function toText(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value).trim() : ''
}
