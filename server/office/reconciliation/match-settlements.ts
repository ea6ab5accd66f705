/** Matches the settlements of an event's gateway accounts with its payments. */
import {
  findChangedDeductions,
  mergeLines,
  checkSettlementLines,
  getLineKey,
  groupByPayout,
  readSettlement,
  getTransferKey,
  listUnsettledPayments,
} from '../../../engine/index.ts'
import type {
  Payout,
  SettledLine,
  Settlement,
  SettlementLine,
  UnsettledPayment,
} from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { SettlementAccount, Store } from '../../storage/index.ts'
import type { CsvLine } from '../spreadsheets/parse-csv.ts'
import { readSettlementColumns, readStatementColumns } from './column-mapping.ts'
import type { ColumnParams } from './column-mapping.ts'
import type { OtherEvents } from './registration-numbers-in-statement.ts'
import { addReportedAccount } from './settlement-account.ts'
import type { SettlementAccounts } from './settlement-account.ts'
import { assignLines, readAccountRecords } from './settlement-line-events.ts'
import type { AccountLookups, LineOwnership } from './settlement-line-events.ts'

type SettlementStore = Pick<Store, 'settlementLines' | 'knownOrders' | AccountLookups>
/** The settlements of one account, as shown to a user. */
export type Account = {
  readonly settlementAccount: SettlementAccount
  readonly ownership: LineOwnership
  readonly settled: readonly SettledLine[]
  /** All lines of the account's payouts, including those that are not in the report. */
  readonly all: readonly SettledLine[]
  /** The loaded report, with the lines that are not stored yet or are stored with other values. */
  readonly report:
    | (Settlement & {
        readonly newLines: readonly SettlementLine[]
        /** Lines that are stored with different deductions. */
        readonly changedLines: readonly SettlementLine[]
      })
    | null
  readonly payouts: readonly Payout[]
}
/** The report's account, or else the event's first account, and the event's other accounts. */
export type EventSettlements = Account & {
  readonly current: readonly SettlementAccount[]
  /** The event's other accounts, including earlier ones. */
  readonly others: readonly Account[]
  /** Unsettled payments of all the event's accounts. */
  readonly unsettledPayments: readonly UnsettledPayment[]
}

/** Reads a gateway's report. Null if the file is not a report, or the event has no payment gateway. */
export async function readReportedSettlement(
  store: Pick<Store, 'paymentsOfAccount'>,
  accounts: SettlementAccounts | null,
  rows: readonly CsvLine[],
  query: ColumnParams = {},
): Promise<{
  readonly settlementAccounts: SettlementAccounts
  readonly report: Settlement
} | null> {
  if (accounts === null || readStatementColumns(query) !== null) return null
  const report = readSettlement(rows, readSettlementColumns(query))
  if (!report.ok) return null
  const settlementAccounts = await addReportedAccount(store, accounts, report.value.lines)
  return { settlementAccounts, report: report.value }
}

/** Matches settlement lines with payments, without writing anything. If `report` is null, matches the stored lines. */
export async function matchSettlements(
  { store, clock }: { readonly store: SettlementStore; readonly clock: Deps['clock'] },
  { reportAccount: reported, current, others }: SettlementAccounts,
  report: Settlement | null,
  viewer: OtherEvents,
): Promise<EventSettlements> {
  const account = await matchAccount(store, reported, report, viewer)
  const otherAccounts: Account[] = []
  // A report that was loaded both before and after a change of account is stored for both accounts, but its lines
  // count once.
  const seenKeys = listLineKeys(reported, account)
  for (const otherAccount of others) {
    const matchedAccount = await matchAccount(store, otherAccount, null, viewer, seenKeys)
    for (const key of listLineKeys(otherAccount, matchedAccount)) seenKeys.add(key)
    otherAccounts.push(matchedAccount)
  }
  const accounts = [account, ...otherAccounts]
  return {
    ...account,
    current,
    others: otherAccounts,
    // A report for one account may list a payment made through another account, which the order identifies.
    unsettledPayments: listUnsettledPayments(
      accounts.flatMap(({ all: allLines }) => allLines),
      accounts.flatMap(({ ownership }) =>
        ownership.held.filter(({ belongsToAccount }) => belongsToAccount),
      ),
      clock(),
    ),
  }
}

