/** Serves the actions on a registration: lists those available and performs one. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  allowedActs,
  dayOf,
  formatDayShort,
  isActName,
  isOfGateway,
  isWay,
  paise,
  rupees,
  STATE_WORDS,
  wayInSentence,
} from '../../../engine/index.ts'
import type { ActionName } from '../../../engine/index.ts'
import type { ActionDoneAnswer, ActionsAnswer } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { refuse } from '../../http/error-response.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { wireReview } from '../reconciliation/payment-reviews.ts'
import type {
  ActionDenial,
  StoredCapture,
  StoredRegistration,
  StoredPaymentClaim,
} from '../../storage/index.ts'
import { wireSecondPayment } from '../../payments/describe-duplicate-payment.ts'
import { wireQuote } from '../../registration/registration-errors.ts'
import { ACT_WORDS, onceOf, textIn } from '../../registration/actions/action-input.ts'
import type { ActionParameter, Words } from '../../registration/actions/action-input.ts'
import { approvalShown } from '../../registration/actions/approve-registration.ts'
import { DOERS } from '../../registration/actions/action-handlers.ts'
import { refundAtCancellation, toPayBack } from '../../registration/actions/balance-due.ts'
import { editable } from '../../registration/actions/correctable-answers.ts'
import { lastTold } from '../../registration/actions/payment-claims.ts'
import { trailOf } from './timeline.ts'

type Found = Pick<Call<'registration'>, 'admin' | 'target'>

export function actRoutes(office: OfficeRoutes, deps: Deps): void {
  const show = async (call: Call<'registration'>, reply: FastifyReply): Promise<FastifyReply> =>
    reply.header('cache-control', 'no-store').send(await standingOf(deps, call))

  const act = async (
    { admin, target, body }: Call<'registration', never, ActionParameter>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { registration, served, review } = target
    const { act: named, why, ...given } = body
    const words = review === null ? given : { ...given, review }
    const doer = typeof named === 'string' && isActName(named) ? DOERS[named] : undefined
    if (typeof named !== 'string' || !isActName(named) || doer === undefined)
      return refuse(reply, 422, 'act_unknown', 'No action has this name.')
    const { regNo } = registration
    const once = onceOf({ ...words, why }, { who: admin.username, regNo, act: named })
    if (!once.ok) return sendNo(reply, once.error)
    const wanted = {
      regNo,
      act: named,
      actor: admin.role,
      who: admin.username,
      why: textIn({ why }, 'why'),
      at: deps.clock(),
      once: once.value,
    }
    const done = await doer({ deps, served, registration, wanted, words })
    if (!done.ok) return sendNo(reply, done.error)
    const { message, state, repeated } = done.value
    const answer: ActionDoneAnswer = { status: 'success', message, reg_no: regNo, state, repeated }
    return reply.header('cache-control', 'no-store').send(answer)
  }

  const path = '/admin/registrations/:reg_no/acts'
  office.get(path, { least: 'viewer', about: 'registration' }, show)
  // Further requirements of an action are in the table of actions.
  office.post(path, { least: 'desk', about: 'registration', body: ACT_WORDS }, act)
}

async function standingOf(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { admin, target: { registration, served } }: Found,
): Promise<ActionsAnswer> {
  const { regNo, state, due } = registration
  const fileOf = (field: string): string => `/admin/registrations/${regNo}/files/${field}/`
  const [
    kept,
    money,
    captures,
    refunds,
    isUnsettled,
    acts,
    decisions,
    told,
    tellings,
    reviews,
    second,
  ] = await Promise.all([
    store.kept(regNo),
    store.moneyOfBill(regNo),
    store.captures(regNo),
    store.refunds(regNo),
    store.isRefundUnsettled(regNo, clock()),
    store.acts(regNo),
    store.decisions(regNo),
    lastTold({ store }, served.config, registration, fileOf),
    store.tellings(regNo),
    store.reviews(registration.eventId),
    store.secondPayment(regNo),
  ])
  const isErased = acts.some(({ act }) => act === 'erase')
  const allowed = allowedActs(state, admin.role).filter(
    (act) =>
      DOERS[act] !== undefined &&
      !(isErased && OF_SOMEBODY.has(act)) &&
      (act !== 'handle_refund' || isUnsettled) &&
      (act !== 'not_found' || state === 'told' || reserves(tellings)),
  )
  const refund = refundAtCancellation(served.config, registration, { money, kept }, clock())
  // A payment made by mistake is refunded in full, whatever the cancellation scale says.
  const proposed = second === null ? refund.proposed : kept
  return {
    status: 'success',
    reg_no: regNo,
    state,
    state_display: stateText(registration, captures),
    today: dayOf(clock()),
    due: rupees(paise(Math.max(0, due))),
    pay_back: rupees(toPayBack(registration, refunds)),
    kept: rupees(kept),
    back_by_gateway: rupees(
      paise(captures.reduce((sum, { backByGateway }) => sum + backByGateway, 0)),
    ),
    refund_unsettled: isUnsettled,
    second_payment: wireSecondPayment(second, kept),
    proposed_back: proposed === null ? null : rupees(proposed),
    cancellation: {
      paid: rupees(refund.paid),
      owed: rupees(refund.owed),
      remaining: rupees(refund.remaining),
      percent: refund.percent,
      share: refund.share === null ? null : rupees(refund.share),
      refunded: rupees(refund.refunded),
    },
    allowed,
    fields: allowed.includes('correct') ? editable(served.config, registration) : [],
    persons: Object.values(served.config.roles),
    approval: approvalShown(served.config, registration),
    told: told?.told ?? null,
    reviews: reviews.filter((review) => review.regNo === regNo).map(wireReview),
    trail: trailOf(acts, decisions, refunds),
  }
}

/** Describes the state: a paid registration with day and method, an unpaid one with the cause. */
function stateText(
  { state, total, paymentStatus, payments }: StoredRegistration,
  captures: readonly StoredCapture[],
): string {
  if (state === 'complete' && (total === null || total === 0)) return 'complete, nothing to pay'
  if (state === 'complete') {
    const last = captures
      .filter(
        ({ countsFor, state: is }) => countsFor !== null && (is === 'fits' || is === 'accepted'),
      )
      .toSorted((a, b) => b.paidAt - a.paidAt)[0]
    if (last === undefined) return 'paid in full'
    const { source, paidAt } = last
    const method = isWay(source)
      ? ` ${wayInSentence(source)}`
      : isOfGateway(source)
        ? ' online'
        : ''
    return `paid in full on ${formatDayShort(dayOf(paidAt))}${method}`
  }
  if (state === 'to_pay' && paymentStatus === 'success') return 'partly paid'
  if (state === 'to_pay' && paymentStatus === 'failed') {
    const failure = payments.find((payment) => payment.failure !== null)?.failure
    if (failure === 'declined' || failure === 'expired')
      return `${STATE_WORDS[state]}: payment ${failure}`
  }
  return STATE_WORDS[state]
}

