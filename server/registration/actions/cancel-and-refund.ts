/** Handles cancellation, refunds and decisions on payment reviews. */
import { ok, getOwn, paise } from '../../../engine/index.ts'
import { buildCancelledEmail } from '../../../engine/messages.ts'
import {
  askedForBack,
  preparedDecision,
  refundedText,
} from '../../payments/decide-payment-review.ts'
import { amountIn, badData, textIn } from './action-input.ts'
import type { ActionRequest, ActionHandler, Done } from './action-input.ts'
import { refundAtCancellation, toPayBack } from './balance-due.ts'

/**
 * `{pay_back?: rupees, kept?: rupees}`. `pay_back` is the amount to refund; if it is missing or below the amount
 * owed in any case, that amount applies. What was refunded as goodwill counts towards what is owed, as it does in the
 * proposal. The refund itself is a separate action. `kept` is the paid amount that
 * the page showed, so that a payment received in the meantime is not cancelled unseen.
 */
export const cancel: ActionHandler = async ({ deps, served, registration, wanted, words }) => {
  const amount = amountIn(words, 'pay_back')
  if (!amount.ok) return amount
  const kept = amountIn(words, 'kept')
  if (!kept.ok) return kept
  const { regNo } = registration
  const [refunds, left, money] = await Promise.all([
    deps.store.refunds(regNo),
    deps.store.kept(regNo),
    deps.store.moneyOfBill(regNo),
  ])
  const owed = toPayBack(registration, refunds)
  const { proposed } = refundAtCancellation(
    served.config,
    registration,
    { money, kept: left },
    wanted.at,
  )
  const atLeast = paise(Math.min(owed, proposed ?? owed))
  const payBack = paise(Math.max(atLeast, amount.value ?? 0))
  const mail = buildCancelledEmail(served.config, registration, payBack)
  return deps.store.cancel(wanted, { payBack, atLeast, shown: kept.value, mail })
}

/**
 * `{amount?: rupees, by_hand?: true, reference?}`. No amount: everything that is left; an empty amount is zero.
 * With `by_hand` the money was already refunded outside Rollcall and the reference says how; otherwise the
 * gateway is asked at once.
 */
export const refund: ActionHandler = async (asked) => {
  const { deps, wanted, words } = asked
  const given = getOwn(words, 'amount')
  if (typeof given === 'string' && given.trim() === '')
    return badData(NO_AMOUNT, { amount: NO_AMOUNT })
  const amount = amountIn(words, 'amount')
  if (!amount.ok) return amount
  const reference = textIn(words, 'reference')
  const isByHand = words['by_hand'] === true || words['by_hand'] === 'true'
  if (isByHand && reference === '')
    return badData('Enter the transfer reference or the slip number of the refund.')
  const how = { amount: amount.value, byHand: isByHand ? reference : null }
  return withRefund(asked, await deps.store.refund(wanted, how))
}

const NO_AMOUNT = 'Enter the amount to refund.'

/** `{review, reference?, amount?}`, as for the list of payment reviews. */
export const accept: ActionHandler = (asked) => decideAs(asked, 'accept')
export const dismiss: ActionHandler = (asked) => decideAs(asked, 'dismiss')

async function decideAs(asked: ActionRequest, decision: 'accept' | 'dismiss'): Promise<Done> {
  const { deps, wanted, words } = asked
  const review = textIn(words, 'review')
  const given = { ...words, decision, why: wanted.why }
  const prepared = await preparedDecision(deps, review, given, wanted.who)
  if (!prepared.ok) return prepared
  return withRefund(asked, await deps.store.decideFor(wanted, { review, ...prepared.value }))
}

async function withRefund({ deps }: ActionRequest, done: Done): Promise<Done> {
  if (!done.ok) return done
  const state = await askedForBack(deps, done.value)
  if (state === null) return done
  return ok({ ...done.value, message: refundedText(done.value.message, state) })
}
