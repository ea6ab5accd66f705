/** Determines the state of a statement line from the payments recorded for it, and adds up lines by state. */
import type { StatementLineState } from '../../../engine/api.ts'
import { canSee } from '../../../engine/index.ts'
import type { Currency, PermissionHolder, ReconciledLine } from '../../../engine/index.ts'
import type { PaymentUnderReference, StoredBankLine } from '../../storage/index.ts'

type User = Pick<PermissionHolder, 'events'>
/** A payment recorded for a line, under the line's reference or as a further part of it. */
export type LinePayment = Omit<PaymentUnderReference, 'key'>
/** A deposit with its state according to the ledger. All amounts are in the statement's currency. */
export type ViewedLine = {
  readonly stored: StoredBankLine
  readonly match: ReconciledLine
  /** Payments recorded for the line, in the same currency. */
  readonly payments: readonly LinePayment[]
  readonly sums: Readonly<Record<StatementLineState, number>>
  readonly state: StatementLineState
  readonly isExact: boolean
  /** True if the line contains no payout reference, but has the amount and date of a payout. Staff can reopen it. */
  readonly isPayoutByAmount: boolean
}

/** Determines the state from the ledger: a decision counts only if no payment contradicts it. */
export function evaluateLine(
  stored: StoredBankLine,
  match: ReconciledLine,
  payments: readonly LinePayment[],
  currency: Currency,
  user: User,
): ViewedLine {
  const sums = { left: 0, review: 0, not_ours: 0, other_event: 0, assigned: 0 }
  const paymentsInCurrency = payments.filter((payment) => payment.currency === currency)
  for (const payment of paymentsInCurrency) sums[getState(payment, user)] += payment.amount
  const recordedAmount = sums.review + sums.not_ours + sums.other_event + sums.assigned
  const remainder = stored.amount - recordedAmount
  const remainderState =
    payments.length > 0
      ? 'left'
      : match.as === 'payout'
        ? 'assigned'
        : match.as === 'elsewhere'
          ? 'other_event'
          : stored.decision?.decision === 'not_ours'
            ? 'not_ours'
            : 'left'
  sums[remainderState] += remainder
  const state =
    sums.left !== 0
      ? 'left'
      : (STATES.find((name) => sums[name] !== 0 && name !== 'left') ?? 'assigned')
  const isExact = match.as === 'matched' && state === 'left' && payments.length === 0
  return {
    stored,
    match,
    payments: paymentsInCurrency,
    sums,
    state,
    isExact,
    isPayoutByAmount: false,
  }
}

/** States in order of precedence: a line has the first state that any of its parts has. */
const STATES = ['left', 'review', 'not_ours', 'other_event', 'assigned'] as const

function getState({ state, eventId, isRefunded }: LinePayment, user: User): StatementLineState {
  if (eventId !== null && !canSee(user, eventId)) return 'other_event'
  if (state === 'review' || state === 'unmatched') return 'review'
  // A refunded payment belonged to the event, but an ignored payment did not.
  return state === 'refused' && isRefunded === 0 ? 'not_ours' : 'assigned'
}

/** Counts the lines and adds up their amounts by state. The parts of a line may have different states. */
export function sumByState(lines: readonly Pick<ViewedLine, 'stored' | 'sums' | 'state'>[]) {
  const sumState = (name: StatementLineState) => ({
    lines: lines.filter(({ state }) => state === name).length,
    amount: lines.reduce((sum, { sums }) => sum + sums[name], 0),
  })
  return {
    sum_in: {
      lines: lines.length,
      amount: lines.reduce((sum, { stored }) => sum + stored.amount, 0),
    },
    assigned: sumState('assigned'),
    review: sumState('review'),
    not_ours: sumState('not_ours'),
    other_event: sumState('other_event'),
    left: sumState('left'),
  }
}
