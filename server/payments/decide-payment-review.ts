/**
 * Carries out staff decisions on payments, for the office's routes and for commands.
 * Asks the gateway at once for a refund that a decision requires.
 */
import { checkSameAccount, err, fromRupees, ok, readAmount } from '../../engine/index.ts'
import type {
  Decision,
  DecisionRefusal,
  Grounds,
  Paise,
  Result,
  Review,
} from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { versionOf } from '../events/versions/version-approval.ts'
import type { Decided, NewMail, StoredRefund } from '../storage/index.ts'
import { atPrice, priceOnDay } from './price-on-credit-date.ts'
import { confirmationOf } from './verify-payment.ts'

export type DecidingDeps = Pick<Deps, 'store' | 'events' | 'payments' | 'clock'>
/** As typed or sent; amounts are in rupees, as text or as numbers. */
export type DecisionWords = {
  readonly decision?: unknown
  readonly why?: unknown
  readonly to?: unknown
  readonly reference?: unknown
  readonly amount?: unknown
  /** For a refund: true if it was already made outside the gateway, under `reference`. */
  readonly by_hand?: unknown
}
/** `refund`: the current state of the refund that follows; null: none follows. */
export type ReviewResult = Decided & { readonly refund: StoredRefund['state'] | null }
type Answer = Result<ReviewResult, DecisionRefusal>

const textOf = (word: unknown): string => (typeof word === 'string' ? word : '')

export async function decideReview(
  deps: DecidingDeps,
  id: string,
  words: DecisionWords,
  who: string,
): Promise<Answer> {
  const prepared = await preparedDecision(deps, id, words, who)
  if (!prepared.ok) return prepared
  const { decision, mail } = prepared.value
  const decided = await deps.store.decide(id, decision, deps.clock(), mail)
  return decided.ok ? ok(await followed(deps, decided.value)) : decided
}

/** Prepares a decision for the store, with the email that goes out if the registration becomes a success. */
export async function preparedDecision(
  deps: Pick<Deps, 'store' | 'events' | 'clock'>,
  id: string,
  words: DecisionWords,
  who: string,
): Promise<
  Result<{ readonly decision: Decision; readonly mail: NewMail | null }, DecisionRefusal>
> {
  const decision = readDecision(words, { why: textOf(words.why), who })
  if (!decision.ok) return decision
  const review = await deps.store.review(id)
  const stored = await asStored(deps, decision.value)
  const same = await sameAccount(deps, review, stored)
  if (!same.ok) return err({ code: 'no_target', message: same.error })
  const named = await priced(deps, review, stored)
  const mail = review === null ? null : await mailAfter(deps, review, named)
  return ok({ decision: named, mail })
}

/** Refunds a payment of a registration or an order; without an amount, everything that is left. */
export async function refundPayment(
  deps: DecidingDeps,
  of: string,
  words: Pick<DecisionWords, 'why' | 'amount'>,
  who: string,
): Promise<Answer> {
  const amount = readPart(words.amount)
  if (!amount.ok) return amount
  const wanted = { of, amount: amount.value, why: textOf(words.why), who, at: deps.clock() }
  const decided = await deps.store.wantRefund(wanted)
  return decided.ok ? ok(await followed(deps, decided.value)) : decided
}

function readDecision(words: DecisionWords, grounds: Grounds): Result<Decision, DecisionRefusal> {
  const amount = readPart(words.amount)
  if (!amount.ok) return amount
  switch (words.decision) {
    case 'accept': {
      const reference = textOf(words.reference).trim()
      return ok({
        what: 'accept',
        reference: reference === '' ? null : reference,
        amount: amount.value,
        ...grounds,
      })
    }
    case 'refund':
      return ok({
        what: 'refund',
        amount: amount.value,
        ...(words.by_hand === true && { byHand: textOf(words.reference) }),
        ...grounds,
      })
    case 'dismiss':
      return ok({ what: 'dismiss', ...grounds })
    case 'move':
      return ok({ what: 'move', to: textOf(words.to).trim(), ...grounds })
    default:
      return err({ code: 'not_allowed', message: 'Choose to accept, refund, dismiss or move.' })
  }
}

/**
 * People copy a number in groups, as pages print it, or in lower case. Imported numbers may have another format.
 */
async function asStored({ store }: Pick<Deps, 'store'>, decision: Decision): Promise<Decision> {
  if (decision.what !== 'move' || (await store.registration(decision.to)) !== null) return decision
  return { ...decision, to: decision.to.replaceAll(/[\s-]/g, '').toUpperCase() }
}

