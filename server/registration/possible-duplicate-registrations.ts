/** Finds possible duplicates of a registration: others of its event with the same email address. */
import { isSameEmail, readDelegate } from '../../engine/index.ts'
import type { EventConfig } from '../../engine/index.ts'
import type { Deps } from '../dependencies.ts'
import type { ListedRegistration, StoredRegistration } from '../storage/index.ts'

/** Staff may register many delegates under the office's address; a list shows the rest. */
const SAME_EMAIL_MAX = 50

/** Returns the others with the same email address in any spelling, newest first: possible duplicates. */
export async function findWithSameEmail(
  { store }: Pick<Deps, 'store'>,
  event: EventConfig,
  { regNo, answers }: StoredRegistration,
): Promise<readonly ListedRegistration[]> {
  const { email } = readDelegate(event, answers)
  if (email === '') return []
  const query = { eventId: event.id, answers: {}, search: email }
  const { rows } = await store.listPage(query, 1, SAME_EMAIL_MAX)
  return rows.filter(
    (row) => row.regNo !== regNo && isSameEmail(readDelegate(event, row.answers).email, email),
  )
}
