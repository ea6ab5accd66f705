/** Approval, cancellation, self-service and retention in a compiled event file. */
import type { Condition } from './answer-types.ts'
import type { Day } from '../lib/time.ts'

export type Approval = {
  readonly id: string
  /** Whom it is about. */
  readonly when: Condition
  /** The fields whose files are looked at. */
  readonly lookAt: readonly string[]
  /** Within how many days after the one of registering somebody decides. */
  readonly withinDays: number
  /** For how many days after the one of the approval it can be paid, at the price of the day of registering. */
  readonly payWithinDays: number
  readonly refused: {
    /** The category as which one may register instead; absent: none. */
    readonly offer?: string
    /** Said to whoever is refused, beside the office's reason. */
    readonly say?: string
  }
}

export type Cancellation = {
  /** By the day until which each counts, included; the earliest first. Whole percent of what was paid. */
  readonly steps: readonly { readonly to: Day; readonly percent: number }[]
  /** After the last of those days. */
  readonly otherwise: number
}

export type Edit = {
  /** The last day on which delegates may change something. */
  readonly to: Day
  readonly fields: readonly string[]
}

/** Until the end of which days; null: as long as the organisers like. */
export type Keep = { readonly answers: Day | null; readonly files: Day | null }
