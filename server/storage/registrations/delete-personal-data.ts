/** Erases a person's data from all tables in one transaction, but keeps payments and their events. */
import { sql as raw } from 'kysely'
import { err, ok, toAmount } from '../../../engine/index.ts'
import type { Instant, OrderId, RegNo } from '../../../engine/index.ts'
import type { ActionResult, NewAction } from './action-types.ts'
import { applyAction } from './apply-action.ts'
import { closeOpenPayments } from '../payments/payment-attempts.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { RegistrationRow } from './row-mapping.ts'
import { coverBill } from '../documents/cover-bill.ts'
import { expireDraftsOf } from '../files/stored-draft-uploads.ts'
import { noRecoveryIsOpen } from '../recovery/held-during-recovery.ts'
import { recordAdjustment } from '../payments/balance-adjustments.ts'
import { reindexRegistration } from '../lists/search-index.ts'
import { recordPayer } from '../payments/find-duplicate-payments.ts'
import type { MailState } from '../mail/email-list-types.ts'
import { settleRegistration } from '../payments/settle-registration.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
import { isRefundPending } from '../refunds/refund-states-and-channels.ts'

const RECEIPT_BUYER = { name: '', email: '', gstin: null, address: null }
/** The number of rows per batch. Each batch is a separate transaction. */
const BATCH_ROWS = 100

type RegistrationParams = { id: number }
const erasureTime = statement((builder, { id }: RegistrationParams) =>
  builder.selectFrom('registrations').select('erased_at as at').where('id', '=', id),
)
const cancelRegistration = statement((builder, { id }: RegistrationParams) =>
  builder.updateTable('registrations').set({ state: 'cancelled' }).where('id', '=', id),
)
const refundInProgress = statement((builder, { id }: RegistrationParams) =>
  builder
    .selectFrom('refunds as f')
    .innerJoin('captures as c', 'c.id', 'f.capture_id')
    .select('f.id')
    .where('c.registration_id', '=', id)
    .where(isRefundPending)
    .limit(1),
)
const blankRegistration = statement((builder, { id, at }: RegistrationParams & { at: Instant }) =>
  builder
    .updateTable('registrations')
    .set({ full_name: '', email: '', phone: '', council_no: '', answers: '{}', erased_at: at })
    .where('id', '=', id),
)
const deleteUniqueAnswers = statement((builder, { id }: RegistrationParams) =>
  builder.deleteFrom('unique_answers').where('registration_id', '=', id),
)
const deletePersons = statement((builder, { id }: RegistrationParams) =>
  builder.deleteFrom('registered_persons').where('registration_id', '=', id),
)
/** Deletes notices to this person that have not been queued yet. */
const deleteNotices = statement((builder, { id }: RegistrationParams) =>
  builder.updateTable('registered_persons').set({ notify_id: null }).where('notify_id', '=', id),
)
const deleteLinks = statement((builder, { id }: RegistrationParams) =>
  builder.deleteFrom('links').where('registration_id', '=', id),
)
const deleteActionKeys = statement((builder, { id }: RegistrationParams) =>
  builder.deleteFrom('act_keys').where('registration_id', '=', id),
)
const deleteIdempotencyKeys = statement((builder, { id }: RegistrationParams) =>
  builder.deleteFrom('idempotency_keys').where('registration_id', '=', id),
)
const blankClaims = statement((builder, { id }: RegistrationParams) =>
  builder.updateTable('tellings').set({ answers: '{}' }).where('registration_id', '=', id),
)
/**
 * Includes decisions on a payment that belonged to another registration, or to none, before it was moved to this one.
 */
