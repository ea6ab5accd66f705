/** Matches the lines of a bank statement with the registrations of one or more events. */
import {
  canSee,
  err,
  findEarlyPayment,
  findStatementReferences,
  listMethodsPricedOnCredit,
  ok,
  readStatement,
  reconcileStatement,
  toAmount,
} from '../../../engine/index.ts'
import type {
  BankKey,
  Currency,
  Day,
  EventConfig,
  KnownPayment,
  PermissionHolder,
  ReconciledLine,
  Result,
  StatementColumns,
  StatementLine,
  UnpaidOrder,
} from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { addPriceByDay } from '../../payments/price-on-credit-date.ts'
import type { ReportedReference, Store } from '../../storage/index.ts'
import type { CsvLine } from '../spreadsheets/parse-csv.ts'
import { listBankDetails } from './lines-to-keep.ts'
import { findRegistrations } from './registration-numbers-in-statement.ts'
import type { OtherEvents } from './registration-numbers-in-statement.ts'
import { loadSettlementAccounts } from './settlement-account.ts'

/** A registration for one of the events: it awaits payment, or its delegate reported a reference. */
export type Payer = UnpaidOrder & { readonly eventId: string }
export type Matches = {
  readonly lines: readonly ReconciledLine[]
  /** Registrations in the statement's currency that await payment. */
  readonly awaitedPayers: readonly Payer[]
  /** The event of each registration number in the statement. */
  readonly eventsByNumber: ReadonlyMap<string, string>
  readonly payersByNumber: ReadonlyMap<string, Payer>
}
export type MatchedStatement = Matches & {
  readonly currency: Currency
  /** Payment claims that no line matches. */
  readonly openClaims: readonly UnpaidOrder[]
  readonly unread: readonly number[]
  readonly repeated: readonly { readonly line: number; readonly first: number }[]
}
type StatementError =
  | { readonly code: 'columns_unknown'; readonly header: readonly string[] }
  | { readonly code: 'too_many_numbers'; readonly message: string }
/** The parts of a statement that are used for matching. */
export type StatementLines = {
  readonly currency: Currency
  readonly lines: readonly StatementLine[]
  readonly withdrawals: readonly StatementLine[]
  readonly details: readonly string[]
}
type MatchStore = Pick<
  Store,
  'expectedPayments' | 'knownReferences' | 'otherPartsOfLines' | 'accountsOfEvent'
>

/**
 * Matches a statement with an event's registrations and claims in its currency, without writing anything. If
 * `columns` is null, the column headings determine the columns.
 */
export async function matchStatement(
  store: MatchStore,
  event: EventConfig,
  rows: readonly CsvLine[],
  columns: StatementColumns | null,
  currency: Currency,
  otherEvents: OtherEvents = { all: [], user: { events: null } },
): Promise<Result<MatchedStatement, StatementError>> {
  const statement = readStatement(rows, columns, currency)
  if (!statement.ok) return statement
  const matches = await matchLines(store, [event], statement.value, otherEvents)
  if (matches === null) return err({ code: 'too_many_numbers', message: TOO_MANY_NUMBERS_MESSAGE })
  const { unread, repeated } = statement.value
  const matchedNos = new Set(matches.lines.flatMap(({ of }) => of))
  const openClaims = matches.awaitedPayers.filter(
    ({ regNo, claim }) => claim !== null && !matchedNos.has(regNo),
  )
  return ok({ ...matches, currency, openClaims, unread, repeated })
}

