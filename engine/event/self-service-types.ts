/** What an event file says of a delegate's own page: what may be changed there, and how long it is kept. */
import type { Day } from '../lib/time.ts'

export type Edit = {
  /** The last day on which delegates may change something. */
  readonly to: Day
  readonly fields: readonly string[]
}

/** Until the end of which days; null: as long as the organisers like. */
export type Keep = { readonly answers: Day | null; readonly files: Day | null }
