/**
 * Performs actions on a registration.
 * Each is checked by the engine's table on the state in the transaction, written with its effect or not at all,
 * never edited, and performed once however often the same click arrives.
 */
import type { Insertable } from 'kysely'
import {
  ACTION_HISTORY_TEXTS,
  assert,
  err,
  checkAction,
  instant,
  ok,
} from '../../../engine/index.ts'
import { REFUSAL_MESSAGES } from '../../../engine/messages.ts'
import type {
  ActionName,
  ActionRefusal,
  Instant,
  RegistrationState,
  RegNo,
  Result,
} from '../../../engine/index.ts'
import type {
  ActionOutcome,
  ActionResult,
  ActionDenial,
  NewAction,
  Once,
  StoredAction,
} from './action-types.ts'
import { addAuditEntry } from '../staff/audit-log-entries.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { enqueue } from '../mail/email-queue.ts'
import { Refused } from '../database/rollback-error.ts'
import type { RegistrationRow } from './row-mapping.ts'
import { sayingSecond, secondPaymentOf } from '../payments/find-duplicate-payments.ts'
import type { NewMail } from './registration-types.ts'

const { selfService } = REFUSAL_MESSAGES

/** How long a click is known again. */
const KEY_KEPT_MS = 24 * 60 * 60 * 1000

/** Acts that somebody comes by, or comes as: of an erased registration only its money is left. */
const OF_A_PERSON: ReadonlySet<ActionName> = new Set([
  'accept_offer',
  'approve',
  'correct',
  'edit',
  'transfer',
])
const ERASED = 'The personal data of this registration were erased. Add a new registration instead.'

