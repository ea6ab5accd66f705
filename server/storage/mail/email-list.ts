/** Lists emails for the office, newest first, and counts waiting, failed and sent ones. */
import type { Sql } from '../database/sqlite-connection.ts'
import { COUNT_MAX } from '../lists/list-and-search-registrations.ts'
import type { ListedMail, MailCounts, MailsQuery, MailState } from './email-list-types.ts'

const FROM = 'FROM mail_queue m LEFT JOIN registrations r ON r.id = m.registration_id'
const OF_EVENTS = 'coalesce(m.event_id, r.event_id) IN (SELECT value FROM json_each(?))'

/** Those before the email `before`; null: from the newest. */
export function mails(
  sql: Sql,
  { events, status, address }: MailsQuery,
  before: number | null,
  limit: number,
): Promise<readonly ListedMail[]> {
  const wheres: string[] = []
  const args: unknown[] = []
  const where = (text: string, value: unknown): void => {
    wheres.push(text)
    args.push(value)
  }
  if (before !== null) where('m.id < ?', before)
  if (status !== null) where('m.status = ?', status)
  if (events !== null) where(OF_EVENTS, JSON.stringify(events))
  if (address !== '') where('instr(lower(m.recipient), lower(?)) > 0', address)
  // Few wait or were given up: they have indexes of their own, and need not be looked for among all.
  const order = status === 'queued' || status === 'failed' ? '+m.id' : 'm.id'
  return sql<ListedMail>(
    `SELECT m.id, m.kind, m.recipient AS "to", m.subject, coalesce(m.event_id, r.event_id) AS eventId, r.reg_no AS regNo, m.status,
       m.attempts, m.created_at AS at, m.sent_at AS sentAt, m.next_at AS nextAt, m.error
     ${FROM} ${wheres.length === 0 ? '' : `WHERE ${wheres.join(' AND ')}`} ORDER BY ${order} DESC LIMIT abs(?)`,
  ).all(...args, limit)
}

export async function mailCounts(sql: Sql, events: readonly string[] | null): Promise<MailCounts> {
  const count = async (status: MailState): Promise<number> =>
    (
      await sql<{ n: number }>(
        `SELECT count(*) AS n FROM (SELECT 1 ${FROM} WHERE m.status = ? ${events === null ? '' : `AND ${OF_EVENTS}`} LIMIT ${COUNT_MAX + 1}) AS counted`,
      ).get(status, ...(events === null ? [] : [JSON.stringify(events)]))
    )?.n ?? 0
  return { queued: await count('queued'), failed: await count('failed'), sent: await count('sent') }
}
