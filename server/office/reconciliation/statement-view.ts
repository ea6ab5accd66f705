/** Shows a saved bank statement: for each line, the ledger's payments, the open amount, and proposed payers. */
import { toWireCurrency } from '../../../engine/api.ts'
import type {
  StatementResponse,
  WireProposal,
  WireStatementLine,
  WireStatementSummary,
} from '../../../engine/api.ts'
import {
  INR,
  assert,
  canMatch,
  toBankKey,
  canSee,
  listFallbackKeys,
  getDue,
  formatIsoIndia,
  listLineKeys,
  createPayerProposer,
  showDirectionMarks,
  toMajorUnits,
} from '../../../engine/index.ts'
import type {
  Amount,
  BankKey,
  KnownPayout,
  PermissionHolder,
  ReconciledLine,
  StatementLine,
} from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type {
  BankStatementSummary,
  StoredBankLine,
  StoredBankStatement,
} from '../../storage/index.ts'
import { findUserEvents } from '../auth/authorization.ts'
import { hideOtherEvents, matchLines } from './match-statement.ts'
import type { Matches, Payer, StatementLines } from './match-statement.ts'
import { readPayoutsByAmount } from './payouts.ts'
import { buildViewer } from './registration-numbers-in-statement.ts'
import { loadStaffFilter, type HideOtherStaff } from './staff-of-other-events.ts'
import { evaluateLine, sumByState } from './statement-line-state.ts'
import type { LinePayment, ViewedLine } from './statement-line-state.ts'

type User = Pick<PermissionHolder, 'events'>
export type ViewedStatement = {
  readonly statement: StoredBankStatement
  readonly lines: readonly ViewedLine[]
  readonly returned: readonly ReconciledLine[]
  /** The number of withdrawals in the file. */
  readonly withdrawals: number
  readonly matches: Matches
  readonly hideOtherStaff: HideOtherStaff
}

/** Returns the lines of a stored statement in the form in which they were read from the file. */
export function toStatementLines(
  { currency, details }: Pick<StoredBankStatement, 'currency' | 'details'>,
  rows: readonly StoredBankLine[],
): StatementLines & { readonly rowsByLine: ReadonlyMap<StatementLine, StoredBankLine> } {
  const rowsByLine = new Map(
    rows.map((stored) => {
      const { line, day, narration, reference, amount } = stored
      return [{ line, day, narration, reference, amount }, stored] as const
    }),
  )
  const pickLines = (isWithdrawal: boolean): StatementLine[] =>
    [...rowsByLine].flatMap(([line, stored]) =>
      stored.isWithdrawal === isWithdrawal ? [line] : [],
    )
  return {
    currency,
    details,
    lines: pickLines(false),
    withdrawals: pickLines(true),
    rowsByLine: rowsByLine,
  }
}

/** Matches a saved statement with the current state of the user's events. */
export async function viewStatement(
  deps: Pick<Deps, 'store' | 'events' | 'clock'>,
  user: User,
  statement: StoredBankStatement,
): Promise<ViewedStatement> {
  const { store } = deps
  const hideOtherStaff = await loadStaffFilter(deps, user)
  const rows = (await store.bankStatementLines(statement.id)).map((row) =>
    row.decision === null ? row : { ...row, decision: hideOtherStaff(row.decision) },
  )
  const { rowsByLine, ...lines } = toStatementLines(statement, rows)
  const events = findUserEvents(deps, user)
  const matchResult = await matchLines(store, events, lines, buildViewer(deps, user))
  assert(matchResult !== null, 'a saved statement has few enough numbers')
  const matches = await hideOtherEvents(deps, user, matchResult)
  const partKeys = rows.flatMap(({ parts }) => parts.map(toBankKey))
  const recordedPayments = await store.paymentsUnderKeys([
    ...new Set([...partKeys, ...matches.lines.flatMap(listRecordedKeys)]),
  ])
  const paymentsByKey = new Map(recordedPayments.map((payment) => [payment.key, payment]))
  const paymentsById = new Map(recordedPayments.map((payment) => [payment.id, payment]))
  const deposits = matches.lines.flatMap((match) => {
    const stored = rowsByLine.get(match.line)
    if (stored === undefined || match.as === 'returned') return []
    const linePayments = (match.recorded ?? []).flatMap(({ id }) => paymentsById.get(id) ?? [])
    const partPayments = stored.parts.flatMap((part) => paymentsByKey.get(toBankKey(part)) ?? [])
    return [{ stored, match, payments: [...linePayments, ...partPayments] }]
  })
  const viewedLines = (await addPartsOfOtherDownloads(store, deposits)).map(
    ({ stored, match, payments }) =>
      evaluateLine(stored, match, payments, statement.currency, user),
  )
  const isUnknown = ({ stored, match, payments, state }: ViewedLine): boolean =>
    state === 'left' &&
    payments.length === 0 &&
    stored.decision === null &&
    (match.as === 'unmatched' || match.as === 'ambiguous')
  const payoutsByAmount =
    statement.currency === INR && viewedLines.some(isUnknown)
      ? await readPayoutsByAmount(deps, user)
      : new Map<number, KnownPayout>()
  return {
    statement,
    lines: viewedLines.map((line) => {
      const payout = payoutsByAmount.get(line.stored.id)
      if (payout === undefined || !isUnknown(line)) return line
      const match: ReconciledLine = { ...line.match, as: 'payout', of: [], why: null, payout }
      const evaluation = evaluateLine(line.stored, match, [], statement.currency, user)
      return { ...evaluation, isPayoutByAmount: true }
    }),
    returned: matches.lines.filter(({ as }) => as === 'returned'),
    withdrawals: lines.withdrawals.length,
    matches,
    hideOtherStaff,
  }
}

