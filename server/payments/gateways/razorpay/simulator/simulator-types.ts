/** The types that the parts of the Razorpay simulator share. */
import type { Instant } from '../../../../../engine/index.ts'
import type { Log } from '../../../../dependencies.ts'
import type { RazorpayAccount } from '../credentials.ts'
import type { DisputeStatus } from '../../../../storage/index.ts'
import type { GatewaySimulator } from '../../gateway-definition.ts'
import type { SimulatorOrigins } from '../../simulator-port.ts'
import type { SimulatedOrder, SimulatedOrders } from './simulator-state.ts'

export type RazorpaySimulatorOptions = {
  readonly dataDir: string
  readonly accounts: () => readonly RazorpayAccount[]
  readonly webhookUrl: () => string
  readonly clock: () => Instant
  readonly log: Log
}

/** What a button of the page does with the payment. */
export type SimulatorAction =
  | 'pay'
  | 'decline'
  | 'cancel'
  | 'late'
  | 'authorize'
  | 'twice'
  | 'first'
  | 'silent'
  | 'often'
  | 'forged'
  | 'truncated'
  | 'stay'

/** Faults until they are reset. */
export type Faults = {
  /** The status of the next responses of the API, oldest first; `lost`: the request is processed, but no response is sent. */
  responses: (number | 'lost')[]
  /** Payments stay authorised. */
  withoutCapture: boolean
  /** How long refunds are pending, and how they end. */
  refundDelayMs: number
  refundOutcome: 'processed' | 'failed'
  /** In minor units; a larger refund is refused. */
  balance: number
  /** Changes the rows of a settlement: leaves one out, repeats one. */
  settlement: (rows: readonly object[]) => readonly object[]
}

export type WebhookSent = { readonly type: string; readonly status: number }

export type RazorpaySimulator = GatewaySimulator & {
  readonly faults: Faults
  /** The order with our receipt, newest first. */
  order(receipt: string): SimulatedOrder | null
  orders(): readonly SimulatedOrder[]
  /** Runs the action of a button without a browser; returns the fields that the browser posts back. Null: it does not return. */
  run(orderId: string, action: SimulatorAction): Promise<ReturnFields | null>
  /** The bank answers now: a created or failed payment is authorised, and captured if it is early enough. */
  arrive(orderId: string): Promise<void>
  /** Makes a refund in the merchant panel. */
  refundInPanel(paymentId: string, amount: number): string
  /** Raises a dispute about the newest captured payment of the order, or changes its status; sends the webhook. */
  setDispute(orderId: string, status: DisputeStatus): Promise<SimulatedOrder>
  /** As if our server had created the order under another id, which a restored database has lost. */
  changeReceipt(orderId: string, receipt: string): void
  sendWebhook(type: string, order: SimulatedOrder, options?: WebhookOptions): Promise<WebhookSent>
  readonly sent: readonly WebhookSent[]
  idle(): Promise<void>
}
export type ReturnFields = Readonly<Record<string, string>>
export type WebhookOptions = {
  readonly eventId?: string
  readonly secret?: string
  readonly truncated?: boolean
}

/** What the routes need. */
export type SimulatorParts = Pick<RazorpaySimulatorOptions, 'accounts' | 'clock'> & {
  readonly store: SimulatedOrders
  readonly faults: Faults
  readonly origins: () => SimulatorOrigins
  readonly run: RazorpaySimulator['run']
  readonly setDispute: RazorpaySimulator['setDispute']
  readonly notify: (type: string, order: SimulatedOrder) => void
  /** Applies what time alone changes: late authorised payments are returned. */
  readonly refresh: (order: SimulatedOrder) => SimulatedOrder
  readonly capture: (order: SimulatedOrder, paymentId: string) => SimulatedOrder
}
