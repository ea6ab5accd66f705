/** The orders, payments and refunds of the Razorpay simulator, kept in a file so that a restart loses none. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import type { DisputeStatus } from '../../../../storage/index.ts'

export type SimulatedRefund = {
  readonly id: string
  readonly amount: number
  readonly key: string
  /** In milliseconds since 1970, as all instants here. */
  readonly createdAt: number
  /** Until then it is pending. */
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

export type SimulatedOrders = {
  get(id: string): SimulatedOrder | null
  put(order: SimulatedOrder): SimulatedOrder
  all(): readonly SimulatedOrder[]
}

const ID_BYTES = 7

/** An id of the gateway's form: `order_` and 14 letters and digits. */
export const createId = (kind: 'order' | 'pay' | 'rfnd' | 'evt' | 'disp'): string =>
  `${kind}_${randomBytes(ID_BYTES).toString('hex')}`

export function openSimulatedOrders(dataDir: string): SimulatedOrders {
  mkdirSync(dataDir, { recursive: true })
  const file = join(dataDir, 'sandbox-razorpay.jsonl')
  const orders = new Map<string, SimulatedOrder>()
  if (existsSync(file)) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      // A process that was killed may have left an incomplete line.
      if (!line.endsWith('}')) continue
      const order = JSON.parse(line) as SimulatedOrder
      orders.set(order.id, order)
    }
  }
  return {
    get: (id) => orders.get(id) ?? null,
    put: (order) => {
      appendFileSync(file, `${JSON.stringify(order)}\n`)
      orders.set(order.id, order)
      return order
    },
    all: () => [...orders.values()],
  }
}