type Deposit = Pick<ViewedLine, 'stored' | 'match' | 'payments'>
/**
 * Adds the parts of a split transfer that staff recorded from another download. Only the first part has the reference
 * that both downloads contain.
 */
async function addPartsOfOtherDownloads(
  store: Pick<Deps['store'], 'otherPartsOfLines'>,
  deposits: readonly Deposit[],
): Promise<readonly Deposit[]> {
  const isIncomplete = ({ stored, payments }: Deposit): boolean =>
    payments.length > 0 && sumAmounts(payments) !== stored.amount
  const ids = deposits.filter(isIncomplete).flatMap(({ payments }) => payments.map(({ id }) => id))
  const parts = ids.length === 0 ? [] : await store.otherPartsOfLines([...new Set(ids)])
  const partsById = Map.groupBy(parts, ({ partOf }) => partOf)
  return deposits.map((deposit) => {
    const otherParts = isIncomplete(deposit)
      ? deposit.payments.flatMap(({ id }) => partsById.get(id) ?? [])
      : []
    const payments = [...deposit.payments, ...otherParts]
    return { ...deposit, payments: [...new Map(payments.map((one) => [one.id, one])).values()] }
  })
}

const sumAmounts = (payments: readonly { readonly amount: Amount }[]): number =>
  payments.reduce((sum, { amount }) => sum + amount, 0)

const listRecordedKeys = ({ line, recorded: recordedPayments }: ReconciledLine) =>
  recordedPayments === undefined ? [] : [...listLineKeys(line), ...listFallbackKeys(line)]

/** Returns the keys of all references in a line. */
export const listLineNumbers = ({ line }: Pick<ReconciledLine, 'line'>): readonly BankKey[] => [
  ...listLineKeys(line),
]

/** A payment that does not count was refunded in full, even if its refund is still in progress. */
const isFullyRefunded = ({ state, amount, isRefunded, refundedAmount }: LinePayment) =>
  state === 'refused' ? isRefunded === 1 : refundedAmount >= amount

export function toWireSummary(summary: BankStatementSummary): WireStatementSummary {
  const { id, bank, currency, firstDay, lastDay, matched, open, who: user, at } = summary
  const period = { from: firstDay, to: lastDay }
  return {
    id,
    bank,
    ...toWireCurrency(currency),
    ...period,
    matched,
    open,
    who: user,
    at: formatIsoIndia(at),
  }
}

/** Returns true if the line was split: its parts add up to it, so none of them counts as a wrong amount. */
const isSplit = ({ stored, payments }: ViewedStatement['lines'][number]): boolean =>
  payments.length > 1 && sumAmounts(payments) === stored.amount

