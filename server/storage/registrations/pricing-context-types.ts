/** Defines the store's part of the pricing context: unique answers, discount codes, member lists. */
import type {
  Amount,
  CodeStatus,
  Currency,
  Day,
  Instant,
  RegNo,
  UniqueRule,
} from '../../../engine/index.ts'

/** The context that determined the price. It is checked again when the registration is stored. */
export type ExternalContext = {
  /** The event's uniqueness rules, in the order of the file. */
  readonly unique: readonly UniqueRule[]
  /** True if the delegate registers despite a warning. Rules that only warn then block nothing. */
  readonly isConfirmed: boolean
  /** The normalised discount code and its kind. Null if the delegate entered no code. */
  readonly code: { readonly normalisedCode: string; readonly kind: string } | null
  /** The matching member-list rows, with the cells that conditions use. */
  readonly memberListRows: readonly {
    readonly memberList: string
    readonly key: string
    readonly cells: Readonly<Record<string, string>>
  }[]
  /** How long seats and codes are held during payment. */
  readonly holdMs: number
}

export type ContextRefusal =
  /** `rule`: the index of the violated rule among the event's rules. */
  | { readonly code: 'registered_already'; readonly rule: number; readonly regNo: RegNo }
  | { readonly code: 'code_gone'; readonly is: Exclude<CodeStatus['is'], 'valid'> }
  /** `place`: the quota in which no seat is available, as its id or `quota.option`. */
  | { readonly code: 'full'; readonly place: string }
  /** The context has changed, so the caller must read it again. */
  | { readonly code: 'facts_moved' }
  /** Another version of the event is active now, against which the registration must be checked. */
  | { readonly code: 'version_moved' }

export type NewDiscountCodes = {
  readonly eventId: string
  readonly kind: string
  readonly codes: readonly { readonly code: string; readonly folded: string }[]
  readonly usesMax: number
  readonly lastDay: Day | null
  readonly note: string
  readonly who: string
  readonly at: Instant
}

export type StoredCode = {
  readonly code: string
  readonly kind: string
  readonly usesMax: number
  /** How many registrations use the code now, and how many of these are paid. */
  readonly uses: number
  readonly paid: number
  /** The same uses by the currency of their bills. */
  readonly discounts: readonly CodeDiscount[]
  readonly lastDay: Day | null
  readonly note: string
  readonly madeAt: Instant
  readonly madeBy: string
  readonly withdrawnAt: Instant | null
}

/**
 * The discount that a code gives, with tax, on the current bills of all registrations that use it, and of those that
 * are paid. Cancelled and refused registrations are excluded. Each currency has a separate entry.
 */
export type CodeDiscount = {
  readonly currency: Currency
  readonly uses: number
  readonly paid: number
  readonly discount: Amount
  readonly paidDiscount: Amount
}
export type CodeQuery = {
  readonly eventId: string
  /** The adjustment for each kind of code, apart from kinds that give a category. */
  readonly adjustments: readonly { readonly kind: string; readonly adjustment: string }[]
  readonly holdMs: number
  readonly at: Instant
  /** The `next` of the previous page. Null for the newest codes. */
  readonly before: number | null
  readonly limit: number
}
export type CodePage = { readonly codes: readonly StoredCode[]; readonly next: number | null }

/** `key` is normalised; `cells` by column, as in the file. */
export type MemberListRow = {
  readonly key: string
  readonly cells: Readonly<Record<string, string>>
}
export type MemberListReplaced = {
  readonly rows: number
  readonly changed: number
  readonly added: { readonly count: number; readonly first: readonly string[] }
  readonly gone: { readonly count: number; readonly first: readonly string[] }
}
export type MemberListCount = { readonly roll: string; readonly rows: number }
