/** The JSON that Razorpay documents for orders, payments and refunds, from the simulator's state. */
import type { SimulatedOrder, SimulatedPayment, SimulatedRefund } from './simulator-state.ts'

const seconds = (ms: number): number => Math.floor(ms / 1000)

export function orderEntity(order: SimulatedOrder): object {
  const { id, amount, currency, receipt, notes, createdAt, payments } = order
  const isPaid = payments.some(({ status }) => status === 'captured')
  return {
    id,
    entity: 'order',
    amount,
    amount_paid: isPaid ? amount : 0,
    amount_due: isPaid ? 0 : amount,
    currency,
    receipt,
    status: isPaid ? 'paid' : payments.length === 0 ? 'created' : 'attempted',
    attempts: payments.length,
    notes,
    created_at: seconds(createdAt),
  }
}

export const refundState = (
  { dueAt, outcome }: SimulatedRefund,
  now: number,
): 'pending' | 'processed' | 'failed' => (now < dueAt ? 'pending' : outcome)

/** A failed refund gives the money back to the merchant's balance. */
export const refundedAmount = (payment: SimulatedPayment, now: number): number =>
  payment.refunds.reduce(
    (sum, refund) => sum + (refundState(refund, now) === 'failed' ? 0 : refund.amount),
    0,
  )

export function paymentEntity(
  order: SimulatedOrder,
  payment: SimulatedPayment,
  now: number,
): object {
  const { id, amount, status, createdAt, reason } = payment
  const isCaptured = status === 'captured'
  const refunded = status === 'returned' ? amount : refundedAmount(payment, now)
  return {
    id,
    entity: 'payment',
    amount,
    currency: order.currency,
    status: status === 'returned' || (isCaptured && refunded === amount) ? 'refunded' : status,
    order_id: order.id,
    invoice_id: null,
    international: order.currency !== 'INR',
    method: 'card',
    amount_refunded: refunded,
    refund_status: refunded === 0 ? null : refunded === amount ? 'full' : 'partial',
    captured: isCaptured,
    description: '',
    email: order.email,
    contact: order.contact,
    notes: order.notes,
    fee: isCaptured ? Math.round(amount * 0.0236) : null,
    tax: isCaptured ? Math.round(amount * 0.0036) : null,
    error_code:
      status === 'failed'
        ? reason === 'payment_timed_out'
          ? 'GATEWAY_ERROR'
          : 'BAD_REQUEST_ERROR'
        : null,
    error_description: status === 'failed' ? 'The bank did not accept the payment.' : null,
    error_source: status === 'failed' ? 'bank' : null,
    error_step: status === 'failed' ? 'payment_authorization' : null,
    error_reason: status === 'failed' ? reason : null,
    acquirer_data: {},
    created_at: seconds(createdAt),
  }
}

export function refundEntity(
  payment: SimulatedPayment,
  refund: SimulatedRefund,
  currency: string,
  now: number,
): object {
  return {
    id: refund.id,
    entity: 'refund',
    amount: refund.amount,
    currency,
    payment_id: payment.id,
    notes: {},
    receipt: refund.key,
    created_at: seconds(refund.createdAt),
    batch_id: null,
    status: refundState(refund, now),
    speed_processed: 'normal',
    speed_requested: 'normal',
  }
}
