/** Records staff decisions on the lines of a saved statement: assign, send to review, not ours, undo. */
import {
  MAX_REASON_CHARACTERS,
  toBankKey,
  formatMoney,
  fromMajorUnits,
  formatIsoIndia,
  getReviewVersion,
  toMajorUnits,
  trimReason,
} from '../../../engine/index.ts'
import type { Amount, Currency } from '../../../engine/index.ts'
import type { StatementDecisionResponse } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { accept } from '../../registration/actions/cancel-and-refund.ts'
import {
  checkConfirmOrExtra,
  confirmOrRecordExtra,
} from '../../registration/actions/record-payment.ts'
import type { NewLineDecision, StoredLineDecision } from '../../storage/index.ts'
import { toSender } from '../auth/sessions.ts'
import type { User } from '../auth/sessions.ts'
import type { NamedRow } from '../auth/request-targets.ts'
import { addEventEntries } from '../operations/audit-log.ts'
import { performEach } from '../registrations/bulk-actions.ts'
import { listBankDetailKeys } from './lines-to-keep.ts'
import { findNumbersOfOtherEvents, buildViewer } from './registration-numbers-in-statement.ts'
import { formatSaved } from './statement-result-messages.ts'
import { listLineNumbers, createProposer } from './statement-view.ts'
import type { ViewedLine } from './statement-line-state.ts'
import type { ViewedStatement } from './statement-view.ts'
import { findUserEvents } from '../auth/authorization.ts'

type Outcome = Omit<StatementDecisionResponse, 'status' | 'message'>
type Task = {
  readonly deps: Deps
  readonly user: User
  readonly view: ViewedStatement
}
/** One payer of a line. */
type Part = {
  readonly row: NamedRow
  readonly amount: Amount
  /** The reason for accepting less than the balance. Empty if the amount equals the balance. */
  readonly difference: string
}
export type Choice = { readonly line: number; readonly seen: number | null }

/** A line rarely pays for more people. Each payment is a separate transaction. */
const MAX_PARTS = 50

/** Reads the line and the newest decision that the user saw. Null if a field has the wrong type. */
export function readChoice(fields: Readonly<Record<string, unknown>>): Choice | null {
  const { line, seen = null } = fields
  return typeof line === 'number' && (seen === null || typeof seen === 'number')
    ? { line, seen }
    : null
}

/** Records the payments of each line: for one person, or split between several. */
export async function assignLines(
  task: Task,
  rows: readonly { readonly choice: Choice; readonly row: NamedRow }[],
): Promise<Outcome> {
  const assignedIds: number[] = []
  const refusedLines: { line: number; message: string }[] = []
  for (const [lineId, lineRows] of Map.groupBy(rows, ({ choice }) => choice.line)) {
    const { currency } = task.view.statement
    const parts = lineRows.flatMap(({ row }) => readPart(row, currency) ?? [])
    const [firstRow] = lineRows
    const line = findLine(task.view, lineId)
    const message =
      line === null || firstRow === undefined || parts.length !== lineRows.length
        ? 'Enter a registration and an amount for each part.'
        : (explainEarlierDecision(line, firstRow.choice) ??
          explainParts(line, parts, currency) ??
          (await assignLine(task, line, firstRow.choice.seen, parts)))
    if (message === null) assignedIds.push(lineId)
    else refusedLines.push({ line: line?.stored.line ?? 0, message })
  }
  return { done: assignedIds, refused: refusedLines }
}

function readPart(row: NamedRow, currency: Currency): Part | null {
  const amount = fromMajorUnits(row.fields['amount'], currency)
  const { difference = '' } = row.fields
  return amount === null || amount <= 0 || typeof difference !== 'string'
    ? null
    : { row, amount, difference: trimReason(difference) }
}

const findLine = ({ lines }: ViewedStatement, id: number): ViewedLine | null =>
  lines.find(({ stored }) => stored.id === id) ?? null

