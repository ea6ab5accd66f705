/** Starts and ends recoveries, each in one transaction. */
import { sql as raw } from 'kysely'
import {
  dayOf,
  getFinancialYear,
  createRecoveryCode,
  buildSeriesAfterRecovery,
  WATCH_MS,
} from '../../../engine/index.ts'
import type { HeldEmails, Instant } from '../../../engine/index.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { NewestIds, RecoveryMark, NewRecovery, Recovery } from './recovery-types.ts'
import { saveNextAttempts } from '../payments/unknown-orders.ts'
import { isRefundPending } from '../refunds/refund-states-and-channels.ts'

// A recovery is needed after a database was replaced by an older copy.

/** Tables that only grow: each new row has a higher id than all earlier rows. */
const TABLES_WITH_IDS = [
  'registrations',
  'payments',
  'payment_facts',
  'captures',
  'refunds',
  'documents',
  'acts',
  'audit_log',
] as const
/** Later than any other instant. */
const LAST_INSTANT = 8_640_000_000_000_000 as Instant
/** The error that the office sees for a discarded email. */
const DISCARDED_MESSAGE = 'Discarded at the end of a recovery. To send it, try again.'
const FIRST_INSTANT = 0 as Instant

const currentRecovery = statement((builder) =>
  builder
    .selectFrom('recoveries')
    .select(['code', 'begun_at as begunAt', 'who', 'why'])
    .select(['copy_at as copyAt', 'stored_at as storedAt', 'served_at as servedAt'])
    .where('ended_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(1),
)
const newestIds = statement((builder) =>
  builder.selectNoFrom(({ selectFrom }) =>
    TABLES_WITH_IDS.map((table) =>
      selectFrom(table)
        .select(({ fn }) => fn.max('id').as('id'))
        .as(table),
    ),
  ),
)
const databaseName = statement((builder) => builder.selectFrom('installation').select('name'))
const nameDatabase = statement((builder, { name }: { name: string }) =>
  builder.insertInto('installation').values({ only: 1, name }),
)
const allRecoveries = statement((builder) =>
  builder.selectFrom('recoveries').select(['code', 'begun_at']).orderBy('id'),
)
export const newestRecovery = statement((builder) =>
  builder
    .selectFrom('recoveries')
    .select(['id', 'code', 'begun_at'])
    .orderBy('id', 'desc')
    .limit(1),
)
const newestStart = statement((builder) =>
  builder.selectFrom('recoveries').select(({ fn }) => fn.max<Instant | null>('begun_at').as('at')),
)
const newestRecord = statement((builder) =>
  builder
    .selectFrom(
      builder
        .selectFrom('registrations')
        .select(({ fn }) => fn.max<Instant | null>('created_at').as('at'))
        .unionAll(
          builder
            .selectFrom('payment_facts')
            .select(({ fn }) => fn.max<Instant | null>('at').as('at')),
        )
        .unionAll(
          builder.selectFrom('audit_log').select(({ fn }) => fn.max<Instant | null>('at').as('at')),
        )
        .as('newest'),
    )
    .select(({ fn }) => fn.max<Instant | null>('newest.at').as('at')),
)
const setRecoveryEnded = statement(
  (builder, { at, who: user, mails: emails }: { at: Instant; who: string; mails: HeldEmails }) =>
    builder
      .updateTable('recoveries')
      .set({ ended_at: at, ended_by: user, mails: emails })
      .where('ended_at', 'is', null),
)
const addRecovery = statement(
  (builder, params: Omit<NewRecovery, 'taken'> & { code: string; storedAt: Instant | null }) =>
    builder.insertInto('recoveries').values({
      code: params.code,
      begun_at: params.at,
      who: params.who,
      why: params.why,
      copy_at: params.copyAt,
      stored_at: params.storedAt,
      served_at: params.servedAt,
    }),
)
const notePendingPayments = statement((builder) =>
  builder
    .insertInto('recovery_payments')
    .columns(['recovery_id', 'payment_id'])
    .expression((insert) =>
      insert
        .selectFrom('payments as p')
        .select(({ selectFrom }) => [
          selectFrom('recoveries')
            .select(({ fn }) => fn.max('id').as('id'))
            .$asScalar()
            .as('recovery_id'),
          'p.id as payment_id',
        ])
        .where('p.status', '=', 'pending')
        .where('p.gateway', 'is not', null),
    ),
)
const holdQueuedEmails = statement((builder) =>
  builder
    .updateTable('mail_queue')
    .set({ next_at: null, claimed_at: null })
    .where('status', '=', 'queued'),
)
/** Polls payments with refunds, because the refunds may have been completed after the copy was made. */
const watchPaymentsWithRefunds = statement((builder, { until }: { until: Instant }) =>
  builder
    .updateTable('payments')
    .set(({ eb }) => ({
      watch_until: eb
        .case()
        .when('watch_until', '>', until)
        .then(eb.ref('watch_until'))
        .else(raw<Instant>`cast(${until} as bigint)`)
        .end(),
    }))
    .where('gateway', 'is not', null)
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('captures as c')
        .innerJoin('refunds as f', 'f.capture_id', 'c.id')
        .select('c.payment_id')
        .where(isRefundPending)
        .$narrowType<{ payment_id: number }>(),
    ),
)
const queryOpenPaymentsNow = statement((builder) =>
  builder
    .updateTable('payments')
    .set({ next_ask_at: FIRST_INSTANT, asking_until: null })
    .where('gateway', 'is not', null)
    .where(({ and, eb, or }) =>
      or([
        eb('watch_until', 'is not', null),
        and([eb('status', '=', 'pending'), eb('review', 'is', null)]),
      ]),
    ),
)
const sendHeldEmails = statement(
  (builder, { at, createdBefore }: { at: Instant; createdBefore: Instant }) =>
    builder
      .updateTable('mail_queue')
      .set({ next_at: at })
      .where('status', '=', 'queued')
      .where('next_at', 'is', null)
      .where('created_at', '<', createdBefore),
)
const discardHeldEmails = statement((builder) =>
  builder
    .updateTable('mail_queue')
    .set({ status: 'failed', error: DISCARDED_MESSAGE })
    .where('status', '=', 'queued')
    .where('next_at', 'is', null),
)

