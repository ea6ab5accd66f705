/** Limits the emails that anyone can trigger to one mailbox. */
import { instant, mailboxKey } from '../../../engine/index.ts'
import { buildEmailsPausedEmail } from '../../../engine/messages.ts'
import type { Instant } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { lockMailbox } from '../database/row-locks.ts'
import { statement } from '../database/statements/statement.ts'
import type { NewMail } from '../index.ts'

/** A mailbox gets at most so many emails that anyone can trigger. */
const LIMITED_MAX = 5
const LIMITED_MS = 60 * 60_000
/** What the office reads of an email that was not sent for it. */
const TOO_MANY = `Not sent: this address got ${LIMITED_MAX} emails within an hour. The delegate can request the link.`

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
/** To the recipient of another email, at its time. */
const addPause = statement(
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
const markTooMany = statement((builder, { id }: { id: number }) =>
  builder
    .updateTable('mail_queue')
    .set({ status: 'failed', next_at: null, mailbox: null, error: TOO_MANY })
    .where('id', '=', id),
)

/**
 * To be called with each email that was just queued and that a stranger can trigger: what is too much for its mailbox is
 * not sent, and the first time in an hour one email says so. `keep`: the office sees the email that was not sent, and can
 * send it; `drop`: whoever asked for it can ask again. False: it is not sent.
 */
export async function limitToMailbox(
  sql: Sql,
  id: number,
  mail: NewMail,
  at: Instant,
  unsent: 'keep' | 'drop',
): Promise<boolean> {
  const mailbox = mailboxKey(mail.to)
  setMailbox.run(sql, { id, mailbox })
  lockMailbox(sql, mailbox)
  // On both sides, because the clock may have been ahead when they were queued.
  const found = await emailsOfMailbox.get(sql, {
    mailbox,
    from: instant(at - LIMITED_MS + 1),
    to: instant(at + LIMITED_MS - 1),
  })
  const { emails, pauses, first } = found ?? { emails: 0, pauses: 0, first: at }
  if (emails <= LIMITED_MAX) return true
  if (pauses === 0) {
    const pause = buildEmailsPausedEmail(mail.to, LIMITED_MAX, instant(first + LIMITED_MS))
    addPause.run(sql, { id, subject: pause.subject, text: pause.text })
  }
  if (unsent === 'drop') deleteEmail.run(sql, { id })
  else markTooMany.run(sql, { id })
  return false
}
