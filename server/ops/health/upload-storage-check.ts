/** Checks whether uploads can be stored, for the health report. */
import type { Instant } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'

/** The minimum time between checks, because each sends several requests to the object storage. */
const CHECK_INTERVAL_MS = 60_000
/** A health report waits at most this long for the check, which then continues in the background. */
const MAX_WAIT_MS = 3_000

/**
 * Returns a check that reuses a successful result for a minute. The check returns a sentence that describes the
 * problem. Null if files can be stored.
 */
export function createUploadStorageCheck({
  uploads,
  clock,
}: Pick<Deps, 'uploads' | 'clock'>): () => Promise<string | null> {
  let lastCheck: { readonly at: Instant; readonly result: Promise<string | null> } | null = null
  return async () => {
    const at = clock()
    if (lastCheck === null || at - lastCheck.at >= CHECK_INTERVAL_MS || at < lastCheck.at)
      lastCheck = { at, result: uploads.check() }
    const currentCheck = lastCheck
    const problem = await waitFor(currentCheck.result)
    if (problem === null) return null
    if (lastCheck === currentCheck) lastCheck = null
    return `${problem} Files are refused until this works; registrations without a file are accepted.`
  }
}

async function waitFor(result: Promise<string | null>): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const timer = setTimeout(
    () => resolve('The object storage for uploads does not respond.'),
    MAX_WAIT_MS,
  )
  try {
    return await Promise.race([result, promise])
  } finally {
    clearTimeout(timer)
  }
}
