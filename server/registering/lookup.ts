/** Finding a registration by the number a result page holds, without letting anybody guess numbers. */
import { isRegNo } from '../../engine/index.ts'
import type { EventConfig } from '../../engine/index.ts'
import type { Deps } from '../deps.ts'
import { openLimit } from '../http/limit.ts'
import type { StoredRegistration } from '../store/store.ts'

/** A delegate mistypes a number a few times; a hall behind one address a few times more. */
const WRONG_PER_ADDRESS_MAX = 20
/** Guesses from many addresses at once; a whole conference does not mistype this often in ten minutes. */
const WRONG_PER_EVENT_MAX = 300
/** A guesser waits for so long; a delegate has found the number in a mail by then. */
const WINDOW_MS = 10 * 60 * 1000

export type LookupGuard = {
  /** Milliseconds until this address may look up again; 0: it may now. */
  wait(address: string, eventId: string): number
  /** A look-up that found nothing. */
  count(address: string, eventId: string): void
}

/**
 * When an event as a whole has seen too many wrong numbers, only addresses with a wrong look-up of
 * their own are turned away: a delegate with the right number still gets the page.
 */
export function lookupGuard(deps: Pick<Deps, 'environment' | 'clock'>): LookupGuard {
  const addresses = openLimit(deps, { triesMax: WRONG_PER_ADDRESS_MAX, windowMs: WINDOW_MS })
  const suspects = openLimit(deps, { triesMax: 1, windowMs: WINDOW_MS })
  const events = openLimit(deps, { triesMax: WRONG_PER_EVENT_MAX, windowMs: WINDOW_MS })
  return {
    wait: (address, eventId) => {
      const at = deps.clock()
      const own = addresses.wait(address, at)
      return own > 0 ? own : Math.min(events.wait(eventId, at), suspects.wait(address, at))
    },
    count: (address, eventId) => {
      const at = deps.clock()
      addresses.count(address, at)
      suspects.count(address, at)
      events.count(eventId, at)
    },
  }
}

/** By registration number or by the order id of any attempt; only of this event. */
export async function findRegistration(
  deps: Pick<Deps, 'store'>,
  event: EventConfig,
  text: string,
): Promise<StoredRegistration | null> {
  const byNumber = await deps.store.registration(text)
  if (byNumber !== null) return byNumber.eventId === event.id ? byNumber : null
  // A number of ours with the wrong check digit was never given out, and imported ones were found above.
  const payment = isRegNo(event, text) ? null : await deps.store.payment(text)
  return payment?.eventId === event.id ? deps.store.registration(payment.regNo) : null
}
