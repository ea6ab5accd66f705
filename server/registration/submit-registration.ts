/** Registers a delegate: checks the request, then makes a single call to the store. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  assertNever,
  dayOf,
  listDelegateMethods,
  err,
  findInvoiceErrors,
  isMethodOpen,
  withMethod,
  ok,
  checkRegistrationOpen,
  withDeskDays,
  METHOD_FIELD,
  findMethodFieldErrors,
  normalise,
  getCurrency,
  findChosenMethod,
} from '../../engine/index.ts'
import type {
  Answers,
  EventConfig,
  PricingContext,
  FieldErrors,
  Instant,
  Result,
} from '../../engine/index.ts'
import type { RegisterResponse } from '../../engine/api.ts'
import type { Deps, ServedEvent } from '../dependencies.ts'
import { checkAnswers } from '../events/answer-validators.ts'
import { readBody, type Body } from '../http/request-body.ts'
import { getAddressKey, createAddressLimit } from '../http/rate-limit.ts'
import type { Allowance } from '../http/rate-limit.ts'
import type { WebForm } from '../storage/index.ts'
import { sendAlreadyRegisteredEmail } from './send-already-registered-email.ts'
import { findDrafts } from './uploads/draft-uploads.ts'
import {
  needsListLookup,
  buildPricingContext,
  findMemberListErrors,
  hasSeatsOfEachKind,
  openAvailabilityChecks,
} from './look-up-pricing-context.ts'
import type { AvailabilityChecks } from './look-up-pricing-context.ts'
import type { GuessLimit } from './guessing-limits.ts'
import { computeFingerprint, readIdempotencyKey } from './idempotency-key.ts'
import type { LookupGuard } from './find-registration.ts'
import { createRegistration } from './create-registration.ts'
import type { DeskPayment, CreationRefusal } from './create-registration.ts'
import { buildResponse } from '../payments/start-checkout.ts'
import {
  hasAcceptedAlternative,
  describeFullSeat,
  describeTakenSeat,
  findFullSeat,
} from './seat-availability.ts'
import {
  refuseAnswers,
  refuseBody,
  refuseCode,
  refuseClosed,
  refuseDifference,
  refuseFullQuota,
  refuseKey,
  refuseUnconfirmed,
  refuseNotInMemberList,
  refuseNotPayable,
  refuseAlreadyUsed,
  refuseQuote,
  sendRefusal,
} from './registration-errors.ts'
import type { Refusal } from './registration-errors.ts'
import {
  readRawAnswers,
  getFileLimits,
  findMissingFiles,
  checkFiles,
} from './uploads/validate-uploads.ts'
import {
  calculatePrice,
  describeNotAmount,
  compareDisplayedPrice,
} from './compare-displayed-price.ts'
import { openWebForm } from '../http/browser-cookie.ts'
import {
  buildManualPaymentResponse,
  buildRepeatedResponse,
  refuseSamePerson,
} from './same-person.ts'

/** Several delegates may share one address; a script that fills the database exceeds this limit. */
const REGISTRATIONS_PER_ADDRESS: Allowance = { maxAttempts: 30, windowMs: 60_000 }
/** Registering also looks up codes and member numbers, so wrong ones count towards the limit of the look-up routes. */
const GUESSED_REFUSAL_CODES: readonly string[] = ['code_unknown', 'not_on_roll']
/** The store's error code for a version that is no longer served. */
const VERSION_CHANGED = 'version_moved'
type RegisterResult = Result<RegisterResponse, Refusal | typeof VERSION_CHANGED>

