/** Finding a registration by the number that a page or a message holds, without letting anybody guess numbers. */
import type { FastifyRequest } from 'fastify'
import { delegateOf, isRegNo } from '../../engine/index.ts'
import type { EventConfig } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { openLimit } from '../http/rate-limit.ts'
import { keyOf } from './idempotency-key.ts'
import type { StoredRegistration } from '../storage/index.ts'

/** A delegate mistypes a number a few times; a hall behind one address a few times more. */
const WRONG_PER_ADDRESS_MAX = 20
/** Guesses from many addresses at once; a whole conference does not mistype this often in ten minutes. */
const WRONG_PER_EVENT_MAX = 300
/** A guesser waits for so long; a delegate has found the number in a mail by then. */
const WINDOW_MS = 10 * 60 * 1000
/** Whoever had this number yesterday does not guess it today. */
const KNOWN_MS = 24 * 60 * 60 * 1000
/** By which the order id of a further attempt is longer than the registration's number. */
const ATTEMPT_DIGITS = 2

/** Stands at every door that a number opens: the read, the return, the notice, another try. */
export type LookupGuard = {
  /** Milliseconds until this address may look this number up; 0: it may now. */
  wait(address: string, eventId: string, number: string): Promise<number>
  /** A look-up that found nothing, or something whose number can be counted up to. */
  count(address: string, eventId: string): Promise<void>
  /** Somebody there registered under this number, or had it right: under each name it has. */
  know(address: string, eventId: string, ...numbers: readonly string[]): Promise<void>
}

/**
 * When an event as a whole has seen too many wrong numbers, an address is let in to the numbers alone
 * that it had right before. To all numbers it may not be let in: registering costs nothing, and whoever
 * has one right number can read it from every address of a network of thousands.
 */
export function lookupGuard(deps: Pick<Deps, 'environment' | 'clock' | 'store'>): LookupGuard {
  const addresses = openLimit(deps, { triesMax: WRONG_PER_ADDRESS_MAX, windowMs: WINDOW_MS })
  const events = openLimit(deps, { triesMax: WRONG_PER_EVENT_MAX, windowMs: WINDOW_MS })
  const known = openLimit(deps, { triesMax: 1, windowMs: KNOWN_MS })
  const visitor = (address: string, eventId: string, number: string): string =>
    `${eventId} ${address} ${number}`
  return {
    wait: async (address, eventId, number) => {
      const at = deps.clock()
      const own = await addresses.wait(address, at)
      if (own > 0) return own
      const ofAll = await events.wait(eventId, at)
      if (ofAll === 0) return 0
      for (const one of [number, number.slice(0, -ATTEMPT_DIGITS)])
        if ((await known.wait(visitor(address, eventId, one), at)) > 0) return 0
      return ofAll
    },
    count: async (address, eventId) => {
      const at = deps.clock()
      await addresses.count(address, at)
      await events.count(eventId, at)
    },
    know: async (address, eventId, ...numbers) => {
      for (const number of new Set(numbers))
        await known.count(visitor(address, eventId, number), deps.clock())
    },
  }
}

/** By registration number, by the order id of any attempt, or by the number it had elsewhere; only of this event. */
export async function findRegistration(
  deps: Pick<Deps, 'store'>,
  event: EventConfig,
  text: string,
): Promise<StoredRegistration | null> {
  const byNumber = await deps.store.registration(text)
  if (byNumber !== null) return byNumber.eventId === event.id ? byNumber : null
  // A number of ours with the wrong check digit was never given out, and imported ones were found above.
  const payment = isRegNo(event, text) ? null : await deps.store.payment(text)
  if (payment !== null)
    return payment.eventId === event.id ? deps.store.registration(payment.regNo) : null
  return deps.store.formerly(event.id, text)
}

/**
 * Whether the number by which a registration was found was made up elsewhere: it can be counted up to, so
 * it names the registration and opens nothing.
 */
export function isCountable({ regNo, formerNo }: StoredRegistration, text: string): boolean {
  return formerNo !== null && (text === formerNo || String(regNo) === formerNo)
}

/** The browser that registered shows the key under which it did: for a day it is known by that. */
export async function hasItsKey(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  request: FastifyRequest,
  { eventId, regNo }: Pick<StoredRegistration, 'eventId' | 'regNo'>,
): Promise<boolean> {
  const key = keyOf(request)
  if (!key.ok || key.value === null) return false
  const known = await store.registeredUnder(eventId, key.value, clock())
  return known !== null && !known.isOver && known.registered.regNo === regNo
}

/** Whether it is the delegate's address, in whatever case. */
export function isEmailOf(
  event: EventConfig,
  { answers }: StoredRegistration,
  email: unknown,
): boolean {
  const own = delegateOf(event, answers).email.trim().toLowerCase()
  return own !== '' && typeof email === 'string' && email.trim().toLowerCase() === own
}
