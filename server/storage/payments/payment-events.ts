/** What gateways have said of a payment: each thing once, however often they say it. */
import type { Instant, PaymentFact } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'

/** `refusal`: the code under which it changed nothing; null: it was applied. */
export function writeFact(
  sql: Sql,
  paymentId: number,
  fact: PaymentFact,
  refusal: string | null,
): void {
  sql('INSERT INTO payment_facts (payment_id, type, body, refusal, at) VALUES (?, ?, ?, ?, ?)').run(
    paymentId,
    fact.type,
    JSON.stringify(fact),
    refusal,
    fact.at,
  )
}

/**
 * Gateways say the same thing many times, each time a moment later: the moment does not make it another
 * fact, nor does the time of payment, which is held between the order and the question that was asked. That the
 * days for an answer were over is new again where it was written while the clock was ahead.
 */
export function known(sql: Sql, paymentId: number, fact: PaymentFact): boolean {
  const asSaid = timeless(fact)
  return sql<{ body: string; at: Instant }>(
    'SELECT body, at FROM payment_facts WHERE payment_id = ? AND type = ?',
  )
    .all(paymentId, fact.type)
    .filter(({ at }) => fact.type !== 'undecided' || at <= fact.at)
    .some(({ body }) => timeless(JSON.parse(body)) === asSaid)
}

const TIMES: ReadonlySet<string> = new Set(['at', 'paidAt', 'afterClosing', 'afterHold'])
const timeless = (fact: unknown): string =>
  JSON.stringify(fact, (name, value: unknown) => (TIMES.has(name) ? undefined : value))
