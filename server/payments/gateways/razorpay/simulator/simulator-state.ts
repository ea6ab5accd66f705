/** Stores the orders, payments and refunds of the Razorpay simulator. */
import { randomBytes } from 'node:crypto'
import type { DisputeStatus } from '../../../../storage/index.ts'
import { openSimulatorOrders } from '../../simulator-orders.ts'
import type { SimulatorOrders } from '../../simulator-orders.ts'

export type SimulatedRefund = {
  readonly id: string
  readonly amount: number
  readonly key: string
  /** In milliseconds since 1970, like all instants in this module. */
  readonly createdAt: number
  /** The refund is pending until this instant. */
  readonly dueAt: number
  readonly outcome: 'processed' | 'failed'
}
export type SimulatedDispute = {
  readonly id: string
  readonly status: DisputeStatus
  readonly createdAt: number
  readonly respondBy: number
}
export type SimulatedPayment = {
  readonly id: string
  readonly amount: number
  readonly status: 'created' | 'authorized' | 'captured' | 'failed' | 'returned'
  readonly createdAt: number
  readonly reason: string
  readonly refunds: readonly SimulatedRefund[]
  readonly dispute?: SimulatedDispute
}
export type SimulatedOrder = {
  readonly id: string
  readonly keyId: string
  readonly receipt: string
  readonly amount: number
  readonly currency: string
  readonly notes: Readonly<Record<string, string>>
  readonly captureMinutes: number
  readonly createdAt: number
  readonly callbackUrl: string
  readonly cancelUrl: string
  readonly name: string
  readonly email: string
  readonly contact: string
  readonly payments: readonly SimulatedPayment[]
}

export type SimulatedOrders = SimulatorOrders<SimulatedOrder>

const ID_BYTES = 7

/** Creates an id in the gateway's format: `order_` and 14 letters and digits. */
export const createId = (kind: 'order' | 'pay' | 'rfnd' | 'evt' | 'disp'): string =>
  `${kind}_${randomBytes(ID_BYTES).toString('hex')}`

export const openSimulatedOrders = (dataDir: string): SimulatedOrders =>
  openSimulatorOrders(dataDir, 'sandbox-razorpay.jsonl', ({ id }) => id)
