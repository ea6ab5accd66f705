/** Handles payment claims ("I have paid"): claim by the delegate, rejection, reopening. */
import {
  dayOf,
  err,
  formatIsoIndia,
  computeExpiryAfterReopening,
  computeTransferExpiry,
  ok,
  getOwn,
  toAmount,
  readPaymentClaim,
  toMajorUnits,
  findTransferMethod,
  getMethodFileName,
} from '../../../engine/index.ts'
import {
  buildClaimRejectedEmail,
  SERVER_MESSAGES,
  buildReopenedEmail,
  buildClaimReceivedEmail,
  UPLOAD_REFUSAL_MESSAGES,
} from '../../../engine/messages.ts'
import type {
  EventConfig,
  FieldErrors,
  RawAnswers,
  Result,
  TransferMethod,
} from '../../../engine/index.ts'
import type { WirePaymentClaim } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { holdDraft } from '../uploads/draft-uploads.ts'
import type {
  StoredAction,
  StoredRegistration,
  StoredPaymentClaim,
  StoredUpload,
} from '../../storage/index.ts'
import { refuseData, readText } from './action-input.ts'
import type { ActionRequest, ActionHandler, ActionParameters } from './action-input.ts'
import { getAmountOwed } from './balance-due.ts'

/** Records a payment claim. Parameters: `{way?, answers: {field: answer}}`. A file is given as its upload token. */
export const claimPayment: ActionHandler = async (request) => {
  const { deps, served, registration, newAction, params } = request
  const { config } = served
  const method = findClaimMethod(config, registration, params)
  if (method === null) return refuseData(SERVER_MESSAGES.selfService.noMethod)
  const files = await readClaimFiles(request, method)
  if (!files.ok) return refuseFields(files.error)
  const { raw, uploads, drafts } = files.value
  const claim = readPaymentClaim(config, method, raw, {
    createdAt: registration.createdAt,
    today: dayOf(newAction.at),
  })
  if (!claim.ok) return refuseFields(claim.error)
  const { answers, reference, paidOn } = claim.value
  return deps.store.addPaymentClaim(
    newAction,
    { way: method.id, reference, paidOn, answers, uploads, drafts },
    buildClaimReceivedEmail(config, registration, reference),
  )
}

/** Returns the given payment method, else the registration's, else the event's only method. */
function findClaimMethod(
  config: EventConfig,
  registration: StoredRegistration,
  params: ActionParameters,
): TransferMethod | null {
  const methodId = readText(params, 'way')
  if (methodId !== '') return findTransferMethod(config, methodId)
  const registrationMethod = findTransferMethod(config, registration.payments[0]?.way ?? null)
  const [onlyMethod, ...otherMethods] = config.methods.filter(({ is }) => is === 'transfer')
  return (
    registrationMethod ??
    (otherMethods.length === 0 ? findTransferMethod(config, onlyMethod?.id ?? null) : null)
  )
}

function refuseFields(errors: FieldErrors) {
  const [message = SERVER_MESSAGES.selfService.checkFields] = Object.values(errors)
  return err({ code: 'bad_data' as const, message, errors })
}

type ClaimFiles = {
  readonly raw: RawAnswers
  readonly uploads: readonly StoredUpload[]
  /** Hashes of the upload tokens, which are deleted once used. */
  readonly drafts: readonly string[]
}

/** Returns the answers with each token replaced by the name of its file. */
async function readClaimFiles(
  { deps, served: { config }, params, newAction }: ActionRequest,
  method: TransferMethod,
): Promise<Result<ClaimFiles, FieldErrors>> {
  const sentAnswers = getOwn(params, 'answers')
  const raw: Record<string, unknown> =
    typeof sentAnswers === 'object' && sentAnswers !== null && !Array.isArray(sentAnswers)
      ? { ...sentAnswers }
      : {}
  const uploads: StoredUpload[] = []
  const drafts: string[] = []
  for (const field of method.fields) {
    if (field.type !== 'file') continue
    const token = raw[field.id]
    delete raw[field.id]
    if (token !== undefined && token !== null && typeof token !== 'string')
      return err({ [field.id]: UPLOAD_REFUSAL_MESSAGES.sendFileFirst })
    if (typeof token !== 'string' || token.trim() === '') continue
    const fileField = getMethodFileName(method, field)
    const draft = await holdDraft(deps, config, fileField, token.trim(), newAction.at)
    if (draft === null)
      return err({ [field.id]: 'We no longer have this file. Please choose it again.' })
    const { sha256, name, type, bytes } = draft.proof
    raw[field.id] = name
    uploads.push({ field: fileField, sha256, name, type, bytes })
    drafts.push(draft.tokenHash)
  }
  return ok({ raw, uploads, drafts })
}