export function toWireStatement(
  { statement, lines, returned, withdrawals, matches }: ViewedStatement,
  stamp: number,
  user: User,
): StatementResponse {
  const { currency, unread, repeated } = statement
  const toMajor = (amount: number): number => toMajorUnits(amount as Amount, currency)
  const propose = createProposer(lines, matches)
  const totals = sumByState(lines)
  const matchedNos = new Set(lines.flatMap(({ match }) => match.of))
  return {
    status: 'success',
    unchanged: false,
    stamp,
    statement: {
      ...toWireSummary(statement),
      matched: totals.sum_in.lines - totals.left.lines,
      open: totals.left.lines,
    },
    lines: lines.map((line): WireStatementLine => {
      const { stored, match, payments, sums, state, isExact } = line
      const { decision } = stored
      return {
        id: stored.id,
        line: stored.line,
        day: stored.day,
        narration: showDirectionMarks(stored.narration),
        reference: showDirectionMarks(stored.reference),
        amount: toMajor(stored.amount),
        left: toMajor(sums.left),
        state,
        is_exact: isExact,
        why: isSplit(line) ? null : match.why,
        payments: payments.map((payment) => {
          const isVisible = payment.eventId === null || canSee(user, payment.eventId)
          return {
            reg_no: isVisible ? payment.regNo : null,
            name: isVisible ? (payment.name ?? '') : '',
            event: isVisible ? payment.eventId : null,
            amount: toMajor(payment.amount),
            refunded: isVisible && isFullyRefunded(payment),
          }
        }),
        payout:
          match.payout === null
            ? null
            : {
                utr: match.payout.utr,
                lines: match.payout.lines,
                net: toMajorUnits(match.payout.net, INR),
                by_amount: line.isPayoutByAmount,
              },
        proposals:
          state === 'left'
            ? propose(line).map((proposal) => ({ ...proposal, due: toMajor(proposal.due) }))
            : [],
        decision:
          decision === null
            ? null
            : {
                id: decision.id,
                what: decision.decision,
                who: decision.who,
                at: formatIsoIndia(decision.at),
              },
      }
    }),
    returned: returned.map(({ line, why: reason, of }) => ({
      line: line.line,
      day: line.day,
      narration: showDirectionMarks(line.narration),
      amount: toMajor(line.amount),
      why: reason ?? '',
      of: [...of],
    })),
    withdrawals,
    totals: Object.fromEntries(
      Object.entries(totals).map(([name, { lines: count, amount }]) => [
        name,
        { lines: count, amount: toMajor(amount) },
      ]),
    ) as Extract<StatementResponse, { unchanged: false }>['totals'],
    waiting: matches.awaitedPayers.flatMap(({ regNo, name, eventId, due, claim }) =>
      claim === null || matchedNos.has(regNo)
        ? []
        : [{ reg_no: regNo, name, event: eventId, due: toMajor(due), reference: claim.reference }],
    ),
    unread: [...unread],
    repeated: [...repeated],
  }
}

type PayerProposal = Omit<WireProposal, 'due'> & { readonly due: number }

/** Finds out why the line matches this payer. A delegate's earlier report identifies the line too. */
function findBasis({ line, as }: ReconciledLine, payer: Payer): WireProposal['basis'] {
  const keys = listLineKeys(line)
  if (keys.has(toBankKey(payer.regNo))) return 'number'
  const isReported = payer.claim !== null && keys.has(toBankKey(payer.claim.reference))
  if (isReported || as !== 'ambiguous') return 'reported_reference'
  return canMatch(line, payer) ? 'amount_and_date' : 'amount'
}

/** Proposes the registrations whose numbers are in the line, otherwise those with a matching amount or name. */
export function createProposer(
  lines: readonly ViewedLine[],
  { awaitedPayers: awaited, payersByNumber: byNumber, eventsByNumber }: Matches,
): (line: ViewedLine) => readonly PayerProposal[] {
  // The registrations whose numbers are in another line.
  const namedNumbers = new Set(
    lines.flatMap(({ match }) =>
      match.as === 'matched' || match.as === 'differs' ? match.of : [],
    ),
  )
  const proposePayers = createPayerProposer(awaited.filter(({ regNo }) => !namedNumbers.has(regNo)))
  const toProposal = (
    payer: Payer,
    line: StatementLine,
    basis: WireProposal['basis'],
  ): PayerProposal => ({
    reg_no: payer.regNo,
    name: payer.name,
    event: payer.eventId,
    due: getDue(payer, line.day),
    basis,
  })
  return ({ match, sums }) => {
    const line = { ...match.line, amount: sums.left as Amount }
    const namedProposals = match.of.flatMap((regNo): readonly PayerProposal[] => {
      const payer = byNumber.get(regNo)
      const eventId = payer?.eventId ?? eventsByNumber.get(regNo)
      if (payer === undefined)
        return eventId === undefined
          ? []
          : [{ reg_no: regNo, name: '', event: eventId, due: 0, basis: 'number' }]
      return [toProposal(payer, line, findBasis(match, payer))]
    })
    if (namedProposals.length > 0 && match.as !== 'known') return namedProposals
    return proposePayers(line).map(({ registration, basis }) =>
      toProposal(registration, line, basis),
    )
  }
}
