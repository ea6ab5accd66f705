/** Limits how many of the emails that anyone can trigger are sent to one mailbox. */
import { instant, getMailboxKey } from '../../../engine/index.ts'
import { buildEmailLimitReachedEmail } from '../../../engine/messages.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { lockMailbox } from '../database/row-locks.ts'
import { statement } from '../database/statements/statement.ts'
import type { NewMail } from '../index.ts'

/** The maximum number of emails that anyone can trigger to one mailbox per period. */
const MAX_EMAILS = 5
const LIMIT_PERIOD_MS = 60 * 60_000
/** The error that the office sees for an email that was not sent because of the limit. */
const LIMIT_MESSAGE = `Not sent: this address received ${MAX_EMAILS} emails in the previous hour. The delegate can request a new link on the event page.`

const setMailbox = statement((builder, { id, mailbox }: { id: number; mailbox: string }) =>
  builder.updateTable('mail_queue').set({ mailbox }).where('id', '=', id),
)
const emailsOfMailbox = statement(
  (builder, { mailbox, from, to }: { mailbox: string; from: Instant; to: Instant }) =>
    builder
      .selectFrom('mail_queue')
      .select(({ fn, eb }) => [
        fn.sum<number>(eb.case().when('kind', '<>', 'paused').then(1).else(0).end()).as('emails'),
        fn.sum<number>(eb.case().when('kind', '=', 'paused').then(1).else(0).end()).as('pauses'),
        fn.min('created_at').as('first'),
      ])
      .where('mailbox', '=', mailbox)
      .where('created_at', '>=', from)
      .where('created_at', '<=', to),
)
/** Adds an email that has the same recipient as the email `id` and is due at the same time. */
const addPauseNotice = statement(
  (builder, { id, subject, text }: { id: number; subject: string; text: string }) =>
    builder
      .insertInto('mail_queue')
      .columns([
        'registration_id',
        'kind',
        'recipient',
        'subject',
        'body',
        'created_at',
        'next_at',
        'mailbox',
      ])
      .expression(
        builder
          .selectFrom('mail_queue')
          .select(({ val }) => [
            'registration_id',
            val('paused').as('kind'),
            'recipient',
            val(subject).as('subject'),
            val(text).as('body'),
            'created_at',
            'next_at',
            'mailbox',
          ])
          .where('id', '=', id),
      ),
)
const deleteEmail = statement((builder, { id }: { id: number }) =>
  builder.deleteFrom('mail_queue').where('id', '=', id),
)
const markOverLimit = statement((builder, { id }: { id: number }) =>
  builder
    .updateTable('mail_queue')
    .set({ status: 'failed', next_at: null, mailbox: null, error: LIMIT_MESSAGE })
    .where('id', '=', id),
)

/**
 * Applies the mailbox's limit to a queued email that anyone can trigger. Emails above the limit are not sent; instead,
 * one email an hour announces the pause. `keep`: the office sees the unsent email and can send it. `drop`: the email is
 * deleted, because the delegate can request it again. Returns false if the email is not sent.
 */
export async function limitToMailbox(
  sql: Sql,
  id: number,
  email: NewMail,
  at: Instant,
  whenLimited: 'keep' | 'drop',
): Promise<boolean> {
  const mailbox = getMailboxKey(email.to)
  setMailbox.run(sql, { id, mailbox })
  lockMailbox(sql, mailbox)
  // Emails with a later time count too, because the clock may have been ahead when they were queued.
  const counts = await emailsOfMailbox.get(sql, {
    mailbox,
    from: instant(at - LIMIT_PERIOD_MS + 1),
    to: instant(at + LIMIT_PERIOD_MS - 1),
  })
  const { emails, pauses, first } = counts ?? { emails: 0, pauses: 0, first: at }
  if (emails <= MAX_EMAILS) return true
  if (pauses === 0) {
    const pause = buildEmailLimitReachedEmail(
      email.to,
      MAX_EMAILS,
      instant(first + LIMIT_PERIOD_MS),
    )
    addPauseNotice.run(sql, { id, subject: pause.subject, text: pause.text })
  }
  if (whenLimited === 'drop') deleteEmail.run(sql, { id })
  else markOverLimit.run(sql, { id })
  return false
}
