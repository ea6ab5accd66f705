/** The registration numbers that a bank statement names, of its event and of others. */
import { bankKey, isRegNo, maySee } from '../../../engine/index.ts'
import type { BankKey, EventConfig, Person, reconcile } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { Store } from '../../storage/index.ts'

/** The events that are served, and who asks. */
export type OtherEvents = {
  readonly all: readonly EventConfig[]
  readonly user: Pick<Person, 'events'>
}
/** What the user may be told of the other events. */
export const viewerOf = (
  { events }: Pick<Deps, 'events'>,
  user: OtherEvents['user'],
): OtherEvents => ({
  all: events.all().map(({ config }) => config),
  user,
})
/** A command's user. */
export const SEES_ALL: OtherEvents = { all: [], user: { events: null } }
type KnownReferences = Parameters<typeof reconcile>[2]
type Stored = Awaited<ReturnType<Store['knownReferences']>>['registrations']

/**
 * Null for a number of another event. One in the form of an event that the user does not work for counts as one, whether
 * it exists or not: otherwise a statement would tell which exist. Events that the user works for are named.
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
