/** Emails a registered delegate when a form with the same details is sent again. */
import { instant, getPaymentState } from '../../engine/index.ts'
import { buildAlreadyRegisteredEmail } from '../../engine/messages.ts'
import type { EventConfig, Instant, RegNo } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'

/**
 * Long enough for the delegate to find the email. Within this time, repeated attempts by someone else trigger no second
 * email.
 */
const RESEND_AFTER_MS = 60 * 60_000

/** Sends to the stored address, so that the person who submitted the form learns nothing. */
export async function sendAlreadyRegisteredEmail(
  { store }: Pick<Deps, 'store'>,
  event: EventConfig,
  regNo: RegNo,
  at: Instant,
): Promise<void> {
  const stored = await store.registration(regNo)
  if (stored === null) return
  const email = buildAlreadyRegisteredEmail(event, stored, getPaymentState(stored, at))
  if (email !== null)
    await store.queueAlreadyRegistered(regNo, email, at, instant(at - RESEND_AFTER_MS), null)
}
