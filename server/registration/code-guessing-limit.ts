/** Limits how often an address may look up discount codes and member numbers. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../dependencies.ts'
import { getAddressKey, openLimit, sendTooMany } from '../http/rate-limit.ts'

/**
 * A delegate may mistype a code a few times, and several delegates may share an address. A code of 48 bits cannot be
 * guessed in that many attempts.
 */
const MAX_WRONG_PER_ADDRESS = 20
/**
 * Valid membership numbers can be guessed by counting up, so many successful look-ups probably mean that a client is
 * collecting names.
 */
const MAX_LOOKUPS_PER_ADDRESS = 60
const WINDOW_MS = 10 * 60_000

export type GuessLimit = {
  /** Returns true if the limit is exceeded; an error response has then been sent. */
  isTooMany(request: FastifyRequest, reply: FastifyReply): Promise<boolean>
  count(request: FastifyRequest, result: 'right' | 'wrong'): Promise<void>
}

/** Limits by address only, because, with a limit per event, one client could block all delegates. */
export function openGuessLimit(deps: Pick<Deps, 'environment' | 'clock' | 'store'>): GuessLimit {
  const wrongGuesses = openLimit(deps, { maxAttempts: MAX_WRONG_PER_ADDRESS, windowMs: WINDOW_MS })
  const lookups = openLimit(deps, { maxAttempts: MAX_LOOKUPS_PER_ADDRESS, windowMs: WINDOW_MS })
  return {
    async isTooMany(request, reply) {
      const at = deps.clock()
      const address = getAddressKey(request)
      const waitMs = Math.max(await wrongGuesses.wait(address, at), await lookups.wait(address, at))
      if (waitMs > 0) sendTooMany(reply, waitMs)
      return waitMs > 0
    },
    async count(request, result) {
      const at = deps.clock()
      await lookups.count(getAddressKey(request), at)
      if (result === 'wrong') await wrongGuesses.count(getAddressKey(request), at)
    },
  }
}
