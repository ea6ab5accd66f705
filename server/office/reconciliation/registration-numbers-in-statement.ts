/** Finds the registration numbers in a bank statement, of its event and of others. */
import { bankKey, isRegNo, maySee } from '../../../engine/index.ts'
import type { BankKey, EventConfig, Person, reconcile } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'

/** The served events, and the user who asks. */
export type OtherEvents = {
  readonly all: readonly EventConfig[]
  readonly user: Pick<Person, 'events'>
}
/** Returns what the user may learn about other events. */
export const viewerOf = (
  { events }: Pick<Deps, 'events'>,
  user: OtherEvents['user'],
): OtherEvents => ({
  all: events.all().map(({ config }) => config),
  user,
})
/** The user of a command. */
export const SEES_ALL: OtherEvents = { all: [], user: { events: null } }
type KnownReferences = Parameters<typeof reconcile>[2]
type Stored = Awaited<ReturnType<Store['knownReferences']>>['registrations']

/**
 * Null for a number of another event. A number in the format of an event that the user does not work for counts
 * as one whether it exists or not; otherwise a statement would reveal which exist. Events that the user works for
 * are named.
 */
export function registrationsNamed(
  keys: readonly BankKey[],
  stored: Stored,
  event: EventConfig,
  { all, user }: OtherEvents,
): Pick<KnownReferences, 'registrations' | 'titles'> {
  const hidden = all.filter(({ id }) => id !== event.id && !maySee(user, id))
  const inForm = keys.filter(
    (key) => !isRegNo(event, key) && hidden.some((other) => isRegNo(other, key)),
  )
  return {
    registrations: new Map([
      ...inForm.map((key) => [key, null] as const),
      ...stored.map(
        ({ regNo, eventId }) => [bankKey(regNo), eventId === event.id ? regNo : null] as const,
      ),
    ]),
    titles: new Map(
      stored.flatMap(({ regNo, eventId }) => {
        const title = all.find(({ id }) => id === eventId)?.title
        const isShown = title !== undefined && eventId !== event.id && maySee(user, eventId)
        return isShown ? [[bankKey(regNo), title] as const] : []
      }),
    ),
  }
}
