/** Hides the names of staff of other events, which a statement of a shared bank account would show. */
import { canSee } from '../../../engine/index.ts'
import type { PermissionHolder } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'

const OTHER_STAFF_TEXT = 'Staff of another event'

/** Replaces the user name in an entry if it belongs to staff of another event. */
export type HideOtherStaff = <Entry extends { readonly who: string }>(entry: Entry) => Entry

/**
 * Returns a function that names staff only to users with access to one of their events. The name of a removed user
 * stays, because their events are no longer known.
 */
export async function loadStaffFilter(
  { store, clock }: Pick<Deps, 'clock'> & { readonly store: Pick<Deps['store'], 'staffAccounts'> },
  user: Pick<PermissionHolder, 'events'>,
): Promise<HideOtherStaff> {
  if (user.events === null) return (entry) => entry
  const otherStaff = (await store.staffAccounts(clock())).filter(
    ({ events }) => events !== null && !events.some((eventId) => canSee(user, eventId)),
  )
  const hiddenNames = new Set(otherStaff.map(({ username }) => username))
  return (entry) => (hiddenNames.has(entry.who) ? { ...entry, who: OTHER_STAFF_TEXT } : entry)
}
