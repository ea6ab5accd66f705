/** Payment checks after a crash: consistent rows, matching sums, and agreement with the gateway. */
import { DATABASE_FILE } from '../../server/storage/database/sqlite-connection.ts'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { INR, readAmount } from '../../engine/index.ts'
import type { SandboxOrder } from '../../server/payments/gateways/airpay/simulator/simulator-pages.ts'
import type { AcknowledgedOperations } from './delegates.ts'

/** Descriptions of problems, each with a query that returns the affected rows. */
const PROBLEM_QUERIES: readonly (readonly [string, string])[] = [
  [
    'the revenue differs from the accepted payments minus refunds',
    `SELECT (SELECT coalesce(sum(amount), 0) FROM revenue) AS said, (SELECT coalesce(sum(c.amount), 0) FROM captures c WHERE c.state IN ('fits', 'accepted'))
       - (SELECT coalesce(sum(r.amount), 0) FROM refunds r JOIN captures c ON c.id = r.capture_id WHERE r.state = 'done' AND c.state IN ('fits', 'accepted')) AS counted
     WHERE said <> counted`,
  ],
  [
    'a successful payment does not have exactly one capture that counts for it',
    `SELECT p.order_id FROM payments p WHERE p.status IN ('success', 'refunded')
       AND (SELECT count(*) FROM captures c WHERE c.counts_for = p.id AND c.state IN ('fits', 'accepted')) <> 1`,
  ],
  [
    'a capture counts for a payment that did not succeed',
    `SELECT c.reference FROM captures c JOIN payments p ON p.id = c.counts_for
     WHERE c.state IN ('fits', 'accepted') AND p.status NOT IN ('success', 'refunded')`,
  ],
  [
    'a registration has two successful payments',
    `SELECT registration_id FROM payments WHERE status IN ('success', 'refunded') GROUP BY registration_id HAVING count(*) > 1`,
  ],
  [
    'a registration is paid without a successful payment',
    `SELECT g.reg_no FROM registrations g WHERE g.payment_status = 'success' AND NOT EXISTS
       (SELECT 1 FROM payments p WHERE p.registration_id = g.id AND p.status = 'success')`,
  ],
  [
    'a paid registration does not have exactly one confirmation email',
    `SELECT g.reg_no FROM registrations g WHERE g.payment_status = 'success'
       AND (SELECT count(*) FROM mail_queue m WHERE m.registration_id = g.id AND m.kind = 'confirmation') <> 1`,
  ],
  [
    'the office does not list a capture in review',
    `SELECT c.reference FROM captures c JOIN payments p ON p.id = c.counts_for JOIN registrations g ON g.id = p.registration_id
     WHERE c.state = 'review' AND (p.review IS NULL OR g.in_review = 0)`,
  ],
  [
    'the refunds exceed the payment',
    `SELECT c.reference FROM captures c WHERE c.amount < (SELECT sum(r.amount) FROM refunds r WHERE r.capture_id = c.id AND r.state <> 'refused')`,
  ],
  [
    'the counters differ from the rows',
    `SELECT status FROM counters GROUP BY status HAVING sum(registrations) <> (SELECT count(*) FROM registrations g WHERE g.payment_status = counters.status)`,
  ],
  ['rows refer to missing rows', 'SELECT * FROM pragma_foreign_key_check'],
]

/** Returns the problems. `isSettled` is true once all of the gateway's sales and refunds have been queried. */
export function findPaymentProblems(
  dataDir: string,
  operations: AcknowledgedOperations,
  isSettled: boolean,
): readonly string[] {
  const db = new Database(join(dataDir, DATABASE_FILE))
  try {
    const readRows = (sql: string, ...params: unknown[]): Record<string, unknown>[] =>
      db.prepare(sql).all(...params) as Record<string, unknown>[]
    const problems: string[] = []
    const integrity = db.pragma('integrity_check', { simple: true })
    if (integrity !== 'ok') problems.push(`integrity_check: ${String(integrity)}`)
    for (const [rule, sql] of PROBLEM_QUERIES)
      for (const row of readRows(sql)) problems.push(`${rule}: ${JSON.stringify(row)}`)
    const checkStored = (label: string, ids: Iterable<string>, sql: string): void => {
      const statement = db.prepare(sql)
      for (const id of ids)
        if (statement.get(id) === undefined)
          problems.push(`${id}: ${label} was confirmed but is missing`)
    }
    checkStored(
      'a registration',
      operations.registered,
      'SELECT 1 FROM registrations WHERE reg_no = ?',
    )
    checkStored(
      'a further attempt',
      operations.retried,
      'SELECT 1 FROM payments WHERE order_id = ?',
    )
    checkStored(
      'a gateway message',
      operations.acceptedMessages,
      "SELECT 1 FROM gateway_notices WHERE order_id = ? AND kind = 'notice'",
    )
    checkStored('a decision', operations.decidedReviews, 'SELECT 1 FROM decisions WHERE about = ?')
    checkStored(
      'a refund',
      operations.refundedRegistrations,
      `SELECT 1 FROM refunds r JOIN captures c ON c.id = r.capture_id JOIN registrations g ON g.id = c.registration_id WHERE g.reg_no = ?`,
    )
    for (const { about, n } of readRows(
      "SELECT about, count(*) AS n FROM decisions WHERE about IS NOT NULL AND what IN ('accept', 'dismiss') GROUP BY about HAVING n > 1",
    ))
      problems.push(`${String(about)} was decided ${String(n)} times`)
    for (const order of readSandboxOrders(dataDir))
      problems.push(...findOrderProblems(order, readRows, isSettled))
    return problems
  } finally {
    db.close()
  }
}

/** Compares an order with the gateway: no refund exceeds its requests, and once settled, each sale is recorded. */
function findOrderProblems(
  order: SandboxOrder,
  readRows: (sql: string, ...params: unknown[]) => Record<string, unknown>[],
  isSettled: boolean,
): readonly string[] {
  const requestedAmounts = readRows(
    `SELECT r.amount FROM refunds r JOIN captures c ON c.id = r.capture_id JOIN payments p ON p.id = c.payment_id
     WHERE p.order_id = ? AND r.state IN ('asked', 'unsure', 'done', 'refused')`,
    order.orderId,
  ).map(({ amount }) => Number(amount))
  const problems: string[] = []
  for (const { amount } of order.refunds) {
    const index = requestedAmounts.indexOf(readAmount(amount, INR) ?? 0)
    if (index === -1)
      problems.push(`${order.orderId}: ${amount} was refunded more often than requested`)
    else requestedAmounts.splice(index, 1)
  }
  if (!isSettled || order.stage !== 'paid') return problems
  const recordedCaptures = readRows(
    'SELECT c.state FROM captures c JOIN payments p ON p.id = c.payment_id WHERE p.order_id = ? AND c.reference = ?',
    order.orderId,
    order.reference,
  )
  return recordedCaptures.length === 1
    ? problems
    : [...problems, `${order.orderId}: the payment is not recorded`]
}

/**
 * Reads the simulator's orders. Each order's last line is used. The last line of the file may be
 * incomplete.
 */
export function readSandboxOrders(dataDir: string): readonly SandboxOrder[] {
  const file = join(dataDir, 'sandbox.jsonl')
  if (!existsSync(file)) return []
  const byId = new Map<string, SandboxOrder>()
  for (const line of readFileSync(file, 'utf8').split('\n'))
    if (line.endsWith('}')) {
      const order = JSON.parse(line) as SandboxOrder
      byId.set(order.orderId, order)
    }
  return [...byId.values()]
}
