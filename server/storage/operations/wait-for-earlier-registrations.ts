/** Repeats an operation that cannot be decided until earlier registrations are processed in the background. */
import { setTimeout as pause } from 'node:timers/promises'
import { isRowsBehind } from '../database/store-busy-error.ts'
import type { Call, writes } from './writes.ts'

const RETRY_MS = 250
/** The longest wait of a request. A hundred thousand registrations are processed in this time. */
const WAIT_MS_MAX = 5_000

type Write = Call<typeof writes>

export function waitForEarlierRegistrations(write: Write): Write {
  const run = write as (verb: string, ...args: readonly unknown[]) => Promise<unknown>
  return (async (verb: string, ...args: readonly unknown[]) => {
    const startedAt = performance.now()
    for (;;)
      try {
        return await run(verb, ...args)
      } catch (error) {
        if (!isRowsBehind(error) || performance.now() - startedAt > WAIT_MS_MAX) throw error
        await pause(RETRY_MS)
      }
  }) as Write
}
