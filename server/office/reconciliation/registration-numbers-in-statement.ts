/** Finds registration numbers in a bank statement, for its own event and for other events. */
import { toBankKey, canSee, isRegNo } from '../../../engine/index.ts'
import type {
  BankKey,
  EventConfig,
  PermissionHolder,
  reconcileStatement,
} from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'

/** The served events, and the user who sent the request. */
export type OtherEvents = {
  readonly all: readonly EventConfig[]
  readonly user: Pick<PermissionHolder, 'events'>
}
/** Returns the context that determines which information about other events the user may see. */
export const buildViewer = (
  { events }: Pick<Deps, 'events'>,
  user: OtherEvents['user'],
): OtherEvents => ({
  all: events.all().map(({ config }) => config),
  user,
})
type KnownReferences = Parameters<typeof reconcileStatement>[2]
type StoredNumbers = Awaited<ReturnType<Store['knownReferences']>>['registrations']

/**
 * Maps the numbers in a statement to registrations, or to null if they belong to another event. Any number in the
 * format of an event that the user cannot access maps to null, so that a statement does not reveal whether it exists.
 * `titles` contains the titles of other events that the user can access.
 */
export function findRegistrations(
  keys: readonly BankKey[],
  storedNumbers: StoredNumbers,
  events: readonly EventConfig[],
  viewer: OtherEvents,
): Pick<KnownReferences, 'registrations' | 'titles'> {
  const { all, user } = viewer
  const isIncludedEvent = (eventId: string): boolean => events.some(({ id }) => id === eventId)
  return {
    registrations: new Map([
      ...findHiddenNumbers(keys, events, viewer).map((key) => [key, null] as const),
      ...storedNumbers.map(
        ({ regNo, eventId }) =>
          [toBankKey(regNo), isIncludedEvent(eventId) ? regNo : null] as const,
      ),
    ]),
    titles: new Map(
      storedNumbers.flatMap(({ regNo, eventId }) => {
        const title = all.find(({ id }) => id === eventId)?.title
        const isShown = title !== undefined && !isIncludedEvent(eventId) && canSee(user, eventId)
        return isShown ? [[toBankKey(regNo), title] as const] : []
      }),
    ),
  }
}

/**
 * Returns the keys that have the format of a registration number in an event that the user cannot access, whether or
 * not that registration exists.
 */
export function findHiddenNumbers(
  keys: readonly BankKey[],
  events: readonly EventConfig[],
  { all, user }: OtherEvents,
): readonly BankKey[] {
  const hiddenEvents = all.filter(
    ({ id }) => !events.some((event) => event.id === id) && !canSee(user, id),
  )
  return keys.filter(
    (key) =>
      !events.some((event) => isRegNo(event, key)) &&
      hiddenEvents.some((otherEvent) => isRegNo(otherEvent, key)),
  )
}
