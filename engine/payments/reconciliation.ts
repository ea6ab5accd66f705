/** Matches bank statement lines with registrations that await payment. */
import { toBankKey, isUtr, findReferenceKeys, formatKey, type BankKey } from './bank-reference.ts'
import {
  findChequeNumber,
  listFallbackKeys,
  buildFallbackReference,
  listLineKeys,
  findLineUtrs,
} from './statement-references.ts'
import { canMatch, getDue } from './statement-payer-proposals.ts'
import type {
  UnpaidOrder,
  KnownPayment,
  KnownReferences,
  KnownPayout,
} from './statement-payer-proposals.ts'
import { type Currency, formatMoney, formatCurrency } from '../lib/money.ts'
import type { RegNo } from '../event/registration-number.ts'
import type { Statement, StatementLine } from './bank-statement.ts'

/** A line with its match. `reference`: the one under which it is confirmed, so that it counts once. */
export type ReconciledLine = {
  readonly line: StatementLine
  readonly reference: string
  /** Other bank references in the line, which identify the same payment. */
  readonly also: readonly string[]
  /**
   * `matched`: one registration, and the amount fits; `differs`: one, and it does not; `ambiguous`: staff choose among
   * several; `known`: confirmed before; `elsewhere`: it belongs to another event; `payout`: a gateway's transfer of many
   * payments; `returned`: a withdrawal that names a payment, so that the bank may have returned it; `unmatched`: no
   * registration awaits it.
   */
  readonly as:
    | 'matched'
    | 'differs'
    | 'ambiguous'
    | 'known'
    | 'elsewhere'
    | 'payout'
    | 'returned'
    | 'unmatched'
  /** The contents of the payout according to its settlement. Null if it is not a gateway's transfer. */
  readonly payout: KnownPayout | null
  /** For a known payment, its registrations, if any. */
  readonly of: readonly RegNo[]
  /** An explanation for staff, in one sentence. Null if none is needed. */
  readonly why: string | null
  /** The payments that are recorded for this line. Absent if there are none. */
  readonly recorded?: readonly KnownPayment[]
  /** For a withdrawal, the recorded payments that the bank may have returned. */
  readonly returns?: readonly KnownPayment[]
}

type Lines = Pick<Statement, 'currency' | 'lines' | 'withdrawals' | 'details'>

/** A statement line has about ten numbers; a file of only short ones would block the server. */
const REFERENCE_NUMBERS_MAX = 100_000
/** For all lines together. Adjacent numbers may be one number in groups, for example a day and a time. */
const REFERENCES_MAX = 250_000

/** Returns every reference under which the lines of a statement may be stored. Null if more than any statement has. */
export function findStatementReferences({ lines, withdrawals }: Lines): readonly BankKey[] | null {
  const keys = new Set<BankKey>()
  let [numbers, references] = [0, 0]
  for (const line of [...lines, ...withdrawals]) {
    numbers += (`${line.reference} ${line.narration}`.match(/\p{Nd}+/gu) ?? []).length
    if (numbers > REFERENCE_NUMBERS_MAX) return null
    const lineKeys = listLineKeys(line)
    references += lineKeys.size
    if (references > REFERENCES_MAX) return null
    for (const key of lineKeys) keys.add(key)
  }
  for (const key of lines.flatMap(listFallbackKeys)) keys.add(key)
  return [...keys]
}

