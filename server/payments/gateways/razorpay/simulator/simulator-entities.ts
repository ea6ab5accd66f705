/** Builds the JSON that Razorpay documents for orders, payments and refunds, from the simulator's state. */
import type {
  SimulatedDispute,
  SimulatedOrder,
  SimulatedPayment,
  SimulatedRefund,
} from './simulator-state.ts'

/** A fee of two percent plus the tax on it. */
const FEE_RATE = 0.0236
const TAX_RATE = 0.0036

const toSeconds = (ms: number): number => Math.floor(ms / 1000)

export function buildOrderEntity(order: SimulatedOrder): object {
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
    created_at: toSeconds(createdAt),
  }
}

export const getRefundState = (
  { dueAt, outcome }: SimulatedRefund,
  now: number,
): 'pending' | 'processed' | 'failed' => (now < dueAt ? 'pending' : outcome)

/** Returns the refunded amount. A failed refund does not count: its amount returns to the merchant's balance. */
export const sumRefunds = (payment: SimulatedPayment, now: number): number =>
  payment.refunds.reduce(
    (sum, refund) => sum + (getRefundState(refund, now) === 'failed' ? 0 : refund.amount),
    0,
  )

export function buildPaymentEntity(
  order: SimulatedOrder,
  payment: SimulatedPayment,
  now: number,
): object {
  const { id, amount, status, createdAt, reason } = payment
  const isCaptured = status === 'captured'
  const refundedAmount = status === 'returned' ? amount : sumRefunds(payment, now)
  return {
    id,
    entity: 'payment',
    amount,
    currency: order.currency,
    status:
      status === 'returned' || (isCaptured && refundedAmount === amount) ? 'refunded' : status,
    order_id: order.id,
    invoice_id: null,
    international: order.currency !== 'INR',
    method: 'card',
    amount_refunded: refundedAmount,
    refund_status: refundedAmount === 0 ? null : refundedAmount === amount ? 'full' : 'partial',
    captured: isCaptured,
    description: '',
    email: order.email,
    contact: order.contact,
    notes: order.notes,
    fee: isCaptured ? Math.round(amount * FEE_RATE) : null,
    tax: isCaptured ? Math.round(amount * TAX_RATE) : null,
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
    created_at: toSeconds(createdAt),
  }
}

export function buildRefundEntity(
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
    created_at: toSeconds(refund.createdAt),
    batch_id: null,
    status: getRefundState(refund, now),
    speed_processed: 'normal',
    speed_requested: 'normal',
  }
}

export function buildDisputeEntity(
  order: SimulatedOrder,
  payment: SimulatedPayment,
  dispute: SimulatedDispute,
): object {
  return {
    id: dispute.id,
    entity: 'dispute',
    payment_id: payment.id,
    amount: payment.amount,
    currency: order.currency,
    amount_deducted: dispute.status === 'lost' ? payment.amount : 0,
    reason_code: 'services_not_provided',
    respond_by: toSeconds(dispute.respondBy),
    status: dispute.status,
    phase: 'chargeback',
    created_at: toSeconds(dispute.createdAt),
  }
}

/**
 * Lists the settlement rows for all captured payments, with UTR and date, as Razorpay reports them two working days
 * later.
 */
export function listSettlementRows(
  orders: readonly SimulatedOrder[],
  now: number,
): readonly object[] {
  return orders.flatMap((order) =>
    order.payments.flatMap((payment) => {
      if (payment.status !== 'captured') return []
      const fee = Math.round(payment.amount * FEE_RATE)
      const settlementColumns = {
        currency: order.currency,
        settled: true,
        on_hold: false,
        created_at: toSeconds(payment.createdAt),
        settled_at: toSeconds(now),
        settlement_id: 'setl_simulator0000',
        settlement_utr: 'RZPSIM0000000001',
        order_id: order.id,
        order_receipt: order.receipt,
        method: 'card',
      }
      const paymentRow = {
        ...settlementColumns,
        entity_id: payment.id,
        type: 'payment',
        debit: 0,
        credit: payment.amount - fee,
        amount: payment.amount,
        fee,
        tax: Math.round(payment.amount * TAX_RATE),
        payment_id: null,
      }
      const refunds = payment.refunds
        .filter((refund) => getRefundState(refund, now) === 'processed')
        .map((refund) => ({
          ...settlementColumns,
          entity_id: refund.id,
          type: 'refund',
          debit: refund.amount,
          credit: 0,
          amount: refund.amount,
          fee: 0,
          tax: 0,
          payment_id: payment.id,
        }))
      return [paymentRow, ...refunds]
    }),
  )
}
