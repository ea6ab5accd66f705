/** Limits how often an address may look up discount codes and member numbers. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../dependencies.ts'
import { addressOf, openLimit, refuseTooMany } from '../http/rate-limit.ts'

/**
 * A code is mistyped a few times, and a few more times by several delegates behind one address; 49 bits cannot be
 * guessed in that many tries.
 */
const WRONG_PER_ADDRESS_MAX = 20
/**
 * Valid membership numbers can be guessed by counting on, so many successful look-ups are an attempt to collect
 * names.
 */
const ASKED_PER_ADDRESS_MAX = 60
const WINDOW_MS = 10 * 60_000

export type Guesses = {
  /** Returns true if the limit was exceeded; the request has then been answered. */
  isTooMany(request: FastifyRequest, reply: FastifyReply): Promise<boolean>
  count(request: FastifyRequest, was: 'right' | 'wrong'): Promise<void>
}

/** Limits by address only: a limit for the whole event would let a stranger block it for everybody. */
export function openGuesses(deps: Pick<Deps, 'environment' | 'clock' | 'store'>): Guesses {
  const wrong = openLimit(deps, { triesMax: WRONG_PER_ADDRESS_MAX, windowMs: WINDOW_MS })
  const asked = openLimit(deps, { triesMax: ASKED_PER_ADDRESS_MAX, windowMs: WINDOW_MS })
  return {
    async isTooMany(request, reply) {
      const at = deps.clock()
      const address = addressOf(request)
      const waitMs = Math.max(await wrong.wait(address, at), await asked.wait(address, at))
      if (waitMs > 0) refuseTooMany(reply, waitMs)
      return waitMs > 0
    },
    async count(request, was) {
      const at = deps.clock()
      await asked.count(addressOf(request), at)
      if (was === 'wrong') await wrong.count(addressOf(request), at)
    },
  }
}
