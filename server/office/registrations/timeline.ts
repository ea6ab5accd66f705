/** Builds a registration's timeline: actions, and decisions on its payments. */
import { ACTION_HISTORY_TEXTS, formatMoney, isoIndia, paise } from '../../../engine/index.ts'
import type { WireAction } from '../../../engine/api.ts'
import type { StoredAction, StoredDecision, StoredRefund } from '../../storage/index.ts'

type Refund = Pick<StoredRefund, 'at' | 'amount' | 'state' | 'captureId' | 'reference'>

/** Newest first. */
export function buildTimeline(
  actions: readonly StoredAction[],
  decisions: readonly StoredDecision[],
  refunds: readonly Refund[],
): WireAction[] {
  const lines = [
    ...actions.map((act) => ({ at: act.at, line: toTimelineEntry(act) })),
    ...decisions.map((decision) => ({ at: decision.at, line: toDecisionEntry(decision, refunds) })),
  ]
  return lines
    .toReversed()
    .toSorted((a, b) => b.at - a.at)
    .map(({ line }) => line)
}

function toTimelineEntry({ at, who, act, why, data }: StoredAction): WireAction {
  const details = describeData(data)
  const text =
    details === '' ? ACTION_HISTORY_TEXTS[act] : `${ACTION_HISTORY_TEXTS[act]}: ${details}`
  return { at: isoIndia(at), who, act, text, why }
}

/** Describes the data that an action stored in addition to user and reason. */
function describeData(data: StoredAction['data']): string {
  const { to, pay_back: toRefund, difference, due, changes, came: received, told: claim } = data
  return [
    ...(typeof received === 'string' ? [received] : []),
    ...(typeof claim === 'string' ? [claim] : []),
    ...(Array.isArray(changes) ? changes.map(String) : []),
    ...(typeof to === 'string' ? [to] : []),
    ...(typeof toRefund === 'number' && toRefund > 0
      ? [`${formatMoney(paise(toRefund))} to refund`]
      : []),
    ...(typeof difference === 'number' && difference !== 0
      ? [describeDifference(difference, due)]
      : []),
  ].join('; ')
}

/** Describes the price difference and the new balance. Actions stored by older versions have no `due`. */
function describeDifference(difference: number, due: unknown): string {
  const size = formatMoney(paise(Math.abs(difference)))
  if (difference > 0 && due === undefined) return `${size} more due`
  const changed = `${size} ${difference > 0 ? 'more' : 'less'}`
  if (typeof due !== 'number' || due === 0) return changed
  const balance = formatMoney(paise(Math.abs(due)))
  return `${changed}; ${balance} ${due > 0 ? 'due' : 'to refund'}`
}

/**
 * Finds the refund by time and amount, because a refund is requested at the moment of the decision. If the
 * gateway declined the first refund, a second decision may look the same.
 */
function toDecisionEntry(
  { at, who, what, about, amount, why }: StoredDecision,
  refunds: readonly Refund[],
): WireAction {
  const matching = refunds.filter((one) => one.at === at && one.amount === amount)
  const isRefused = matching.some(({ state }) => state === 'refused')
  const completed = matching.find(
    ({ captureId, state }) => about === `C${captureId}` && state === 'done',
  )
  const reference =
    what === 'refund by hand' && completed?.reference ? `, reference ${completed.reference}` : ''
  const outcome = what === 'refund' && isRefused ? ', refused by the gateway' : ''
  const money = amount === null ? '' : `, ${formatMoney(amount)}`
  const text = `${describeDecision(what, about)}${money}${reference}${outcome}`
  return { at: isoIndia(at), who, act: what.split(' ')[0] ?? what, text, why }
}

/** `what` as stored: "accept", "move to CHIR1234", "refund by hand". */
function describeDecision(what: string, about: string | null): string {
  const isOfRefund = about?.startsWith('R') ?? false
  if (what.startsWith('move to ')) return `Payment moved to ${what.slice('move to '.length)}`
  switch (what) {
    case 'accept':
      return isOfRefund ? 'Refund confirmed' : 'Payment accepted'
    case 'dismiss':
      return isOfRefund ? 'Refund withdrawn' : 'Payment ignored'
    case 'refund':
      return isOfRefund ? 'Refund requested again' : 'Refund requested'
    case 'refund by hand':
      return 'Refunded outside Rollcall'
    default:
      return `${what.charAt(0).toUpperCase()}${what.slice(1)}`
  }
}
