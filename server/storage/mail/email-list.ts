/** Lists emails for the office, newest first, and counts queued, failed and sent ones. */
import { expressionBuilder, sql as raw } from 'kysely'
import type { Kysely } from 'kysely'
import type { Sql } from '../database/sqlite-connection.ts'
import { buildQuery } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { MAX_COUNTED } from '../lists/list-and-search-registrations.ts'
import type { ListedMail, MailCounts, MailsQuery, MailState } from './email-list-types.ts'

const emailExpression = expressionBuilder<{ m: Tables['mail_queue'] }, 'm'>()

const selectEmails = (builder: Kysely<Tables>) =>
  builder.selectFrom('mail_queue as m').leftJoin('registrations as r', 'r.id', 'm.registration_id')

/** Returns emails older than `beforeId`, newest first. Null: starts with the newest. */
export function listEmails(
  sql: Sql,
  { events, status, address, id = null }: MailsQuery,
  beforeId: number | null,
  limit: number,
): Promise<readonly ListedMail[]> {
  return buildQuery(sql, (builder, dialect) => {
    let query = selectEmails(builder)
      .$if(id !== null, (all) => all.select('m.body as text').where('m.id', '=', id))
      .select(({ fn }) => [
        'm.id',
        'm.kind',
        'm.recipient as to',
        'm.subject',
        fn.coalesce('m.event_id', 'r.event_id').$notNull().as('eventId'),
        'r.reg_no as regNo',
        'm.status',
        'm.attempts',
        'm.created_at as at',
        'm.sent_at as sentAt',
        'm.next_at as nextAt',
        'm.error',
        'm.tried_at as triedAt',
      ])
    if (beforeId !== null) query = query.where('m.id', '<', beforeId)
    if (status !== null) query = query.where(hasStatus(status))
    if (events !== null)
      query = query.where(({ fn }) =>
        dialect.isIn(fn.coalesce('m.event_id', 'r.event_id'), JSON.stringify(events)),
      )
    if (address !== '')
      query = query.where(
        ({ ref }) => raw<boolean>`instr(lower(${ref('m.recipient')}), lower(${address})) > 0`,
      )
    // Queued and failed emails are few and have indexes. Sorting by an expression keeps SQLite from using the id index.
    const isRareStatus = status === 'queued' || status === 'failed'
    return query
      .orderBy(({ ref }) => (isRareStatus ? raw<number>`+${ref('m.id')}` : ref('m.id')), 'desc')
      .limit(dialect.limit(limit))
  }).all()
}

/** Tests the status. Excludes failed emails without a recipient, because the person's data was erased. */
const hasStatus = (status: MailState) =>
  emailExpression.and([
    emailExpression('m.status', '=', raw.lit(status)),
    ...(status === 'failed' ? [emailExpression('m.recipient', '<>', raw.lit(''))] : []),
  ])

export async function countEmails(sql: Sql, events: readonly string[] | null): Promise<MailCounts> {
  const count = async (status: MailState): Promise<number> => {
    const countRow = await buildQuery(sql, (builder, dialect) => {
      const emailsWithStatus = selectEmails(builder).select('m.id').where(hasStatus(status))
      const emailsInEvents =
        events === null
          ? emailsWithStatus
          : emailsWithStatus.where(({ fn }) =>
              dialect.isIn(fn.coalesce('m.event_id', 'r.event_id'), JSON.stringify(events)),
            )
      return builder
        .selectFrom(emailsInEvents.limit(raw.lit(MAX_COUNTED + 1)).as('counted'))
        .select(({ fn }) => fn.countAll<number>().as('n'))
    }).get()
    return countRow?.n ?? 0
  }
  return { queued: await count('queued'), failed: await count('failed'), sent: await count('sent') }
}
