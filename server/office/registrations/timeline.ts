/** Builds a registration's timeline: actions, and decisions on its payments. */
import {
  type Currency,
  ACTION_HISTORY_TEXTS,
  formatMoney,
  formatIsoIndia,
  toAmount,
} from '../../../engine/index.ts'
import type { WireAction } from '../../../engine/api.ts'
import type { StoredAction, StoredDecision, StoredRefund } from '../../storage/index.ts'

type TimelineRefund = Pick<StoredRefund, 'at' | 'amount' | 'state' | 'captureId' | 'reference'>

/** Builds the timeline, newest entry first. */
export function buildTimeline(
  actions: readonly StoredAction[],
  decisions: readonly StoredDecision[],
  refunds: readonly TimelineRefund[],
  currency: Currency,
): WireAction[] {
  const lines = [
    ...actions.map((action) => ({ at: action.at, line: toTimelineEntry(action, currency) })),
    ...decisions.map((decision) => ({
      at: decision.at,
      line: toDecisionEntry(decision, refunds, currency),
    })),
  ]
  return lines
    .toReversed()
    .toSorted((a, b) => b.at - a.at)
    .map(({ line }) => line)
}

function toTimelineEntry(
  { at, who: user, act: action, why: reason, data }: StoredAction,
  currency: Currency,
): WireAction {
  const details = describeData(data, currency)
  const text =
    details === '' ? ACTION_HISTORY_TEXTS[action] : `${ACTION_HISTORY_TEXTS[action]}: ${details}`
  return { at: formatIsoIndia(at), who: user, act: action, text, why: reason }
}

/** Describes the data that an action stored in addition to the user and the reason. */
function describeData(data: StoredAction['data'], currency: Currency): string {
  const {
    to,
    pay_back: toRefund,
    difference,
    due: dueAmount,
    changes,
    came: received,
    told: claim,
  } = data
  return [
    ...(typeof received === 'string' ? [received] : []),
    ...(typeof claim === 'string' ? [`reference ${claim}`] : []),
    ...(Array.isArray(changes) ? changes.map(String) : []),
    ...(typeof to === 'string' ? [to] : []),
    ...(typeof toRefund === 'number' && toRefund > 0
      ? [`${formatMoney(toAmount(toRefund), currency)} to refund`]
      : []),
    ...(typeof difference === 'number' && difference !== 0
      ? [describeDifference(difference, dueAmount, currency)]
      : []),
  ].join('; ')
}

/** Describes the price difference and the new balance. Actions stored by older versions have no `due`. */
function describeDifference(difference: number, dueAmount: unknown, currency: Currency): string {
  const changeAmount = formatMoney(toAmount(Math.abs(difference)), currency)
  if (difference > 0 && dueAmount === undefined) return `${changeAmount} more due`
  const changeText = `${changeAmount} ${difference > 0 ? 'more' : 'less'}`
  if (typeof dueAmount !== 'number' || dueAmount === 0) return changeText
  const balance = formatMoney(toAmount(Math.abs(dueAmount)), currency)
  return `${changeText}; ${balance} ${dueAmount > 0 ? 'due' : 'to refund'}`
}

/**
 * Converts a decision to a timeline entry. Its refund is found by time and amount, because a refund is requested at
 * the time of the decision. If the gateway declined the first refund, a second decision may look the same.
 */
function toDecisionEntry(
  { at, who: user, what: decision, about: subject, amount, why: reason }: StoredDecision,
  refunds: readonly TimelineRefund[],
  currency: Currency,
): WireAction {
  const matchingRefunds = refunds.filter((refund) => refund.at === at && refund.amount === amount)
  const isRefused = matchingRefunds.some(({ state }) => state === 'refused')
  const completedRefund = matchingRefunds.find(
    ({ captureId, state }) => subject === `C${captureId}` && state === 'done',
  )
  const reference =
    decision === 'refund by hand' && completedRefund?.reference
      ? `, reference ${completedRefund.reference}`
      : ''
  const outcome = decision === 'refund' && isRefused ? ', rejected by the gateway' : ''
  const amountText = amount === null ? '' : `, ${formatMoney(amount, currency)}`
  const text = `${describeDecision(decision, subject)}${amountText}${reference}${outcome}`
  return {
    at: formatIsoIndia(at),
    who: user,
    act: decision.split(' ')[0] ?? decision,
    text,
    why: reason,
  }
}

/** Describes a stored decision, such as "accept", "move to CHIR1234" or "refund by hand". */
function describeDecision(decision: string, subject: string | null): string {
  const isAboutRefund = subject?.startsWith('R') ?? false
  if (decision.startsWith('move to '))
    return `Payment moved to ${decision.slice('move to '.length)}`
  switch (decision) {
    case 'accept':
      return isAboutRefund ? 'Refund confirmed' : 'Payment accepted'
    case 'ask':
      return 'Payment accepted, remaining amount requested'
    case 'dismiss':
      return isAboutRefund ? 'Refund withdrawn' : 'Payment ignored'
    case 'refund':
      return isAboutRefund ? 'Refund requested again' : 'Refund requested'
    case 'refund by hand':
      return 'Refunded outside Rollcall'
    case 'refused refund replaced':
      return 'Rejected refund replaced by another refund'
    default:
      return `${decision.charAt(0).toUpperCase()}${decision.slice(1)}`
  }
}
