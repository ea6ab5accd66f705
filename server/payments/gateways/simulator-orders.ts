/** Stores the orders of a simulator in memory and in a file, so that no payments are lost on restart. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type SimulatorOrders<Order> = {
  get(id: string): Order | null
  put(order: Order): Order
  all(): readonly Order[]
}

/**
 * Opens the order store. Each change appends a line to a file that is read at startup. The file's name begins with
 * `sandbox`, so that the file is made private (file-permissions.ts).
 */
export function openSimulatorOrders<Order extends object>(
  dataDir: string,
  fileName: `sandbox${'' | `-${string}`}.jsonl`,
  getId: (order: Order) => string,
): SimulatorOrders<Order> {
  mkdirSync(dataDir, { recursive: true })
  const file = join(dataDir, fileName)
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const orders = new Map(
    lines
      // A process that was killed may have left an incomplete line.
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as Order)
      .map((order) => [getId(order), order]),
  )
  return {
    get: (id) => orders.get(id) ?? null,
    put: (order) => {
      appendFileSync(file, `${JSON.stringify(order)}\n`)
      orders.set(getId(order), order)
      return order
    },
    all: () => [...orders.values()],
  }
}
