/** How often an address may ask what only the office knows: whether there is such a code, who stands on a roll. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../dependencies.ts'
import { addressOf, openLimit, refuseTooMany } from '../http/rate-limit.ts'

/** A code is mistyped a few times, in a hall behind one address a few times more; 49 bits are not found so. */
const WRONG_PER_ADDRESS_MAX = 20
/** A membership number that is right can be counted on from: whoever asks for many of them collects names. */
const ASKED_PER_ADDRESS_MAX = 60
const WINDOW_MS = 10 * 60_000

export type Guesses = {
  /** Whether there were too many; then the request is answered. */
  isTooMany(request: FastifyRequest, reply: FastifyReply): Promise<boolean>
  count(request: FastifyRequest, was: 'right' | 'wrong'): Promise<void>
}

/** By address only: a limit of an event as a whole would let a stranger close it to everybody. */
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
