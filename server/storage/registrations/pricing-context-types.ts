/** What the store takes and gives about facts from outside the form: answers that stand already, codes, rolls. */
import type { CodeFact, Day, Instant, RegNo, UniqueRule } from '../../../engine/index.ts'

/** What was found out before a registration was priced, and is decided again when it is stored. */
export type Outside = {
  /** The rules of the event, in the file's order. */
  readonly unique: readonly UniqueRule[]
  /** The delegate was asked and registers all the same: rules that only warn do not stand in the way. */
  readonly isConfirmed: boolean
  /** As it is looked for, and what it gave; null: none was typed. */
  readonly code: { readonly folded: string; readonly kind: string } | null
  /** The rows on which answers stood, with the cells of them that count. */
  readonly rolls: readonly {
    readonly roll: string
    readonly key: string
    readonly cells: Readonly<Record<string, string>>
  }[]
  /** How long what is taken is held while somebody pays. */
  readonly holdMs: number
}

export type OutsideRefusal =
  /** `rule` is its place among the event's. */
  | { readonly code: 'registered_already'; readonly rule: number; readonly regNo: RegNo }
  | { readonly code: 'code_gone'; readonly is: Exclude<CodeFact['is'], 'valid'> }
  /** No place is left of one that is asked for: a limit's id, or `limit.option`. */
  | { readonly code: 'full'; readonly place: string }
  /** What was found out is no longer so: it has to be found out again. */
  | { readonly code: 'facts_moved' }
  /** Another version of the event is served by now: it has to be judged by that. */
  | { readonly code: 'version_moved' }

export type MadeCodes = {
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
  /** By registrations that hold it now. */
  readonly uses: number
  readonly lastDay: Day | null
  readonly note: string
  readonly madeAt: Instant
  readonly madeBy: string
  readonly withdrawnAt: Instant | null
}

/** `key` as it is looked for; `cells` by column, as the file had them. */
export type RollRow = { readonly key: string; readonly cells: Readonly<Record<string, string>> }
export type RollReplaced = {
  readonly rows: number
  readonly changed: number
  readonly added: { readonly count: number; readonly first: readonly string[] }
  readonly gone: { readonly count: number; readonly first: readonly string[] }
}
export type RollCount = { readonly roll: string; readonly rows: number }