const formatLineKey = ({ source }: SettlementAccount, line: SettlementLine): string =>
  `${source} ${getLineKey(line)}`
const listLineKeys = (account: SettlementAccount, { all: allLines }: Account): Set<string> =>
  new Set(allLines.map(({ line }) => formatLineKey(account, line)))

async function matchAccount(
  store: SettlementStore,
  account: SettlementAccount,
  report: Settlement | null,
  viewer: OtherEvents,
  seenKeys: ReadonlySet<string> = new Set(),
): Promise<Account> {
  const [storedLines, records] = await Promise.all([
    store.settlementLines(account),
    readAccountRecords(store, account, viewer),
  ])
  const newLines = storedLines.filter((line) => !seenKeys.has(formatLineKey(account, line)))
  const orderNames = [...newLines, ...(report?.lines ?? [])].map(({ order }) => order)
  const orders = await store.knownOrders([...new Set(orderNames)])
  const ownership = assignLines(account, viewer, records, orders)
  // Excludes lines of other events. Otherwise, a report that repeats such a line would reveal that it exists.
  const ownLines = newLines.filter(ownership.isOwn)
  // Earlier versions treated spellings of a payout reference as different, and stored the lines more than once.
  const storedByKey = new Map(ownLines.map((line) => [getLineKey(line), line]))
  const reportLines = (report?.lines ?? []).map((line): SettlementLine => {
    const storedLine = storedByKey.get(getLineKey(line))
    // Staff who handled the stored line did not see the new deductions.
    return storedLine !== undefined && findChangedDeductions(storedLine, line) === null
      ? { ...storedLine, line: line.line }
      : line
  })
  const changedKeys = new Set(
    reportLines
      .filter(({ stored }) => stored === undefined)
      .map(getLineKey)
      .filter((key) => storedByKey.has(key)),
  )
  const allLines = report === null ? mergeLines(newLines) : mergeLines(ownLines, reportLines)
  const results = new Map(
    checkSettlementLines(
      allLines.filter((line) => !ownership.isElsewhere(line)),
      ownership.held,
      ownership.orders,
    ).map((matchedLine) => [matchedLine.line, matchedLine]),
  )
  const settled = allLines.map((line) => results.get(line) ?? toOtherEventLine(line))
  const keys = new Set(ownLines.map(getLineKey))
  const reportKeys = new Set(report?.lines.map(getLineKey))
  const transfers = new Set(report?.lines.map(getTransferKey))
  return {
    settlementAccount: account,
    ownership,
    settled:
      report === null ? settled : settled.filter(({ line }) => reportKeys.has(getLineKey(line))),
    all: settled,
    report:
      report === null
        ? null
        : {
            ...report,
            newLines: report.lines.filter((line) => !keys.has(getLineKey(line))),
            changedLines: report.lines.filter((line) => changedKeys.has(getLineKey(line))),
          },
    payouts: groupByPayout(allLines).filter(
      (payout) => report === null || transfers.has(getTransferKey(payout)),
    ),
  }
}

/** Converts a line of another event, which is not compared with stored data. */
const toOtherEventLine = (line: SettlementLine): SettledLine => ({
  line,
  as: 'unknown',
  money: null,
  order: null,
  why: null,
})

/** Returns true if staff may mark the line as handled, because no other action in Rollcall resolves it. */
export function canBeHandled({ as }: Pick<SettledLine, 'as'>): boolean {
  return as === 'differs' || as === 'unknown'
}

/** Returns how a saved line that differs or is unknown was handled, and by whom. Null if it was not handled. */
export function findHandling(settledLine: Pick<SettledLine, 'as' | 'line'>) {
  return canBeHandled(settledLine) ? (settledLine.line.stored?.handled ?? null) : null
}

/** Returns true if the line needs attention, or did until staff handled it. */
export function needsAttention({ as }: SettledLine): boolean {
  return as !== 'settled' && as !== 'refunded'
}
