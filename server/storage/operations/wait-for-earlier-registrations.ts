/** Repeats an operation until a background task has processed the earlier registrations. */
import { setTimeout as pause } from 'node:timers/promises'
import { isUpdatingRegistrations } from '../database/store-busy-error.ts'
import type { Call, writes } from './writes.ts'

const RETRY_MS = 250
/** How long a request waits at most: long enough to process a hundred thousand registrations. */
const MAX_WAIT_MS = 5_000

type Write = Call<typeof writes>

export function waitForEarlierRegistrations(write: Write): Write {
  const run = write as (operation: string, ...args: readonly unknown[]) => Promise<unknown>
  return (async (operation: string, ...args: readonly unknown[]) => {
    const startedAt = performance.now()
    for (;;)
      try {
        return await run(operation, ...args)
      } catch (error) {
        if (!isUpdatingRegistrations(error) || performance.now() - startedAt > MAX_WAIT_MS)
          throw error
        await pause(RETRY_MS)
      }
  }) as Write
}
