/** Stores payment events from gateways, each once, however often it is reported. */
import type { Instant, PaymentEvent } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'

/** `refusal`: the code under which it changed nothing; null: it was applied. */
export function writeFact(
  sql: Sql,
  paymentId: number,
  fact: PaymentEvent,
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
 * Gateways report the same event many times, each a moment later. Neither that moment nor the payment time, which
 * is limited by order and query, makes it another event. The expiry of the waiting days is new again if it was
 * written while the clock was ahead.
 */
export async function known(sql: Sql, paymentId: number, fact: PaymentEvent): Promise<boolean> {
  const asSaid = timeless(fact)
  return (
    await sql<{ body: string; at: Instant }>(
      'SELECT body, at FROM payment_facts WHERE payment_id = ? AND type = ?',
    ).all(paymentId, fact.type)
  )
    .filter(({ at }) => fact.type !== 'undecided' || at <= fact.at)
    .some(({ body }) => timeless(JSON.parse(body)) === asSaid)
}

const TIMES: ReadonlySet<string> = new Set(['at', 'paidAt', 'afterClosing', 'afterHold'])
const timeless = (fact: unknown): string =>
  JSON.stringify(fact, (name, value: unknown) => (TIMES.has(name) ? undefined : value))