const blankDecisions = statement((builder, { id }: RegistrationParams) =>
  builder
    .updateTable('decisions')
    .set({ why: '' })
    .where(({ eb, or, selectFrom }) =>
      or([
        eb('registration_id', '=', id),
        eb(
          'capture_id',
          'in',
          selectFrom('captures').select('id').where('registration_id', '=', id),
        ),
      ]),
    ),
)
const blankRefunds = statement((builder, { id }: RegistrationParams) =>
  builder
    .updateTable('refunds')
    .set({ why: '', said: null })
    .where('capture_id', 'in', ({ selectFrom }) =>
      selectFrom('captures').select('id').where('registration_id', '=', id),
    ),
)
const blankLineDecisions = statement((builder, { id }: RegistrationParams) =>
  builder
    .updateTable('settlement_line_decisions')
    .set({ why: '' })
    .where('why', 'is not', null)
    .where('settlement_line_id', 'in', ({ selectFrom }) =>
      selectFrom('payments as p')
        .innerJoin('settlement_lines as l', 'l.order_id', 'p.order_id')
        .select('l.id')
        .where('p.registration_id', '=', id)
        .union(
          selectFrom('captures as c')
            .innerJoin('settlement_lines as l', 'l.reference', 'c.reference')
            .select('l.id')
            .where('c.registration_id', '=', id),
        ),
    ),
)
/** Keeps only the action, which is the text before the colon. */
const shortenAuditLog = statement((builder, { id }: RegistrationParams, dialect) =>
  builder
    .updateTable('audit_log')
    .set(({ ref }) => ({
      what: raw<string>`substr(${ref('what')}, 1, ${dialect.position(ref('what'), ': ')} - 1)`,
    }))
    .where('registration_id', '=', id)
    .where(({ eb, ref }) => eb(dialect.position(ref('what'), ': '), '>', 1)),
)
const blankEmails = statement((builder, { id }: RegistrationParams) =>
  builder
    .updateTable('mail_queue')
    .set(({ case: when, ref }) => ({
      recipient: '',
      copy_to: null,
      subject: '',
      body: '',
      error: null,
      next_at: null,
      mailbox: null,
      status: when()
        .when('status', '=', 'queued')
        .then<MailState>('failed')
        .else(ref('status'))
        .end(),
    }))
    .where('registration_id', '=', id),
)
const deleteDrafts = statement((builder, { id }: RegistrationParams) =>
  builder
    .deleteFrom('draft_proofs')
    .where('sha256', 'in', ({ selectFrom }) =>
      selectFrom('uploads').select('sha256').where('registration_id', '=', id),
    ),
)
const blankUploads = statement((builder, { id, at }: RegistrationParams & { at: Instant }) =>
  builder
    .updateTable('uploads')
    .set(({ fn, val }) => ({ name: '', dropped_at: fn.coalesce('dropped_at', val(at)) }))
    .where('registration_id', '=', id),
)
const blankReasons = statement((builder, { id }: RegistrationParams) =>
  builder.updateTable('acts').set({ why: '' }).where('registration_id', '=', id),
)
const actionsWithData = statement((builder, { id }: RegistrationParams) =>
  builder
    .selectFrom('acts')
    .select(['id', 'data'])
    .where('registration_id', '=', id)
    .where('data', '<>', '{}'),
)
const blankAction = statement((builder, { actId }: { actId: number }) =>
  builder.updateTable('acts').set({ data: '{}' }).where('id', '=', actId),
)
const receiptsOfRegistration = statement((builder, { id }: RegistrationParams) =>
  builder
    .selectFrom('documents')
    .select(['id', 'body'])
    .where('registration_id', '=', id)
    .where('kind', '=', 'receipt'),
)
const replaceDocument = statement(
  (builder, { documentId, body }: { documentId: number; body: string }) =>
    builder.updateTable('documents').set({ body }).where('id', '=', documentId),
)
/** The gateway's response about a payment contains the payer's name. */
const blankGatewayMessages = statement((builder, { id }: RegistrationParams) =>
  builder
    .updateTable('gateway_notices')
    .set({ body: '' })
    .where(({ eb, selectFrom }) =>
      eb(
        'order_id',
        'in',
        selectFrom('payments')
          .select('order_id')
          .where('registration_id', '=', id)
          .union(
            selectFrom('captures')
              .select(({ ref }) => ref('unknown_order').$castTo<OrderId>().as('order_id'))
              .where('registration_id', '=', id)
              .where('unknown_order', 'is not', null),
          ),
      ),
    )
    .where('body', '<>', ''),
)
const blankPayers = statement((builder, { id }: RegistrationParams) =>
  builder
    .updateTable('captures')
    .set({ payer: null })
    .where('registration_id', '=', id)
    .where('payer', 'is not', null),
)
const numbersWithEmail = statement((builder, { email }: { email: string }) =>
  builder
    .selectFrom('registrations')
    .select('reg_no as regNo')
    .where(
      ({ fn }) => fn<string>('lower', ['email']),
      '=',
      ({ fn, val }) => fn<string>('lower', [val(email)]),
    )
    .orderBy('id'),
)
const rowsToErase = statement((builder, { eventId, after }: { eventId: string; after: number }) =>
  builder
    .selectFrom('registrations')
    .select(['id', 'reg_no as regNo'])
    .where('event_id', '=', eventId)
    .where('erased_at', 'is', null)
    .where('id', '>', after)
    .where(noRecoveryIsOpen)
    .orderBy('id')
    .limit(BATCH_ROWS),
)
const registrationsWithFiles = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('registrations as r')
    .innerJoin('uploads as u', 'u.registration_id', 'r.id')
    .select(['r.id', 'r.reg_no as regNo'])
    .distinct()
    .where('r.event_id', '=', eventId)
    .where('u.dropped_at', 'is', null)
    .where(noRecoveryIsOpen)
    .limit(BATCH_ROWS),
)
const dropFiles = statement((builder, { id, at }: RegistrationParams & { at: Instant }) =>
  builder
    .updateTable('uploads')
    .set({ dropped_at: at })
    .where('registration_id', '=', id)
    .where('dropped_at', 'is', null),
)

/**
 * Erases a person's data. Refused while a payment is undecided, because the delegate cannot be contacted afterwards. An
 * unpaid registration is cancelled, and its seats are released.
 */
