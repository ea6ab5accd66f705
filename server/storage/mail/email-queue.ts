/** Adds emails to the queue. */
import { expressionBuilder, sql as raw } from 'kysely'
import type { Expression, Kysely, SqlBool } from 'kysely'
import { assert, getMailboxKey, instant } from '../../../engine/index.ts'
import { addSecondPaymentNotice } from '../../../engine/messages.ts'
import type { Actor, Instant, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { NO_REFERENCE } from '../refunds/record-refunds.ts'
import { selectFirstPaidNumber, addNoticeIfSecond } from '../payments/find-duplicate-payments.ts'
import { removeDueNotice } from '../registrations/same-person.ts'
import { limitToMailbox } from './mailbox-limit.ts'
import type { MailSpacing, NewMail } from '../index.ts'

/** What triggered an email. Anyone can trigger a delegate's actions, and what follows from them automatically. */
export type Trigger = Actor | 'system'

type Email = NewMail & { at: Instant }
type EmailByNumber = Email & { regNo: RegNo }
type EmailById = Email & { registrationId: number }

const { case: when, val } = expressionBuilder<Tables>()
/**
 * Returns the time at which an email is due. Null if `isHeld` is true: the email is held until the open recovery ends.
 */
const getSendTime = (isHeld: Expression<SqlBool>, at: Instant) =>
  when()
    .when(isHeld)
    .then(null)
    .else(raw<Instant>`cast(${at} as bigint)`)
    .end()
/** The columns of an email about a registration, in the order of `selectText`. */
const EMAIL_COLUMNS = [
  'registration_id',
  'kind',
  'recipient',
  'copy_to',
  'subject',
  'body',
  'created_at',
  'next_at',
] as const
const selectText = (kind: string, { to, copyTo, subject, text, at }: Email) =>
  [
    val(kind).as('kind'),
    val(to).as('recipient'),
    val(copyTo).as('copy_to'),
    val(subject).as('subject'),
    val(text).as('body'),
    val(at).as('created_at'),
  ] as const
const selectEmail = (builder: Kysely<Tables>, kind: string, email: EmailByNumber) =>
  builder
    .selectFrom('registrations as r')
    .select('r.id as registration_id')
    .select(selectText(kind, email))
    .select(val(email.at).as('next_at'))
    .where('r.reg_no', '=', email.regNo)
/** Selects the values of an email. It is held while a recovery is open that began after the registration. */
const selectHeldEmail = (
  builder: Kysely<Tables>,
  kind: string,
  email: EmailByNumber & { once: string },
) =>
  builder
    .selectFrom('registrations as r')
    .select('r.id as registration_id')
    .select(selectText(kind, email))
    .select(({ exists, selectFrom }) => [
      getSendTime(
        exists(
          selectFrom('recoveries as v')
            .select('v.id')
            .where('v.ended_at', 'is', null)
            .whereRef('r.created_at', '<', 'v.begun_at'),
        ),
        email.at,
      ).as('next_at'),
      val(email.once).as('once'),
    ])
    .where('r.reg_no', '=', email.regNo)

const registrationByNumber = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder.selectFrom('registrations').select('id').where('reg_no', '=', regNo),
)
const addEmail = statement((builder, email: EmailById & { kind: string }) =>
  builder
    .insertInto('mail_queue')
    .values({
      registration_id: email.registrationId,
      kind: email.kind,
      recipient: email.to,
      copy_to: email.copyTo,
      subject: email.subject,
      body: email.text,
      next_at: email.at,
      created_at: email.at,
    })
    .returning('id'),
)
type SecondPaymentText = { secondSubject: string; secondText: string }
/** A placeholder for the number of the registration for which the person paid first. */
const FIRST = '\u0001first\u0001'
/** Returns `second`, with `FIRST` replaced by the first registration's number, or `text` if this is the first. */
const fillFirstNumber = (
  builder: Kysely<Tables>,
  { registrationId }: EmailById,
  second: string,
  text: string,
) =>
  raw<string>`coalesce(replace(${second}, ${raw.lit(FIRST)}, (${selectFirstPaidNumber(builder, registrationId)})), ${text})`
/**
 * Holds the email if the registration was paid before an open recovery began, because it may already have been
 * confirmed. If the gateway reports no payment time, the time at which the delegate was sent to the gateway counts.
 */
