/** Adds a timeout to file operations, because a network drive may block forever. */

/** Event files are small, and normally read within milliseconds. */
const READ_TIMEOUT_MS = 5_000
/**
 * The locations of operations that are still blocked. They are not tried again, because each occupies one of
 * the few threads.
 */
const blockedLocations = new Set<string>()

/** Returns the result of `operation`; null if it takes too long or an earlier one is still blocked. */
export async function withTimeout<T>(
  location: string,
  operation: () => Promise<T>,
  maxMs = READ_TIMEOUT_MS,
): Promise<T | null> {
  if (blockedLocations.has(location)) return null
  const timeout = Promise.withResolvers<null>()
  const timer = setTimeout(() => {
    blockedLocations.add(location)
    timeout.resolve(null)
  }, maxMs)
  const result = operation().finally(() => {
    clearTimeout(timer)
    blockedLocations.delete(location)
  })
  // The caller no longer waits, so a later error must not reach it.
  result.catch(() => {})
  return Promise.race([result, timeout.promise])
}

export const formatTimeoutMessage = (location: string): string =>
  `${location} was not read within ${READ_TIMEOUT_MS / 1000} seconds: the machine is busy, or its disk or network drive does not respond. The previous version is served.`