/** Explains that another user has decided on the line since the page was loaded. Null if the line is still open. */
function explainEarlierDecision(
  { stored, state, sums }: ViewedLine,
  { seen }: Choice,
): string | null {
  const { decision } = stored
  if (decision !== null && decision.id !== seen) return describeDecision(decision)
  if (state === 'left' && sums.left > 0) return null
  if (state === 'other_event') return 'This line belongs to another event.'
  return decision === null ? 'This payment is already recorded.' : describeDecision(decision)
}

function explainParts(
  { sums }: ViewedLine,
  parts: readonly Part[],
  currency: Currency,
): string | null {
  if (parts.length > MAX_PARTS) return `Split a line between at most ${MAX_PARTS} people.`
  // Checks the reason first: if it were rejected later, a recorded payment would stay under review.
  if (parts.some(({ difference }) => difference.length > MAX_REASON_CHARACTERS))
    return `Enter at most ${MAX_REASON_CHARACTERS} characters as the reason.`
  const numbers = parts.map(({ row: { regNo, requestedNo } }) => regNo ?? requestedNo)
  const repeatedNumber = numbers.find((number, index) => numbers.indexOf(number) < index)
  // A second part for the same registration would be a second payment, which needs review.
  if (repeatedNumber !== undefined)
    return `${repeatedNumber} is in this split twice. Enter one amount for it.`
  const sum = parts.reduce((total, { amount }) => total + amount, 0)
  if (sum === sums.left) return null
  const [remainingText, enteredText] = [sums.left, sum].map((amount) =>
    formatMoney(amount as Amount, currency),
  )
  return `The amounts must add up to ${remainingText}. They add up to ${enteredText}.`
}

const DECISION_TEXTS = {
  assigned: 'assigned this line',
  review: 'sent this line for review',
  not_ours: 'marked this line as not ours',
  undone: 'reopened this line',
} as const
const describeDecision = ({ who, decision, at }: StoredLineDecision): string =>
  `${who} ${DECISION_TEXTS[decision]} at ${formatIsoIndia(at).slice(11, 16)}. Nothing was recorded twice.`
/** Explains why a decision was not stored: with a message, or because of another user's decision or removal. */
const explainConflict = (
  { hideOtherStaff }: ViewedStatement,
  conflict: StoredLineDecision | string | null,
): string => {
  if (typeof conflict === 'string') return conflict
  return conflict === null
    ? 'Another user removed this statement. Nothing was recorded.'
    : describeDecision(hideOtherStaff(conflict))
}

/**
 * Checks all parts, and then records them sequentially. The first part gets the line's references, so that the line
 * counts once. Each further part gets the reference with a number appended. Returns the reason if a part was not
 * recorded, otherwise null.
 */
