/** What is asked of a disk and does not come: a network drive may keep whoever asks waiting for ever. */

/** A file of this size is there in milliseconds. */
const MS_MAX = 5_000
/** What was asked for and has not come. It is not asked for again: each takes a thread of the few there are. */
const awaited = new Set<string>()

/** What `ask` answers; null: not in time, or it was not in time before and has not come since. */
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
  // Whoever does not wait for it any more does not hear of it.
  answer.catch(() => {})
  return Promise.race([answer, timeout.promise])
}

export const tooSlow = (place: string): string =>
  `${place} was not read within ${MS_MAX / 1000} seconds. Look at the disk or the network drive that it is on.`
