/** Stores payment claims ("I have paid") for payments that no gateway reports. */
import { mapInOrder } from '../database/in-order.ts'
import { toBankKey, err, ok } from '../../../engine/index.ts'
import { SERVER_MESSAGES } from '../../../engine/messages.ts'
import type { Answers, BankKey, Day, Instant, RegNo } from '../../../engine/index.ts'
import type { ActionResult, NewAction } from '../registrations/action-types.ts'
import { applyAction } from '../registrations/apply-action.ts'
import { requestManualPayment } from './payment-attempts.ts'
import {
  findReferenceOwner,
  findPaymentsByKey,
  type PaymentReferences,
} from '../reconciliation/bank-references.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { closeOpenClaims } from './payment-state.ts'
import { statement } from '../database/statements/statement.ts'
import { replaceUploads } from '../files/replace-uploads.ts'
import { deleteDraftUpload } from '../files/stored-draft-uploads.ts'
import { enqueue } from '../mail/email-queue.ts'
import { reserveSeatsAgain } from '../seats/keep-and-release-seats.ts'
import type { NewMail } from '../registrations/registration-types.ts'
import type { NewPaymentClaim, StoredPaymentClaim } from './payment-claim-types.ts'
import { settleRegistration } from './settle-registration.ts'

// A claim is open until staff find the payment at the bank or reject the claim. Until then, the seats stay reserved,
// and no other delegate of the event can report the same reference.

type RegistrationParams = { registrationId: number }
/**
 * Replaces a claim if its payment was found with a different amount or method, so that the delegate's new claim
 * applies.
 */
