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
  /**
   * Counts a look-up before its result is sent. Returns true if concurrent look-ups have used up the limit; an error
   * response has then been sent instead of the result.
   */
  isResultWithheld(
    request: FastifyRequest,
    reply: FastifyReply,
    result: 'right' | 'wrong',
  ): Promise<boolean>
}

/** Limits by address only, because, with a limit per event, one client could block all delegates. */
export function openGuessLimit(deps: Pick<Deps, 'environment' | 'clock' | 'store'>): GuessLimit {
  const wrongGuesses = openLimit(deps, { maxAttempts: MAX_WRONG_PER_ADDRESS, windowMs: WINDOW_MS })
  const lookups = openLimit(deps, { maxAttempts: MAX_LOOKUPS_PER_ADDRESS, windowMs: WINDOW_MS })
  const refuseIfPositive = (reply: FastifyReply, waitMs: number): boolean => {
    if (waitMs > 0) sendTooMany(reply, waitMs)
    return waitMs > 0
  }
  return {
    async isTooMany(request, reply) {
      const at = deps.clock()
      const address = getAddressKey(request)
      return refuseIfPositive(
        reply,
        Math.max(await wrongGuesses.wait(address, at), await lookups.wait(address, at)),
      )
    },
    async isResultWithheld(request, reply, result) {
      const at = deps.clock()
      const address = getAddressKey(request)
      const lookupWaitMs = await lookups.take(address, at)
      const guessWaitMs = await (result === 'wrong'
        ? wrongGuesses.take(address, at)
        : wrongGuesses.wait(address, at))
      return refuseIfPositive(reply, Math.max(lookupWaitMs, guessWaitMs))
    },
  }
}
