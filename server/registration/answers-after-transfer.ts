/** Selects the answers shown after a transfer, to the new holder and to others who have the number. */
import type { EventConfig, Field } from '../../engine/index.ts'
import type { StoredAction, StoredRegistration } from '../storage/index.ts'

/**
 * Types of fields with free text about a person. Choices determine which items were sold, so they stay with the
 * registration.
 */
const FREE_TEXT_TYPES: ReadonlySet<Field['type']> = new Set([
  'text',
  'multiline',
  'email',
  'phone',
  'date',
  'people',
  'file',
])

const findTransferIndex = (actions: readonly StoredAction[]): number =>
  actions.findLastIndex(({ act }) => act === 'transfer')

/** Removes the new holder's details after a transfer, because the former holder still has the number. */
export function hideNewHolder(
  { roles }: Pick<EventConfig, 'roles'>,
  registration: StoredRegistration,
  actions: readonly StoredAction[],
): StoredRegistration {
  if (findTransferIndex(actions) < 0) return registration
  const holderFields = new Set(Object.values(roles).flat())
  const answers = Object.entries(registration.answers).filter(([id]) => !holderFields.has(id))
  return { ...registration, answers: Object.fromEntries(answers) }
}

/** After a transfer, removes the previous person's texts: institution, address, notes. */
export function hidePreviousHolder(
  { fields, roles }: Pick<EventConfig, 'fields' | 'roles'>,
  registration: StoredRegistration,
  actions: readonly StoredAction[],
): StoredRegistration {
  const transferIndex = findTransferIndex(actions)
  if (transferIndex < 0) return registration
  // Each entry has the form "Institution: was → now".
  const changes = actions.slice(transferIndex).flatMap(({ data }) => [data['changes']].flat())
  const isNewHolderField = ({ id, label }: Field): boolean =>
    Object.values(roles).flat().includes(id) ||
    changes.some((change) => typeof change === 'string' && change.startsWith(`${label}: `))
  const hiddenFields = new Set(
    fields
      .filter((field) => FREE_TEXT_TYPES.has(field.type) && !isNewHolderField(field))
      .map(({ id }) => id),
  )
  const answers = Object.entries(registration.answers).filter(
    ([id]) => !hiddenFields.has(id.split('.')[0] ?? id),
  )
  return { ...registration, answers: Object.fromEntries(answers) }
}
