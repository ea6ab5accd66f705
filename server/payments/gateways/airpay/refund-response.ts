/** Interprets Airpay's answer to a refund request. */
import type { RefundAnswer } from '../../../dependencies.ts'
import { child } from './parse-message.ts'

/**
 * "true" means that the refund has started. Returns `refused` only where the gateway plainly refused this
 * payment; any ambiguous answer is `unsure`, because a second refund of the same payment costs as much as the
 * first.
 */
export function judgeRefund(text: string, reference: string): RefundAnswer {
  const unsure = (error: string): RefundAnswer => ({ is: 'unsure', error, raw: text })
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return unsure('the answer is not JSON')
  }
  const transactions = child(json, 'transactions')
  const listed: readonly unknown[] = Array.isArray(transactions) ? transactions : []
  const ours = listed.filter((one) => wordOf(child(one, 'airpayid')) === reference)
  const whole = yesOrNo(child(json, 'success'))
  if (ours.length > 1) return unsure('the answer names the payment twice')
  const [one] = ours
  if (one === undefined) {
    // A refusal of the request as a whole lists no transactions.
    if (whole !== 'no' || listed.length > 0) return unsure('the answer does not name the payment')
    return { is: 'refused', message: wordOf(child(json, 'message')), raw: text }
  }
  const said = yesOrNo(child(one, 'success'))
  const refund = wordOf(child(one, 'refundairpayid'))
  if (said === 'no' && whole !== null && (refund === '' || refund === '0')) {
    const message = wordOf(child(one, 'message')) || wordOf(child(json, 'message'))
    return { is: 'refused', message, raw: text }
  }
  if (said !== 'yes' || whole !== 'yes') return unsure('the answer contradicts itself')
  if (refund === '' || refund === '0') return unsure('the answer names no refund')
  return { is: 'begun', reference: refund, raw: text }
}

function yesOrNo(value: unknown): 'yes' | 'no' | null {
  switch (wordOf(value).toLowerCase()) {
    case 'true':
      return 'yes'
    case 'false':
      return 'no'
    default:
      return null
  }
}

/** Returns "" for anything but a single value: a list or an object has no meaning here. */
function wordOf(value: unknown): string {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value).trim() : ''
}
