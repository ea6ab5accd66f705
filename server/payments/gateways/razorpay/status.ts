/** Interprets an order's payments: finds the payment that counts, further payments, and refunds. */
import { instant, toAmount } from '../../../../engine/index.ts'
import type { Amount, Instant, PaymentEvent, ReportedRefund } from '../../../../engine/index.ts'
import type { StatusResponse } from '../../../dependencies.ts'
import { asText, asWholeNumber } from './api.ts'
import type { Json } from './api.ts'

export type PaymentStatus = 'created' | 'authorized' | 'captured' | 'refunded' | 'failed'
export type RazorpayPayment = {
  readonly id: string
  readonly amount: Amount
  readonly currency: string
  readonly status: PaymentStatus
  /** True if the money was captured, even if it was refunded later. */
  readonly isCaptured: boolean
  readonly amountRefunded: Amount
  readonly createdAt: Instant
  readonly error: { readonly code: string; readonly reason: string; readonly message: string }
}

const STATUSES: readonly PaymentStatus[] = [
  'created',
  'authorized',
  'captured',
  'refunded',
  'failed',
]

/** Returns null if the JSON is not a payment in the documented format. */
export function readPayment(json: Json): RazorpayPayment | null {
  const id = asText(json['id'])
  const amount = asWholeNumber(json['amount'])
  const currency = asText(json['currency'])
  const status = STATUSES.find((candidate) => candidate === json['status'])
  const createdAt = asWholeNumber(json['created_at'])
  const isComplete = /^pay_\w+$/.test(id) && amount !== null && currency !== ''
  if (!isComplete || status === undefined || createdAt === null) return null
  return {
    id,
    amount: toAmount(amount),
    currency,
    status,
    isCaptured: json['captured'] === true,
    amountRefunded: toAmount(asWholeNumber(json['amount_refunded']) ?? 0),
    createdAt: instant(createdAt * 1000),
    error: {
      code: asText(json['error_code']),
      reason: asText(json['error_reason']),
      message: asText(json['error_description']),
    },
  }
}

export type RazorpayRefund = ReportedRefund & {
  readonly status: 'pending' | 'processed' | 'failed'
}

export function readRefund(json: Json): RazorpayRefund | null {
  const reference = asText(json['id'])
  const amount = asWholeNumber(json['amount'])
  const status = (['pending', 'processed', 'failed'] as const).find(
    (candidate) => candidate === json['status'],
  )
  return /^rfnd_\w+$/.test(reference) && amount !== null && status !== undefined
    ? { reference, amount: toAmount(amount), status }
    : null
}

/** Returns true if the money was received for the order, even if it was refunded later. */
export const isReceived = ({ isCaptured, status }: RazorpayPayment): boolean =>
  isCaptured && (status === 'captured' || status === 'refunded')

/** The code of a payment that the gateway refunded automatically, because it was not captured in time. */
export const NOT_CAPTURED_CODE = 'NOT_CAPTURED'
/** The code of a refusal after which the money may still arrive, because the bank's response is missing. */
const UNCLEAR_CODE = 'GATEWAY_ERROR'
/** Reasons that indicate a missing response from the bank, regardless of the code. */
const NO_RESPONSE_REASON = /timed?_?out|technical|unavailable|server_error/

/**
 * Interprets the payments. `refunds`: all refunds of the received payments. The earliest received payment counts;
 * further payments were not requested.
 */
export function interpretPayments(
  payments: readonly RazorpayPayment[],
  refunds: readonly RazorpayRefund[],
  { at, raw }: { readonly at: Instant; readonly raw: string },
): StatusResponse {
  const paymentsInOrder = payments.toSorted(
    (one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1),
  )
  const [firstPayment, ...further] = paymentsInOrder.filter(isReceived)
  if (firstPayment !== undefined) {
    const completedRefunds = refunds.flatMap(({ reference, amount, status }) =>
      status === 'processed' ? [{ reference, amount }] : [],
    )
    const paymentEvent: PaymentEvent = {
      type: 'confirmed',
      ...toMoney(firstPayment),
      currency: firstPayment.currency,
      at,
      ...(further.length === 0
        ? {}
        : {
            further: further.map((payment) => ({
              ...toMoney(payment),
              currency: payment.currency,
            })),
          }),
      ...(completedRefunds.length === 0 ? {} : { refunds: completedRefunds }),
    }
    const failedRefunds = refunds.flatMap(({ reference, status }) =>
      status === 'failed' ? [reference] : [],
    )
    return {
      is: 'payment-event',
      paymentEvent,
      raw,
      ...(failedRefunds.length === 0 ? {} : { failedRefunds }),
    }
  }
  if (paymentsInOrder.some(({ status }) => status === 'authorized' || status === 'captured'))
    return { is: 'pending', code: 'authorized', raw }
  const lastPayment = paymentsInOrder.at(-1)
  // The buyer has opened the payment page, and may still be there.
  if (lastPayment === undefined || lastPayment.status === 'created') return { is: 'no-record', raw }
  const message = lastPayment.error.message || lastPayment.error.reason
  const paymentEvent = { type: 'declined', code: getDeclineCode(lastPayment), message, at } as const
  return { is: 'payment-event', paymentEvent, raw }
}

function toMoney({ id, amount, createdAt }: RazorpayPayment) {
  return { reference: id, amount, kind: 'sale', paidAt: createdAt } as const
}

function getDeclineCode({ status, error }: RazorpayPayment): string {
  if (status === 'refunded') return NOT_CAPTURED_CODE
  return error.code === 'BAD_REQUEST_ERROR' && !NO_RESPONSE_REASON.test(error.reason)
    ? error.code
    : UNCLEAR_CODE
}
