/**
 * Stores payment claims ("I have paid") for payments that no gateway reports.
 * A claim waits until staff find the payment at the bank or reject it; meanwhile nobody else of the event can claim
 * the same reference, and the seats stay held.
 */
import { mapInOrder } from '../database/in-order.ts'
import { bankKey, err, ok } from '../../../engine/index.ts'
import { REFUSAL_MESSAGES } from '../../../engine/messages.ts'
import type { Answers, BankKey, Day, Instant, RegNo } from '../../../engine/index.ts'
import type { ActionOutcome, NewAction } from '../registrations/action-types.ts'
import { doAct } from '../registrations/apply-action.ts'
import { payByHand } from './payment-attempts.ts'
import { ownerOf, paymentsUnder, type Named } from '../reconciliation/bank-references.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { endOpenClaims } from './payment-state.ts'
import { statement } from '../database/statements/statement.ts'
import { replaceUploads } from '../files/replace-uploads.ts'
import { deleteDraftUpload } from '../files/stored-draft-uploads.ts'
import { enqueue } from '../mail/email-queue.ts'
import { keepAgain } from '../seats/keep-and-release-seats.ts'
import type { NewMail } from '../registrations/registration-types.ts'
import type { NewPaymentClaim, StoredPaymentClaim } from './payment-claim-types.ts'
import { settleRegistration } from './settle-registration.ts'

type OfRegistration = { registrationId: number }
/** Found as another amount, or by another method, it can be claimed once more: the new claim is the one that counts. */
const replaceFoundClaims = statement(
  (builder, { registrationId, folded, at }: OfRegistration & { folded: BankKey; at: Instant }) =>
    builder
      .updateTable('tellings')
      .set({ ended_as: 'again', ended_at: at })
      .where('registration_id', '=', registrationId)
      .where('folded', '=', folded)
      .where('ended_as', '=', 'found'),
)
type NewClaim = OfRegistration & {
  eventId: string
  at: Instant
  way: string
  reference: string
  folded: BankKey
  paidOn: Day | null
  answers: string
}
const addClaim = statement((builder, claim: NewClaim) =>
  builder.insertInto('tellings').values({
    registration_id: claim.registrationId,
    event_id: claim.eventId,
    at: claim.at,
    way: claim.way,
    reference: claim.reference,
    folded: claim.folded,
    paid_on: claim.paidOn,
    answers: claim.answers,
  }),
)
const setClaimed = statement((builder, { registrationId }: OfRegistration) =>
  builder.updateTable('registrations').set({ state: 'told' }).where('id', '=', registrationId),
)
const claimsById = statement((builder, { registrationId }: OfRegistration) =>
  builder
    .selectFrom('tellings')
    .select(['id', 'folded', 'ended_as'])
    .where('registration_id', '=', registrationId)
    .orderBy('id')
    .$narrowType<{ folded: BankKey }>(),
)
const endClaim = statement(
  (builder, { id, as, at }: { id: number; as: 'found' | 'not_found'; at: Instant }) =>
    builder.updateTable('tellings').set({ ended_as: as, ended_at: at }).where('id', '=', id),
)
const setDeadline = statement(
  (builder, { registrationId, payUntil }: OfRegistration & { payUntil: Instant | null }) =>
    builder
      .updateTable('registrations')
      .set({ pay_until: payUntil })
      .where('id', '=', registrationId),
)
const claimsByNumber = statement((builder, { regNo }: { regNo: RegNo }) =>
  builder
    .selectFrom('tellings')
    .select(['at', 'way', 'reference', 'folded', 'paid_on as paidOn', 'answers'])
    .select('ended_as as endedAs')
    .where('registration_id', '=', ({ selectFrom }) =>
      selectFrom('registrations').select('id').where('reg_no', '=', regNo),
    )
    .orderBy('id', 'desc')
    .$narrowType<{ folded: BankKey }>(),
)