/** Matches all lines of a statement together, because a reference that is in several of them identifies none. */
export function reconcileStatement(
  statement: Lines,
  awaited: readonly UnpaidOrder[],
  known: KnownReferences,
): readonly ReconciledLine[] {
  const { lines, withdrawals } = statement
  const found = findReferences(statement, awaited, known)
  // A registration that a line names by number or reference is not also matched by guess with another line.
  const isNamed = new Set(
    lines.flatMap((line) => [
      ...found.awaitedIn(line).map(({ regNo }) => regNo),
      ...(found.unsureIn(line)?.of ?? []),
    ]),
  )
  const matched = new Set<RegNo>()
  const matchLine = (
    line: StatementLine,
  ): Pick<ReconciledLine, 'as' | 'of' | 'why' | 'recorded'> => {
    const { payments, elsewhere } = found.recordedIn(line)
    if (payments.length > 0)
      return {
        ...matchKnownPayments(line, statement.currency, payments, known.eventIds),
        recorded: payments,
      }
    const awaits = found.awaitedIn(line)
    const namedNos = [...awaits.map(({ regNo }) => regNo), ...found.endedIn(line)]
    const others = found.othersIn(line)
    const regNos = [...new Set([...namedNos, ...others.regNos])]
    const unsure = found.unsureIn(line)
    if (elsewhere !== null)
      return toAmbiguous([...elsewhere.of, ...regNos, ...(unsure?.of ?? [])], elsewhere.why)
    const [onlyNumber] = namedNos
    if (onlyNumber === undefined) {
      const isClaimed = unsure === null && found.isClaimedElsewhere(line)
      if (others.isElsewhere || (isClaimed && others.regNos.length === 0))
        return { as: 'elsewhere', of: [], why: others.why ?? CLAIMED_ELSEWHERE_MESSAGE }
      if (isClaimed) return toAmbiguous(others.regNos, CLAIMED_ELSEWHERE_MESSAGE)
      if (unsure !== null) return toAmbiguous([...unsure.of, ...others.regNos], unsure.why)
      if (others.why !== null) return { as: 'unmatched', of: [], why: others.why }
      const possible = awaited.filter((claim) => canMatch(line, claim) && !isNamed.has(claim.regNo))
      const candidateNos = possible.map(({ regNo }) => regNo)
      return candidateNos.length === 0
        ? { as: 'unmatched', of: [], why: null }
        : toAmbiguous(candidateNos, 'The amount and date fit, but the line names no registration.')
    }
    if (others.why !== null) return toAmbiguous(regNos, others.why)
    if (found.isClaimedElsewhere(line)) return toAmbiguous(regNos, CLAIMED_ELSEWHERE_MESSAGE)
    if (namedNos.length > 1)
      return toAmbiguous(regNos, 'The line names more than one registration.')
    if (found.isReleasedElsewhere(line)) return toAmbiguous(regNos, RELEASED_ELSEWHERE_MESSAGE)
    if (unsure?.isShared === true) return toAmbiguous([...regNos, ...unsure.of], unsure.why)
    if (matched.has(onlyNumber))
      return toAmbiguous(regNos, 'Another line of this file names the same registration.')
    matched.add(onlyNumber)
    const [entry] = awaits
    if (entry === undefined) return { as: 'differs', of: regNos, why: PAID_OTHERWISE_MESSAGE }
    const as = getDue(entry, line.day) === line.amount ? 'matched' : 'differs'
    return { as, of: regNos, why: null }
  }
  const results = lines.map((line): ReconciledLine => {
    const payout = found.payoutIn(line)
    if (payout !== null) {
      const { utr: reference } = payout
      return { line, reference, also: [], as: 'payout', of: [], payout, why: null }
    }
    return { line, ...found.nameOf(line), ...matchLine(line), payout: null }
  })
  return [...results, ...withdrawals.flatMap((line) => found.returnedBy(line))]
}

const toAmbiguous = (of: readonly RegNo[], why: string) =>
  ({ as: 'ambiguous', of: [...new Set(of)], why }) as const

function matchKnownPayments(
  { amount }: StatementLine,
  currency: Currency,
  payments: readonly KnownPayment[],
  eventIds: readonly string[] | undefined,
): Pick<ReconciledLine, 'as' | 'of' | 'why'> {
  const regNos = [...new Set(payments.flatMap(({ regNo }) => (regNo === null ? [] : [regNo])))]
  if (payments.length > 1)
    return toAmbiguous(regNos, 'This line is recorded as several payments. Check which are real.')
  if (payments.some((payment) => isOfAnother(payment, eventIds)))
    return { as: 'known', of: regNos, why: 'This payment is recorded for another event.' }
  const recorded = { currency, ...(payments[0] ?? { amount }) }
  const reason =
    recorded.amount === amount && recorded.currency === currency
      ? null
      : `${formatMoney(recorded.amount, recorded.currency)} is recorded, but the bank shows ${formatMoney(amount, currency)}.`
  return { as: 'known', of: regNos, why: reason }
}

