/**
 * Performs actions on a registration.
 * In one transaction, checks the action against the engine's table for the registration's state, and stores it together
 * with its effect. A stored action never changes. A request that arrives several times is performed once.
 */
import type { Insertable } from 'kysely'
import {
  ACTION_HISTORY_TEXTS,
  assert,
  err,
  checkAction,
  instant,
  ok,
  REMINDER_INTERVAL_MS,
} from '../../../engine/index.ts'
import { SERVER_MESSAGES } from '../../../engine/messages.ts'
import type {
  ActionName,
  ActionRefusal,
  Answers,
  Instant,
  RegistrationState,
  RegNo,
  Result,
} from '../../../engine/index.ts'
import type {
  ActionResult,
  CompletedAction,
  ActionDenial,
  NewAction,
  IdempotencyKey,
  StoredAction,
} from './action-types.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
import { LOST_PERMISSION_MESSAGE } from '../staff/lost-permission-error.ts'
import { hasLostPermission } from '../staff/sessions.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { enqueue } from '../mail/email-queue.ts'
import { RollbackError } from '../database/rollback-error.ts'
import { wasLinkRevoked } from './access-links.ts'
import { readRegistrationByNumber, type RegistrationRow } from './row-mapping.ts'
import { reserveSeatsOfEarlierRegistration } from '../seats/seats-of-earlier-registrations.ts'
import { addNoticeIfSecond } from '../payments/find-duplicate-payments.ts'
import {
  haveOtherPaymentsChanged,
  OTHER_PAYMENTS_CHANGED_MESSAGE,
} from '../refunds/other-payments.ts'
import { findSecondPayment } from './same-person.ts'
import type { NewMail } from './registration-types.ts'
import { isNotUndone } from './undone-notes.ts'

const { selfService } = SERVER_MESSAGES

/** How long a repeated request is recognised. */
const KEY_RETENTION_MS = 24 * 60 * 60 * 1000

/** Actions that need personal data. After erasure, only a registration's payments remain. */
const PERSONAL_ACTIONS: ReadonlySet<ActionName> = new Set([
  'accept_offer',
  'approve',
  'correct',
  'edit',
  'transfer',
])
/** Refuses an action that was decided on older data. */
export const REGISTRATION_CHANGED_MESSAGE =
  'This registration has changed since you opened it. Reload the page and check it again.'
const ERASED_MESSAGE =
  'The personal data of this registration was erased. Add a new registration instead.'

