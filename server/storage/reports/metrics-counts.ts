/** Counts operating metrics: waiting work with its age, and registrations by event. */
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'

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
    .where('status', '=', 'failed'),
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

export async function operatingFigures(sql: Sql): Promise<Omit<Operating, 'callsWaiting'>> {
  return {
    mailsQueued: (await queuedEmails.get(sql)) ?? NONE_WAITING,
    mailsFailed: (await failedEmails.get(sql)) ?? NONE_WAITING,
    paymentsPending: (await pendingPayments.get(sql)) ?? NONE_WAITING,
    registrations: await registrationsByStatus.all(sql),
  }
}

const NONE_WAITING: Waiting = { count: 0, since: null }