const addConfirmation = statement((builder, email: EmailById & SecondPaymentText) =>
  builder
    .insertInto('mail_queue')
    .values(({ exists, selectFrom }) => ({
      registration_id: email.registrationId,
      kind: 'confirmation',
      recipient: email.to,
      copy_to: email.copyTo,
      subject: fillFirstNumber(builder, email, email.secondSubject, email.subject),
      body: fillFirstNumber(builder, email, email.secondText, email.text),
      created_at: email.at,
      next_at: getSendTime(
        exists(
          selectFrom('recoveries as v')
            .select('v.id')
            .where('v.ended_at', 'is', null)
            .where((held) =>
              held.exists(
                held
                  .selectFrom('payments as p')
                  .select('p.id')
                  .where('p.registration_id', '=', email.registrationId)
                  .where('p.status', '=', 'success')
                  .where(({ and, eb, or, ref }) =>
                    or([
                      eb('p.paid_at', '<', ref('v.begun_at')),
                      and([
                        eb('p.paid_at', '=', ref('p.status_at')),
                        eb('p.handed_off_at', '<', ref('v.begun_at')),
                      ]),
                    ]),
                  ),
              ),
            ),
        ),
        email.at,
      ),
    }))
    .onConflict((conflict) =>
      conflict.column('registration_id').where('kind', '=', 'confirmation').doNothing(),
    ),
)
const addLinks = statement((builder, email: EmailByNumber) =>
  builder
    .insertInto('mail_queue')
    .columns(EMAIL_COLUMNS)
    .expression(selectEmail(builder, 'links', email))
    .returning('id'),
)
/** Adds the email, unless the registration got any email recently, or too many of this kind. */
const addRequested = statement((builder, email: EmailByNumber & { after: Instant; max: number }) =>
  builder
    .insertInto('mail_queue')
    .columns(EMAIL_COLUMNS)
    .expression(
      selectEmail(builder, 'asked', email)
        .where(({ exists, not, selectFrom }) =>
          not(
            exists(
              selectFrom('mail_queue as m')
                .select('m.id')
                .whereRef('m.registration_id', '=', 'r.id')
                .where('m.created_at', '>', email.after),
            ),
          ),
        )
        .where(
          ({ selectFrom }) =>
            selectFrom('mail_queue as m')
              .select(({ fn }) => fn.countAll<number>().as('n'))
              .whereRef('m.registration_id', '=', 'r.id')
              .where('m.kind', '=', 'asked'),
          '<',
          email.max,
        ),
    )
    .returning('id'),
)
/** Adds the email, unless the registration got one of this kind recently. */
const addAlreadyRegistered = statement((builder, email: EmailByNumber & { after: Instant }) =>
  builder
    .insertInto('mail_queue')
    .columns(EMAIL_COLUMNS)
    .expression(
      selectEmail(builder, 'already', email).where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom('mail_queue as m')
              .select('m.id')
              .whereRef('m.registration_id', '=', 'r.id')
              .where('m.kind', '=', 'already')
              .where('m.created_at', '>', email.after),
          ),
        ),
      ),
    )
    .returning('id'),
)
/** Adds the email, unless the mailbox recently got one of this kind for the event. */
const addSamePerson = statement(
  (builder, email: EmailByNumber & { after: Instant; mailbox: string }) =>
    builder
      .insertInto('mail_queue')
      .columns(EMAIL_COLUMNS)
      .expression(
        selectEmail(builder, 'same-person', email).where(({ exists, not, selectFrom }) =>
          not(
            exists(
              selectFrom('mail_queue as m')
                .innerJoin('registrations as o', 'o.id', 'm.registration_id')
                .select('m.id')
                .where('m.mailbox', '=', email.mailbox)
                .where('m.created_at', '>', email.after)
                .where('m.kind', '=', 'same-person')
                .whereRef('o.event_id', '=', 'r.event_id'),
            ),
          ),
        ),
      )
      .returning('id'),
)
const addReviews = statement((builder, email: Email & { eventId: string; once: string }) =>
  builder
    .insertInto('mail_queue')
    .values({
      event_id: email.eventId,
      kind: 'reviews',
      once: email.once,
      recipient: email.to,
      copy_to: email.copyTo,
      subject: email.subject,
      body: email.text,
      next_at: email.at,
      created_at: email.at,
    })
    .onConflict((conflict) => conflict.column('once').doNothing()),
)
const addReminder = statement((builder, email: EmailByNumber & { once: string }) =>
  builder
    .insertInto('mail_queue')
    .columns([...EMAIL_COLUMNS, 'once'])
    .expression(
      selectHeldEmail(builder, 'unfinished', email)
        .where('r.payment_status', '=', 'pending')
        .where('r.in_review', '=', 0),
    )
    .onConflict((conflict) => conflict.column('once').doNothing())
    .returning('id'),
)
const addRefundEmail = statement((builder, email: EmailByNumber & { once: string }) =>
  builder
    .insertInto('mail_queue')
    .columns([...EMAIL_COLUMNS, 'once'])
    .expression(selectHeldEmail(builder, 'given-back', email))
    .onConflict((conflict) => conflict.column('once').doNothing()),
)
export async function enqueue(
  sql: Sql,
  registrationId: number,
  kind: 'confirmation' | 'again' | 'instructions' | 'documents',
  newEmail: NewMail,
  at: Instant,
  trigger: Trigger,
): Promise<number> {
  const newRow = await addEmail.get(sql, { ...newEmail, registrationId, kind, at })
  assert(newRow !== undefined, 'an email was not queued')
  if (trigger === 'delegate' || trigger === 'clock')
    await limitToMailbox(sql, newRow.id, newEmail, at, 'keep')
  return newRow.id
}

