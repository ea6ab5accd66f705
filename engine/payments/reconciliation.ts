/** Matches bank statement lines with unpaid registrations. */
import { toBankKey, isUtr, findReferenceKeys, formatKey, type BankKey } from './bank-reference.ts'
import {
  countKeys,
  findChequeNumber,
  listFallbackKeys,
  buildFallbackReference,
  isAmountOfPayment,
  listLineKeys,
  findLineUtrs,
} from './statement-references.ts'
import { createPayerProposer, getDue, TOO_EARLY_MESSAGE } from './statement-payer-proposals.ts'
import type {
  UnpaidOrder,
  KnownPayment,
  KnownReferences,
  KnownPayout,
} from './statement-payer-proposals.ts'
import { type Currency, formatMoney, formatCurrency } from '../lib/money.ts'
import type { RegNo } from '../event/registration-number.ts'
import type { Statement, StatementLine } from './bank-statement-columns-and-lines.ts'

/** A line with its match. Staff confirm it under `reference`, so that it counts only once. */
export type ReconciledLine = {
  readonly line: StatementLine
  readonly reference: string
  /** Other bank references of the line, which identify the same payment. */
  readonly also: readonly string[]
  /**
   * - `matched`: one registration with this amount due
   * - `differs`: one registration with a different amount due
   * - `ambiguous`: several registrations, of which staff choose one
   * - `known`: already confirmed
   * - `elsewhere`: for another event
   * - `payout`: a gateway's transfer of many payments
   * - `returned`: a withdrawal that refers to a payment that the bank may have returned
   * - `unmatched`: not for any unpaid registration
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
  /** The payout according to its settlement. Null if the line is not a payout. */
  readonly payout: KnownPayout | null
  /** For a known payment, its registrations. */
  readonly of: readonly RegNo[]
  /** An explanation for staff in one sentence. Null if none is needed. */
  readonly why: string | null
  /** The payments recorded for this line. Absent if there are none. */
  readonly recorded?: readonly KnownPayment[]
  /** For a withdrawal, the recorded payments that the bank may have returned. */
  readonly returns?: readonly KnownPayment[]
}

type StatementContent = Pick<Statement, 'currency' | 'lines' | 'withdrawals' | 'details'>

