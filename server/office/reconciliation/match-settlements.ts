/** Matches the settlements of an event's gateway accounts with its payments. */
import {
  joinLines,
  judgeSettled,
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
import type { StatedColumns } from './column-mapping.ts'
import type { OtherEvents } from './registration-numbers-in-statement.ts'
import type { SettlementAccounts } from './settlement-account.ts'
import { whoseLines } from './settlement-line-events.ts'
import type { Whose } from './settlement-line-events.ts'

type Read = Pick<Store, 'settlementLines' | 'heldMoney' | 'heldOrders'>
/** Everything that an account's settlements show to a user. */
export type Account = {
  readonly of: SettlementAccount
  readonly whose: Whose
  readonly settled: readonly Settled[]
  /** All lines of its payouts, including those not in the report. */
  readonly all: readonly Settled[]
  /** For a loaded report: its lines, and which of them are not stored yet. */
  readonly report: (Settlement & { readonly fresh: readonly SettlementLine[] }) | null
  readonly payouts: readonly Payout[]
}
/** The account of an event, with those that its event file named before. */
export type EventSettlements = Account & {
  readonly current: SettlementAccount | null
  readonly former: readonly Account[]
  /** Of all its accounts. */
  readonly unsettled: readonly Unsettled[]
}

/** Reads a gateway's report; null: the file is none, or the event takes no payments through a gateway. */
export function settlementIn(
  accounts: SettlementAccounts | null,
  rows: readonly CsvLine[],
  query: StatedColumns = {},
): { readonly of: SettlementAccounts; readonly report: Settlement } | null {
  if (accounts === null || statementColumnsIn(query) !== null) return null
  const read = readSettlement(rows, settlementColumnsIn(query))
  return read.ok ? { of: accounts, report: read.value } : null
}

/** Matches without writing anything. `report` null: the stored lines. */
export async function matchSettlements(
  { store, clock }: { readonly store: Read; readonly clock: Deps['clock'] },
  { of, current, former }: SettlementAccounts,
  report: Settlement | null,
  viewer: OtherEvents,
): Promise<EventSettlements> {
  const account = await matchAccount(store, of, report, viewer)
  const others: Account[] = []
  // A report that was loaded before and after the change of account is stored for both: its lines count once.
  const seen = keysOf(of, account)
  for (const one of former) {
    const other = await matchAccount(store, one, null, viewer, seen)
    for (const key of keysOf(one, other)) seen.add(key)
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
      accounts.flatMap(({ whose }) => whose.held.filter(({ isOfAccount }) => isOfAccount)),
      clock(),
    ),
  }
}

const nameOf = ({ source }: SettlementAccount, line: SettlementLine): string =>
  `${source} ${lineKey(line)}`
const keysOf = (of: SettlementAccount, { all }: Account): Set<string> =>
  new Set(all.map(({ line }) => nameOf(of, line)))

async function matchAccount(
  store: Read,
  of: SettlementAccount,
  report: Settlement | null,
  viewer: OtherEvents,
  seen: ReadonlySet<string> = new Set(),
): Promise<Account> {
  const [stored, held] = await Promise.all([store.settlementLines(of), store.heldMoney(of)])
  const kept = stored.filter((line) => !seen.has(nameOf(of, line)))
  const named = [...kept, ...(report?.lines ?? [])].map(({ order }) => order)
  const orders = await store.heldOrders([...new Set(named)])
  const whose = whoseLines(of, viewer, held, orders)
  // Otherwise a report that repeats a stored line of another event would reveal that it exists.
  const own = kept.filter(whose.isOwn)
  const all = report === null ? kept : joinLines(own, report.lines)
  const judged = new Map(
    judgeSettled(
      all.filter((line) => !whose.isElsewhere(line)),
      whose.held,
      whose.orders,
    ).map((one) => [one.line, one]),
  )
  const settled = all.map((line) => judged.get(line) ?? ofAnotherEvent(line))
  const keys = new Set(own.map(lineKey))
  const inReport = new Set(report?.lines.map(lineKey))
  const transfers = new Set(report?.lines.map(transferOf))
  return {
    of,
    whose,
    settled: report === null ? settled : settled.filter(({ line }) => inReport.has(lineKey(line))),
    all: settled,
    report:
      report === null
        ? null
        : { ...report, fresh: report.lines.filter((line) => !keys.has(lineKey(line))) },
    payouts: payouts(all).filter((payout) => report === null || transfers.has(transferOf(payout))),
  }
}

/** Such a line is not compared with any stored data. */
const ofAnotherEvent = (line: SettlementLine): Settled => ({
  line,
  as: 'unknown',
  money: null,
  order: null,
  why: null,
})

/** Identifies the bank transfer that contains a line. */
export const transferOf = ({ utr, day }: Pick<Payout, 'utr' | 'day'>): string =>
  utr === '' ? `${day}` : utr

/** Returns true if the line needs attention. */
export function needsLook({ as }: Settled): boolean {
  return as !== 'settled' && as !== 'refunded'
}