const isOfAnother = (
  { eventId = null }: KnownPayment,
  eventsHere: readonly string[] | undefined,
): boolean => eventsHere !== undefined && eventId !== null && !eventsHere.includes(eventId)

/** Determines the references of each line, over the whole file. */
function findReferences(
  { currency, lines, withdrawals, details }: Lines,
  awaited: readonly UnpaidOrder[],
  {
    payments,
    payouts = new Map(),
    registrations = new Map(),
    titles = new Map(),
    reports = new Map(),
    claimedElsewhere = new Set(),
    releasedElsewhere = new Set(),
    eventIds,
    details: own = [],
  }: KnownReferences,
) {
  const ownKeys = new Set([...details, ...own].flatMap((text) => [...findReferenceKeys(text)]))
  const keyMap = new Map([...lines, ...withdrawals].map((line) => [line, listLineKeys(line)]))
  const listKeys = (line: StatementLine): ReadonlySet<BankKey> => keyMap.get(line) ?? new Set()
  const isNameable = (line: StatementLine): ReadonlySet<BankKey> =>
    new Set([...listKeys(line), ...listFallbackKeys(line)])
  const times = countKeys([...lines, ...withdrawals].map(listKeys))
  const countLines = countKeys(lines.map(listKeys))
  const carriers = Map.groupBy(
    lines.flatMap((line) => [...isNameable(line)].map((key) => ({ key, line }))),
    ({ key }) => key,
  )
  const byNumber = new Map(awaited.map((entry) => [toBankKey(entry.regNo), entry]))
  const isNumber = (key: BankKey): boolean => byNumber.has(key) || registrations.has(key)
  const isUsable = (key: BankKey): boolean => !ownKeys.has(key) && !isNumber(key)
  const byRegNo = new Map(awaited.map((entry) => [entry.regNo, entry]))
  const claimKeys = awaited.flatMap(({ regNo, claim: last }) =>
    last === null ? [] : [{ key: toBankKey(last.reference), regNo }],
  )
  const claimed = [...reports].flatMap(([key, lines]) => lines.map(({ regNo }) => ({ key, regNo })))
  const byReported = Map.groupBy(
    [...claimKeys, ...claimed].filter(({ key }) => !isNumber(key)),
    ({ key }) => key,
  )
  const findReported = (line: StatementLine, test: (key: BankKey) => boolean): readonly RegNo[] => [
    ...new Set(
      [...listKeys(line)]
        .filter(test)
        .flatMap((key) => byReported.get(key)?.map(({ regNo }) => regNo) ?? []),
    ),
  ]
  const isShared = (key: BankKey): boolean => (times.get(key) ?? 0) > 1
  const isItsOwn = (key: BankKey): boolean => !ownKeys.has(key) && !isShared(key)

  /** Payments that are recorded under a reference of the line; `elsewhere`: one is, but it may be another line's. */
  const findRecorded = (line: StatementLine) => {
    const hits = [...isNameable(line)].flatMap((key) => {
      const payment = isUsable(key) ? payments.get(key) : undefined
      return payment === undefined ? [] : [{ key, payment }]
    })
    const names = new Set<BankKey>([...findLineUtrs(line), ...listFallbackKeys(line)])
    // A number that is not a bank reference, such as a cheque number: another line may contain it by chance.
    const isAnothers = findLineUtrs(line).some((key) => isUsable(key) && !payments.has(key))
    const isIts = ({ key, payment }: { key: BankKey; payment: KnownPayment }): boolean => {
      const lines = carriers.get(key) ?? []
      const alike = lines.filter((candidate) => candidate.line.amount === payment.amount)
      const isOnly = lines.length < 2 || (alike.length === 1 && line.amount === payment.amount)
      return isOnly && (names.has(key) || (line.amount === payment.amount && !isAnothers))
    }
    const its = hits.filter(isIts).map(({ payment }) => payment)
    // A delegate may pay twice under the registration number, which is not a bank reference.
    const byNumber = [...listKeys(line)].filter(isNumber).flatMap((key) => payments.get(key) ?? [])
    const other = hits[0]?.payment ?? byNumber[0]
    return {
      payments: [...new Map(its.map((payment) => [payment.id, payment])).values()],
      elsewhere:
        its.length > 0 || other === undefined
          ? null
          : {
              of: other.regNo === null ? [] : [other.regNo],
              why:
                hits[0] === undefined
                  ? 'A payment with this registration number is recorded. It may be this one.'
                  : names.has(hits[0].key)
                    ? `A recorded payment has the reference ${hits[0].key}, which is in several lines of this file.`
                    : `A payment with the reference ${hits[0].key} is recorded. It may be this one.`,
            },
    }
  }

  /** Registrations awaiting payment that the line names: by their number, or by a reported reference that is in no other line. */
  const findAwaited = (line: StatementLine): readonly UnpaidOrder[] => [
    ...new Set([
      ...[...listKeys(line)].flatMap((key) => byNumber.get(key) ?? []),
      ...findReported(line, isItsOwn).flatMap((regNo) => byRegNo.get(regNo) ?? []),
    ]),
  ]

  /** Registrations that await no payment, and whose reported reference is in this line alone or beside their number. */
  const findEnded = (line: StatementLine): readonly RegNo[] => {
    const byBoth = findReported(line, isUsable).filter((regNo) =>
      listKeys(line).has(toBankKey(regNo)),
    )
    return [...new Set([...findReported(line, isItsOwn), ...byBoth])].filter(
      (regNo) => !byRegNo.has(regNo),
    )
  }

  /** Registrations that the line names by number, and that await no payment here. */
  const findOthers = (line: StatementLine) => {
    const ended = new Set(findEnded(line).map(toBankKey))
    const otherKeys = [...listKeys(line)].filter(
      (key) => registrations.has(key) && !byNumber.has(key) && !ended.has(key),
    )
    const regNos = otherKeys.flatMap((key) => registrations.get(key) ?? [])
    const reason =
      otherKeys.length === 0
        ? null
        : regNos.length === 0
          ? describeOtherEvents(otherKeys.flatMap((key) => titles.get(key) ?? []))
          : `The line names ${regNos.join(', ')}, which has nothing to pay in ${formatCurrency(currency)}.`
    return { regNos, why: reason, isElsewhere: otherKeys.length > 0 && regNos.length === 0 }
  }

  const isClaimedElsewhere = (line: StatementLine): boolean =>
    [...listKeys(line)].some((key) => claimedElsewhere.has(key) && isUsable(key))
  const isReleasedElsewhere = (line: StatementLine): boolean =>
    findReported(line, (key) => releasedElsewhere.has(key) && isItsOwn(key)).length > 0

  /** Registrations whose reported reference is in the line but identifies nothing. */
  const findAmbiguous = (line: StatementLine) => {
    const shared = findReported(line, (key) => !ownKeys.has(key) && isShared(key))
    const detail = findReported(line, (key) => ownKeys.has(key))
    if (shared.length > 0)
      return {
        of: shared,
        isShared: true,
        why: 'The reported reference is in several lines of this file.',
      }
    return detail.length === 0
      ? null
      : {
          of: detail,
          isShared: false,
          why: 'The reported reference is part of the conference’s own bank details.',
        }
  }

  const findPayout = (line: StatementLine): KnownPayout | null =>
    [...listKeys(line)].flatMap((key) => (isUsable(key) ? (payouts.get(key) ?? []) : []))[0] ?? null

  /** A withdrawal that names a payment, recorded or reported; a refund by staff may name it too. */
  const findReturned = (line: StatementLine): readonly ReconciledLine[] => {
    // A payment may be recorded under its registration number.
    const usable = [...listKeys(line)].filter((key) => !ownKeys.has(key))
    const paid = usable.flatMap((key) => payments.get(key) ?? [])
    const returns = [...new Map(paid.map((payment) => [payment.id, payment])).values()]
    const reported = findReported(line, isUsable)
    const regNos = [...new Set([...returns.flatMap(({ regNo }) => regNo ?? []), ...reported])]
    // The payment is in this file: its bank reference is in a line of the same amount.
    const receivedHere = usable.filter(
      (key) => isUtr(key) && carriers.get(key)?.some((one) => one.line.amount === line.amount),
    )
    const [reference] = [
      ...usable.filter(
        (key) => payments.has(key) || byReported.has(key) || claimedElsewhere.has(key),
      ),
      ...receivedHere,
    ].map(formatKey)
    if (reference === undefined) return []
    const isHere =
      receivedHere.length > 0 ||
      reported.length > 0 ||
      returns.some((payment) => !isOfAnother(payment, eventIds))
    const why = isHere ? RETURNED_MESSAGE : RETURNED_ELSEWHERE_MESSAGE
    return [{ line, reference, also: [], as: 'returned', of: regNos, payout: null, why, returns }]
  }

  /** The same line gives the same reference whenever it is read, so that it is confirmed once. */
  const listReferences = (line: StatementLine): Pick<ReconciledLine, 'reference' | 'also'> => {
    // A withdrawal that also names it, or a charge, does not make it another transfer.
    const isItsAlone = (key: BankKey): boolean => (countLines.get(key) ?? 0) < 2
    const reported = [...listKeys(line)].find(
      (key) => byReported.has(key) && isUsable(key) && isItsAlone(key),
    )
    const usable = findLineUtrs(line).filter(isUsable)
    const unshared = usable.filter(isItsAlone)
    // Without a unique reference it is recorded under the shared ones: otherwise one transfer could be counted twice.
    const utrs = unshared.length > 0 ? unshared : usable
    // Any other word is the bank's branch, the payer's account or a day: it is in other payers' lines too.
    const reference = formatKey(reported ?? utrs[0] ?? buildFallbackReference(line))
    // The line of a cheque keeps its name and takes the number with it, so that it cannot pay for another registration.
    const numbers = [...utrs, findChequeNumber(line) ?? []].flat().filter(isUsable)
    const key = toBankKey(reference)
    return { reference, also: numbers.filter((other) => other !== key).map(formatKey) }
  }

  return {
    recordedIn: findRecorded,
    awaitedIn: findAwaited,
    endedIn: findEnded,
    othersIn: findOthers,
    isClaimedElsewhere,
    isReleasedElsewhere,
    unsureIn: findAmbiguous,
    payoutIn: findPayout,
    returnedBy: findReturned,
    nameOf: listReferences,
  }
}

function countKeys(lines: readonly ReadonlySet<BankKey>[]): ReadonlyMap<BankKey, number> {
  const times = new Map<BankKey, number>()
  for (const keys of lines) for (const key of keys) times.set(key, (times.get(key) ?? 0) + 1)
  return times
}

const describeOtherEvents = (titles: readonly string[]): string =>
  titles.length === 0
    ? 'The line names a registration of another event.'
    : `The line names a registration of ${[...new Set(titles)].join(', ')}.`
const CLAIMED_ELSEWHERE_MESSAGE = 'A delegate of another event reported a reference in this line.'
const RELEASED_ELSEWHERE_MESSAGE =
  'A delegate of another event reported this reference too; that report was rejected or replaced.'
const PAID_OTHERWISE_MESSAGE =
  'The delegate reported this reference, but nothing is due. If you confirm, it goes to review as a second payment.'
const RETURNED_ELSEWHERE_MESSAGE =
  'This withdrawal names a payment of another event: the bank may have returned it.'
const RETURNED_MESSAGE =
  'This withdrawal names a payment: the bank may have returned it. Check the registration.'