type Register = (
  served: ServedEvent,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<unknown>

export function buildRegisterHandler(
  deps: Deps,
  guard: LookupGuard,
  guessLimit: GuessLimit,
): Register {
  const isRateLimited = createAddressLimit(deps, REGISTRATIONS_PER_ADDRESS)
  const availability = openAvailabilityChecks(deps)
  return async (served, request, reply) => {
    reply.header('cache-control', 'no-store')
    if (await isRateLimited(request, reply)) return reply
    const body = await readBody(request, getFileLimits(served.config), deps.uploads)
    if (!body.ok) return sendRefusal(reply, refuseBody(served.config, body.error))
    if (
      needsListLookup(served.config, body.value.values) &&
      (await guessLimit.isTooMany(request, reply))
    ) {
      await discardAll(deps, body.value)
      return reply
    }
    const { form, setCookie, waitForStep } = openWebForm(deps, served.config, request)
    const response = await registerAndDiscardFiles(
      availability,
      deps,
      served,
      readIdempotencyKey(request),
      body.value,
      undefined,
      form,
    )
    if (!response.ok) {
      const isGuess = GUESSED_REFUSAL_CODES.includes(response.error.code)
      if (isGuess && (await guessLimit.isResultWithheld(request, reply, 'wrong'))) return reply
      return sendRefusal(reply, response.error)
    }
    await guard.addKnown(getAddressKey(request), served.config.id, response.value.reg_no)
    setCookie(reply)
    await waitForStep()
    return reply.code(201).send(response.value)
  }
}

/** Registers the delegate. Before responding, deletes the files that were not stored. */
function registerAndDiscardFiles(
  availability: AvailabilityChecks,
  ...args: RegisterArgs
): Promise<Result<RegisterResponse, Refusal>> {
  const [deps, , , body] = args
  const registration = registerWithActiveVersion(availability, ...args)
  return body.files.size === 0 ? registration : registration.finally(() => discardAll(deps, body))
}

/** Registers the delegate; if another server has just activated a new version, checks again with that version. */
async function registerWithActiveVersion(
  availability: AvailabilityChecks,
  ...[deps, served, ...rest]: RegisterArgs
): Promise<Result<RegisterResponse, Refusal>> {
  let version: ServedEvent = served
  for (;;) {
    const args: RegisterArgs = [deps, version, ...rest]
    const response =
      version.config.quotas.length === 0
        ? await register({}, ...args)
        : await registerWithAvailability(availability, ...args)
    if (response.ok) return response
    const { error } = response
    if (error !== VERSION_CHANGED) return err(error)
    await deps.events.refresh()
    const activeVersion = deps.events.findById(served.config.id)
    // This server cannot serve the active version; another server can.
    if (activeVersion === null || activeVersion === version)
      return err(refuseAlreadyUsed(version.config, { code: VERSION_CHANGED }))
    version = activeVersion
  }
}

async function discardAll({ uploads }: Pick<Deps, 'uploads'>, { files }: Body): Promise<void> {
  for (const { file } of files.values()) await uploads.discard(file)
}

type RegisterArgs = [
  deps: Deps,
  served: ServedEvent,
  key: ReturnType<typeof readIdempotencyKey>,
  body: Body,
  /** The details of a manual registration; undefined if the delegate registers. */
  manualEntry?: ManualEntry | undefined,
  /** The web form; undefined if something else sent the request. */
  form?: WebForm | undefined,
]

/** The details of a manual registration. */
export type ManualEntry = {
  readonly user: string
  /** The payment received at the desk; null if the balance is paid later, by the method in the answers. */
  readonly deskPayment: DeskPayment | null
  /** The total that the page showed, in major units (text or number); undefined if it showed none. */
  readonly shownTotal: unknown
}

/** Registers a delegate from a form that staff filled in, by the same rules. */
export function addManualRegistration(
  deps: Deps,
  served: ServedEvent,
  request: { readonly key: string; readonly answers: Body['values'] },
  entry: ManualEntry,
): Promise<Result<RegisterResponse, Refusal>> {
  const body = { values: request.answers, files: new Map() }
  return registerAndDiscardFiles(
    openAvailabilityChecks(deps),
    deps,
    served,
    ok(request.key),
    body,
    entry,
  )
}

/** Uses the recent availability check first; if it leads to a refusal, decides again with a fresh one. */
async function registerWithAvailability(
  availability: AvailabilityChecks,
  ...args: RegisterArgs
): Promise<RegisterResult> {
  const [deps, { config }, , body] = args
  // Files that were stored cannot be checked a second time.
  const recentLeft = body.files.size > 0 ? null : availability.getRecent(config, deps.clock())
  if (recentLeft === null)
    return register(await availability.getFresh(config, deps.clock()), ...args)
  const response = await register(recentLeft, ...args)
  if (response.ok || response.error === VERSION_CHANGED) return response
  const seatsLeft = await availability.getFresh(config, deps.clock())
  return hasSeatsOfEachKind(seatsLeft) ? response : register(seatsLeft, ...args)
}

async function register(
  seatsLeft: PricingContext['left'],
  ...[deps, served, key, body, manualEntry, form]: RegisterArgs
): Promise<RegisterResult> {
  const at = deps.clock()
  const event = manualEntry === undefined ? served.config : withDeskDays(served.config, dayOf(at))
  if (!key.ok) return err(refuseKey(key.error))
  const deskPayment = manualEntry?.deskPayment ?? null
  const deskPaymentParts =
    deskPayment === null ? [] : [deskPayment.method.id, deskPayment.mode, deskPayment.slip]
  const idempotency =
    key.value === null
      ? null
      : { key: key.value, fingerprint: computeFingerprint(body, deskPaymentParts) }
  const findRepeated = async (): Promise<RegisterResult | null> => {
    if (idempotency === null) return null
    const previous = await deps.store.registrationByKey(event.id, idempotency.key, at)
    if (previous === null) return null
    return previous.fingerprint === idempotency.fingerprint
      ? buildRepeatedResponse(deps, event, previous.registered, at)
      : err(refuseKey('idempotency_key_reused'))
  }
  const repeatedResult = await findRepeated()
  if (repeatedResult !== null) return repeatedResult
  const openState = checkRegistrationOpen(event, dayOf(at))
  if (!openState.open) return err(refuseClosed(openState.text))
  const drafts = await findDrafts(deps, event, body.values, at)
  const raw = readRawAnswers(event, body, drafts)
  const { context, externalContext } = await buildPricingContext(deps, event, raw, seatsLeft, at)
  // The same form, sent twice at the same time, may have used the code or taken the seat after the key was read.
  if (context.code !== null && context.code.is !== 'valid')
    return (await findRepeated()) ?? err(refuseCode(context.code.is))
  const answers = checkAnswers(served, raw, context)
  const listErrors = findMemberListErrors(event, context)
  const fileErrors = findMissingFiles(event, body, drafts, raw, context)
  const findMethodErrors = (normalised: Answers): FieldErrors =>
    manualEntry === undefined ? findMethodFieldErrors(event, raw, normalised, dayOf(at)) : {}
  if (!answers.ok) {
    const methodErrors = Object.hasOwn(answers.error, METHOD_FIELD)
      ? findMethodErrors(normalise(event, raw, context).answers)
      : {}
    return err(refuseAnswers({ ...answers.error, ...listErrors, ...fileErrors, ...methodErrors }))
  }
  if (Object.keys(fileErrors).length > 0)
    return err(refuseAnswers({ ...fileErrors, ...listErrors }))
  if (Object.keys(listErrors).length > 0) return err(refuseNotInMemberList(listErrors))
  const checkedFiles = await checkFiles(deps, event, answers.value, body.files, drafts)
  if (!checkedFiles.ok) return err(refuseAnswers(checkedFiles.error))
  const fullSeat = findFullSeat(event, answers.value, context, at)
  if (fullSeat !== null && !hasAcceptedAlternative(event, body.values, fullSeat)) {
    const concurrentRepeat = await findRepeated()
    if (concurrentRepeat !== null) return concurrentRepeat
    // A delegate who is already registered gets the error "already registered" instead of "full".
    const duplicate = await deps.store.duplicateRegistration(
      event.id,
      externalContext.unique,
      answers.value,
    )
    if (duplicate !== null)
      return err(await toRefusal(deps, event, { code: 'taken', by: duplicate }, at))
    return err(refuseFullQuota(event, fullSeat.seat.id, describeFullSeat(fullSeat, context.left)))
  }
  const deskMethod = deskPayment?.method ?? null
  const pricing = calculatePrice(event, withMethod(event, answers.value, deskMethod?.id), at)
  if (!pricing.ok) return err(refuseQuote(event, pricing.error))
  const { category, quote } = pricing.value
  const invoiceFieldErrors = findInvoiceErrors(event, answers.value, quote)
  if (Object.keys(invoiceFieldErrors).length > 0) return err(refuseAnswers(invoiceFieldErrors))
  const methodResult =
    deskMethod === null
      ? findChosenMethod(event, answers.value, dayOf(at), getCurrency(event, category))
      : ok(deskMethod)
  const payableMethodErrors = (quote?.total ?? 0) > 0 ? findMethodErrors(answers.value) : {}
  if (Object.keys(payableMethodErrors).length > 0) return err(refuseAnswers(payableMethodErrors))
  if (!methodResult.ok)
    return err(
      event.fields.some(({ id }) => id === METHOD_FIELD)
        ? refuseAnswers({ [METHOD_FIELD]: methodResult.error })
        : refuseClosed(methodResult.error),
    )
  const shownTotal = manualEntry?.shownTotal
  const comparison = compareDisplayedPrice(event, body.values, category, quote, shownTotal)
  if (comparison.is === 'unreadable')
    return err(refuseAnswers({ [comparison.name]: describeNotAmount(event) }))
  if (comparison.is === 'differs') return err(refuseDifference(event, comparison.difference, quote))
  const { uploads, files } = checkedFiles.value
  for (const file of files) await deps.uploads.storeFile(file)
  const method = methodResult.value
  const validated = {
    category,
    quote,
    answers: deskMethod === null ? answers.value : removePaymentMethod(answers.value),
    uploads,
    idempotency,
    at,
    externalContext,
    method,
    addedBy: manualEntry?.user ?? null,
    deskPayment,
    form,
  }
  const createResult = await createRegistration(deps, served, validated)
  if (!createResult.ok) {
    const { error } = createResult
    if (error.code === 'taken' && error.by.code === VERSION_CHANGED) return err(VERSION_CHANGED)
    // A concurrent request has taken the last seats.
    if (error.code === 'taken' && error.by.code === 'full') {
      const { place } = error.by
      const request = { ...validated, place, answers: answers.value, context }
      return err(refuseFullQuota(event, place, await describeTakenSeat(deps, event, request, at)))
    }
    return err(await toRefusal(deps, event, error, at))
  }
  if (createResult.value.repeated) return buildRepeatedResponse(deps, event, createResult.value, at)
  const { regNo, data, paymentState: state } = createResult.value
  if (state === 'by-hand' && deskMethod === null)
    return ok(await buildManualPaymentResponse(deps, event, regNo))
  return ok(buildResponse(event, regNo, data, state))
}

/** Removes the delegate's choice of payment method, which does not apply to a desk payment. */
function removePaymentMethod({ [METHOD_FIELD]: _method, ...answers }: Answers): Answers {
  return answers
}

/** Returns the payment methods without a gateway that delegates can choose on that date. */
function listOtherMethods(event: EventConfig, at: Instant): readonly string[] {
  return listDelegateMethods(event)
    .filter((method) => method.is !== 'card' && isMethodOpen(method, dayOf(at)))
    .map(({ label }) => label)
}

/** Converts a refusal by the store. A delegate who is already registered gets an email, which only they can read. */
async function toRefusal(
  deps: Deps,
  event: EventConfig,
  refusal: CreationRefusal,
  at: Instant,
): Promise<Refusal> {
  switch (refusal.code) {
    case 'not_payable':
      return refuseNotPayable(event, refusal.why, listOtherMethods(event, at))
    case 'idempotency_key_reused':
      return refuseKey(refusal.code)
    case 'not_confirmed':
      return refuseUnconfirmed(refusal.denial, refusal.field)
    case 'same_person':
      return refuseSamePerson(refusal.earlierRegistration)
    case 'taken': {
      const { by } = refusal
      if (by.code === 'registered_already' && event.unique[by.rule]?.onDuplicate === 'block')
        await sendAlreadyRegisteredEmail(deps, event, by.regNo, at)
      return refuseAlreadyUsed(event, by)
    }
    default:
      return assertNever(refusal)
  }
}