/** Returns the open recovery. Null if no recovery is open. Also runs outside the writer's transaction. */
export async function findOpenRecovery(sql: Sql): Promise<Recovery | null> {
  return (await currentRecovery.get(sql)) ?? null
}

/** Returns the name of the database and the newest id in each table. Also runs outside the writer's transaction. */
export async function readNewestIds(
  sql: Sql,
): Promise<{ readonly name: string | null; readonly counted: NewestIds }> {
  const ids = await newestIds.get(sql)
  const name = (await databaseName.get(sql))?.name ?? null
  return {
    name,
    counted: Object.fromEntries(TABLES_WITH_IDS.map((table) => [table, ids?.[table] ?? 0])),
  }
}

export async function identifyDatabase(sql: Sql, name: string): Promise<RecoveryMark> {
  const identity = await readNewestIds(sql)
  if (identity.name !== null) return { ...identity, name: identity.name }
  nameDatabase.run(sql, { name })
  return { ...identity, name }
}

/**
 * Returns the current pattern of a number series. The pattern is different after a recovery, so that a number that may
 * have been issued after the copy was made is not issued again in the same financial year.
 */
export async function getCurrentSeries(sql: Sql, pattern: string, year: string): Promise<string> {
  const lastRecovery = await newestRecovery.get(sql)
  return lastRecovery === undefined || getFinancialYear(dayOf(lastRecovery.begun_at)) !== year
    ? pattern
    : buildSeriesAfterRecovery(pattern, lastRecovery.code)
}

export async function beginRecovery(
  sql: Sql,
  { at, who: user, why: reason, copyAt, servedAt, taken }: NewRecovery,
  firstServedAt: Instant | null,
): Promise<Recovery | null> {
  const recoveries = await allRecoveries.all(sql)
  const lastRecovery = recoveries.at(-1)
  if (
    firstServedAt !== null &&
    lastRecovery !== undefined &&
    lastRecovery.begun_at >= firstServedAt
  )
    return null
  const code = createRecoveryCode(at, [
    ...taken,
    ...recoveries.map((earlierRecovery) => earlierRecovery.code),
  ])
  // A copy that was made during a recovery contains this recovery, still open. It is ended, because the new recovery
  // has its own number series.
  setRecoveryEnded.run(sql, { at, who: 'rollcall', mails: 'send' })
  const storedAt = await findNewestRecordTime(sql)
  addRecovery.run(sql, { code, at, who: user, why: reason, copyAt, storedAt, servedAt })
  notePendingPayments.run(sql)
  holdQueuedEmails.run(sql)
  queryPaymentsNow(sql, at)
  await saveNextAttempts(sql, at)
  const entryText = `began a recovery, after which document numbers contain ${code}: ${reason}`
  addAuditEntry(sql, { at, who: user, what: entryText, eventId: null, regNo: null })
  return findOpenRecovery(sql)
}

/** Returns the time at which the newest recovery began. Null if there has been none. */
export const readNewestRecoveryTime = async (sql: Sql): Promise<Instant | null> =>
  (await newestStart.get(sql))?.at ?? null

/** Returns the time of the newest record in the tables whose rows have a time and are never edited. */
export async function findNewestRecordTime(sql: Sql): Promise<Instant | null> {
  return (await newestRecord.get(sql))?.at ?? null
}

/**
 * Schedules immediate queries about payments that were pending or recently closed in the copy, or have a refund in
 * progress, because they may have changed after the copy was made.
 */
function queryPaymentsNow(sql: Sql, at: Instant): void {
  watchPaymentsWithRefunds.run(sql, { until: (at + WATCH_MS) as Instant })
  queryOpenPaymentsNow.run(sql)
}

export async function endRecovery(
  sql: Sql,
  {
    at,
    who: user,
    mails: emails,
  }: { readonly at: Instant; readonly who: string; readonly mails: HeldEmails },
): Promise<{
  readonly recovery: Recovery
  readonly sent: number
  readonly discarded: number
} | null> {
  const recovery = await findOpenRecovery(sql)
  if (recovery === null) return null
  setRecoveryEnded.run(sql, { at, who: user, mails: emails })
  const sentCount =
    emails === 'discard'
      ? 0
      : await sendHeldEmails.run(sql, {
          at,
          createdBefore: emails === 'send' ? LAST_INSTANT : recovery.begunAt,
        }).changes
  const discardedCount = await discardHeldEmails.run(sql).changes
  const entryText = `ended the recovery ${recovery.code}; held emails: ${sentCount} to be sent, ${discardedCount} discarded`
  addAuditEntry(sql, { at, who: user, what: entryText, eventId: null, regNo: null })
  return { recovery, sent: sentCount, discarded: discardedCount }
}
