/** Emails the access link to a delegate who is registered already and was submitted again. */
import { instant, paymentState } from '../../engine/index.ts'
import { buildAlreadyRegisteredEmail } from '../../engine/messages.ts'
import type { EventConfig, Instant, RegNo } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'

/**
 * A delegate who misses the email looks again within the hour; repeated attempts by a stranger send no second
 * one.
 */
const AGAIN_MS = 60 * 60_000

/** Sends to the stored address, so that the person who submitted the form learns nothing. */
export async function tellTheRegistered(
  { store }: Pick<Deps, 'store'>,
  event: EventConfig,
  regNo: RegNo,
  at: Instant,
): Promise<void> {
  const stored = await store.registration(regNo)
  if (stored === null) return
  const mail = buildAlreadyRegisteredEmail(event, stored, paymentState(stored, at))
  if (mail !== null) await store.queueAlready(regNo, mail, at, instant(at - AGAIN_MS))
}
