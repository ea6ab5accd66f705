/** Settlements as the store takes them and gives them. */
import type {
  Day,
  HeldMoney,
  HeldOrder,
  Instant,
  Paise,
  RegNo,
  SettlementLine,
} from '../../../engine/index.ts'

import type { Returned } from './bank-references.ts'

/** Of a gateway: `source` as captures have it. */
export type SettlementAccount = { readonly source: string; readonly account: string }
export type NewSettlement = SettlementAccount & {
  /** For which event it was loaded. */
  readonly eventId: string
  /** Of the file, in hex. */
  readonly sha256: string
  readonly who: string
  readonly at: Instant
  readonly lines: readonly SettlementLine[]
  /** Orders that the gateway is asked about again, because lines of them are not kept. */
  readonly ask?: readonly string[]
}
export type KeptSettlement = {
  readonly added: number
  /** Kept before. */
  readonly known: number
  /** Of those that were added, money of which nothing was known: it is before a person now. */
  readonly toReview: number
}
/** Money at a bank that nobody waits for. */
export type NewUnmatched = {
  readonly reference: string
  /** Other numbers of the bank for the same money. */
  readonly also?: readonly string[]
  readonly amount: Paise
  readonly day: Day
  /** What the bank wrote. */
  readonly narration: string
  /** For which event it was looked for. */
  readonly eventId: string
  readonly who: string
  readonly at: Instant
}

/** Of lines of a statement that were to be kept: how many are, and how many belong to another event. */
export type KeptUnmatched = {
  readonly added: number
  readonly elsewhere: number
  /** The delegate of a registration here reported it: it is confirmed there. */
  readonly reported: number
}

export interface SettlementStore {
  /** What was not kept yet; what only the report tells of is before a person from then on. One transaction. */
  keepSettlement(kept: NewSettlement): Promise<KeptSettlement>
  /** All lines of an account, in the order in which they were kept. */
  settlementLines(of: SettlementAccount): Promise<readonly SettlementLine[]>
  /** All money that came through an account, with what went back of it. */
  heldMoney(of: SettlementAccount): Promise<readonly HeldMoney[]>
  /** Those of the orders that are ours. */
  heldOrders(orders: readonly string[]): Promise<readonly HeldOrder[]>
  /** What settlements say of one registration, by their days. */
  settledOf(regNo: RegNo): Promise<readonly SettlementLine[]>
  /** Money of a bank's statement that nobody waits for is before a person; the rest was known, or belongs to another event. */
  keepUnmatched(money: readonly NewUnmatched[]): Promise<KeptUnmatched>
  /** Payments that the bank may have returned are before a person, once for each withdrawal. */
  reportReturned(returned: readonly Returned[]): Promise<void>
}
