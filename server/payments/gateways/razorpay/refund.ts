/** Requests a refund from Razorpay, with an idempotency key. */
import type { Amount } from '../../../../engine/index.ts'
import type { RefundResult } from '../../../dependencies.ts'
import { describeFailure, requestApi, asText } from './api.ts'
import type { Api, ApiResponse } from './api.ts'
import { readRefund } from './status.ts'

/** Keys have at least ten characters: letters, digits, hyphens and underscores. */
const KEY_PATTERN = /^[\w-]{10,}$/

/**
 * Requests a refund. Repeats the request once if its response is lost: the idempotency key prevents a second refund.
 */
export async function requestRefund(
  api: Api,
  paymentId: string,
  amount: Amount,
  key: string,
): Promise<RefundResult> {
  if (!/^pay_\w+$/.test(paymentId))
    return { is: 'not-sent', error: `"${paymentId}" is not the id of a Razorpay payment` }
  const headers: Readonly<Record<string, string>> = KEY_PATTERN.test(key)
    ? { 'x-refund-idempotency': key }
    : {}
  const send = (): Promise<ApiResponse> =>
    requestApi(
      api,
      'POST',
      `payments/${paymentId}/refund`,
      { amount, speed: 'normal', receipt: key, notes: {} },
      headers,
    )
  const firstResponse = await send()
  const isLost = firstResponse.is === 'failed' && firstResponse.wasSent && KEY_PATTERN.test(key)
  return interpretRefund(isLost ? await send() : firstResponse, amount)
}

/**
 * Returns `refused` only if the gateway clearly refused the refund, because staff might otherwise refund the payment
 * twice.
 */
export function interpretRefund(response: ApiResponse, amount: Amount): RefundResult {
  switch (response.is) {
    case 'ok': {
      const refund = readRefund(response.json)
      if (refund === null || refund.amount !== amount)
        return {
          is: 'unsure',
          error: 'the response does not describe the requested refund',
          raw: response.text,
        }
      return refund.status === 'failed'
        ? { is: 'refused', message: asText(response.json['status']), raw: response.text }
        : { is: 'begun', reference: refund.reference, raw: response.text }
    }
    case 'refused':
      // The first request with this key is still in progress.
      return response.status === 409
        ? { is: 'unsure', error: describeFailure(response), raw: response.text }
        : { is: 'refused', message: response.message || response.code, raw: response.text }
    case 'failed':
      return response.wasSent
        ? { is: 'unsure', error: response.error, raw: '' }
        : { is: 'not-sent', error: response.error }
  }
}
