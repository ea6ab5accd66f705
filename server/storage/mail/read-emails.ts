/** Reads due emails, the emails of a registration, and registrations due for a payment reminder. */
import { sql as raw } from 'kysely'
import type { Instant, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { emailsWereDiscarded } from '../recovery/held-during-recovery.ts'
import type { QueuedMail, Store } from '../index.ts'

const dueEmails = statement((builder, { at, limit }: { at: Instant; limit: number }, dialect) =>
  builder
    .selectFrom('mail_queue as m')
    .leftJoin('registrations as r', 'r.id', 'm.registration_id')
    .select(({ fn, ref }) => [
      'm.id',
      ref('m.kind').$castTo<QueuedMail['kind']>().as('kind'),
      'm.recipient as to',
      'm.copy_to as copyTo',
      'm.subject',
      'm.body as text',
      'm.attempts',
      'm.first_tried_at as firstTriedAt',
      'm.created_at as at',
      fn.coalesce('m.event_id', 'r.event_id').$notNull().as('eventId'),
      'r.reg_no as regNo',
    ])
    .where('m.status', '=', 'queued')
    .where('m.next_at', '<=', at)
    .orderBy('m.next_at')
    .orderBy('m.id')
    .limit(dialect.limit(limit)),
)
const emailsOfRegistration = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('mail_queue as m')
    .innerJoin('registrations as r', 'r.id', 'm.registration_id')
    .select(({ fn }) => [
      'm.id',
      'm.recipient as to',
      'm.copy_to as copyTo',
      'm.subject',
      'm.body as text',
      'm.status',
      fn.coalesce('m.sent_at', 'm.created_at').as('at'),
      'm.error',
    ])
    .where('r.reg_no', '=', regNo)
    .orderBy('m.id'),
)
type UnfinishedParams = { before: Instant; eventIds: string; after: number; limit: number }
const unfinishedPayments = statement(
  (builder, { before: handedBefore, eventIds, after: afterId, limit }: UnfinishedParams, dialect) =>
    builder
      .selectFrom('payments as p')
      .innerJoin('registrations as r', 'r.id', 'p.registration_id')
      .select(['p.id', 'r.reg_no as regNo'])
      .where('p.status', '=', 'pending')
      .where('p.review', 'is', null)
      .where('p.last_answer', '=', 'no-record')
      .where('p.handed_off_at', '<=', handedBefore)
      .where('p.id', '>', afterId)
      .where(({ ref }) => dialect.isIn(ref('r.event_id'), eventIds))
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('mail_queue as m')
              .select('m.id')
              .where(({ eb, ref }) =>
                eb('m.once', '=', raw<string>`'unfinished ' || ${ref('r.reg_no')}`),
              ),
          ),
        ),
      )
      .where(({ not, ref }) =>
        not(
          emailsWereDiscarded((recovery) =>
            recovery(ref('p.handed_off_at'), '<', recovery.ref('v.begun_at')),
          ),
        ),
      )
      .orderBy('p.id')
      .limit(dialect.limit(limit)),
)

export function readDueMails(sql: Sql, at: Instant, limit: number): Promise<readonly QueuedMail[]> {
  return dueEmails.all(sql, { at, limit })
}

export const listEmailsOfRegistration = (
  sql: Sql,
  regNo: RegNo,
): ReturnType<Store['emailsOfRegistration']> => emailsOfRegistration.all(sql, { regNo })

/** Reads unfinished payments for these events whose ids are above `after`. */
export function readUnfinishedPayments(
  sql: Sql,
  handedBefore: Instant,
  eventIds: readonly string[],
  afterId: number,
  limit: number,
): ReturnType<Store['unfinishedPayments']> {
  return unfinishedPayments.all(sql, {
    before: handedBefore,
    eventIds: JSON.stringify(eventIds),
    after: afterId,
    limit,
  })
}