async function assignLine(
  { deps, user, view }: Task,
  { stored, match, payments }: ViewedLine,
  seen: number | null,
  sentParts: readonly Part[],
): Promise<string | null> {
  const { store } = deps
  const { currency } = view.statement
  // A reference that a delegate reported can be recorded only for that delegate's registration.
  const isNamed = ({ row: { regNo } }: Part): boolean => regNo !== null && match.of.includes(regNo)
  const parts = sentParts.toSorted((one, other) => Number(isNamed(other)) - Number(isNamed(one)))
  const baseReference = /^\w{1,50}$/.test(match.reference) ? match.reference : `line${stored.id}`
  const furtherReferences = parts.map(
    (_, index) => `${baseReference}x${stored.parts.length + payments.length + index + 2}`,
  )
  const bankLine = {
    id: stored.id,
    references: [match.reference, ...match.also],
    payments: payments.map(({ id }) => id),
  }
  const payers = parts.map((part, index) => {
    const isFirst = index === 0 && payments.length === 0
    const reference = isFirst ? match.reference : (furtherReferences[index] ?? '')
    const params = {
      way: 'transfer',
      reference,
      also: isFirst ? match.also : [],
      amount: toMajorUnits(part.amount, currency),
      day: stored.day,
      currency,
    }
    return { ...part, reference, row: { ...part.row, params } }
  })
  const task = { act: 'confirm', why: 'From the bank statement', eventId: null } as const
  const describe = (refused: readonly { reg_no: string; message: string }[]): readonly string[] =>
    refused.map(({ reg_no: regNo, message }) => `${regNo}: ${message}`)
  const { refused: impossible } = await performEach(
    deps,
    user,
    payers.map(({ row }) => row),
    { ...task, handler: checkConfirmOrExtra },
  )
  if (impossible.length > 0) return describe(impossible).join(' ')
  const storeDecision = (decision: 'assigned' | 'undone', seenDecisionId: number | null) =>
    store.decideBankLine({
      lineId: stored.id,
      seen: seenDecisionId,
      decision,
      parts: decision === 'assigned' ? furtherReferences : [],
      who: user.username,
      at: deps.clock(),
      // A line without payments is reopened even if the user was removed meanwhile.
      sender: decision === 'assigned' ? toSender(user) : null,
    })
  // The decision is stored first: if two users assign the line at the same time, the second request is rejected here.
  const decideResult = await storeDecision('assigned', seen)
  if (!decideResult.ok) return explainConflict(view, decideResult.error)
  const recorded: string[] = []
  const problems: string[] = []
  for (const { row, amount, reference, difference } of payers) {
    const { refused } = await performEach(deps, user, [row], {
      ...task,
      handler: (request) => confirmOrRecordExtra(request, bankLine),
    })
    if (refused.length > 0) {
      // The registration or the reference changed after the check. Staff decide on the rest of the line again.
      if (recorded.length > 0) problems.push(`Recorded: ${recorded.join(', ')}. Not recorded:`)
      problems.push(...describe(refused))
      break
    }
    recorded.push(`${row.requestedNo} (${formatMoney(amount, currency)})`)
    if (difference !== '') {
      const problem = await acceptDifference({ deps, user, view }, row, reference, difference)
      if (problem !== null) problems.push(`${row.requestedNo}: ${problem}`)
    }
  }
  if (recorded.length === 0) await storeDecision('undone', decideResult.value)
  return problems.length === 0 ? null : problems.join(' ')
}

/**
 * Accepts the smaller amount as full payment, for the reason that the user gave. Returns an explanation if it was not
 * accepted, otherwise null.
 */
async function acceptDifference(
  { deps, user }: Task,
  row: NamedRow,
  reference: string,
  difference: string,
): Promise<string | null> {
  const [payment] = await deps.store.paymentsUnderKeys([toBankKey(reference)])
  // The payment needs no review, because its amount now equals the balance.
  if (payment === undefined || payment.state !== 'review') return null
  const id = `C${payment.id}`
  const review = await deps.store.review(id)
  if (review === null) return null
  const { refused } = await performEach(
    deps,
    user,
    [{ ...row, params: { review: id, version: getReviewVersion(review) } }],
    { act: 'accept', why: difference, handler: accept, eventId: null },
  )
  return refused[0]?.message ?? null
}

/** Sends lines to review, as payments that match no registration. */
export async function sendLinesToReview(task: Task, choices: readonly Choice[]): Promise<Outcome> {
  const { deps, user, view } = task
  const findEventOfLine = createEventFinder(task)
  return decideEach(task, choices, 'review', async (line, decision) => {
    const event = findEventOfLine(line)
    if (event === null) return 'No event can receive this payment.'
    const { stored, match } = line
    const numbers = [...listLineNumbers(match)]
    const result = await deps.store.sendBankLineToReview(decision, {
      reference: match.reference,
      also: match.also,
      amount: stored.amount,
      currency: view.statement.currency,
      day: stored.day,
      narration: stored.narration,
      own: listBankDetailKeys(event),
      otherEventNumbers: [
        ...findNumbersOfOtherEvents(numbers, [event], buildViewer(deps, user)).keys(),
      ],
      eventId: event.id,
      who: decision.who,
      at: decision.at,
    })
    if (!result.ok) return explainConflict(view, result.error)
    return result.value.added === 1 ? null : formatSaved(1, result.value)
  })
}

/**
 * Finds the event whose staff decide on a line: the event of a registration that the line identifies; otherwise the
 * event whose number format the line contains, although the registration does not exist; otherwise the event of the best
 * proposal; otherwise the most frequent one in the statement.
 */
