/** What Airpay answers to our questions (status call, refund), from its own words to what happened. */
import { assertNever, own, readAmount, RUPEE_CODES } from '../../../engine/index.ts'
import type { Instant, OrderId, Paise } from '../../../engine/index.ts'
import type { RefundAnswer, StatusAnswer } from '../../deps.ts'
import { child } from './fields.ts'
import type { Fields } from './fields.ts'

/** Of what the bank said, as much as a line of the office takes. */
const MESSAGE_CHARACTERS_MAX = 200

/** What a status code means. Only these end a payment; whatever is not in the table stays pending. */
const MEANINGS: Readonly<Record<string, 'paid' | 'declined' | 'in-process' | 'no-record'>> = {
  200: 'paid',
  211: 'in-process',
  400: 'declined',
  401: 'declined',
  402: 'declined',
  // Incomplete: the buyer may still be at the bank. Like no record, it ends when a day has passed.
  403: 'no-record',
  405: 'declined',
  502: 'declined',
  503: 'no-record',
}
/** A payment, as against a refund or a reversal. */
export const SALE_TYPE = '320'

/**
 * From the gateway's own words to what happened. MESSAGE is never judged (it can say "Success" beside
 * 503), nor BILLEDAMOUNT (it may hold a surcharge). Whether amount, currency and kind fit is the
 * engine's to say, so that money that does not fit is recorded and reviewed.
 */
export function judgeStatus(
  fields: Fields,
  orderId: OrderId,
  at: Instant,
  raw: string,
): StatusAnswer {
  const code = fields['TRANSACTIONSTATUS'] ?? ''
  const meaning = own(MEANINGS, code)
  switch (meaning) {
    case undefined:
    case 'in-process':
      return { is: 'pending', code, raw }
    case 'no-record':
      return { is: 'no-record', raw }
    case 'declined':
    case 'paid':
      break
    default:
      return assertNever(meaning)
  }
  // An answer about another order is no answer about ours.
  if (fields['TRANSACTIONID'] !== orderId)
    return { is: 'unreachable', error: 'the answer names another order' }
  if (meaning === 'declined')
    return {
      is: 'fact',
      raw,
      fact: {
        type: 'declined',
        code,
        message: (fields['MESSAGE'] ?? '').slice(0, MESSAGE_CHARACTERS_MAX),
        at,
      },
    }
  const amount = readAmount(fields['AMOUNT'] ?? '')
  const reference = fields['APTRANSACTIONID'] ?? ''
  if (amount === null || reference === '')
    return { is: 'unreachable', error: 'the answer lacks amount or reference' }
  const sent = (fields['CURRENCYCODE'] ?? '').toUpperCase()
  const currency = RUPEE_CODES.includes(sent) ? 'INR' : sent
  return {
    is: 'fact',
    raw,
    fact: {
      type: 'confirmed',
      reference,
      amount,
      currency,
      kind: fields['TRANSACTIONTYPE'] === SALE_TYPE ? 'sale' : 'other',
      at,
    },
  }
}

/** Whether the money went back, from the JSON of a refund; what is not understood may have moved money. */
export function judgeRefund(
  text: string,
  reference: string,
  amount: Paise,
  at: Instant,
): RefundAnswer {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { is: 'unreachable', error: 'the answer is not JSON' }
  }
  const transactions = child(json, 'transactions')
  const ours = Array.isArray(transactions)
    ? transactions.find((transaction) => String(child(transaction, 'airpayid')) === reference)
    : null
  const message = String(child(ours, 'message') ?? child(json, 'message') ?? '')
  const refundReference = child(ours, 'refundairpayid')
  if (
    String(child(json, 'success')) !== 'true' ||
    String(child(ours, 'success')) !== 'true' ||
    refundReference === null
  )
    return { is: 'refused', message, raw: text }
  return {
    is: 'fact',
    raw: text,
    fact: { type: 'refunded', reference: String(refundReference), amount, at },
  }
}