/**
 * Queues the confirmation, once per registration. If a correction made the registration free, it was confirmed then and
 * is not confirmed again when a later price is paid. The email for a second payment includes a notice.
 */
export function confirmByMail(sql: Sql, registrationId: number, email: NewMail, at: Instant): void {
  const { subject: secondSubject, text: secondText } = addSecondPaymentNotice(email, FIRST as RegNo)
  addConfirmation.run(sql, { ...email, registrationId, at, secondSubject, secondText })
}

export async function queueMail(
  sql: Sql,
  regNo: RegNo,
  email: NewMail,
  at: Instant,
): Promise<number> {
  const registration = await registrationByNumber.get(sql, { regNo })
  assert(registration !== undefined, 'an email for an unknown registration')
  return enqueue(sql, registration.id, 'again', email, at, 'system')
}

/** Queues the email with the links that a delegate has lost. */
export async function queueAccessLinks(
  sql: Sql,
  regNo: RegNo,
  email: NewMail,
  at: Instant,
): Promise<void> {
  const newRow = await addLinks.get(sql, { ...email, copyTo: null, regNo, at })
  await applyMailboxLimit(sql, newRow, email, at, 'drop')
}

export async function queueConfirmationAgain(
  sql: Sql,
  regNo: RegNo,
  content: NewMail,
  at: Instant,
  { minIntervalMs, maxEmails }: MailSpacing,
): Promise<boolean> {
  const registration = await registrationByNumber.get(sql, { regNo })
  const newEmail =
    registration === undefined ? content : await addNoticeIfSecond(sql, registration.id, content)
  const newRow = await addRequested.get(sql, {
    ...newEmail,
    copyTo: null,
    regNo,
    at,
    after: instant(at - minIntervalMs),
    max: maxEmails,
  })
  return applyMailboxLimit(sql, newRow, newEmail, at, 'drop')
}

/** Allows one email later than `after`: with a `notice` per mailbox and event, otherwise per registration. */
export async function queueAlreadyRegistered(
  sql: Sql,
  regNo: RegNo,
  email: NewMail,
  at: Instant,
  after: Instant,
  notice: number | null,
): Promise<boolean> {
  if (notice !== null && !(await removeDueNotice(sql, notice))) return false
  const newEmail = { ...email, regNo, at, after }
  const newRow =
    notice === null
      ? await addAlreadyRegistered.get(sql, newEmail)
      : await addSamePerson.get(sql, { ...newEmail, mailbox: getMailboxKey(email.to) })
  return applyMailboxLimit(sql, newRow, email, at, 'drop')
}

/** Returns true if a statement queued an email (`newRow`) and the mailbox's limit allows it. */
async function applyMailboxLimit(
  sql: Sql,
  newRow: { readonly id: number } | undefined,
  email: NewMail,
  at: Instant,
  whenLimited: 'keep' | 'drop',
): Promise<boolean> {
  return newRow !== undefined && limitToMailbox(sql, newRow.id, email, at, whenLimited)
}

export async function queueOnce(
  sql: Sql,
  dedupKey: string,
  eventId: string,
  email: NewMail,
  at: Instant,
): Promise<boolean> {
  return (await addReviews.run(sql, { ...email, once: dedupKey, eventId, at }).changes) === 1
}

export async function queuePaymentReminder(
  sql: Sql,
  regNo: RegNo,
  email: NewMail,
  at: Instant,
): Promise<boolean> {
  const newRow = await addReminder.get(sql, { ...email, once: `unfinished ${regNo}`, regNo, at })
  return applyMailboxLimit(sql, newRow, email, at, 'keep')
}

export async function queueRefundEmail(
  sql: Sql,
  refundId: number,
  regNo: RegNo,
  newEmail: NewMail,
  at: Instant,
): Promise<boolean> {
  const email = { ...newEmail, once: `${NO_REFERENCE} ${refundId}`, regNo, at }
  return (await addRefundEmail.run(sql, email).changes) === 1
}
