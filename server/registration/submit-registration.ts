/** Registers a delegate: checks the request, then makes a single call to the store. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  assert,
  assertNever,
  dayOf,
  delegateMethods,
  err,
  invalidMessage,
  invoiceErrors,
  isMethodOpen,
  addContext,
  ok,
  checkRegistrationOpen,
  getOwn,
  paymentState,
  METHOD_FIELD,
  findChosenMethod,
} from '../../engine/index.ts'
import { REFUSAL_MESSAGES } from '../../engine/messages.ts'
import type {
  Answers,
  EventConfig,
  PricingContext,
  FieldErrors,
  Instant,
  Paise,
  RegNo,
  Result,
  PaymentState,
} from '../../engine/index.ts'
import type { RegisterAnswer } from '../../engine/api.ts'
import type { Deps, ServedEvent } from '../dependencies.ts'
import { checkedAnswers } from '../events/answer-validators.ts'
import { readBody } from '../http/request-body.ts'
import type { Body } from '../http/request-body.ts'
import { addressOf, limitByAddress } from '../http/rate-limit.ts'
import type { Allowance } from '../http/rate-limit.ts'
import type { Registered } from '../storage/index.ts'
import { tellTheRegistered } from './send-already-registered-email.ts'
import { draftsIn } from './uploads/draft-uploads.ts'
import { asksOutside, factsOf, isAllThere, looksAtPlaces } from './look-up-pricing-context.ts'
import type { ContextLookups } from './look-up-pricing-context.ts'
import type { Guesses } from './code-guessing-limit.ts'
import { fingerprintOf, keyOf } from './idempotency-key.ts'
import type { LookupGuard } from './find-registration.ts'
import { make, priceOf } from './create-registration.ts'
import type { InHand, MakingRefusal } from './create-registration.ts'
import { answerTo, payAgain } from './retry-payment.ts'
import { agrees, whatIsFull } from './seat-availability.ts'
import {
  answersRefused,
  bodyRefused,
  codeRefused,
  closedRefused,
  differenceRefused,
  fullRefused,
  keyRefused,
  notConfirmed,
  notInMemberList,
  notPayable,
  outsideRefused,
  payAgainRefused,
  quoteRefused,
  sendRefusal,
} from './registration-errors.ts'
import type { Refusal } from './registration-errors.ts'
import { answersOf, fileLimitsOf, goneFrom, judgeFiles } from './uploads/validate-uploads.ts'
import { newLink } from './access-link.ts'
import { compareSent } from './compare-displayed-price.ts'

/** Several delegates may share one address; a script that fills the database exceeds this limit. */
const REGISTRATIONS_PER_ADDRESS: Allowance = { triesMax: 30, windowMs: 60_000 }
/** Registering also looks up the office's lists, so guesses here count towards the limit of the look-up routes. */
const WRONG_GUESSES: readonly string[] = ['code_unknown', 'not_on_roll']
/** The store's code for a version that is no longer served. */
const VERSION_MOVED = 'version_moved'
type Answer = Result<RegisterAnswer, Refusal | typeof VERSION_MOVED>