/** Matches all lines of a statement together, because a reference in several lines identifies none of them. */
export function reconcileStatement(
  statement: StatementContent,
  unpaidOrders: readonly UnpaidOrder[],
  known: KnownReferences,
): readonly ReconciledLine[] {
  const { currency, lines, withdrawals } = statement
  const finder = createReferenceFinder(statement, unpaidOrders, known)
  // If one line contains a registration's number or reference, no other line is matched with it by amount.
  const namedRegNos = new Set(
    lines.flatMap((line) => [
      ...finder.findUnpaidOrders(line).map(({ regNo }) => regNo),
      ...(finder.findAmbiguousRegNos(line)?.of ?? []),
    ]),
  )
  const proposePayers = createPayerProposer(
    unpaidOrders.filter(({ regNo }) => !namedRegNos.has(regNo)),
  )
  const matchedRegNos = new Set<RegNo>()
  const matchLine = (
    line: StatementLine,
  ): Pick<ReconciledLine, 'as' | 'of' | 'why' | 'recorded'> => {
    const { payments, elsewhere } = finder.findRecordedPayments(line)
    if (payments.length > 0)
      return { ...matchKnownPayments(line, currency, payments, known.eventIds), recorded: payments }
    const orders = finder.findUnpaidOrders(line)
    const namedNos = [...orders.map(({ regNo }) => regNo), ...finder.findEndedRegNos(line)]
    const others = finder.findRegistrationsWithoutBalance(line)
    const regNos = [...new Set([...namedNos, ...others.regNos])]
    const ambiguity = finder.findAmbiguousRegNos(line)
    if (elsewhere !== null)
      return toAmbiguous([...elsewhere.of, ...regNos, ...(ambiguity?.of ?? [])], elsewhere.why)
    const [onlyNumber] = namedNos
    if (onlyNumber === undefined) {
      const isClaimed = ambiguity === null && finder.isClaimedElsewhere(line)
      if (others.isElsewhere || (isClaimed && others.regNos.length === 0))
        return { as: 'elsewhere', of: [], why: others.why ?? CLAIMED_ELSEWHERE_MESSAGE }
      if (isClaimed) return toAmbiguous(others.regNos, CLAIMED_ELSEWHERE_MESSAGE)
      if (ambiguity !== null) return toAmbiguous([...ambiguity.of, ...others.regNos], ambiguity.why)
      if (others.why !== null) return { as: 'unmatched', of: [], why: others.why }
      const candidateNos = proposePayers(line).flatMap(({ registration, basis }) =>
        basis === 'amount_and_date' ? [registration.regNo] : [],
      )
      return candidateNos.length === 0
        ? { as: 'unmatched', of: [], why: null }
        : toAmbiguous(
            candidateNos,
            'The amount and the date match, but the line does not mention a registration.',
          )
    }
    if (others.why !== null) return toAmbiguous(regNos, others.why)
    if (finder.isClaimedElsewhere(line)) return toAmbiguous(regNos, CLAIMED_ELSEWHERE_MESSAGE)
    if (namedNos.length > 1) return toAmbiguous(regNos, SEVERAL_IDENTIFIED_MESSAGE)
    if (finder.isReleasedElsewhere(line)) return toAmbiguous(regNos, RELEASED_ELSEWHERE_MESSAGE)
    if (ambiguity?.isShared === true)
      return toAmbiguous([...regNos, ...ambiguity.of], ambiguity.why)
    if (matchedRegNos.has(onlyNumber))
      return toAmbiguous(regNos, 'Another line of this file mentions the same registration.')
    matchedRegNos.add(onlyNumber)
    const [entry] = orders
    if (entry === undefined) return { as: 'differs', of: regNos, why: PAID_OTHERWISE_MESSAGE }
    if (entry.isTooEarly?.(line.day) === true) return toAmbiguous(regNos, TOO_EARLY_MESSAGE)
    const as = getDue(entry, line.day) === line.amount ? 'matched' : 'differs'
    return { as, of: regNos, why: null }
  }
  const results = lines.map((line): ReconciledLine => {
    const payout = finder.findPayout(line)
    if (payout !== null) {
      const { utr: reference } = payout
      return { line, reference, also: [], as: 'payout', of: [], payout, why: null }
    }
    return { line, ...finder.listReferences(line), ...matchLine(line), payout: null }
  })
  return [...results, ...withdrawals.flatMap((line) => finder.findReturnedPayments(line))]
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
  if (payments.some((payment) => belongsToOtherEvent(payment, eventIds)))
    return { as: 'known', of: regNos, why: 'This payment is recorded for another event.' }
  const recordedAmount = { currency, ...(payments[0] ?? { amount }) }
  const reason =
    recordedAmount.amount === amount && recordedAmount.currency === currency
      ? null
      : `${formatMoney(recordedAmount.amount, recordedAmount.currency)} is recorded, but the bank shows ${formatMoney(amount, currency)}.`
  return { as: 'known', of: regNos, why: reason }
}

const belongsToOtherEvent = (
  { eventId = null }: KnownPayment,
  eventsHere: readonly string[] | undefined,
): boolean => eventsHere !== undefined && eventId !== null && !eventsHere.includes(eventId)

