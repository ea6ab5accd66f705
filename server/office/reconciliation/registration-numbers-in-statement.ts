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
 * format of another event maps to null, so that a statement does not reveal whether it exists. `titles` contains the
 * titles of other events that the user can access.
 */
export function findRegistrations(
  keys: readonly BankKey[],
  storedNumbers: StoredNumbers,
  events: readonly EventConfig[],
  viewer: OtherEvents,
): Pick<KnownReferences, 'registrations' | 'titles'> {
  const { all, user } = viewer
  const isIncludedEvent = (eventId: string): boolean => events.some(({ id }) => id === eventId)
  const otherNumbers = [...findNumbersOfOtherEvents(keys, events, viewer)]
  const eventsByKey = new Map([
    ...otherNumbers.map(([key, { id }]) => [key, id] as const),
    ...storedNumbers.map(({ regNo, eventId }) => [toBankKey(regNo), eventId] as const),
  ])
  return {
    registrations: new Map([
      ...otherNumbers.map(([key]) => [key, null] as const),
      ...storedNumbers.map(
        ({ regNo, eventId }) =>
          [toBankKey(regNo), isIncludedEvent(eventId) ? regNo : null] as const,
      ),
    ]),
    titles: new Map(
      [...eventsByKey].flatMap(([key, eventId]) => {
        const title = all.find(({ id }) => id === eventId)?.title
        const isShown = title !== undefined && !isIncludedEvent(eventId) && canSee(user, eventId)
        return isShown ? [[key, title] as const] : []
      }),
    ),
  }
}

/**
 * Maps the keys that have the format of another event's registration number, but not of one of `events`, to that event,
 * whether or not the registration exists. The result is the same for every user.
 */
export function findNumbersOfOtherEvents(
  keys: readonly BankKey[],
  events: readonly EventConfig[],
  { all }: Pick<OtherEvents, 'all'>,
): ReadonlyMap<BankKey, EventConfig> {
  const otherEvents = all.filter(({ id }) => !events.some((event) => event.id === id))
  return new Map(
    keys
      .filter((key) => !events.some((event) => isRegNo(event, key)))
      .flatMap((key) => {
        const event = otherEvents.find((otherEvent) => isRegNo(otherEvent, key))
        return event === undefined ? [] : [[key, event] as const]
      }),
  )
}
