/** Matches the settlements of an event's gateway accounts with its payments. */
import {
  joinLines,
  checkSettlementLines,
  lineKey,
  payouts,
  readSettlement,
  unsettled,
} from '../../../engine/index.ts'
import type {
  Payout,
  Settled,
  Settlement,
  SettlementLine,
  Unsettled,
} from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { SettlementAccount, Store } from '../../storage/index.ts'
import type { CsvLine } from '../spreadsheets/parse-csv.ts'
import { settlementColumnsIn, statementColumnsIn } from './column-mapping.ts'
import type { ColumnParams } from './column-mapping.ts'
import type { OtherEvents } from './registration-numbers-in-statement.ts'
import type { SettlementAccounts } from './settlement-account.ts'
import { assignLines } from './settlement-line-events.ts'
import type { LineOwnership } from './settlement-line-events.ts'

type SettlementStore = Pick<Store, 'settlementLines' | 'paymentsOfAccount' | 'knownOrders'>
/** The settlements of one account, as shown to a user. */
export type Account = {
  readonly of: SettlementAccount
  readonly ownership: LineOwnership
  readonly settled: readonly Settled[]
  /** All lines of its payouts, including those not in the report. */
  readonly all: readonly Settled[]
  /** For a loaded report: its lines, and which of them are not stored yet. */
  readonly report: (Settlement & { readonly newLines: readonly SettlementLine[] }) | null
  readonly payouts: readonly Payout[]
}
/** The account of an event, with the earlier accounts of its event file. */
export type EventSettlements = Account & {
  readonly current: SettlementAccount | null
  readonly former: readonly Account[]
  /** Unsettled payments of all its accounts. */
  readonly unsettled: readonly Unsettled[]
}

/** Reads a gateway's report. Null if the file is not one, or the event has no payment gateway. */
export function settlementIn(
  accounts: SettlementAccounts | null,
  rows: readonly CsvLine[],
  query: ColumnParams = {},
): { readonly of: SettlementAccounts; readonly report: Settlement } | null {
  if (accounts === null || statementColumnsIn(query) !== null) return null
  const read = readSettlement(rows, settlementColumnsIn(query))
  return read.ok ? { of: accounts, report: read.value } : null
}

/** Matches without writing anything. Null for `report` means the stored lines. */
export async function matchSettlements(
  { store, clock }: { readonly store: SettlementStore; readonly clock: Deps['clock'] },
  { reported, current, former }: SettlementAccounts,
  report: Settlement | null,
  viewer: OtherEvents,
): Promise<EventSettlements> {
  const account = await matchAccount(store, reported, report, viewer)
  const others: Account[] = []
  // A report that was loaded before and after the change of account is stored for both: its lines count once.
  const seen = lineKeys(reported, account)
  for (const one of former) {
    const other = await matchAccount(store, one, null, viewer, seen)
    for (const key of lineKeys(one, other)) seen.add(key)
    others.push(other)
  }
  const accounts = [account, ...others]
  return {
    ...account,
    current,
    former: others,
    // A report of one account may list a payment through another: its order names it.
    unsettled: unsettled(
      accounts.flatMap(({ all }) => all),
      accounts.flatMap(({ ownership: whose }) =>
        whose.held.filter(({ isOfAccount }) => isOfAccount),
      ),
      clock(),
    ),
  }
}

const lineName = ({ source }: SettlementAccount, line: SettlementLine): string =>
  `${source} ${lineKey(line)}`
const lineKeys = (account: SettlementAccount, { all }: Account): Set<string> =>
  new Set(all.map(({ line }) => lineName(account, line)))

async function matchAccount(
  store: SettlementStore,
  of: SettlementAccount,
  report: Settlement | null,
  viewer: OtherEvents,
  seen: ReadonlySet<string> = new Set(),
): Promise<Account> {
  const [stored, held] = await Promise.all([store.settlementLines(of), store.paymentsOfAccount(of)])
  const newLines = stored.filter((line) => !seen.has(lineName(of, line)))
  const orderNames = [...newLines, ...(report?.lines ?? [])].map(({ order }) => order)
  const orders = await store.knownOrders([...new Set(orderNames)])
  const ownership = assignLines(of, viewer, held, orders)
  // Otherwise a report that repeats a stored line of another event would reveal that it exists.
  const own = newLines.filter(ownership.isOwn)
  const all = report === null ? newLines : joinLines(own, report.lines)
  const results = new Map(
    checkSettlementLines(
      all.filter((line) => !ownership.isElsewhere(line)),
      ownership.held,
      ownership.orders,
    ).map((one) => [one.line, one]),
  )
  const settled = all.map((line) => results.get(line) ?? toOtherEventLine(line))
  const keys = new Set(own.map(lineKey))
  const inReport = new Set(report?.lines.map(lineKey))
  const transfers = new Set(report?.lines.map(transferId))
  return {
    of,
    ownership,
    settled: report === null ? settled : settled.filter(({ line }) => inReport.has(lineKey(line))),
    all: settled,
    report:
      report === null
        ? null
        : { ...report, newLines: report.lines.filter((line) => !keys.has(lineKey(line))) },
    payouts: payouts(all).filter((payout) => report === null || transfers.has(transferId(payout))),
  }
}

/** A line of another event, which is not compared with stored data. */
const toOtherEventLine = (line: SettlementLine): Settled => ({
  line,
  as: 'unknown',
  money: null,
  order: null,
  why: null,
})

/** Identifies the bank transfer that contains a line. */
export const transferId = ({ utr, day }: Pick<Payout, 'utr' | 'day'>): string =>
  utr === '' ? `${day}` : utr

/** Returns true if the line needs attention. */
export function needsAttention({ as }: Settled): boolean {
  return as !== 'settled' && as !== 'refunded'
}