type OfRegistration = { registrationId: number }
const registrationByNumber = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder.selectFrom('registrations').selectAll().where('reg_no', '=', regNo),
)
const saveState = statement(
  (builder, { registrationId, state }: OfRegistration & { state: RegistrationState }) =>
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
  (builder, { registrationId, who, at }: OfRegistration & { who: string; at: Instant }) =>
    builder
      .insertInto('acts')
      .columns(['registration_id', 'at', 'who', 'act', 'why', 'data', 'was', 'became'])
      .expression(
        builder
          .selectFrom('registrations')
          .select(({ val }) => [
            'id as registration_id',
            val(at).as('at'),
            val(who).as('who'),
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
type Done = Once & OfRegistration & { answer: string; at: Instant }
const saveResult = statement((builder, { key, registrationId, fingerprint, answer, at }: Done) =>
  builder
    .insertInto('act_keys')
    .values({ key, registration_id: registrationId, fingerprint, answer, at }),
)
const lastAboutCancelling = statement((builder, { registrationId }: OfRegistration) =>
  builder
    .selectFrom('acts')
    .select('act')
    .where('registration_id', '=', registrationId)
    .where('act', 'in', ['ask_cancel', 'note', 'cancel', 'refund', 'transfer'])
    .orderBy('id', 'desc')
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

/** The result of an effect: the sentence, and the data stored with it besides user and reason. */
export type Effect = {
  readonly message: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly refundId?: number | null
  /** The decisions have an entry for it already, with user and reason. */
  readonly isDecision?: true
}

const refused = (code: ActionRefusal['code'], message: string) => err({ code, message })

/**
 * Performs an action: the new state is written before `effect` runs, so that code that settles payments or seats
 * sees it. A refusal by the effect undoes everything.
 */
export async function doAct(
  sql: Sql,
  wanted: NewAction,
  effect: (
    row: RegistrationRow,
    was: RegistrationState,
  ) => Result<Effect, ActionDenial> | Promise<Result<Effect, ActionDenial>>,
): Promise<ActionOutcome> {
  const { regNo, act, who, at, once } = wanted
  const row = await rowOf(sql, regNo)
  if (row === undefined) return refused('not_there', `No registration ${regNo}.`)
  const before = once === null ? null : await doneBefore(sql, once, at)
  if (before !== null) return before
  const judged = checkAction(row.state, wanted)
  if (!judged.ok) return judged
  if (row.erased_at !== null && OF_A_PERSON.has(act)) return refused('not_now', ERASED)
  const { becomes, why } = judged.value
  if (becomes !== row.state) saveState.run(sql, { registrationId: row.id, state: becomes })
  const done = await effect({ ...row, state: becomes }, row.state)
  if (!done.ok) throw new Refused(done)
  const { message, data = {}, refundId = null } = done.value
  const state = (await rowOf(sql, regNo))?.state
  assert(state !== undefined, 'a registration went while something was done to it')
  if (done.value.isDecision === undefined) {
    addAction.run(sql, {
      registration_id: row.id,
      at,
      who,
      act,
      why,
      data: JSON.stringify(data),
      was: row.state,
      became: state,
    })
    addAuditEntry(sql, { at, who, what: loggedAs(act, why, data), eventId: row.event_id, regNo })
  }
  const acted: ActionResult = { regNo, state, message, refundId, repeated: false }
  if (once !== null) noteDone(sql, once, row.id, acted, at)
  return ok(acted)
}

/** What stands behind the colon goes when the person is erased; what money was said to come by names nobody. */
function loggedAs(act: ActionName, why: string, { came }: NonNullable<Effect['data']>): string {
  const done =
    ACTION_HISTORY_TEXTS[act].charAt(0).toLowerCase() + ACTION_HISTORY_TEXTS[act].slice(1)
  const money = typeof came === 'string' ? `, ${came}` : ''
  return `${done}${money}${why === '' ? '' : `: ${why}`}`
}

const rowOf = (sql: Sql, regNo: RegNo): Promise<RegistrationRow | undefined> =>
  registrationByNumber.get(sql, { regNo })

/** Returns the response to the same click; null: it is the first. */
export async function doneBefore(
  sql: Sql,
  { key, fingerprint }: Once,
  at: Instant,
): Promise<ActionOutcome | null> {
  deleteOldKeys.run(sql, { until: instant(at - KEY_KEPT_MS) })
  const there = await resultUnderKey.get(sql, { key })
  if (there === undefined) return null
  return there.fingerprint === fingerprint
    ? ok({ ...(JSON.parse(there.answer) as ActionResult), repeated: true })
    : refused('act_key_reused', selfService.otherRequest)
}

function noteDone(
  sql: Sql,
  { key, fingerprint }: Once,
  registrationId: number,
  acted: ActionResult,
  at: Instant,
): void {
  saveResult.run(sql, { key, registrationId, fingerprint, answer: JSON.stringify(acted), at })
}

/** It was added manually: its history begins with the user who added it. */
export function noteAdded(sql: Sql, registrationId: number, who: string, at: Instant): void {
  addManualRegistration.run(sql, { registrationId, who, at })
}

/** Adds a note to the registration. */
export function addNote(sql: Sql, wanted: NewAction): Promise<ActionOutcome> {
  return doAct(sql, wanted, () => ok({ message: 'Note saved.' }))
}

/** Shown to the office until it answers, by a cancellation or a note. */
export function requestCancellation(sql: Sql, wanted: NewAction): Promise<ActionOutcome> {
  return doAct(sql, wanted, async ({ id }) =>
    (await isCancelAsked(sql, id))
      ? refused('not_now', selfService.alreadyRequested)
      : ok({ message: selfService.requested }),
  )
}

async function isCancelAsked(sql: Sql, registrationId: number): Promise<boolean> {
  return (await lastAboutCancelling.get(sql, { registrationId }))?.act === 'ask_cancel'
}

/** For a second payment: shown to the office until it answers, by a note or a refund. */
export function requestSecondPaymentRefund(sql: Sql, wanted: NewAction): Promise<ActionOutcome> {
  return doAct(sql, wanted, async ({ reg_no: regNo }) => {
    const second = await secondPaymentOf(sql, regNo)
    if (second === null) return refused('not_now', selfService.noRefundRequest)
    return second.askedAt === null
      ? ok({ message: selfService.requested })
      : refused('not_now', selfService.alreadyRequested)
  })
}

/** Ends the delegate's own request, while the office has not answered it. */
export function withdrawRefundRequest(sql: Sql, wanted: NewAction): Promise<ActionOutcome> {
  return doAct(sql, wanted, async ({ reg_no: regNo }) =>
    (await secondPaymentOf(sql, regNo))?.askedAt == null
      ? refused('not_now', selfService.nothingToWithdraw)
      : ok({ message: selfService.withdrawn }),
  )
}

export function sendMail(sql: Sql, wanted: NewAction, mail: NewMail): Promise<ActionOutcome> {
  return doAct(sql, wanted, async ({ id }) => {
    const sent = wanted.act === 'resend' ? await sayingSecond(sql, id, mail) : mail
    await enqueue(sql, id, 'again', sent, wanted.at, wanted.actor)
    return ok({ message: `Email sent to ${mail.to}.`, data: { to: mail.to } })
  })
}

/** For one registration, oldest first. Reads only; also runs outside the writer's transaction. */
export async function actsOf(sql: Sql, regNo: RegNo): Promise<readonly StoredAction[]> {
  const rows = await actionsByNumber.all(sql, { regNo })
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data) as StoredAction['data'] }))
}