/** Returns true if a reported reference is reserved for it and staff can still reject the claim. */
const reserves = (tellings: readonly StoredPaymentClaim[]): boolean =>
  tellings.some(({ endedAs, isRecorded }) => endedAs !== 'not_found' && !isRecorded)

/** Actions that need a person: for an erased registration, only its payments are left. */
const OF_SOMEBODY: ReadonlySet<ActionName> = new Set([
  'approve',
  'correct',
  'erase',
  'resend',
  'send_pay_link',
  'transfer',
])

export const wordsOf = ({ body }: FastifyRequest): Words =>
  typeof body === 'object' && body !== null ? (body as Words) : {}

/** Sends a refused action with the matching status. */
export function sendNo(reply: FastifyReply, no: ActionDenial): FastifyReply {
  const { code, message } = no
  const more = {
    ...('quote' in no && no.quote !== undefined ? { quote: wireQuote(no.quote) } : {}),
    ...('errors' in no && no.errors !== undefined ? { errors: no.errors } : {}),
  }
  return refuse(reply, STATUS[code] ?? 409, code, message, more)
}

/**
 * 403: another role may; 404: not found; 422: the input can be corrected; anything else: the state differs from
 * what the user saw.
 */
const STATUS: Readonly<Partial<Record<ActionDenial['code'], 403 | 404 | 422>>> = {
  not_your_role: 403,
  not_there: 404,
  no_grounds: 422,
  bad_data: 422,
  bad_amount: 422,
  no_reference: 422,
  no_target: 422,
}
