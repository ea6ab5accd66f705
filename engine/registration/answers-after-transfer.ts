/** Finds the answers that the new holder of a registration, or staff, gave after a transfer. */
import type { Roles } from '../event/delegate-fields.ts'
import type { Instant } from '../lib/time.ts'

/** An action on a registration, as stored. `data.changes` contains texts such as "Institution: was → now". */
export type AnswerAction = {
  readonly act: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Returns the ids of the fields whose answers belong to the current holder: the person's details, and the answers that
 * were saved after the last transfer. Null if the registration was never transferred. `actions`: oldest first.
 */
export function listHolderFields(
  roles: Roles,
  fields: readonly { readonly id: string; readonly label: string }[],
  actions: readonly AnswerAction[],
): ReadonlySet<string> | null {
  const transferIndex = actions.findLastIndex(({ act }) => act === 'transfer')
  if (transferIndex < 0) return null
  const changes = actions.slice(transferIndex).flatMap(({ data }) => [data['changes']].flat())
  const savedFields = fields.filter(({ label }) =>
    changes.some((change) => typeof change === 'string' && change.startsWith(`${label}: `)),
  )
  return new Set([...Object.values(roles).flat(), ...savedFields.map(({ id }) => id)])
}

/** Returns the time of the last transfer. Null if the registration was never transferred. */
export function findTransferTime(
  actions: readonly { readonly act: string; readonly at: Instant }[],
): Instant | null {
  return actions.reduce<Instant | null>(
    (latest, { act, at }) => (act === 'transfer' && (latest === null || at > latest) ? at : latest),
    null,
  )
}
