/** Counts operating metrics: waiting work with its age, and registrations by event. */
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'

type Waiting = {
  readonly count: number
  /** Of the one that has waited longest; null: there is none. */
  readonly since: Instant | null
}
export type Operating = {
  /** Calls that wait for the writer: near 2,000 requests are refused. */
  readonly callsWaiting: number
  readonly mailsQueued: Waiting
  readonly mailsFailed: Waiting
  readonly paymentsPending: Waiting
  /** Registrations by event and payment status. */
  readonly registrations: readonly {
    readonly event: string
    readonly status: string
    readonly count: number
  }[]
}

export async function operating(sql: Sql): Promise<Omit<Operating, 'callsWaiting'>> {
  const waiting = async (text: string): Promise<Waiting> =>
    (await sql<Waiting>(text).get()) ?? { count: 0, since: null }
  return {
    mailsQueued: await waiting(
      "SELECT count(*) AS count, min(created_at) AS since FROM mail_queue WHERE status = 'queued' AND next_at IS NOT NULL",
    ),
    mailsFailed: await waiting(
      "SELECT count(*) AS count, min(created_at) AS since FROM mail_queue WHERE status = 'failed'",
    ),
    paymentsPending: await waiting(
      "SELECT count(*) AS count, min(created_at) AS since FROM payments WHERE status = 'pending' AND review IS NULL",
    ),
    registrations: await sql<Operating['registrations'][number]>(
      'SELECT event_id AS event, status, sum(registrations) AS count FROM counters GROUP BY event_id, status',
    ).all(),
  }
}
