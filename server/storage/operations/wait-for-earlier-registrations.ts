/** Repeats an operation until earlier registrations have been processed in the background. */
import { setTimeout as pause } from 'node:timers/promises'
import { isUpdatingRegistrations } from '../database/store-busy-error.ts'
import type { Call, writes } from './writes.ts'

const RETRY_MS = 250
/** The maximum wait of a request, in which a hundred thousand registrations can be processed. */
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
