/** Builds a registration's timeline: actions, and decisions on its payments. */
import { ACT_DONE, formatMoney, isoIndia, paise } from '../../../engine/index.ts'
import type { WireAction } from '../../../engine/api.ts'
import type { StoredAction, StoredDecision, StoredRefund } from '../../storage/index.ts'

type Refund = Pick<StoredRefund, 'at' | 'amount' | 'state' | 'captureId' | 'reference'>

/** Newest first. */
export function trailOf(
  acts: readonly StoredAction[],
  decisions: readonly StoredDecision[],
  refunds: readonly Refund[],
): WireAction[] {
  const lines = [
    ...acts.map((act) => ({ at: act.at, line: lineOf(act) })),
    ...decisions.map((decision) => ({ at: decision.at, line: decisionLine(decision, refunds) })),
  ]
  return lines
    .toReversed()
    .toSorted((a, b) => b.at - a.at)
    .map(({ line }) => line)
}

function lineOf({ at, who, act, why, data }: StoredAction): WireAction {
  const more = detailsOf(data)
  const text = more === '' ? ACT_DONE[act] : `${ACT_DONE[act]}: ${more}`
  return { at: isoIndia(at), who, act, text, why }
}

/** Describes the data that an action stored besides user and reason; each value has its own name. */
function detailsOf(data: StoredAction['data']): string {
  const { to, pay_back: back, difference, due, changes, came, told } = data
  return [
    ...(typeof came === 'string' ? [came] : []),
    ...(typeof told === 'string' ? [told] : []),
    ...(Array.isArray(changes) ? changes.map(String) : []),
    ...(typeof to === 'string' ? [to] : []),
    ...(typeof back === 'number' && back > 0 ? [`${formatMoney(paise(back))} to refund`] : []),
    ...(typeof difference === 'number' && difference !== 0
      ? [differenceText(difference, due)]
      : []),
  ].join('; ')
}

/** Describes the price difference and the new balance. Actions stored by older versions have no `due`. */
function differenceText(difference: number, due: unknown): string {
  const size = formatMoney(paise(Math.abs(difference)))
  if (difference > 0 && due === undefined) return `${size} more due`
  const changed = `${size} ${difference > 0 ? 'more' : 'less'}`
  if (typeof due !== 'number' || due === 0) return changed
  const open = formatMoney(paise(Math.abs(due)))
  return `${changed}; ${open} ${due > 0 ? 'due' : 'to refund'}`
}

/**
 * Two similar decisions may exist if the first was refused: a refund is requested at the moment of the decision.
 */
function decisionLine(
  { at, who, what, about, amount, why }: StoredDecision,
  refunds: readonly Refund[],
): WireAction {
  const same = refunds.filter((one) => one.at === at && one.amount === amount)
  const isRefused = same.some(({ state }) => state === 'refused')
  const done = same.find(({ captureId, state }) => about === `C${captureId}` && state === 'done')
  const reference =
    what === 'refund by hand' && done?.reference ? `, reference ${done.reference}` : ''
  const outcome = what === 'refund' && isRefused ? ', refused by the gateway' : ''
  const money = amount === null ? '' : `, ${formatMoney(amount)}`
  const text = `${decisionText(what, about)}${money}${reference}${outcome}`
  return { at: isoIndia(at), who, act: what.split(' ')[0] ?? what, text, why }
}

/** `what` as stored: "accept", "move to CHIR1234", "refund by hand". */
function decisionText(what: string, about: string | null): string {
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
