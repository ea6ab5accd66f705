/** Reads and writes the column of an event's quotas (`event_limits.limits`). */
import type { Quota } from '../../../engine/index.ts'

/** The column's words: `full.say` is the message, so that stored quotas of older versions stay the same. */
type StoredLimit = Omit<Quota, 'full'> & {
  readonly full: { readonly say: string; readonly offer?: string }
}

export function textOfLimits(limits: readonly Quota[]): string {
  return JSON.stringify(
    limits.map((limit): StoredLimit => {
      const { message, ...rest } = limit.full
      return { ...limit, full: { say: message, ...rest } }
    }),
  )
}

export function limitsFrom(text: string): readonly Quota[] {
  return (JSON.parse(text) as readonly StoredLimit[]).map((limit) => {
    const { say: message, ...rest } = limit.full
    return { ...limit, full: { message, ...rest } }
  })
}