/** Returns functions that find the payments and registrations for a line, taking the whole file into account. */
function createReferenceFinder(
  { currency, lines, withdrawals, details }: StatementContent,
  unpaidOrders: readonly UnpaidOrder[],
  {
    payments,
    otherParts = new Map(),
    payouts = new Map(),
    registrations = new Map(),
    titles = new Map(),
    reports = new Map(),
    claimedElsewhere = new Set(),
    releasedElsewhere = new Set(),
    eventIds,
    details: texts = [],
  }: KnownReferences,
) {
  const ownKeys = new Set([...details, ...texts].flatMap((text) => [...findReferenceKeys(text)]))
  const keyMap = new Map([...lines, ...withdrawals].map((line) => [line, listLineKeys(line)]))
  const listKeys = (line: StatementLine): ReadonlySet<BankKey> => keyMap.get(line) ?? new Set()
  const listAllKeys = (line: StatementLine): ReadonlySet<BankKey> =>
    new Set([...listKeys(line), ...listFallbackKeys(line)])
  const lineCounts = countKeys([...lines, ...withdrawals].map(listKeys))
  const depositCounts = countKeys(lines.map(listKeys))
  const linesByKey = Map.groupBy(
    lines.flatMap((line) => [...listAllKeys(line)].map((key) => ({ key, line }))),
    ({ key }) => key,
  )
  const orderByNumber = new Map(unpaidOrders.map((entry) => [toBankKey(entry.regNo), entry]))
  const isRegNo = (key: BankKey): boolean => orderByNumber.has(key) || registrations.has(key)
  const isUsable = (key: BankKey): boolean => !ownKeys.has(key) && !isRegNo(key)
  const orderByRegNo = new Map(unpaidOrders.map((entry) => [entry.regNo, entry]))
  const claimKeys = unpaidOrders.flatMap(({ regNo, claim: lastClaim }) =>
    lastClaim === null ? [] : [{ key: toBankKey(lastClaim.reference), regNo }],
  )
  const reportKeys = [...reports].flatMap(([key, rows]) =>
    rows.map(({ regNo }) => ({ key, regNo })),
  )
  const reportsByKey = Map.groupBy(
    [...claimKeys, ...reportKeys].filter(({ key }) => !isRegNo(key)),
    ({ key }) => key,
  )
  const findReportedRegNos = (
    line: StatementLine,
    test: (key: BankKey) => boolean,
  ): readonly RegNo[] => [
    ...new Set(
      [...listKeys(line)]
        .filter(test)
        .flatMap((key) => reportsByKey.get(key)?.map(({ regNo }) => regNo) ?? []),
    ),
  ]
  const isShared = (key: BankKey): boolean => (lineCounts.get(key) ?? 0) > 1
  const isOnlyInLine = (key: BankKey): boolean => !ownKeys.has(key) && !isShared(key)

  /** Returns payments recorded under the line's references. `elsewhere`: a payment that may belong to another line. */
  const findRecordedPayments = (line: StatementLine) => {
    const candidates = [...listAllKeys(line)].flatMap((key) => {
      const payment = isUsable(key) ? payments.get(key) : undefined
      return payment === undefined ? [] : [{ key, payment }]
    })
    const keys = new Set<BankKey>([...findLineUtrs(line), ...listFallbackKeys(line)])
    // A number that is not a bank reference, such as a cheque number, may be in another line by chance.
    const hasOtherUtr = findLineUtrs(line).some((key) => isUsable(key) && !payments.has(key))
    const belongsToLine = ({ key, payment }: { key: BankKey; payment: KnownPayment }): boolean => {
      const lines = linesByKey.get(key) ?? []
      const isOfAmount = (amount: number) => isAmountOfPayment(amount, payment, otherParts)
      const linesOfAmount = lines.filter((candidate) => isOfAmount(candidate.line.amount))
      const isOnly = lines.length < 2 || (linesOfAmount.length === 1 && isOfAmount(line.amount))
      return isOnly && (keys.has(key) || (isOfAmount(line.amount) && !hasOtherUtr))
    }
    const paymentsOfLine = candidates.filter(belongsToLine).map(({ payment }) => payment)
    // A delegate may quote a registration number in two payments. Numbers of other events reveal nothing here.
    const paymentsUnderRegNo = [...listKeys(line)]
      .filter((key) => isRegNo(key) && registrations.get(key) !== null)
      .flatMap((key) => payments.get(key) ?? [])
    const otherPayment = candidates[0]?.payment ?? paymentsUnderRegNo[0]
    return {
      payments: [...new Map(paymentsOfLine.map((payment) => [payment.id, payment])).values()],
      elsewhere:
        paymentsOfLine.length > 0 || otherPayment === undefined
          ? null
          : {
              of: otherPayment.regNo === null ? [] : [otherPayment.regNo],
              why:
                candidates[0] === undefined
                  ? 'A payment with this registration number is recorded. It may be this one.'
                  : keys.has(candidates[0].key)
                    ? `A recorded payment has the reference ${candidates[0].key}, which is in several lines of this file.`
                    : `A payment with the reference ${candidates[0].key} is recorded. It may be this one.`,
            },
    }
  }

  /** Returns unpaid registrations that the line identifies: by number, or by a reference that is in no other line. */
  const findUnpaidOrders = (line: StatementLine): readonly UnpaidOrder[] => [
    ...new Set([
      ...[...listKeys(line)].flatMap((key) => orderByNumber.get(key) ?? []),
      ...findReportedRegNos(line, isOnlyInLine).flatMap((regNo) => orderByRegNo.get(regNo) ?? []),
    ]),
  ]

  /** Returns paid or ended registrations whose reported reference is only in this line, or beside their number. */
  const findEndedRegNos = (line: StatementLine): readonly RegNo[] => {
    const reportedWithNumber = findReportedRegNos(line, isUsable).filter((regNo) =>
      listKeys(line).has(toBankKey(regNo)),
    )
    return [...new Set([...findReportedRegNos(line, isOnlyInLine), ...reportedWithNumber])].filter(
      (regNo) => !orderByRegNo.has(regNo),
    )
  }

  /** Returns the registrations whose numbers the line contains and that have nothing to pay here. */
  const findRegistrationsWithoutBalance = (line: StatementLine) => {
    const endedKeys = new Set(findEndedRegNos(line).map(toBankKey))
    const otherKeys = [...listKeys(line)].filter(
      (key) => registrations.has(key) && !orderByNumber.has(key) && !endedKeys.has(key),
    )
    const regNos = otherKeys.flatMap((key) => registrations.get(key) ?? [])
    const reason =
      otherKeys.length === 0
        ? null
        : regNos.length === 0
          ? describeOtherEvents(otherKeys.flatMap((key) => titles.get(key) ?? []))
          : `The line mentions ${regNos.join(', ')}, which has nothing to pay in ${formatCurrency(currency)}.`
    return { regNos, why: reason, isElsewhere: otherKeys.length > 0 && regNos.length === 0 }
  }

  const isClaimedElsewhere = (line: StatementLine): boolean =>
    [...listKeys(line)].some((key) => claimedElsewhere.has(key) && isUsable(key))
  const isReleasedElsewhere = (line: StatementLine): boolean =>
    findReportedRegNos(line, (key) => releasedElsewhere.has(key) && isOnlyInLine(key)).length > 0

  /** Returns the registrations whose reported reference is in the line but does not identify it. */
  const findAmbiguousRegNos = (line: StatementLine) => {
    const sharedRegNos = findReportedRegNos(line, (key) => !ownKeys.has(key) && isShared(key))
    const detailRegNos = findReportedRegNos(line, (key) => ownKeys.has(key))
    if (sharedRegNos.length > 0)
      return {
        of: sharedRegNos,
        isShared: true,
        why: 'The reported reference is in several lines of this file.',
      }
    return detailRegNos.length === 0
      ? null
      : {
          of: detailRegNos,
          isShared: false,
          why: 'The reported reference is part of the conference’s own bank details.',
        }
  }

  const findPayout = (line: StatementLine): KnownPayout | null =>
    [...listKeys(line)].flatMap((key) => (isUsable(key) ? (payouts.get(key) ?? []) : []))[0] ?? null

  /** Returns the withdrawal if it refers to a recorded or reported payment. A refund by staff may also refer to one. */
  const findReturnedPayments = (line: StatementLine): readonly ReconciledLine[] => {
    // A payment may be recorded under its registration number.
    const usableKeys = [...listKeys(line)].filter((key) => !ownKeys.has(key))
    // The bank returns a whole line, but only its first part has the line's reference.
    const namedPayments = usableKeys
      .flatMap((key) => payments.get(key) ?? [])
      .flatMap((payment) => [payment, ...(otherParts.get(payment.id) ?? [])])
    const returns = [...new Map(namedPayments.map((payment) => [payment.id, payment])).values()]
    const reportedRegNos = findReportedRegNos(line, isUsable)
    const regNos = [...new Set([...returns.flatMap(({ regNo }) => regNo ?? []), ...reportedRegNos])]
    // The payment is in this file if a line with the same amount has its bank reference.
    const keysReceivedHere = usableKeys.filter(
      (key) => isUtr(key) && linesByKey.get(key)?.some((one) => one.line.amount === line.amount),
    )
    const [reference] = [
      ...usableKeys.filter(
        (key) => payments.has(key) || reportsByKey.has(key) || claimedElsewhere.has(key),
      ),
      ...keysReceivedHere,
    ].map(formatKey)
    if (reference === undefined) return []
    const isHere =
      keysReceivedHere.length > 0 ||
      reportedRegNos.length > 0 ||
      returns.some((payment) => !belongsToOtherEvent(payment, eventIds))
    const why = isHere ? RETURNED_MESSAGE : RETURNED_ELSEWHERE_MESSAGE
    return [{ line, reference, also: [], as: 'returned', of: regNos, payout: null, why, returns }]
  }

  /** Returns a line's references, the same whenever the file is read, so that staff confirm the line only once. */
  const listReferences = (line: StatementLine): Pick<ReconciledLine, 'reference' | 'also'> => {
    // A withdrawal or a charge that refers to the same payment is not a second transfer.
    const isInOneDeposit = (key: BankKey): boolean => (depositCounts.get(key) ?? 0) < 2
    const reportedKey = [...listKeys(line)].find(
      (key) => reportsByKey.has(key) && isUsable(key) && isInOneDeposit(key),
    )
    const usableUtrs = findLineUtrs(line).filter(isUsable)
    const unsharedUtrs = usableUtrs.filter(isInOneDeposit)
    // Without a unique reference, the line is recorded under the shared ones; otherwise one transfer could count twice.
    const utrs = unsharedUtrs.length > 0 ? unsharedUtrs : usableUtrs
    // Any other word may be a bank branch, an account or a date, which the lines of other payers also contain.
    const reference = formatKey(reportedKey ?? utrs[0] ?? buildFallbackReference(line))
    // A cheque line keeps its reference and also records the cheque number, so that the cheque pays for only one
    // registration.
    const numbers = [...utrs, findChequeNumber(line) ?? []].flat().filter(isUsable)
    const key = toBankKey(reference)
    return { reference, also: numbers.filter((other) => other !== key).map(formatKey) }
  }

  return {
    findRecordedPayments,
    findUnpaidOrders,
    findEndedRegNos,
    findRegistrationsWithoutBalance,
    isClaimedElsewhere,
    isReleasedElsewhere,
    findAmbiguousRegNos,
    findPayout,
    findReturnedPayments,
    listReferences,
  }
}

const describeOtherEvents = (titles: readonly string[]): string =>
  titles.length === 0
    ? 'The line mentions a registration of another event.'
    : `The line mentions a registration of ${[...new Set(titles)].join(', ')}.`
const SEVERAL_IDENTIFIED_MESSAGE =
  'This line identifies more than one registration, by number or by reported reference.'
const CLAIMED_ELSEWHERE_MESSAGE = 'A delegate of another event reported a reference in this line.'
const RELEASED_ELSEWHERE_MESSAGE =
  'A delegate of another event also reported this reference, but that report was rejected or replaced.'
const PAID_OTHERWISE_MESSAGE =
  'The delegate reported this reference, but nothing is due. If you confirm the line, Rollcall records a second payment that needs review.'
const RETURNED_ELSEWHERE_MESSAGE =
  'This withdrawal refers to a payment of another event: the bank may have returned it.'
const RETURNED_MESSAGE =
  'This withdrawal refers to a payment: the bank may have returned it. Check the registration.'