const replaceFoundClaims = statement(
  (
    builder,
    { registrationId, folded, at }: RegistrationParams & { folded: BankKey; at: Instant },
  ) =>
    builder
      .updateTable('tellings')
      .set({ ended_as: 'again', ended_at: at })
      .where('registration_id', '=', registrationId)
      .where('folded', '=', folded)
      .where('ended_as', '=', 'found'),
)
type NewClaim = RegistrationParams & {
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
const setClaimed = statement((builder, { registrationId }: RegistrationParams) =>
  builder.updateTable('registrations').set({ state: 'told' }).where('id', '=', registrationId),
)
const claimsOfRegistration = statement((builder, { registrationId }: RegistrationParams) =>
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
  (builder, { registrationId, payUntil }: RegistrationParams & { payUntil: Instant | null }) =>
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
  action: NewAction,
  claim: NewPaymentClaim,
  email: NewMail | null,
): Promise<ActionResult> {
  const { at, regNo } = action
  const { way: method, reference, paidOn, answers, uploads, drafts } = claim
  return applyAction(sql, action, async ({ id, event_id: eventId }) => {
    const normalisedReference = toBankKey(reference)
    const explanation = await explainKnownReference(sql, { reference, eventId, regNo })
    if (explanation !== null) return err({ code: 'taken', message: explanation })
    closeOpenClaims.run(sql, { registrationId: id, at })
    replaceFoundClaims.run(sql, { registrationId: id, folded: normalisedReference, at })
    addClaim.run(sql, {
      registrationId: id,
      eventId,
      at,
      way: method,
      reference,
      folded: normalisedReference,
      paidOn,
      answers: JSON.stringify(answers),
    })
    replaceUploads(sql, id, uploads)
    for (const draft of drafts) deleteDraftUpload(sql, eventId, draft)
    await requestManualPayment(sql, { id, regNo }, method, at)
    // The state is set first, so that the gateway order that the claim closed does not make the registration expire.
    setClaimed.run(sql, { registrationId: id })
    await settleRegistration(sql, id)
    await reserveSeatsAgain(sql, id, at)
    if (email !== null) await enqueue(sql, id, 'again', email, at, action.actor)
    return ok({
      message: SERVER_MESSAGES.selfService.claimed,
      data: { told: reference },
    })
  })
}

/** Explains to the delegate why this reference cannot be reported. Null if it can be. */
async function explainKnownReference(
  sql: Sql,
  claim: Omit<PaymentReferences, 'method'>,
): Promise<string | null> {
  const owner = await findReferenceOwner(sql, { ...claim, method: 'transfer' })
  if (owner === null) return null
  return owner.is === 'payment' && owner.regNo === claim.regNo
    ? 'This payment has already been found. You do not need to report it again; the organisers will write to you.'
    : 'This number has already been reported for another registration. Check the number. If it is correct, write to the organisers.'
}

/** Returns the claims of the registration, each with the payment recorded under its reference. */
async function readReportedClaims(sql: Sql, registrationId: number) {
  return mapInOrder(
    await claimsOfRegistration.all(sql, { registrationId }),
    async ({ folded, ...row }) => ({
      ...row,
      payment: (await findPaymentsByKey(sql, [folded]))[0]?.[1] ?? null,
    }),
  )
}

const endClaimAs = (sql: Sql, id: number, outcome: 'found' | 'not_found', at: Instant): void =>
  void endClaim.run(sql, { id, as: outcome, at })

/**
 * Resolves claims after a payment: a claim is marked as found if a payment is recorded under its reference. All other
 * claims are closed.
 */
export async function resolveClaims(
  sql: Sql,
  { id, regNo }: { readonly id: number; readonly regNo: RegNo },
  at: Instant,
): Promise<void> {
  for (const claim of await readReportedClaims(sql, id))
    if (claim.ended_as === null && claim.payment?.regNo === regNo)
      endClaimAs(sql, claim.id, 'found', at)
  closeOpenClaims.run(sql, { registrationId: id, at })
}

/** Releases every reported reference without a recorded payment. Returns false if there is none. */
async function releaseReferences(sql: Sql, registrationId: number, at: Instant): Promise<boolean> {
  const releasedClaims = (await readReportedClaims(sql, registrationId)).filter(
    ({ ended_as: endedAs, payment }) => endedAs !== 'not_found' && payment === null,
  )
  for (const { id } of releasedClaims) endClaimAs(sql, id, 'not_found', at)
  return releasedClaims.length > 0
}

/**
 * Rejects a claim. The delegate may submit another claim until `payUntil`. If the registration no longer expects a
 * payment, its reported references are released for other registrations.
 */
export function rejectPaymentClaim(
  sql: Sql,
  action: NewAction,
  {
    payUntil,
    mail: claimEmail,
  }: { readonly payUntil: Instant | null; readonly mail: NewMail | null },
): Promise<ActionResult> {
  return applyAction(sql, action, async ({ id }, stateBefore) => {
    const hasReleasedReferences = await releaseReferences(sql, id, action.at)
    if (stateBefore !== 'told')
      return hasReleasedReferences
        ? ok({ message: 'The reported reference is released for other registrations.' })
        : err({ code: 'not_now', message: 'No reported reference needs a decision.' })
    setDeadline.run(sql, { registrationId: id, payUntil })
    await settleRegistration(sql, id)
    if (claimEmail !== null) await enqueue(sql, id, 'again', claimEmail, action.at, action.actor)
    return ok({ message: 'Payment claim rejected. The delegate gets an email.' })
  })
}

/** Returns the claims of a registration, newest first. Also runs outside the writer's transaction. */
export async function listPaymentClaims(
  sql: Sql,
  regNo: RegNo,
): Promise<readonly StoredPaymentClaim[]> {
  const rows = await claimsByNumber.all(sql, { regNo })
  const keys = rows.map(({ folded }) => folded)
  const payments = new Map(await findPaymentsByKey(sql, keys))
  return rows.map(({ folded, ...row }) => {
    const payment = payments.get(folded)
    return {
      ...row,
      answers: JSON.parse(row.answers) as Answers,
      recordedFor:
        payment === undefined ? null : payment.regNo === regNo ? 'this_registration' : 'other',
    }
  })
}