export function addPaymentClaim(
  sql: Sql,
  wanted: NewAction,
  telling: NewPaymentClaim,
  mail: NewMail | null,
): Promise<ActionOutcome> {
  const { at, regNo } = wanted
  const { way, reference, paidOn, answers, uploads, drafts } = telling
  return doAct(sql, wanted, async ({ id, event_id: eventId }) => {
    const folded = bankKey(reference)
    const known = await knownAs(sql, { reference, eventId, regNo })
    if (known !== null) return err({ code: 'taken', message: known })
    endOpenClaims.run(sql, { registrationId: id, at })
    replaceFoundClaims.run(sql, { registrationId: id, folded, at })
    addClaim.run(sql, {
      registrationId: id,
      eventId,
      at,
      way,
      reference,
      folded,
      paidOn,
      answers: JSON.stringify(answers),
    })
    replaceUploads(sql, id, uploads)
    for (const draft of drafts) deleteDraftUpload(sql, eventId, draft)
    await payByHand(sql, { id, regNo }, way, at)
    // An order of the gateway that ended for it has left what nobody paid in time.
    setClaimed.run(sql, { registrationId: id })
    await settleRegistration(sql, id)
    await keepAgain(sql, id, at)
    if (mail !== null) await enqueue(sql, id, 'again', mail, at, wanted.actor)
    return ok({
      message: REFUSAL_MESSAGES.selfService.claimed,
      data: { told: reference },
    })
  })
}

/** Why this reference is not looked for, said to whoever tells it; null: it is. */
async function knownAs(sql: Sql, claim: Omit<Named, 'way'>): Promise<string | null> {
  const owner = await ownerOf(sql, { ...claim, way: 'transfer' })
  if (owner === null) return null
  return owner.is === 'payment' && owner.regNo === claim.regNo
    ? 'This payment has been found already, and it is with the organisers. You need not tell of it again; they will write to you.'
    : 'This number has been told for another registration already. Please check it. If it is right, write to the organisers.'
}

/** What its delegate reported, and which payment of which registration is recorded under that. */
async function reported(sql: Sql, registrationId: number) {
  return mapInOrder(await claimsById.all(sql, { registrationId }), async ({ folded, ...row }) => ({
    ...row,
    payment: (await paymentsUnder(sql, [folded]))[0]?.[1] ?? null,
  }))
}

const endOne = (sql: Sql, id: number, as: 'found' | 'not_found', at: Instant): void =>
  void endClaim.run(sql, { id, as, at })

/** A payment arrived: a claim is found if the payment is recorded under its reference, else it is closed. */
export async function foundTellings(
  sql: Sql,
  { id, regNo }: { readonly id: number; readonly regNo: RegNo },
  at: Instant,
): Promise<void> {
  for (const one of await reported(sql, id))
    if (one.ended_as === null && one.payment?.regNo === regNo) endOne(sql, one.id, 'found', at)
  endOpenClaims.run(sql, { registrationId: id, at })
}

/** Frees every reference of it that no payment is recorded under; false: there is none. */
async function reject(sql: Sql, registrationId: number, at: Instant): Promise<boolean> {
  const kept = (await reported(sql, registrationId)).filter(
    ({ ended_as: endedAs, payment }) => endedAs !== 'not_found' && payment === null,
  )
  for (const { id } of kept) endOne(sql, id, 'not_found', at)
  return kept.length > 0
}

/**
 * Rejects a claim: the delegate may claim again until `payUntil`. If the registration expects no payment any
 * more, its reported references are free for others.
 */
export function rejectPaymentClaim(
  sql: Sql,
  wanted: NewAction,
  { payUntil, mail }: { readonly payUntil: Instant | null; readonly mail: NewMail | null },
): Promise<ActionOutcome> {
  return doAct(sql, wanted, async ({ id }, was) => {
    const isAny = await reject(sql, id, wanted.at)
    if (was !== 'told')
      return isAny
        ? ok({ message: 'The reported reference is released for other registrations.' })
        : err({ code: 'not_now', message: 'No reported reference waits for a decision.' })
    setDeadline.run(sql, { registrationId: id, payUntil })
    await settleRegistration(sql, id)
    if (mail !== null) await enqueue(sql, id, 'again', mail, wanted.at, wanted.actor)
    return ok({ message: 'Payment claim rejected. The delegate gets an email.' })
  })
}

/** Returns the claims of a registration, newest first. Reads only; also runs outside the writer's transaction. */
export async function tellingsOf(sql: Sql, regNo: RegNo): Promise<readonly StoredPaymentClaim[]> {
  const rows = await claimsByNumber.all(sql, { regNo })
  const recorded = new Set(
    (
      await paymentsUnder(
        sql,
        rows.map(({ folded }) => folded),
      )
    ).map(([key]) => key),
  )
  return rows.map(({ folded, ...row }) => ({
    ...row,
    answers: JSON.parse(row.answers) as Answers,
    isRecorded: recorded.has(folded),
  }))
}
