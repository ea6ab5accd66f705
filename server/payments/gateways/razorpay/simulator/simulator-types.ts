/** Defines the types that the parts of the Razorpay simulator share. */
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

/** The action of a button on the page. */
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

/** Faults that the simulator produces until they are reset. */
export type Faults = {
  /**
   * The statuses of the next API responses, in order; `lost` means that the request is processed but no response is
   * sent.
   */
  responses: (number | 'lost')[]
  /** If true, payments stay authorised. */
  isCaptureDisabled: boolean
  /** The time for which refunds are pending, and their final status. */
  refundDelayMs: number
  refundOutcome: 'processed' | 'failed'
  /** The merchant's balance in minor units; a larger refund is refused. */
  balance: number
  /** Changes the rows of a settlement, for example leaves one out or repeats one. */
  settlement: (rows: readonly object[]) => readonly object[]
}

export type SentWebhook = { readonly type: string; readonly status: number }

export type RazorpaySimulator = GatewaySimulator & {
  readonly faults: Faults
  /** Returns the newest order with this receipt. */
  order(receipt: string): SimulatedOrder | null
  orders(): readonly SimulatedOrder[]
  /**
   * Runs the action of a button without a browser. Returns the fields that the browser posts back. Null if the browser
   * does not return.
   */
  run(orderId: string, action: SimulatorAction): Promise<ReturnFields | null>
  /**
   * Simulates a late response from the bank: authorises a created or failed payment, and captures it if it is in time.
   */
  authoriseLatePayment(orderId: string): Promise<void>
  /** Makes a refund in the merchant panel. */
  refundInPanel(paymentId: string, amount: number): string
  /** Raises a dispute about the newest captured payment of the order, or changes its status. Sends the webhook. */
  setDispute(orderId: string, status: DisputeStatus): Promise<SimulatedOrder>
  /**
   * Changes the receipt, as if our server had created the order under another id that a restored database has lost.
   */
  changeReceipt(orderId: string, receipt: string): void
  sendWebhook(type: string, order: SimulatedOrder, options?: WebhookOptions): Promise<SentWebhook>
  readonly sent: readonly SentWebhook[]
  idle(): Promise<void>
}
export type ReturnFields = Readonly<Record<string, string>>
export type WebhookOptions = {
  readonly eventId?: string
  readonly secret?: string
  readonly truncated?: boolean
}

/** The parts of the simulator that its routes need. */
export type SimulatorParts = Pick<RazorpaySimulatorOptions, 'accounts' | 'clock'> & {
  readonly store: SimulatedOrders
  readonly faults: Faults
  readonly origins: () => SimulatorOrigins
  readonly run: RazorpaySimulator['run']
  readonly setDispute: RazorpaySimulator['setDispute']
  readonly notify: (type: string, order: SimulatedOrder) => void
  /** Applies changes that depend only on time: refunds payments that were not captured in time. */
  readonly refresh: (order: SimulatedOrder) => SimulatedOrder
  readonly capture: (order: SimulatedOrder, paymentId: string) => SimulatedOrder
}