/** Money is booked on another event only if both are paid into one account. */
async function sameAccount(
  { store, events }: Pick<Deps, 'store' | 'events'>,
  review: Review | null,
  decision: Decision,
): Promise<Result<null, string>> {
  const came = review?.came ?? null
  if (decision.what !== 'move' || review === null || came === null) return ok(null)
  const target = await store.registration(decision.to)
  const to = target === null ? null : events.byId(target.eventId)
  if (target === null || to === null) return ok(null)
  const { eventId } = review
  const event = eventId === null ? null : (events.byId(eventId)?.config ?? null)
  return checkSameAccount({ account: came.account, event, eventId }, to.config, target.regNo)
}

/** A payment that is moved pays the price of the day on which it arrived, as if it had been confirmed there. */
async function priced(
  { store, events }: Pick<Deps, 'store' | 'events'>,
  review: Review | null,
  decision: Decision,
): Promise<Decision> {
  const came = review?.came ?? null
  if (decision.what !== 'move' || came === null) return decision
  const target = await store.registration(decision.to)
  const event = target === null ? null : events.byId(target.eventId)
  const price =
    target === null || event === null ? null : priceOnDay(event.config, target, came.paidAt)
  return price === null ? decision : { ...decision, price }
}

/** Null: no amount was given. */
function readPart(word: unknown): Result<Paise | null, DecisionRefusal> {
  if (word === undefined || word === null || word === '') return ok(null)
  const amount = typeof word === 'string' ? readAmount(word) : fromRupees(word)
  return amount === null
    ? err({ code: 'bad_amount', message: 'Enter the amount in rupees, such as 985 or 985.50.' })
    : ok(amount)
}

/** Returns the confirmation email that goes out if the decision makes a registration a success. */
async function mailAfter(
  { store, events, clock }: Pick<Deps, 'store' | 'events' | 'clock'>,
  review: Review,
  decision: Decision,
): Promise<NewMail | null> {
  if (decision.what !== 'accept' && decision.what !== 'move') return null
  const regNo = decision.what === 'move' ? decision.to : review.regNo
  const stored = regNo === null ? null : await store.registration(regNo)
  const price = decision.what === 'move' ? (decision.price ?? null) : null
  const registration = stored === null ? null : atPrice(stored, price)
  // If its event file was removed in the meantime, the email uses the version that the delegate registered with.
  const event =
    registration === null
      ? null
      : (events.byId(registration.eventId) ?? (await versionOf(store, registration.eventHash)))
  const payment =
    registration?.payments.find(({ orderId }) => orderId === review.orderId) ??
    registration?.payments[0]
  if (registration === null || event === null || payment === undefined) return null
  const reference =
    review.came?.reference ?? (decision.what === 'accept' ? (decision.reference ?? '') : '')
  const paidAt = review.came?.paidAt ?? clock()
  return confirmationOf({ event: event.config, registration, payment }, reference, paidAt)
}

async function followed(deps: DecidingDeps, decided: Decided): Promise<ReviewResult> {
  return { ...decided, refund: await askedForBack(deps, decided) }
}

/** Asks the gateway for the refund that follows, and returns its state; null: none follows. */
export async function askedForBack(
  deps: Pick<Deps, 'store' | 'payments'>,
  { refundId, regNo }: Pick<Decided, 'refundId' | 'regNo'>,
): Promise<StoredRefund['state'] | null> {
  if (refundId === null) return null
  await deps.payments.sendRefunds()
  const refunds = regNo === null ? [] : await deps.store.refunds(regNo)
  return refunds.find(({ id }) => id === refundId)?.state ?? 'wanted'
}

/** Describes the decision and the state of its refund. "requested" becomes "failed" if the gateway refused it. */
export function refundedText(message: string, state: StoredRefund['state']): string {
  return state === 'refused'
    ? `${message.replace(' requested', ' failed')} ${refundSentence(state)}`
    : `${message} ${refundSentence(state)}`
}

/** Ends the sentence with the current state of the refund. */
function refundSentence(state: StoredRefund['state']): string {
  switch (state) {
    case 'wanted':
      return 'Rollcall sends it to the gateway automatically, or after a running recovery.'
    case 'asked':
      return 'The gateway started it. It is done when the gateway confirms it.'
    case 'done':
      return 'The refund is done.'
    case 'refused':
      return 'The gateway refused the refund. Under Needs review, request it again, or refund outside Rollcall.'
    case 'unsure':
      return 'We do not know whether the gateway made the refund. It needs review and is not repeated automatically.'
  }
}
