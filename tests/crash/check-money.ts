/** What a crash may not have broken of the money: rows that say one thing, sums that agree, and what the gateway holds. */
import { DATABASE_FILE } from '../../server/storage/database/sqlite-connection.ts'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { readAmount } from '../../engine/index.ts'
import type { SandboxOrder } from '../../server/payments/gateways/airpay/simulator/simulator-pages.ts'
import type { Told } from './delegates.ts'

/** Sentences, each with the rows that break it; no rows is right. */
const RULES: readonly (readonly [string, string])[] = [
  [
    'the figures are not what counts less what went back',
    `SELECT (SELECT coalesce(sum(amount), 0) FROM revenue) AS said, (SELECT coalesce(sum(c.amount), 0) FROM captures c WHERE c.state IN ('fits', 'accepted'))
       - (SELECT coalesce(sum(r.amount), 0) FROM refunds r JOIN captures c ON c.id = r.capture_id WHERE r.state = 'done' AND c.state IN ('fits', 'accepted')) AS counted
     WHERE said <> counted`,
  ],
  [
    'a success without the one capture that counts for it',
    `SELECT p.order_id FROM payments p WHERE p.status IN ('success', 'refunded')
       AND (SELECT count(*) FROM captures c WHERE c.counts_for = p.id AND c.state IN ('fits', 'accepted')) <> 1`,
  ],
  [
    'a capture counts for a payment that is no success',
    `SELECT c.reference FROM captures c JOIN payments p ON p.id = c.counts_for
     WHERE c.state IN ('fits', 'accepted') AND p.status NOT IN ('success', 'refunded')`,
  ],
  [
    'two successes of one registration',
    `SELECT registration_id FROM payments WHERE status IN ('success', 'refunded') GROUP BY registration_id HAVING count(*) > 1`,
  ],
  [
    'a registration does not stand as its payments do',
    `SELECT g.reg_no FROM registrations g WHERE g.payment_status = 'success' AND NOT EXISTS
       (SELECT 1 FROM payments p WHERE p.registration_id = g.id AND p.status = 'success')`,
  ],
  [
    'a success without its one confirmation',
    `SELECT g.reg_no FROM registrations g WHERE g.payment_status = 'success'
       AND (SELECT count(*) FROM mail_queue m WHERE m.registration_id = g.id AND m.kind = 'confirmation') <> 1`,
  ],
  [
    'money in review that nobody sees',
    `SELECT c.reference FROM captures c JOIN payments p ON p.id = c.counts_for JOIN registrations g ON g.id = p.registration_id
     WHERE c.state = 'review' AND (p.review IS NULL OR g.in_review = 0)`,
  ],
  [
    'more goes back than came',
    `SELECT c.reference FROM captures c WHERE c.amount < (SELECT sum(r.amount) FROM refunds r WHERE r.capture_id = c.id AND r.state <> 'refused')`,
  ],
  [
    'the counters are not the rows',
    `SELECT status FROM counters GROUP BY status HAVING sum(registrations) <> (SELECT count(*) FROM registrations g WHERE g.payment_status = counters.status)`,
  ],
  ['rows refer to rows that are not there', 'SELECT * FROM pragma_foreign_key_check'],
]

/** What is wrong; nothing is right. `settled`: everything that the gateway holds has been asked about. */
export function wrongIn(dataDir: string, told: Told, settled: boolean): readonly string[] {
  const db = new Database(join(dataDir, DATABASE_FILE))
  try {
    const rows = (sql: string, ...params: unknown[]): Record<string, unknown>[] =>
      db.prepare(sql).all(...params) as Record<string, unknown>[]
    const wrong: string[] = []
    const integrity = db.pragma('integrity_check', { simple: true })
    if (integrity !== 'ok') wrong.push(`integrity_check: ${String(integrity)}`)
    for (const [sentence, sql] of RULES)
      for (const row of rows(sql)) wrong.push(`${sentence}: ${JSON.stringify(row)}`)
    const missing = (what: string, of: Iterable<string>, sql: string): void => {
      const statement = db.prepare(sql)
      for (const one of of)
        if (statement.get(one) === undefined)
          wrong.push(`${one}: ${what} was answered and is not there`)
    }
    missing('a registration', told.registered, 'SELECT 1 FROM registrations WHERE reg_no = ?')
    missing('a further attempt', told.retried, 'SELECT 1 FROM payments WHERE order_id = ?')
    missing(
      'a notice',
      told.notices,
      "SELECT 1 FROM gateway_notices WHERE order_id = ? AND kind = 'notice'",
    )
    missing('a decision', told.decided, 'SELECT 1 FROM decisions WHERE about = ?')
    missing(
      'a refund',
      told.refunded,
      `SELECT 1 FROM refunds r JOIN captures c ON c.id = r.capture_id JOIN registrations g ON g.id = c.registration_id WHERE g.reg_no = ?`,
    )
    for (const { about, n } of rows(
      "SELECT about, count(*) AS n FROM decisions WHERE about IS NOT NULL AND what IN ('accept', 'dismiss') GROUP BY about HAVING n > 1",
    ))
      wrong.push(`${String(about)} was decided ${String(n)} times`)
    for (const order of sandboxOrders(dataDir)) wrong.push(...wrongOf(order, rows, settled))
    return wrong
  } finally {
    db.close()
  }
}

/** The gateway's money is the truth: each refund of it was asked for by one row, and in the end each sale is known. */
function wrongOf(
  order: SandboxOrder,
  rows: (sql: string, ...params: unknown[]) => Record<string, unknown>[],
  settled: boolean,
): readonly string[] {
  const asked = rows(
    `SELECT r.amount FROM refunds r JOIN captures c ON c.id = r.capture_id JOIN payments p ON p.id = c.payment_id
     WHERE p.order_id = ? AND r.state IN ('asked', 'unsure', 'done', 'refused')`,
    order.orderId,
  ).map(({ amount }) => Number(amount))
  const wrong: string[] = []
  for (const { amount } of order.refunds) {
    const at = asked.indexOf(readAmount(amount) ?? 0)
    if (at === -1)
      wrong.push(`${order.orderId}: ${amount} went back more often than it was asked for`)
    else asked.splice(at, 1)
  }
  if (!settled || order.stage !== 'paid') return wrong
  const known = rows(
    'SELECT c.state FROM captures c JOIN payments p ON p.id = c.payment_id WHERE p.order_id = ? AND c.reference = ?',
    order.orderId,
    order.reference,
  )
  return known.length === 1 ? wrong : [...wrong, `${order.orderId}: its money is not known`]
}

/** As the simulator left them: the last line of each order counts, the last of all may be half. */
export function sandboxOrders(dataDir: string): readonly SandboxOrder[] {
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
