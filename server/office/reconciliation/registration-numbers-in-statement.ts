/** Finds the registration numbers in a bank statement, of its event and of others. */
import { bankKey, canSee, isRegNo } from '../../../engine/index.ts'
import type { BankKey, EventConfig, PermissionHolder, reconcile } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'

/** The served events, and the user who sent the request. */
export type OtherEvents = {
  readonly all: readonly EventConfig[]
  readonly user: Pick<PermissionHolder, 'events'>
}
/** Returns the context that decides what the user may learn about other events. */
export const buildViewer = (
  { events }: Pick<Deps, 'events'>,
  user: OtherEvents['user'],
): OtherEvents => ({
  all: events.all().map(({ config }) => config),
  user,
})
/** The user of a command: has access to all events. */
export const ALL_EVENTS_VIEWER: OtherEvents = { all: [], user: { events: null } }
type KnownReferences = Parameters<typeof reconcile>[2]
type StoredNumbers = Awaited<ReturnType<Store['knownReferences']>>['registrations']

/**
 * Maps the numbers in a statement to registrations, and to null if they are of another event. Any number in the
 * format of an event that the user cannot access counts as such, so that a statement does not reveal which exist.
 * Events that the user can access are named.
 */
export function findRegistrations(
  keys: readonly BankKey[],
  stored: StoredNumbers,
  event: EventConfig,
  viewer: OtherEvents,
): Pick<KnownReferences, 'registrations' | 'titles'> {
  const { all, user } = viewer
  return {
    registrations: new Map([
      ...findHiddenNumbers(keys, event, viewer).map((key) => [key, null] as const),
      ...stored.map(
        ({ regNo, eventId }) => [bankKey(regNo), eventId === event.id ? regNo : null] as const,
      ),
    ]),
    titles: new Map(
      stored.flatMap(({ regNo, eventId }) => {
        const title = all.find(({ id }) => id === eventId)?.title
        const isShown = title !== undefined && eventId !== event.id && canSee(user, eventId)
        return isShown ? [[bankKey(regNo), title] as const] : []
      }),
    ),
  }
}

/** Returns the keys in the form of registration numbers of events that the user cannot access, existing or not. */
export function findHiddenNumbers(
  keys: readonly BankKey[],
  event: EventConfig,
  { all, user }: OtherEvents,
): readonly BankKey[] {
  const hiddenEvents = all.filter(({ id }) => id !== event.id && !canSee(user, id))
  return keys.filter(
    (key) => !isRegNo(event, key) && hiddenEvents.some((otherEvent) => isRegNo(otherEvent, key)),
  )
}
