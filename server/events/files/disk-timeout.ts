/** Adds a timeout to file operations: a network drive may block forever. */

/** A file of this size is read within milliseconds. */
const MS_MAX = 5_000
/** Operations that have not finished. They are not repeated, because each occupies one of few threads. */
const awaited = new Set<string>()

/** Returns the result of `ask`; null: it is not in time, or an earlier call was not and is still pending. */
export async function inTime<T>(
  place: string,
  ask: () => Promise<T>,
  msMax = MS_MAX,
): Promise<T | null> {
  if (awaited.has(place)) return null
  const timeout = Promise.withResolvers<null>()
  const timer = setTimeout(() => {
    awaited.add(place)
    timeout.resolve(null)
  }, msMax)
  const answer = ask().finally(() => {
    clearTimeout(timer)
    awaited.delete(place)
  })
  // A caller that no longer waits must not get its error.
  answer.catch(() => {})
  return Promise.race([answer, timeout.promise])
}

export const tooSlow = (place: string): string =>
  `${place} was not read within ${MS_MAX / 1000} seconds: the machine is busy, or the disk or network drive that it is on does not answer. What was served before stays.`
