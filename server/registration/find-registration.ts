/** Finds a registration by a number from a page or message, and limits guessing. */
import type { FastifyRequest } from 'fastify'
import { readDelegate, isRegNo } from '../../engine/index.ts'
import type { EventConfig, Instant } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import { openLimit } from '../http/rate-limit.ts'
import { readIdempotencyKey } from './idempotency-key.ts'
import type { StoredRegistration } from '../storage/index.ts'

/** A delegate may mistype a number a few times, and several delegates may share an address. */
const MAX_WRONG_PER_ADDRESS = 20
/**
 * Limits guessing from many addresses. Even the delegates of a large event do not mistype this often in ten minutes.
 */
const MAX_WRONG_PER_EVENT = 300
/** Long enough to slow down guessing, and for a delegate to find the number in an email. */
const WINDOW_MS = 10 * 60 * 1000
/** An address that has sent a correct number may look it up again for a day. */
const KNOWN_NUMBER_MS = 24 * 60 * 60 * 1000
/** Number of digits that the order id of a further attempt adds to the registration number. */
const ATTEMPT_DIGITS = 2

/** Guards every route that accepts a registration number: read, return, gateway message, retry. */
export type LookupGuard = {
  /** Returns the milliseconds until this address may look up this number; 0 if it may now. */
  wait(address: string, eventId: string, number: string): Promise<number>
  /**
   * Counts a look-up that found nothing, or a number that can be guessed by counting. Returns the milliseconds to wait
   * if concurrent look-ups have used up the limit; the response must then not reveal the result.
   */
  count(address: string, eventId: string, number: string): Promise<number>
  /**
   * Records that this address sent the number correctly. Returns the milliseconds to wait, and records nothing, if
   * concurrent look-ups have used up the limit; the response must then not reveal the result.
   */
  admit(address: string, eventId: string, regNo: string, number: string): Promise<number>
  /** Records that this address registered under this number. */
  addKnown(address: string, eventId: string, regNo: string): Promise<void>
}

/**
 * When an event has received too many wrong numbers, an address may look up only the numbers that it sent correctly
 * before. Other numbers stay blocked, because an attacker could register for free from thousands of addresses and so
 * make each address known.
 */
export function openLookupGuard(deps: Pick<Deps, 'environment' | 'clock' | 'store'>): LookupGuard {
  const addresses = openLimit(deps, { maxAttempts: MAX_WRONG_PER_ADDRESS, windowMs: WINDOW_MS })
  const events = openLimit(deps, { maxAttempts: MAX_WRONG_PER_EVENT, windowMs: WINDOW_MS })
  const knownVisitors = openLimit(deps, { maxAttempts: 1, windowMs: KNOWN_NUMBER_MS })
  const buildVisitorKey = (address: string, eventId: string, number: string): string =>
    `${eventId} ${address} ${number}`
  const addKnown = async (address: string, eventId: string, number: string): Promise<void> =>
    knownVisitors.count(buildVisitorKey(address, eventId, number), deps.clock())
  /** Returns the wait of the event; 0 if this address sent the number correctly before. */
  const exemptKnown = async (
    eventWaitMs: number,
    visitor: { readonly address: string; readonly eventId: string; readonly number: string },
    at: Instant,
  ): Promise<number> => {
    if (eventWaitMs === 0) return 0
    const { address, eventId, number } = visitor
    for (const candidate of [number, number.slice(0, -ATTEMPT_DIGITS)])
      if ((await knownVisitors.wait(buildVisitorKey(address, eventId, candidate), at)) > 0) return 0
    return eventWaitMs
  }
  const guard: LookupGuard = {
    wait: async (address, eventId, number) => {
      const at = deps.clock()
      const addressWaitMs = await addresses.wait(address, at)
      if (addressWaitMs > 0) return addressWaitMs
      return exemptKnown(await events.wait(eventId, at), { address, eventId, number }, at)
    },
    count: async (address, eventId, number) => {
      const at = deps.clock()
      const addressWaitMs = await addresses.take(address, at)
      // Not counted under the event, because one address could otherwise block it for all others.
      if (addressWaitMs > 0) return addressWaitMs
      return exemptKnown(await events.take(eventId, at), { address, eventId, number }, at)
    },
    admit: async (address, eventId, regNo, number) => {
      const waitMs = await guard.wait(address, eventId, number)
      if (waitMs > 0) return waitMs
      for (const known of new Set([regNo, number])) await addKnown(address, eventId, known)
      return 0
    },
    addKnown,
  }
  return guard
}

/**
 * Finds a registration of this event by its number, by the order id of any attempt, or by its number in the previous
 * system.
 */
export async function findRegistration(
  deps: Pick<Deps, 'store'>,
  event: EventConfig,
  text: string,
): Promise<StoredRegistration | null> {
  const registration = await deps.store.registration(text)
  if (registration !== null) return registration.eventId === event.id ? registration : null
  // A registration number with a wrong check digit was never issued; imported numbers were found above.
  const payment = isRegNo(event, text) ? null : await deps.store.payment(text)
  if (payment !== null)
    return payment.eventId === event.id ? deps.store.registration(payment.regNo) : null
  return deps.store.registrationByFormerNumber(event.id, text)
}

/**
 * Returns true if the number was issued by another system. Such numbers can be guessed by counting, so they
 * identify a registration but grant no access.
 */
export function isGuessableNumber({ regNo, formerNo }: StoredRegistration, text: string): boolean {
  return formerNo !== null && (text === formerNo || String(regNo) === formerNo)
}

/** Returns true if this browser registered: it sends its idempotency key, which identifies it for one day. */
export async function isRegisteringBrowser(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  request: FastifyRequest,
  { eventId, regNo }: Pick<StoredRegistration, 'eventId' | 'regNo'>,
): Promise<boolean> {
  const key = readIdempotencyKey(request)
  if (!key.ok || key.value === null) return false
  const previous = await store.registrationByKey(eventId, key.value, clock())
  return previous !== null && !previous.isOver && previous.registered.regNo === regNo
}

/** Returns true if this is the delegate's email address, ignoring case. */
export function isDelegateEmail(
  event: EventConfig,
  { answers }: StoredRegistration,
  email: unknown,
): boolean {
  const delegateEmail = readDelegate(event, answers).email.trim().toLowerCase()
  return (
    delegateEmail !== '' &&
    typeof email === 'string' &&
    email.trim().toLowerCase() === delegateEmail
  )
}
