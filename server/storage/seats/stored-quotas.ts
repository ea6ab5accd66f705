/** Reads and writes the column of an event's quotas (`event_limits.limits`). */
import type { Limit } from '../../../engine/index.ts'

/** The column's words: `full.say` is the message, so that stored quotas of older versions stay the same. */
type StoredLimit = Omit<Limit, 'full'> & {
  readonly full: { readonly say: string; readonly offer?: string }
}

export function textOfLimits(limits: readonly Limit[]): string {
  return JSON.stringify(
    limits.map((limit): StoredLimit => {
      const { message, ...rest } = limit.full
      return { ...limit, full: { say: message, ...rest } }
    }),
  )
}

export function limitsFrom(text: string): readonly Limit[] {
  return (JSON.parse(text) as readonly StoredLimit[]).map((limit) => {
    const { say: message, ...rest } = limit.full
    return { ...limit, full: { message, ...rest } }
  })
}
