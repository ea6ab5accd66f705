/** Computes operating metrics: the amount and age of queued work, and registrations by event. */
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'

type QueueMetric = {
  readonly count: number
  /** When the oldest entry was created. Null if the queue is empty. */
  readonly since: Instant | null
}
export type OperatingMetrics = {
  /** The number of calls queued for the writer. If it reaches about 2,000, requests are rejected. */
  readonly callsWaiting: number
  readonly mailsQueued: QueueMetric
  readonly mailsFailed: QueueMetric
  readonly paymentsPending: QueueMetric
  /** The number of registrations by event and payment status. */
  readonly registrations: readonly {
    readonly event: string
    readonly status: string
    readonly count: number
  }[]
}

const queuedEmails = statement((builder) =>
  builder
    .selectFrom('mail_queue')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.min<Instant | null>('created_at').as('since'),
    ])
    .where('status', '=', 'queued')
    .where('next_at', 'is not', null),
)
const failedEmails = statement((builder) =>
  builder
    .selectFrom('mail_queue')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.min<Instant | null>('created_at').as('since'),
    ])
    .where('status', '=', 'failed')
    .where('recipient', '<>', ''),
)
const pendingPayments = statement((builder) =>
  builder
    .selectFrom('payments')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.min<Instant | null>('created_at').as('since'),
    ])
    .where('status', '=', 'pending')
    .where('review', 'is', null),
)
const registrationsByStatus = statement((builder) =>
  builder
    .selectFrom('counters')
    .select(({ fn }) => [
      'event_id as event',
      'status',
      fn.sum<number>('registrations').as('count'),
    ])
    .groupBy(['event_id', 'status']),
)

export async function readOperatingMetrics(
  sql: Sql,
): Promise<Omit<OperatingMetrics, 'callsWaiting'>> {
  return {
    mailsQueued: (await queuedEmails.get(sql)) ?? EMPTY_QUEUE,
    mailsFailed: (await failedEmails.get(sql)) ?? EMPTY_QUEUE,
    paymentsPending: (await pendingPayments.get(sql)) ?? EMPTY_QUEUE,
    registrations: await registrationsByStatus.all(sql),
  }
}

const EMPTY_QUEUE: QueueMetric = { count: 0, since: null }