type RegistrationParams = { registrationId: number }
const registrationByNumber = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder.selectFrom('registrations').selectAll().where('reg_no', '=', regNo),
)
const saveState = statement(
  (builder, { registrationId, state }: RegistrationParams & { state: RegistrationState }) =>
    builder.updateTable('registrations').set({ state }).where('id', '=', registrationId),
)
const addAction = statement((builder, action: Omit<Insertable<Tables['acts']>, 'id'>) =>
  builder.insertInto('acts').values({
    registration_id: action.registration_id,
    at: action.at,
    who: action.who,
    act: action.act,
    why: action.why,
    data: action.data,
    was: action.was,
    became: action.became,
  }),
)
const addManualRegistration = statement(
  (builder, { registrationId, who: user, at }: RegistrationParams & { who: string; at: Instant }) =>
    builder
      .insertInto('acts')
      .columns(['registration_id', 'at', 'who', 'act', 'why', 'data', 'was', 'became'])
      .expression(
        builder
          .selectFrom('registrations')
          .select(({ val }) => [
            'id as registration_id',
            val(at).as('at'),
            val(user).as('who'),
            val('add').as('act'),
            val('').as('why'),
            val('{}').as('data'),
            'state as was',
            'state as became',
          ])
          .where('id', '=', registrationId),
      ),
)
const deleteOldKeys = statement((builder, { until }: { until: Instant }) =>
  builder.deleteFrom('act_keys').where('at', '<=', until),
)
const resultUnderKey = statement((builder, { key }: { key: string }) =>
  builder.selectFrom('act_keys').select(['fingerprint', 'answer']).where('key', '=', key),
)
type StoredResult = IdempotencyKey & RegistrationParams & { answer: string; at: Instant }
const saveResult = statement(
  (builder, { key, registrationId, fingerprint, answer, at }: StoredResult) =>
    builder
      .insertInto('act_keys')
      .values({ key, registration_id: registrationId, fingerprint, answer, at }),
)
const lastCancellationRequestOrResponse = statement(
  (builder, { registrationId }: RegistrationParams) =>
    builder
      .selectFrom('acts')
      .select('act')
      .where('registration_id', '=', registrationId)
      .where('act', 'in', ['ask_cancel', 'note', 'cancel', 'refund', 'transfer'])
      .where(isNotUndone('acts'))
      .orderBy('id', 'desc')
      .limit(1),
)
const lastOwnNote = statement(
  (builder, { registrationId, who, why }: RegistrationParams & { who: string; why: string }) =>
    builder
      .selectFrom('acts')
      .select('act')
      .where('registration_id', '=', registrationId)
      .where('act', 'in', ['note', 'undo_note'])
      .where('who', '=', who)
      .where('why', '=', why)
      .orderBy('id', 'desc')
      .limit(1),
)
const payLinkSince = statement(
  (builder, { registrationId, since }: RegistrationParams & { since: Instant }) =>
    builder
      .selectFrom('acts')
      .select('id')
      .where('registration_id', '=', registrationId)
      .where('act', '=', 'send_pay_link')
      .where('at', '>', since)
      .limit(1),
)
const actionsByNumber = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('acts')
    .select(['id', 'at', 'who', 'act', 'why', 'data', 'was', 'became'])
    .where('registration_id', '=', ({ selectFrom }) =>
      selectFrom('registrations').select('id').where('reg_no', '=', regNo),
    )
    .orderBy('id'),
)

/** What an effect returns: the message, and the data to store with the action in addition to user and reason. */
export type ActionEffect = {
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly refundIds?: readonly number[]
  /** True if the recorded payment does not count yet. */
  readonly needsReview?: true
  /** True for a decision, which adds its own audit log entry with the user and the reason. */
  readonly isDecision?: true
}

const refuse = (code: ActionRefusal['code'], message: string) => err({ code, message })

/**
 * Performs an action. The new state is written before `effect` runs, because code that settles payments or seats reads
 * it. If `effect` refuses, the whole action is rolled back.
 */
export async function applyAction(
  sql: Sql,
  action: NewAction,
  effect: (
    row: RegistrationRow,
    stateBefore: RegistrationState,
  ) => Result<ActionEffect, ActionDenial> | Promise<Result<ActionEffect, ActionDenial>>,
): Promise<ActionResult> {
  const { regNo, act, who: user, at, idempotencyKey: dedupKey } = action
  const row = await readRow(sql, regNo)
  if (row === undefined) return refuse('not_there', `No registration ${regNo}.`)
  const [earlierResult, outdated] = await Promise.all([
    dedupKey === null ? null : findResult(sql, dedupKey, at),
    findOutdatedBasis(sql, row, action),
    // Locks the answers and the state before the action is checked.
    reserveSeatsOfEarlierRegistration(sql, row.id),
  ])
  if (earlierResult !== null) return earlierResult
  if (outdated !== null) return err(outdated)
  const checkResult = await checkActionOnRow(sql, row, action)
  if (!checkResult.ok) return checkResult
  if (row.erased_at !== null && PERSONAL_ACTIONS.has(act)) return refuse('not_now', ERASED_MESSAGE)
  const { nextState, why: reason } = checkResult.value
  if (await haveOtherPaymentsChanged(sql, regNo, action.shownOtherPayments))
    return refuse('not_now', OTHER_PAYMENTS_CHANGED_MESSAGE)
  if (nextState !== row.state) saveState.run(sql, { registrationId: row.id, state: nextState })
  const effectResult = await effect({ ...row, state: nextState }, row.state)
  if (!effectResult.ok) throw new RollbackError(effectResult)
  const { message, data = {}, refundIds = [], needsReview } = effectResult.value
  const state = (await readRow(sql, regNo))?.state
  assert(state !== undefined, 'a registration was removed during an action on it')
  if (effectResult.value.isDecision === undefined) {
    addAction.run(sql, {
      registration_id: row.id,
      at,
      who: user,
      act,
      why: reason,
      data: JSON.stringify(data),
      was: row.state,
      became: state,
    })
    addAuditEntry(sql, {
      at,
      who: user,
      what: formatAuditEntry(act, reason, data),
      eventId: row.event_id,
      regNo,
    })
  }
  const result: CompletedAction = {
    regNo,
    state,
    message,
    refundIds,
    repeated: false,
    ...(needsReview && { needsReview }),
  }
  if (dedupKey !== null) saveActionResult(sql, dedupKey, row.id, result, at)
  return ok(result)
}