function createEventFinder({ deps, user, view }: Task) {
  const events = findUserEvents(deps, user)
  const propose = createProposer(view.lines, view.matches)
  const counts = new Map<string, number>()
  for (const { payments } of view.lines)
    for (const { eventId } of payments)
      if (eventId !== null) counts.set(eventId, (counts.get(eventId) ?? 0) + 1)
  const frequentEventIds = [...counts].toSorted(([, a], [, b]) => b - a).map(([id]) => id)
  const eventIdsByKey = new Map(
    [...view.matches.eventsByNumber].map(([regNo, eventId]) => [toBankKey(regNo), eventId]),
  )
  return (line: ViewedLine) => {
    const numbers = listLineNumbers(line.match)
    const proposals = Map.groupBy(propose(line), ({ basis }) =>
      basis === 'number' || basis === 'reported_reference' ? 'identified' : 'similar',
    )
    const listProposed = (group: 'identified' | 'similar') =>
      (proposals.get(group) ?? []).map(({ event }) => event)
    const ids = [
      ...numbers.flatMap((key) => eventIdsByKey.get(key) ?? []),
      ...listProposed('identified'),
      ...[...findNumbersOfOtherEvents(numbers, [], { all: events }).values()].map(({ id }) => id),
      ...listProposed('similar'),
      ...frequentEventIds,
    ]
    return (
      events.find(
        ({ id }) => id === ids.find((eventId) => events.some((event) => event.id === eventId)),
      ) ??
      events[0] ??
      null
    )
  }
}

/** Marks lines as not ours, or reopens such lines. No payment is recorded. */
export async function markLines(
  task: Task,
  choices: readonly Choice[],
  decision: 'not_ours' | 'undone',
): Promise<Outcome> {
  const { deps, user, view } = task
  return decideEach(task, choices, decision, async ({ match }, newDecision) => {
    const decideResult = await deps.store.decideBankLine(newDecision)
    if (!decideResult.ok) return explainConflict(view, decideResult.error)
    const what =
      decision === 'not_ours'
        ? `marked a bank line as not ours: ${match.reference}`
        : `reopened a bank line: ${match.reference}`
    await addEventEntries(deps, { who: user.username, what }, view.statement.events)
    return null
  })
}

/** `decide` stores a decision. It returns the reason if the decision was refused, otherwise null. */
async function decideEach(
  { deps, user, view }: Task,
  choices: readonly Choice[],
  decision: 'review' | 'not_ours' | 'undone',
  decide: (line: ViewedLine, newDecision: NewLineDecision) => Promise<string | null>,
): Promise<Outcome> {
  const decidedIds: number[] = []
  const refusedLines: { line: number; message: string }[] = []
  for (const { line: lineId, seen } of choices) {
    const line = findLine(view, lineId)
    const decideLine = async (): Promise<string | null> => {
      if (line === null) return 'This statement has no such line.'
      const problem = explainRefusal(line, { line: lineId, seen }, decision)
      if (problem !== null) return problem
      return decide(line, {
        lineId,
        seen,
        decision,
        parts: [],
        who: user.username,
        at: deps.clock(),
        sender: toSender(user),
      })
    }
    const message = await decideLine()
    if (message === null) decidedIds.push(lineId)
    else refusedLines.push({ line: line?.stored.line ?? 0, message })
  }
  return { done: decidedIds, refused: refusedLines }
}

function explainRefusal(
  line: ViewedLine,
  choice: Choice,
  decision: 'review' | 'not_ours' | 'undone',
): string | null {
  const { stored, payments, state } = line
  if (payments.length > 0) {
    const newestDecision = stored.decision
    return newestDecision === null || newestDecision.id === choice.seen
      ? 'A payment is recorded for this line. Refund or move it on the registration page.'
      : describeDecision(newestDecision)
  }
  if (decision !== 'undone') return explainEarlierDecision(line, choice)
  if (stored.decision !== null && stored.decision.id !== choice.seen)
    return describeDecision(stored.decision)
  return state === 'not_ours' || line.isPayoutByAmount ? null : 'This line is already open.'
}