export function erasePersonalData(sql: Sql, action: NewAction): Promise<ActionResult> {
  return applyAction(sql, action, async (row) => {
    const { id, reg_no: regNo } = row
    if ((await readErasureTime(sql, id)) !== null)
      return err({
        code: 'not_now',
        message: 'The personal data of this registration is already erased.',
      })
    if (await isMoneyUndecided(sql, row))
      return err({
        code: 'moved_on',
        message:
          'This registration has a payment that needs review, or a refund in progress. Finish that first.',
      })
    await overwriteDeleted(sql, true)
    if (row.state !== 'complete' && row.state !== 'cancelled' && row.state !== 'refused') {
      cancelRegistration.run(sql, { id })
      await closeOpenPayments(sql, id, 'cancelled', action.at)
      // The balance after a correction is waived, because there is no payer left.
      const unpaid = toAmount(Math.max(0, row.due))
      recordAdjustment(sql, id, { what: 'given up', amount: -unpaid }, action.at)
      await settleRegistration(sql, id)
      await coverBill(sql, id, action.at, { unpaid })
    }
    await blankRegistrationData(sql, id, action.at)
    expireDraftsOf(sql, regNo)
    await overwriteDeleted(sql, false)
    return ok({ message: `Personal data of ${regNo} erased. Its payments are kept.` })
  })
}

/** Sets whether SQLite overwrites deleted data in the file. */
async function overwriteDeleted(sql: Sql, isEnabled: boolean): Promise<void> {
  const setting = sql.dialect.overwriteDeleted(isEnabled)
  if (setting !== null) await sql(setting).all()
}

const readErasureTime = async (sql: Sql, id: number): Promise<Instant | null> =>
  (await erasureTime.get(sql, { id }))?.at ?? null

async function isMoneyUndecided(
  sql: Sql,
  { id, in_review: inReview, state }: RegistrationRow,
): Promise<boolean> {
  return (
    inReview === 1 || state === 'told' || (await refundInProgress.get(sql, { id })) !== undefined
  )
}

async function blankRegistrationData(sql: Sql, id: number, at: Instant): Promise<void> {
  blankRegistration.run(sql, { id, at })
  await reindexRegistration(sql, id)
  await recordPayer(sql, id)
  deleteUniqueAnswers.run(sql, { id })
  deletePersons.run(sql, { id })
  deleteNotices.run(sql, { id })
  deleteLinks.run(sql, { id })
  deleteActionKeys.run(sql, { id })
  deleteIdempotencyKeys.run(sql, { id })
  await blankActions(sql, id)
  blankClaims.run(sql, { id })
  blankDecisions.run(sql, { id })
  blankRefunds.run(sql, { id })
  blankLineDecisions.run(sql, { id })
  shortenAuditLog.run(sql, { id })
  blankEmails.run(sql, { id })
  deleteDrafts.run(sql, { id })
  blankUploads.run(sql, { id, at })
  await blankReceipts(sql, id)
  blankGatewayMessages.run(sql, { id })
  blankPayers.run(sql, { id })
}

/** The data in an action about its payment (amount, method, reference and date), which is not personal. */
const PAYMENT_KEYS: readonly string[] = ['came', 'paid_at', 'pay_back']

/** Blanks the data in actions, except data that is only about payments. */
async function blankActions(sql: Sql, id: number): Promise<void> {
  blankReasons.run(sql, { id })
  const actions = await actionsWithData.all(sql, { id })
  for (const actionRow of actions)
    if (
      !Object.keys(JSON.parse(actionRow.data) as object).every((name) =>
        PAYMENT_KEYS.includes(name),
      )
    )
      blankAction.run(sql, { actId: actionRow.id })
}

async function blankReceipts(sql: Sql, id: number): Promise<void> {
  for (const receipt of await receiptsOfRegistration.all(sql, { id }))
    replaceDocument.run(sql, {
      documentId: receipt.id,
      body: JSON.stringify({ ...(JSON.parse(receipt.body) as object), buyer: RECEIPT_BUYER }),
    })
}

/**
 * Returns the numbers of all registrations with this email address, oldest first, including those for events that are
 * not served. Runs on the reader thread, because it reads all rows.
 */
export async function findRegistrationsWithEmail(
  sql: Sql,
  email: string,
): Promise<readonly RegNo[]> {
  const rows = await numbersWithEmail.all(sql, { email: email.trim() })
  return rows.map(({ regNo }) => regNo)
}

/**
 * Returns a batch of an event's registrations that have not been erased yet, with ids above `afterId`. Runs on the
 * reader thread, because it reads many rows.
 */
export function findRegistrationsToErase(
  sql: Sql,
  eventId: string,
  afterId: number,
): Promise<readonly { readonly id: number; readonly regNo: RegNo }[]> {
  return rowsToErase.all(sql, { eventId, after: afterId })
}

/** Marks the files of a batch of an event's registrations for deletion. Returns the number of registrations. */
export async function deleteUploadsOfEvent(
  sql: Sql,
  eventId: string,
  at: Instant,
  reason: string,
): Promise<number> {
  const registrations = await registrationsWithFiles.all(sql, { eventId })
  for (const { id, regNo } of registrations) {
    dropFiles.run(sql, { id, at })
    addAuditEntry(sql, {
      at,
      who: 'rollcall',
      what: `deleted the files: ${reason}`,
      eventId,
      regNo,
    })
  }
  return registrations.length
}
