/** Whoever is registered already, and is registered for again, gets the way to that registration by mail. */
import { alreadyMail, instant, standing } from '../../engine/index.ts'
import type { EventConfig, Instant, RegNo } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'

/** Whoever does not find the mail looks again within the hour; a stranger who tries and tries sends no second one. */
const AGAIN_MS = 60 * 60_000

/** To the address that is stored. Whoever typed the answers learns nothing by it. */
export async function tellTheRegistered(
  { store }: Pick<Deps, 'store'>,
  event: EventConfig,
  regNo: RegNo,
  at: Instant,
): Promise<void> {
  const stored = await store.registration(regNo)
  if (stored === null) return
  const mail = alreadyMail(event, stored, standing(stored, at))
  if (mail !== null) await store.queueAlready(regNo, mail, at, instant(at - AGAIN_MS))
}