/** Checks the action. A refusal describes the registration like its page, which takes its payments into account. */
async function checkActionOnRow(sql: Sql, row: RegistrationRow, action: NewAction) {
  const checkResult = checkAction(row.state, action)
  if (checkResult.ok || row.state !== 'to_pay') return checkResult
  const registration = await readRegistrationByNumber(sql, row.reg_no)
  return checkAction(row.state, action, registration?.paymentStatus)
}

/**
 * Returns the refusal if the request is based on data that another request has changed: the sender's permission, or the
 * answers. Otherwise a removed user or a former holder could still act, and emails would go to their old address.
 */
async function findOutdatedBasis(
  sql: Sql,
  { answers }: Pick<RegistrationRow, 'answers'>,
  { previousAnswers, sender = null }: NewAction,
): Promise<ActionRefusal | null> {
  if (sender !== null && 'sessionHash' in sender && (await hasLostPermission(sql, sender)))
    return { code: 'not_your_role', message: LOST_PERMISSION_MESSAGE }
  const isChanged =
    (previousAnswers !== undefined &&
      JSON.stringify(previousAnswers) !== JSON.stringify(JSON.parse(answers) as Answers)) ||
    (sender !== null && 'linkHash' in sender && (await wasLinkRevoked(sql, sender)))
  return isChanged ? { code: 'moved_on', message: REGISTRATION_CHANGED_MESSAGE } : null
}

/**
 * Formats the audit log entry. When the person's data is erased, the text after the colon is deleted. The description
 * of the payment, which precedes the colon, contains no personal data.
 */
function formatAuditEntry(
  actionName: ActionName,
  reason: string,
  { came }: NonNullable<ActionEffect['data']>,
): string {
  const text = ACTION_HISTORY_TEXTS[actionName]
  const actionText = text.charAt(0).toLowerCase() + text.slice(1)
  const paymentText = typeof came === 'string' ? `, ${came}` : ''
  return `${actionText}${paymentText}${reason === '' ? '' : `: ${reason}`}`
}

const readRow = (sql: Sql, regNo: RegNo): Promise<RegistrationRow | undefined> =>
  registrationByNumber.get(sql, { regNo })

/** Returns the response to an earlier request with this key. Null if this is the first such request. */
export async function findResult(
  sql: Sql,
  { key, fingerprint }: IdempotencyKey,
  at: Instant,
): Promise<ActionResult | null> {
  deleteOldKeys.run(sql, { until: instant(at - KEY_RETENTION_MS) })
  const storedResult = await resultUnderKey.get(sql, { key })
  if (storedResult === undefined) return null
  return storedResult.fingerprint === fingerprint
    ? // Results stored by an earlier version have no `refundIds`.
      ok({
        refundIds: [],
        ...(JSON.parse(storedResult.answer) as Omit<CompletedAction, 'refundIds'>),
        repeated: true,
      })
    : refuse('act_key_reused', selfService.otherRequest)
}