type Register = (
  served: ServedEvent,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<unknown>

export function registerCall(deps: Deps, guard: LookupGuard, guesses: Guesses): Register {
  const isTooOften = limitByAddress(deps, REGISTRATIONS_PER_ADDRESS)
  const looks = looksAtPlaces(deps)
  return async (served, request, reply) => {
    reply.header('cache-control', 'no-store')
    if (await isTooOften(request, reply)) return reply
    const body = await readBody(request, fileLimitsOf(served.config), deps.uploads)
    if (!body.ok) return sendRefusal(reply, bodyRefused(served.config, body.error))
    if (
      asksOutside(served.config, body.value.values) &&
      (await guesses.isTooMany(request, reply))
    ) {
      await discardAll(deps, body.value)
      return reply
    }
    const answer = await registerAndTidy(looks, deps, served, keyOf(request), body.value)
    if (!answer.ok) {
      if (WRONG_GUESSES.includes(answer.error.code)) await guesses.count(request, 'wrong')
      return sendRefusal(reply, answer.error)
    }
    await guard.know(addressOf(request), served.config.id, answer.value.reg_no)
    return reply.code(201).send(answer.value)
  }
}

/** Deletes files that were not kept before responding. */
function registerAndTidy(
  looks: ContextLookups,
  ...given: Given
): Promise<Result<RegisterAnswer, Refusal>> {
  const [deps, , , body] = given
  const registering = registerByActive(looks, ...given)
  return body.files.size === 0 ? registering : registering.finally(() => discardAll(deps, body))
}

/** If another server has activated another version since, checks the request again with that version. */
async function registerByActive(
  looks: ContextLookups,
  ...[deps, served, ...rest]: Given
): Promise<Result<RegisterAnswer, Refusal>> {
  let version: ServedEvent = served
  for (;;) {
    const given: Given = [deps, version, ...rest]
    const answer =
      version.config.quotas.length === 0
        ? await register({}, ...given)
        : await registerByPlaces(looks, ...given)
    if (answer.ok) return answer
    const { error } = answer
    if (error !== VERSION_MOVED) return err(error)
    await deps.events.follow()
    const now = deps.events.byId(served.config.id)
    // This server cannot serve the active version; another one can.
    if (now === null || now === version)
      return err(outsideRefused(version.config, { code: VERSION_MOVED }))
    version = now
  }
}

async function discardAll({ uploads }: Pick<Deps, 'uploads'>, { files }: Body): Promise<void> {
  for (const { file } of files.values()) await uploads.discard(file)
}

type Given = [
  deps: Deps,
  served: ServedEvent,
  key: ReturnType<typeof keyOf>,
  body: Body,
  /** The user who registers; left out: the delegate. */
  by?: ByOffice,
]

/** The user who adds a manual registration. */
export type ByOffice = {
  readonly who: string
  /** The payment taken at the desk; null: the balance stays open, for the payment method in the answers. */
  readonly inHand: InHand | null
  /** The total that the page showed; null: it showed none. */
  readonly shown: Paise | null
}

/** Registers the same form by the same rules, filled in by the office. */
export function registerAtDesk(
  deps: Deps,
  served: ServedEvent,
  given: { readonly key: string; readonly answers: Body['values'] },
  by: ByOffice,
): Promise<Result<RegisterAnswer, Refusal>> {
  const body = { values: given.answers, files: new Map() }
  return registerAndTidy(looksAtPlaces(deps), deps, served, ok(given.key), body, by)
}

/** Uses the recent availability check first; if it leads to a refusal, decides again with a fresh one. */
async function registerByPlaces(looks: ContextLookups, ...given: Given): Promise<Answer> {
  const [deps, { config }, , body] = given
  // Files that were stored cannot be checked a second time.
  const known = body.files.size > 0 ? null : looks.lately(config, deps.clock())
  if (known === null) return register(await looks.now(config, deps.clock()), ...given)
  const answer = await register(known, ...given)
  if (answer.ok || answer.error === VERSION_MOVED) return answer
  const left = await looks.now(config, deps.clock())
  return isAllThere(left) ? answer : register(left, ...given)
}

async function register(
  left: PricingContext['left'],
  ...[deps, served, key, body, by]: Given
): Promise<Answer> {
  const event = served.config
  const at = deps.clock()
  if (!key.ok) return err(keyRefused(key.error))
  const inHand = by?.inHand ?? null
  const paid = inHand === null ? [] : [inHand.way.id, inHand.mode, inHand.slip]
  const idempotency =
    key.value === null ? null : { key: key.value, fingerprint: fingerprintOf(body, paid) }
  const before =
    idempotency === null ? null : await deps.store.registeredUnder(event.id, idempotency.key, at)
  if (before !== null && before.fingerprint !== idempotency?.fingerprint)
    return err(keyRefused('idempotency_key_reused'))
  if (before !== null) return answerAgain(deps, event, before.registered, at)

  const open = checkRegistrationOpen(event, dayOf(at))
  if (!open.open) return err(closedRefused(open.text))
  const drafts = await draftsIn(deps, event, body.values, at)
  const raw = answersOf(event, body, drafts)
  const { facts, outside } = await factsOf(deps, event, raw, left, at)
  if (facts.code !== null && facts.code.is !== 'valid') return err(codeRefused(facts.code.is))
  const answers = checkedAnswers(served, raw, facts)
  const strangers = strangersOf(event, facts)
  const gone = goneFrom(event, body, drafts, raw, facts)
  if (!answers.ok) return err(answersRefused({ ...answers.error, ...strangers, ...gone }))
  if (Object.keys(gone).length > 0) return err(answersRefused({ ...gone, ...strangers }))
  if (Object.keys(strangers).length > 0) return err(notInMemberList(strangers))
  const judged = await judgeFiles(deps, event, answers.value, body.files, drafts)
  if (!judged.ok) return err(answersRefused(judged.error))
  const full = whatIsFull(event, answers.value, facts, at)
  if (full !== null && !agrees(event, body.values, full)) {
    // A delegate who is registered already gets that answer, not "full".
    const other = await deps.store.blockedBy(event.id, outside.unique, answers.value)
    if (other !== null) return err(await notMade(deps, event, { code: 'taken', by: other }, at))
    return err(fullRefused(event, full.place, full.instead?.quote ?? null))
  }
  const priced = priceOf(event, answers.value, at)
  if (!priced.ok) return err(quoteRefused(event, priced.error))
  const { category, quote } = priced.value
  const unnamed = invoiceErrors(event, answers.value, quote?.lines ?? [])
  if (Object.keys(unnamed).length > 0) return err(answersRefused(unnamed))
  const desk = inHand?.way ?? null
  const paying = desk === null ? findChosenMethod(event, answers.value, dayOf(at)) : ok(desk)
  if (!paying.ok)
    return err(
      event.fields.some(({ id }) => id === METHOD_FIELD)
        ? answersRefused({ [METHOD_FIELD]: paying.error })
        : closedRefused(paying.error),
    )
  const compared = compareSent(event, body.values, category, quote)
  if (compared.is === 'unreadable')
    return err(answersRefused({ [compared.name]: REFUSAL_MESSAGES.request.notAmount }))
  if (compared.is === 'differs') return err(differenceRefused(event, compared.in, quote))
  if (by?.shown != null && by.shown !== (quote?.total ?? 0))
    return err(differenceRefused(event, 'price', quote))

  const { uploads, files } = judged.value
  for (const file of files) await deps.uploads.keep(file)
  const way = paying.value
  const given = {
    category,
    quote,
    answers: desk === null ? answers.value : withoutWay(answers.value),
    uploads,
    idempotency,
    at,
    outside,
    way,
    addedBy: by?.who ?? null,
    inHand,
  }
  const made = await make(deps, served, given)
  if (!made.ok) {
    const { error } = made
    if (error.code === 'taken' && error.by.code === VERSION_MOVED) return err(VERSION_MOVED)
    // A concurrent request was first.
    if (error.code === 'taken' && error.by.code === 'full') {
      const known = { ...facts, left: { ...left, [error.by.place]: 0 } }
      const now = addContext(event, answers.value, known)
      const { instead } = whatIsFull(event, now, known, at) ?? { instead: null }
      return err(fullRefused(event, error.by.place, instead?.quote ?? null))
    }
    return err(await notMade(deps, event, error, at))
  }
  if (made.value.repeated) return answerAgain(deps, event, made.value, at)
  const { regNo, data, stands } = made.value
  if (stands === 'by-hand' && desk === null) return ok(await answerByHand(deps, event, regNo))
  return ok(answerTo(event, regNo, data, stands))
}

/** Removes the delegate's choice of payment method: it is not asked at the desk. */
function withoutWay({ [METHOD_FIELD]: _way, ...answers }: Answers): Answers {
  return answers
}

/** Returns the event file's message for each field whose answer is on no member list. */
function strangersOf(event: EventConfig, { rolls }: PricingContext): FieldErrors {
  return Object.fromEntries(
    event.fields.flatMap((field) =>
      getOwn(rolls, field.id) === null ? [[field.id, invalidMessage(field)] as const] : [],
    ),
  )
}

/** Returns the payment methods without a gateway that delegates can choose on that day. */
function otherMethods(event: EventConfig, at: Instant): readonly string[] {
  return delegateMethods(event)
    .filter((way) => way.is !== 'card' && isMethodOpen(way, dayOf(at)))
    .map(({ label }) => label)
}

/** Nothing was stored. A delegate who is registered already is told so by email, which only they can read. */
async function notMade(
  deps: Deps,
  event: EventConfig,
  refusal: MakingRefusal,
  at: Instant,
): Promise<Refusal> {
  switch (refusal.code) {
    case 'not_payable':
      return notPayable(event, refusal.why, otherMethods(event, at))
    case 'idempotency_key_reused':
      return keyRefused(refusal.code)
    case 'not_confirmed':
      return notConfirmed(refusal.no, refusal.asked)
    case 'taken': {
      const { by } = refusal
      if (by.code === 'registered_already' && event.unique[by.rule]?.onDuplicate === 'block')
        await tellTheRegistered(deps, event, by.regNo, at)
      return outsideRefused(event, by)
    }
    default:
      return assertNever(refusal)
  }
}

/** Payment states of a registration paid outside a gateway. */
const BY_HAND: readonly PaymentState[] = ['by-hand', 'told', 'lapsed']

/** A registration paid outside a gateway has a self-service page with payment instructions and the claim form. */
async function answerByHand(deps: Deps, event: EventConfig, regNo: RegNo): Promise<RegisterAnswer> {
  const link = await newLink(deps, { regNo, eventId: event.id })
  return { ...answerTo(event, regNo, null, 'by-hand'), page: new URL(link).pathname }
}

/**
 * A repeated request gets the first registration, with new gateway form data if it can be paid. Otherwise it gets
 * only the payment state; the result page explains the rest.
 */
async function answerAgain(
  deps: Deps,
  event: EventConfig,
  { regNo }: Registered,
  at: Instant,
): Promise<Result<RegisterAnswer, Refusal>> {
  const known = await deps.store.registration(regNo)
  assert(known !== null, 'a registration that was sent again is not there')
  if (BY_HAND.includes(paymentState(known, at))) return ok(await answerByHand(deps, event, regNo))
  const due = await payAgain(deps, event, regNo, at)
  if (due.ok) return ok(answerTo(event, regNo, due.value.data))
  if (['registration_closed', 'not_payable', 'taken'].includes(due.error.code))
    return err(payAgainRefused(event, due.error))
  const stored = await deps.store.registration(regNo)
  assert(stored !== null, 'a registration that was sent again is not there')
  return ok(answerTo(event, regNo, null, paymentState(stored, at)))
}
