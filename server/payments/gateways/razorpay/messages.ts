/** Reads Razorpay's unsolicited messages (browser return, webhook) as unverified claims. */
import { ok } from '../../../../engine/index.ts'
import type { Result } from '../../../../engine/index.ts'
import type {
  GatewayMessage,
  InvalidGatewayMessage,
  ReceivedWebhook,
  WebhookCheckResult,
} from '../../../dependencies.ts'
import type { RazorpayAccount } from './credentials.ts'
import type { StoredCheckout } from '../../../storage/index.ts'
import { asObject, parseObject, asText, asWholeNumber } from './api.ts'
import type { Json } from './api.ts'
import { isDisputeId } from './disputes.ts'
import { isReturnSigned, isWebhookSigned } from './signatures.ts'

// The messages do not prove payment, so each only starts a status query.

type Fields = Readonly<Record<string, string>>

/**
 * Reads the browser's return to an order's return URL: with a signature after a payment, with unsigned error fields
 * after a failure, with nothing after a cancellation.
 */
export function readReturn(
  orderId: string,
  fields: Fields,
  account: RazorpayAccount | null,
  checkouts: readonly StoredCheckout[],
): Result<GatewayMessage, InvalidGatewayMessage> {
  const paymentId = fields['razorpay_payment_id'] ?? ''
  const signature = fields['razorpay_signature'] ?? ''
  const isSigned = paymentId !== '' && signature !== ''
  const hash =
    account === null || checkouts.length === 0 || !isSigned
      ? 'unknown'
      : checkouts.some(({ checkoutId }) =>
            isReturnSigned(account, checkoutId, paymentId, signature),
          )
        ? 'right'
        : 'wrong'
  return ok({
    orderId,
    amount: '',
    code: fields['error[code]'] ?? '',
    hash,
    // Anyone can post these fields, but only the gateway can sign them.
    claimsPayment: isSigned && hash !== 'wrong',
  })
}

/** Webhook events that report that money was received. */
const MONEY_EVENTS = ['payment.captured', 'payment.authorized', 'order.paid']

/**
 * Checks and parses a webhook. `accounts` are the merchant accounts that send webhooks to this address. Other
 * programs of the same merchant also create orders, so a webhook about an unknown order can be valid.
 */
export async function readWebhook(
  { bytes, signature, eventId }: ReceivedWebhook,
  accounts: readonly RazorpayAccount[],
  findCheckout: (checkoutId: string) => Promise<StoredCheckout | null>,
): Promise<WebhookCheckResult> {
  if (!accounts.some((account) => isWebhookSigned(account, bytes, signature)))
    return { is: 'unsigned' }
  const json = parseObject(bytes.toString('utf8'))
  if (json === null) return { is: 'unreadable' }
  const type = asText(json['event'])
  const entities = readEntities(asObject(json['payload']) ?? {})
  const [orderEntity, paymentEntity, refundEntity, disputeEntity] = [
    'order',
    'payment',
    'refund',
    'dispute',
  ].map((name) => entities.get(name) ?? null)
  const checkoutId = asText(orderEntity?.['id']) || asText(paymentEntity?.['order_id'])
  const checkout = checkoutId === '' ? null : await findCheckout(checkoutId)
  const receipt = asText(orderEntity?.['receipt'])
  const orderId = checkout?.orderId ?? receipt
  if (orderId === '') return { is: 'other', eventId, type }
  const disputeId = asText(disputeEntity?.['id'])
  return {
    is: 'order',
    eventId,
    type,
    ...(type.startsWith('payment.dispute.') && isDisputeId(disputeId) && { disputeId }),
    message: {
      orderId,
      amount: String(
        asWholeNumber((paymentEntity ?? refundEntity ?? disputeEntity)?.['amount']) ?? '',
      ),
      code: type,
      hash: 'right',
      claimsPayment: MONEY_EVENTS.includes(type),
    },
  }
}

/** Returns the objects in a webhook event, by kind: `{payment: {entity: {…}}, order: {entity: {…}}}`. */
function readEntities(payload: Json): ReadonlyMap<string, Json> {
  return new Map(
    Object.entries(payload).flatMap(([name, value]): [string, Json][] => {
      const entity = asObject(asObject(value)?.['entity'])
      return entity === null ? [] : [[name, entity]]
    }),
  )
}
