/** Sends both gateways' messages about payments: early, late, repeatedly, forged or never. */
import { assertNever } from '../../engine/index.ts'
import type { Fields } from '../../server/payments/gateways/message-fields.ts'
import { WEBHOOK_PATH, getSignedWebhookPath } from '../../server/payments/gateways/message-paths.ts'
import { ACCOUNTS } from './events.ts'
import { isCapture, buildMessage } from './gateway.ts'
import type { Order, Transaction } from './gateway.ts'
import type { PlannedMessage } from './plan.ts'
import { signWebhook } from './razorpay-gateway.ts'
import type { Webhook } from './razorpay-gateway.ts'
import type { SimulatedResponse } from './server.ts'
import type { Tally } from './tally.ts'
import type { Timeline } from './virtual-time.ts'

/** The intervals at which the gateway retries a webhook that was not accepted. */
const WEBHOOK_RETRY_INTERVALS_MS = [60_000, 600_000, 3_600_000, 6 * 3_600_000, 24 * 3_600_000]
const FORM = 'application/x-www-form-urlencoded'

export type SendRequest = (
  method: 'GET' | 'POST',
  url: string,
  type?: string,
  payload?: string,
  key?: string,
  extraHeaders?: Fields,
) => Promise<SimulatedResponse | null>
type MessageContext = {
  readonly timeline: Timeline
  readonly tally: Tally
  readonly extendHistory: (ms: number) => void
  readonly call: SendRequest
}
export type GatewayMessages = {
  /** Sends a message from Airpay. */
  sendMessage(order: Order, transaction: Transaction, message: PlannedMessage): void
  /** Sends a webhook from Razorpay as often as planned. */
  announce(webhook: Webhook, messages: readonly PlannedMessage[], onAccepted?: () => void): void
}

export function createGatewayMessages({
  timeline,
  tally,
  extendHistory,
  call,
}: MessageContext): GatewayMessages {
  const deliver = async (
    transaction: Transaction,
    fields: Fields | null,
    plannedMessage: PlannedMessage,
    attempts = 0,
  ): Promise<void> => {
    tally.notices += 1
    const body =
      fields === null
        ? 'garbage'
        : plannedMessage.isJson
          ? JSON.stringify(fields)
          : new URLSearchParams(fields).toString()
    const type = plannedMessage.isJson ? 'application/json' : FORM
    const response = await call('POST', WEBHOOK_PATH, type, body)
    if (response?.status === 200 && plannedMessage.forgedPart === null && isCapture(transaction))
      transaction.isAnnounced = true
    repeatUntilAccepted(response, plannedMessage, attempts, () =>
      deliver(transaction, fields, plannedMessage, attempts + 1),
    )
  }
  const repeatUntilAccepted = (
    response: SimulatedResponse | null,
    { isRetried }: PlannedMessage,
    attempts: number,
    repeat: () => Promise<void>,
  ): void => {
    const retryMs = WEBHOOK_RETRY_INTERVALS_MS[attempts]
    if (response?.status === 200 || !isRetried || retryMs === undefined) return
    extendHistory(retryMs)
    timeline.schedule(retryMs, () => void repeat())
  }
  const deliverWebhook = async (
    webhook: Webhook,
    plannedMessage: PlannedMessage,
    onAccepted: () => void,
    attempts = 0,
  ): Promise<void> => {
    tally.notices += 1
    const isForged = plannedMessage.forgedPart !== null
    const response = await call(
      'POST',
      getSignedWebhookPath('razorpay'),
      'application/json',
      webhook.body,
      '',
      signWebhook(webhook, isForged),
    )
    if (response?.status === 200 && !isForged) onAccepted()
    repeatUntilAccepted(response, plannedMessage, attempts, () =>
      deliverWebhook(webhook, plannedMessage, onAccepted, attempts + 1),
    )
  }
  /** Schedules the messages. Whenever they are delivered, they contain the state at the time of this call. */
  const announce: GatewayMessages['announce'] = (webhook, messages, onAccepted = () => {}) => {
    for (const message of messages) {
      extendHistory(message.afterMs)
      timeline.schedule(message.afterMs, () => void deliverWebhook(webhook, message, onAccepted))
    }
  }
  const sendMessage = (
    order: Order,
    transaction: Transaction,
    plannedMessage: PlannedMessage,
  ): void => {
    const account =
      Object.values(ACCOUNTS)
        .flatMap((accounts) => Object.values(accounts))
        .find(({ merchantId }) => merchantId === order.merchantId) ?? null
    const trueMessage = buildMessage(order, transaction, account)
    extendHistory(plannedMessage.afterMs)
    timeline.schedule(
      plannedMessage.afterMs,
      () => void deliver(transaction, forgeMessage(trueMessage, plannedMessage), plannedMessage),
    )
  }
  return { sendMessage, announce }
}

/** Forges a part of a message as planned. Null if the result is unreadable. */
function forgeMessage(trueMessage: Fields, { forgedPart }: PlannedMessage): Fields | null {
  switch (forgedPart) {
    case null:
      return trueMessage
    case 'amount':
      return { ...trueMessage, AMOUNT: '1.00' }
    case 'reference':
      return { ...trueMessage, APTRANSACTIONID: '99999' }
    case 'status':
      return {
        ...trueMessage,
        TRANSACTIONSTATUS: trueMessage['TRANSACTIONSTATUS'] === '200' ? '400' : '200',
      }
    case 'order':
      return { ...trueMessage, TRANSACTIONID: 'SMPL12345678901230' }
    case 'hash':
      return { ...trueMessage, ap_SecureHash: '1' }
    case 'garbage':
      return null
    default:
      return assertNever(forgedPart)
  }
}
