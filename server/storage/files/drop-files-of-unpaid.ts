/**
 * Deletes files of unpaid registrations.
 * The files contain personal data that is no longer needed, and could be used to fill the disk.
 */
import { expressionBuilder } from 'kysely'
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { noRecoveryIsOpen } from '../recovery/held-during-recovery.ts'

/** The number of registrations per write, so that delegates never wait long for the writer. */
const BATCH_ROWS = 100

type WithRegistration = Tables & { r: Tables['registrations'] }
/**
 * True for a registration `r` without a received payment or an open review whose attempts all failed before
 * `failedBefore` and are no longer polled.
 */
const isUnpaid = (failedBefore: Instant, at: Instant) => {
  const { and, eb, exists, not, selectFrom } = expressionBuilder<WithRegistration, 'r'>()
  const capturesOfPayments = selectFrom(['payments as p', 'captures as c']).whereRef(
    'p.registration_id',
    '=',
    'r.id',
  )
  return and([
    eb('r.payment_status', '=', 'failed'),
    eb('r.in_review', '=', 0),
    not(
      exists(
        selectFrom('payments as p')
          .select('p.id')
          .whereRef('p.registration_id', '=', 'r.id')
          .where((p) =>
            p.or([
              p('p.status', '<>', 'failed'),
              p('p.review', 'is not', null),
              p('p.status_at', '>', failedBefore),
              p('p.watch_until', '>', at),
            ]),
          ),
      ),
    ),
    not(
      exists(selectFrom('captures as c').select('c.id').whereRef('c.registration_id', '=', 'r.id')),
    ),
    not(exists(capturesOfPayments.whereRef('c.payment_id', '=', 'p.id').select('c.id'))),
    not(exists(capturesOfPayments.whereRef('c.counts_for', '=', 'p.id').select('c.id'))),
  ])
}

type UnpaidCriteria = { failedBefore: Instant; at: Instant }
const unpaidRegistrations = statement((builder, { failedBefore, at }: UnpaidCriteria) =>
  builder
    .selectFrom('registrations as r')
    .select('r.id')
    .where('r.id', 'in', ({ selectFrom }) =>
      selectFrom('uploads').select('registration_id').where('dropped_at', 'is', null),
    )
    .where(isUnpaid(failedBefore, at))
    .where(noRecoveryIsOpen)
    .limit(BATCH_ROWS),
)
const markFilesDropped = statement(
  (builder, { id, failedBefore, at }: UnpaidCriteria & { id: number }) =>
    builder
      .updateTable('uploads')
      .set({ dropped_at: at })
      .where('registration_id', '=', id)
      .where('dropped_at', 'is', null)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('registrations as r')
            .select('r.id')
            .whereRef('r.id', '=', 'uploads.registration_id')
            .where(isUnpaid(failedBefore, at)),
        ),
      ),
)
const logDroppedFiles = statement(
  (builder, { id, at, what }: { id: number; at: Instant; what: string }) =>
    builder
      .insertInto('audit_log')
      .columns(['at', 'who', 'what', 'event_id', 'reg_no', 'registration_id'])
      .expression(
        builder
          .selectFrom('registrations')
          .select(({ val }) => [
            val(at).as('at'),
            val('rollcall').as('who'),
            val(what).as('what'),
            'event_id',
            'reg_no',
            'id',
          ])
          .where('id', '=', id),
      ),
)

/**
 * Returns the ids of some unpaid registrations whose files are still stored. Runs on the reader thread, because it
 * reads many rows.
 */
export async function findUnpaidWithFiles(
  sql: Sql,
  failedBefore: Instant,
  at: Instant,
): Promise<readonly number[]> {
  return (await unpaidRegistrations.all(sql, { failedBefore, at })).map(({ id }) => id)
}

/**
 * Marks the files of these registrations for deletion if they are still unpaid. Returns the number of registrations.
 */
export async function dropFilesOfUnpaid(
  sql: Sql,
  ids: readonly number[],
  failedBefore: Instant,
  at: Instant,
  reason: string,
): Promise<number> {
  let droppedCount = 0
  for (const id of ids) {
    if ((await markFilesDropped.run(sql, { id, failedBefore, at }).changes) === 0) continue
    droppedCount += 1
    logDroppedFiles.run(sql, { id, at, what: `deleted the files: ${reason}` })
  }
  return droppedCount
}