/** Rejects a claim. The delegate gets the reason by email and may report the payment again. */
export const rejectClaim: ActionHandler = async ({ deps, served, registration, newAction }) => {
  const { config } = served
  const [claim] = await deps.store.paymentClaims(registration.regNo)
  const method = findTransferMethod(config, claim?.way ?? null)
  const payUntil =
    method === null ? registration.payUntil : computeTransferExpiry(method, newAction.at)
  const email =
    claim === undefined || registration.state !== 'told'
      ? null
      : buildClaimRejectedEmail(config, registration, claim.reference, newAction.why, payUntil)
  return deps.store.rejectPaymentClaim(newAction, { payUntil, mail: email })
}

/** Reopens a registration at its original price, with the payment period of its method. */
export const reopenRegistration: ActionHandler = async ({
  deps,
  served,
  registration,
  newAction,
}) => {
  const { config } = served
  const method = findTransferMethod(config, registration.payments[0]?.way ?? null)
  const payUntil = computeExpiryAfterReopening(method, newAction.at)
  const email = buildReopenedEmail(
    config,
    registration,
    registration.total ?? toAmount(0),
    payUntil,
  )
  return deps.store.reopenExpired(newAction, { method: method?.id ?? null, payUntil, mail: email })
}

/**
 * Returns the latest payment claim, formatted for display; null if there is none. `href` returns the URL of a file; it
 * is omitted if files are not shown.
 */
export async function findLastClaim(
  { store }: Pick<Deps, 'store'>,
  config: EventConfig,
  registration: StoredRegistration,
  href?: (field: string) => string,
): Promise<{ readonly view: WirePaymentClaim; readonly claim: StoredPaymentClaim } | null> {
  const { regNo, uploads } = registration
  const [claim] = await store.paymentClaims(regNo)
  if (claim === undefined) return null
  const { at, way: id, reference, paidOn, answers, endedAs } = claim
  const method = findTransferMethod(config, id)
  const reason = endedAs === 'not_found' ? findRejectionReason(await store.actions(regNo)) : ''
  const fields = method?.fields ?? []
  return {
    claim,
    view: {
      at: formatIsoIndia(at),
      label: method?.label ?? id,
      reference,
      amount: toMajorUnits(getAmountOwed(registration), registration.currency),
      paid_on: paidOn,
      answers: fields.flatMap((field) => {
        const answer = getOwn(answers, field.id)
        if (answer === undefined || field.id === method?.reference || field.id === method?.day)
          return []
        const fileField = method === null ? '' : getMethodFileName(method, field)
        const hasFile = uploads.some(
          (upload) => upload.field === fileField && upload.droppedAt === null,
        )
        return [
          {
            label: field.label,
            text: field.options?.find((option) => option.id === answer)?.label ?? String(answer),
            ...(hasFile && href !== undefined ? { href: href(fileField) } : {}),
          },
        ]
      }),
      stands: getClaimState(registration, claim),
      why: reason,
    },
  }
}

function getClaimState(
  { state }: StoredRegistration,
  { endedAs, recordedFor }: StoredPaymentClaim,
): WirePaymentClaim['stands'] {
  if (recordedFor === 'this_registration') return 'found'
  if (endedAs === 'not_found') return 'not_found'
  const isAwaited = state === 'to_pay' || state === 'told' || state === 'lapsed'
  return endedAs === null && isAwaited ? 'looking' : 'unconfirmed'
}

function findRejectionReason(actions: readonly StoredAction[]): string {
  return actions.findLast(({ act }) => act === 'not_found')?.why ?? ''
}
