/** Selects the answers shown after a transfer: to the present holder, and to whoever has the number. */
import type { EventConfig, Field } from '../../engine/index.ts'
import type { StoredAction, StoredRegistration } from '../storage/index.ts'

/**
 * Free text that people write about themselves. Choices determine what was sold, so they stay with the
 * registration.
 */
const WRITTEN: ReadonlySet<Field['type']> = new Set([
  'text',
  'multiline',
  'email',
  'phone',
  'date',
  'people',
  'file',
])

const transferIn = (acts: readonly StoredAction[]): number =>
  acts.findLastIndex(({ act }) => act === 'transfer')

/** The former holder still has the number: after a transfer it does not show the name of the new one. */
export function withoutNewHolder(
  { roles }: Pick<EventConfig, 'roles'>,
  registration: StoredRegistration,
  acts: readonly StoredAction[],
): StoredRegistration {
  if (transferIn(acts) < 0) return registration
  const theirs = new Set(Object.values(roles).flat())
  const answers = Object.entries(registration.answers).filter(([id]) => !theirs.has(id))
  return { ...registration, answers: Object.fromEntries(answers) }
}

/** After a transfer, leaves out what the previous person wrote: institution, address, notes. */
export function withOwnAnswers(
  { fields, roles }: Pick<EventConfig, 'fields' | 'roles'>,
  registration: StoredRegistration,
  acts: readonly StoredAction[],
): StoredRegistration {
  const transferred = transferIn(acts)
  if (transferred < 0) return registration
  // Each entry reads "Institution: was → now".
  const changes = acts.slice(transferred).flatMap(({ data }) => [data['changes']].flat())
  const isOwn = ({ id, label }: Field): boolean =>
    Object.values(roles).flat().includes(id) ||
    changes.some((change) => typeof change === 'string' && change.startsWith(`${label}: `))
  const hidden = new Set(
    fields.filter((field) => WRITTEN.has(field.type) && !isOwn(field)).map(({ id }) => id),
  )
  const answers = Object.entries(registration.answers).filter(
    ([id]) => !hidden.has(id.split('.')[0] ?? id),
  )
  return { ...registration, answers: Object.fromEntries(answers) }
}
