/** Emails a registered delegate when a form with the same details is sent again. */
import { randomInt } from 'node:crypto'
import { dayOf, instant, getPaymentState, startOfDay } from '../../engine/index.ts'
import { buildAlreadyRegisteredEmail, buildSamePersonEmail } from '../../engine/messages.ts'
import type { EventConfig, Instant, RegNo } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'

/**
 * A delegate who misses the email finds it within the hour. Repeated attempts by someone else send no second
 * email.
 */
const RESEND_AFTER_MS = 60 * 60_000

/** Sends to the stored address, so that the person who submitted the form learns nothing. */
export async function emailAlreadyRegistered(
  { store }: Pick<Deps, 'store'>,
  event: EventConfig,
  regNo: RegNo,
  at: Instant,
): Promise<void> {
  const stored = await store.registration(regNo)
  if (stored === null) return
  const email = buildAlreadyRegisteredEmail(event, stored, getPaymentState(stored, at))
  if (email !== null)
    await store.queueAlreadyRegistered(regNo, email, at, instant(at - RESEND_AFTER_MS), 'already')
}

/** After the response, at a time that does not show whether there was anything to do. */
const SAME_PERSON_DELAY_MS = { min: 200, max: 2_000 } as const

/**
 * Emails the delegate of a registration that another browser has registered the same person again, at most once a day
 * for an event. That browser's response mentions nothing, because it may be a stranger's.
 */
export function emailSamePersonLater(
  { store, clock, log }: Pick<Deps, 'store' | 'clock' | 'log'>,
  event: EventConfig,
  regNo: RegNo,
): void {
  const send = async (): Promise<void> => {
    const [at, stored] = [clock(), await store.registration(regNo)]
    if (stored === null) return
    const email = buildSamePersonEmail(event, stored, stored.paymentStatus === 'success')
    const beforeToday = instant(startOfDay(dayOf(at)) - 1)
    if (email !== null)
      await store.queueAlreadyRegistered(regNo, email, at, beforeToday, 'same-person')
  }
  const { min, max } = SAME_PERSON_DELAY_MS
  setTimeout(
    () => {
      send().catch((error: unknown) =>
        log.warn(
          { event: event.id, error: String(error) },
          'the email about a second registration was not queued',
        ),
      )
    },
    randomInt(min, max),
  ).unref()
}
