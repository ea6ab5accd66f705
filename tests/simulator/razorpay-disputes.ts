/** Simulates disputes at Razorpay: the payer's bank disputes a payment, and may take the amount back. */
import { instant } from '../../engine/index.ts'
import type { Amount, Instant } from '../../engine/index.ts'
import { listCaptures } from './gateway.ts'
import type { Gateway, Order, Transaction } from './gateway.ts'
import type { Random } from './random.ts'
import type { Webhook } from './razorpay-gateway.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const FINAL_STATUSES = ['won', 'lost', 'lost', 'lost', 'closed'] as const
export type DisputeStatus = 'open' | 'under_review' | 'won' | 'lost' | 'closed'
type Change = { readonly at: Instant; readonly status: DisputeStatus }
export type Dispute = {
  readonly id: string
  /** The reference of the disputed payment. */
  readonly paymentReference: string
  readonly amount: Amount
  readonly currency: string
  readonly respondBy: Instant
  /** The dispute's statuses so far, oldest first. */
  readonly changes: Change[]
  /** True if the server has accepted a webhook about the dispute. */
  isNamed: boolean
}
export type PlannedDispute = {
  readonly afterMs: number
  /** The status changes in order, each with the time since the previous change. */
  readonly steps: readonly { readonly afterMs: number; readonly status: DisputeStatus }[]
}

export function drawDispute(random: Random): PlannedDispute {
  const steps: { afterMs: number; status: DisputeStatus }[] = [{ afterMs: 0, status: 'open' }]
  const addStep = (status: DisputeStatus): void =>
    void steps.push({ afterMs: random.skewed(10 * MINUTE_MS, 3 * DAY_MS), status })
  if (random.chance(0.6)) addStep('under_review')
  // The bank may request more evidence.
  if (steps.length > 1 && random.chance(0.3)) {
    addStep('open')
    addStep('under_review')
  }
  if (random.chance(0.85)) addStep(random.pick(FINAL_STATUSES))
  return { afterMs: random.below(8 * DAY_MS), steps }
}

export const getStatus = ({ changes }: Dispute): DisputeStatus => changes.at(-1)?.status ?? 'open'
export const isLost = (dispute: Dispute): boolean => getStatus(dispute) === 'lost'

/** Chooses a payment to dispute, each at most once. Null if no payment can be disputed. */
export function chooseDisputed(
  gateway: Gateway,
  merchant: string,
  random: Random,
): { readonly order: Order; readonly transaction: Transaction } | null {
  const payments = [...gateway.orders.values()]
    .filter(({ merchantId }) => merchantId === merchant)
    .flatMap((order) => listCaptures(order).map((transaction) => ({ order, transaction })))
    .filter(
      ({ order, transaction }) =>
        !order.disputes.some((dispute) => dispute.paymentReference === transaction.reference),
    )
  return payments.length === 0 ? null : random.pick(payments)
}

export function openDispute(
  gateway: Gateway,
  { order, transaction }: { readonly order: Order; readonly transaction: Transaction },
  at: Instant,
): Dispute {
  const dispute: Dispute = {
    id: `disp_Sim${gateway.nextReference()}xyz`,
    paymentReference: transaction.reference,
    amount: transaction.amount,
    currency: transaction.currency,
    respondBy: instant(at + 7 * DAY_MS),
    changes: [],
    isNamed: false,
  }
  order.disputes.push(dispute)
  return dispute
}

export const buildDisputeEntity = (dispute: Dispute): object => ({
  id: dispute.id,
  payment_id: dispute.paymentReference,
  amount: dispute.amount,
  currency: dispute.currency,
  amount_deducted: isLost(dispute) ? dispute.amount : 0,
  reason_code: 'goods_or_services_not_provided',
  phase: 'chargeback',
  status: getStatus(dispute),
  respond_by: Math.floor(dispute.respondBy / 1000),
})

/** Builds a webhook about the dispute's current status. */
export function buildDisputeWebhook(order: Order, dispute: Dispute): Webhook {
  const status = getStatus(dispute)
  const event =
    dispute.changes.length === 1
      ? 'payment.dispute.created'
      : `payment.dispute.${status === 'open' ? 'action_required' : status}`
  const transaction = order.transactions.find(
    ({ reference }) => reference === dispute.paymentReference,
  )
  const payment = {
    id: dispute.paymentReference,
    order_id: transaction?.checkoutId,
    amount: dispute.amount,
  }
  return {
    body: JSON.stringify({
      event,
      payload: { payment: { entity: payment }, dispute: { entity: buildDisputeEntity(dispute) } },
    }),
    eventId: `event_${dispute.id}_${dispute.changes.length}`,
    reportsCapture: false,
  }
}