function saveActionResult(
  sql: Sql,
  { key, fingerprint }: IdempotencyKey,
  registrationId: number,
  result: CompletedAction,
  at: Instant,
): void {
  saveResult.run(sql, { key, registrationId, fingerprint, answer: JSON.stringify(result), at })
}

/** Adds an entry for a manual registration, so that its history begins with the user who added it. */
export function addCreationEntry(
  sql: Sql,
  registrationId: number,
  user: string,
  at: Instant,
): void {
  addManualRegistration.run(sql, { registrationId, who: user, at })
}

/** Adds a note to the registration. */
export function addNote(sql: Sql, action: NewAction): Promise<ActionResult> {
  return applyAction(sql, action, () => ok({ message: 'Note saved.' }))
}

/** Undoes the user's latest note with this text. If the note closed a request, the request is open again. */
export function undoNote(sql: Sql, action: NewAction): Promise<ActionResult> {
  return applyAction(sql, action, async ({ id }) => {
    const params = { registrationId: id, who: action.who, why: action.why.trim() }
    return (await lastOwnNote.get(sql, params))?.act === 'note'
      ? ok({ message: 'Note undone.' })
      : refuse(
          'not_now',
          'You have no such note on this registration, or you have already undone it.',
        )
  })
}

/** Records a cancellation request, which the office sees until it responds with a cancellation or a note. */
export function requestCancellation(sql: Sql, action: NewAction): Promise<ActionResult> {
  return applyAction(sql, action, async ({ id: registrationId }) =>
    (await lastCancellationRequestOrResponse.get(sql, { registrationId }))?.act === 'ask_cancel'
      ? refuse('not_now', selfService.alreadyRequested)
      : ok({ message: selfService.requested }),
  )
}

/** Records a refund request, which the office sees until it responds with a note or a refund of the second payment. */
export function requestSecondPaymentRefund(sql: Sql, action: NewAction): Promise<ActionResult> {
  return applyAction(sql, action, async ({ reg_no: regNo }) => {
    const second = await findSecondPayment(sql, regNo)
    if (second === null) return refuse('not_now', selfService.noRefundRequest)
    return second.askedAt === null
      ? ok({ message: selfService.requested })
      : refuse('not_now', selfService.alreadyRequested)
  })
}

/** Withdraws the delegate's request, if the office has not responded to it. */
export function withdrawRefundRequest(sql: Sql, action: NewAction): Promise<ActionResult> {
  return applyAction(sql, action, async ({ reg_no: regNo }) =>
    (await findSecondPayment(sql, regNo))?.askedAt == null
      ? refuse('not_now', selfService.nothingToWithdraw)
      : ok({ message: selfService.withdrawn }),
  )
}

export function sendMail(sql: Sql, action: NewAction, email: NewMail): Promise<ActionResult> {
  return applyAction(sql, action, async ({ id }) => {
    // This check is in the transaction that locks the registration, so that two users cannot both send a payment link.
    if (action.isReminder === true && (await wasReminded(sql, id, action.at)))
      return refuse('reminded', 'A payment link was sent in the last 24 hours. No email was sent.')
    const emailToSend = action.act === 'resend' ? await addNoticeIfSecond(sql, id, email) : email
    await enqueue(sql, id, 'again', emailToSend, action.at, action.actor)
    return ok({ message: `Email sent to ${email.to}.`, data: { to: email.to } })
  })
}

async function wasReminded(sql: Sql, registrationId: number, at: Instant): Promise<boolean> {
  const since = instant(at - REMINDER_INTERVAL_MS)
  return (await payLinkSince.get(sql, { registrationId, since })) !== undefined
}

/** Returns the actions on a registration, oldest first. Also runs outside the writer's transaction. */
export async function listActions(sql: Sql, regNo: RegNo): Promise<readonly StoredAction[]> {
  const rows = await actionsByNumber.all(sql, { regNo })
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as StoredAction['data'] }))
}