/** Matches all lines with all events together. Null if the lines contain more numbers than any real statement. */
export async function matchLines(
  store: MatchStore,
  events: readonly EventConfig[],
  statement: StatementLines,
  otherEvents: OtherEvents,
): Promise<Matches | null> {
  const { currency } = statement
  const keys = findStatementReferences(statement)
  if (keys === null) return null
  const [knownReferences, paymentsByEvent, accounts] = await Promise.all([
    store.knownReferences(keys),
    Promise.all(events.map((event) => loadExpectedPayments(store, event, currency))),
    Promise.all(events.map((event) => loadSettlementAccounts(store, event))),
  ])
  const awaitedPayments = paymentsByEvent.flat()
  const ownAccounts = accounts.flatMap((gateway) =>
    gateway === null ? [] : [gateway.reportAccount, ...gateway.others],
  )
  const eventIds = events.map(({ id }) => id)
  const reports = knownReferences.reports.filter((report) => report.currency === currency)
  const ownReports = reports.filter((report) => eventIds.includes(report.eventId))
  const otherReports = reports.filter((report) => !eventIds.includes(report.eventId))
  const toKeys = (reports: readonly ReportedReference[]) => new Set(reports.map(({ key }) => key))
  const lines = reconcileStatement(statement, awaitedPayments, {
    payments: new Map(knownReferences.payments),
    otherParts: await findOtherParts(store, knownReferences.payments),
    payouts: new Map(
      knownReferences.payouts.filter(([, { source, account }]) =>
        ownAccounts.some((own) => own.source === source && own.account === account),
      ),
    ),
    ...findRegistrations(keys, knownReferences.registrations, events, otherEvents),
    reports: Map.groupBy(ownReports, ({ key }) => key),
    claimedElsewhere: toKeys(otherReports.filter(({ isReleased }) => !isReleased)),
    releasedElsewhere: toKeys(otherReports.filter(({ isReleased }) => isReleased)),
    eventIds,
    details: events.flatMap(({ methods }) => listBankDetails(methods)),
  })
  return {
    lines,
    awaitedPayers: awaitedPayments,
    eventsByNumber: new Map(
      knownReferences.registrations.map(({ regNo, eventId }) => [regNo, eventId]),
    ),
    payersByNumber: new Map(
      [...ownReports.map(toPayerWithoutBalance), ...awaitedPayments].map(
        (registration) => [registration.regNo, registration] as const,
      ),
    ),
  }
}

/** Returns the other parts of the lines from which these payments were recorded. */
async function findOtherParts(
  store: MatchStore,
  payments: readonly (readonly [key: BankKey, payment: KnownPayment])[],
): Promise<ReadonlyMap<number, readonly KnownPayment[]>> {
  const ids = payments.map(([, { id }]) => id)
  const parts = ids.length === 0 ? [] : await store.otherPartsOfLines([...new Set(ids)])
  return Map.groupBy(parts, ({ partOf }) => partOf)
}

async function loadExpectedPayments(
  store: MatchStore,
  event: EventConfig,
  currency: Currency,
): Promise<readonly Payer[]> {
  const storedPayments = await store.expectedPayments(event.id, listMethodsPricedOnCredit(event))
  return storedPayments
    .filter((registration) => registration.currency === currency)
    .map((registration) => ({
      ...addPriceByDay(event, registration),
      isTooEarly: (day: Day) => findEarlyPayment(event, registration.createdAt, day) !== null,
      eventId: event.id,
    }))
}

export const TOO_MANY_NUMBERS_MESSAGE =
  'This file has too many numbers. Upload a statement for a shorter period.'

/** Converts a registration whose delegate reported the reference but owes nothing. */
const toPayerWithoutBalance = ({
  regNo,
  name,
  reference,
  day,
  eventId,
}: ReportedReference): Payer => ({
  regNo,
  name,
  due: toAmount(0),
  claim: { reference, day },
  eventId,
})

/** Adds returned transfers to the work queue, so that staff see them even if no user reads this response. */
export async function reportReturnedTransfers(
  { store }: { readonly store: Pick<Store, 'reportReturned'> },
  user: Pick<PermissionHolder, 'events'>,
  { lines }: Pick<Matches, 'lines'>,
  currency: Currency,
): Promise<void> {
  const returnedLines = lines.flatMap(({ line, reference, returns = [] }) =>
    returns
      .filter(({ eventId = null }) => eventId !== null && canSee(user, eventId))
      .map(({ id }) => ({
        captureId: id,
        reference,
        amount: line.amount,
        currency,
        day: line.day,
        narration: line.narration,
      })),
  )
  if (returnedLines.length > 0) await store.reportReturned(returnedLines)
}

/** Hides a line's registration if it belongs to an event that the user cannot access. */
export async function hideOtherEvents<Lines extends Pick<Matches, 'lines' | 'payersByNumber'>>(
  { store }: Pick<Deps, 'store'>,
  user: Pick<PermissionHolder, 'events'>,
  statement: Lines,
): Promise<Lines> {
  const regNos = new Set(statement.lines.flatMap(({ of }) => of))
  const otherNumbers = [...regNos].filter((regNo) => !statement.payersByNumber.has(regNo))
  const registrations = await Promise.all(otherNumbers.map((regNo) => store.registration(regNo)))
  const hiddenNumbers = new Set(
    registrations.flatMap((registration) =>
      registration === null || canSee(user, registration.eventId) ? [] : [registration.regNo],
    ),
  )
  const lines = statement.lines.map((line) => ({
    ...line,
    of: line.of.filter((regNo) => !hiddenNumbers.has(regNo)),
  }))
  return { ...statement, lines }
}
