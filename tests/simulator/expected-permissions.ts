/**
 * The people of the office in histories, and by the test's own reading of the design what each may do, in which state.
 * That the table of the engine says the same is what histories find out.
 */
import type { ActionName, RegistrationState, Role, ManualMethod } from '../../engine/index.ts'

type Person = { readonly role: Role; readonly events: readonly string[] | null }

export const OFFICE = {
  Vimala: { role: 'viewer', events: null },
  Dev: { role: 'desk', events: null },
  Tara: { role: 'treasurer', events: null },
  Omar: { role: 'owner', events: null },
  Usha: { role: 'owner', events: null },
  /** Of one event alone. */
  Eshan: { role: 'owner', events: ['second2026'] },
} as const satisfies Readonly<Record<string, Person>>
export type PersonName = keyof typeof OFFICE
export const PEOPLE = Object.keys(OFFICE) as readonly PersonName[]

export const isPerson = (who: string): who is PersonName => Object.hasOwn(OFFICE, who)

const STEPS: readonly Role[] = ['viewer', 'desk', 'treasurer', 'owner']
const ALL: readonly RegistrationState[] = [
  'to_approve',
  'refused',
  'to_pay',
  'told',
  'complete',
  'cancelled',
  'lapsed',
]
const besides = (...ended: readonly RegistrationState[]): readonly RegistrationState[] =>
  ALL.filter((state) => !ended.includes(state))

type May = {
  readonly least: Role | 'delegate' | 'clock'
  readonly in: readonly RegistrationState[]
}
const MAY: Readonly<Partial<Record<ActionName, May>>> = {
  note: { least: 'desk', in: ALL },
  correct: { least: 'owner', in: besides('refused', 'cancelled') },
  transfer: { least: 'owner', in: ['complete'] },
  confirm: { least: 'desk', in: ['to_pay', 'told', 'lapsed'] },
  came_again: { least: 'desk', in: ['complete', 'cancelled', 'refused'] },
  accept: { least: 'treasurer', in: besides('refused', 'cancelled') },
  dismiss: { least: 'treasurer', in: ALL },
  refund: { least: 'treasurer', in: besides('to_approve') },
  handle_refund: { least: 'treasurer', in: ALL },
  cancel: { least: 'owner', in: besides('refused', 'cancelled') },
  resend: { least: 'desk', in: ['complete'] },
  send_pay_link: { least: 'desk', in: ['to_pay', 'told', 'lapsed'] },
  approve: { least: 'owner', in: ['to_approve', 'refused'] },
  refuse: { least: 'owner', in: ['to_approve'] },
  not_found: { least: 'treasurer', in: ALL },
  take_up: { least: 'treasurer', in: ['lapsed'] },
  tell: { least: 'delegate', in: ['to_pay', 'told', 'lapsed'] },
  lapse: { least: 'clock', in: ['to_pay', 'told'] },
  reopen: { least: 'clock', in: ['lapsed'] },
  accept_offer: { least: 'delegate', in: ['refused'] },
  edit: { least: 'delegate', in: ['to_approve', 'to_pay', 'told', 'complete'] },
  erase: { least: 'owner', in: ALL },
  ask_cancel: { least: 'delegate', in: ['to_approve', 'to_pay', 'told', 'complete'] },
  ask_refund: { least: 'delegate', in: ['to_pay', 'told', 'complete'] },
  withdraw_refund: { least: 'delegate', in: ['to_pay', 'told', 'complete'] },
}
/** Money at the desk; all else is the bank's. */
const AT_THE_DESK: readonly ManualMethod[] = ['cash', 'machine', 'desk']

const isAtLeast = (role: Role, least: Role): boolean => STEPS.indexOf(role) >= STEPS.indexOf(least)

export function isInTable(act: ActionName, state: RegistrationState): boolean {
  return MAY[act]?.in.includes(state) === true
}

/** Adds somebody at the desk. */
export function mayAdd(who: PersonName, eventId: string): boolean {
  const { role, events }: Person = OFFICE[who]
  return isAtLeast(role, 'desk') && events?.includes(eventId) !== false
}

/** `way`: of a payment that is confirmed. */
export function mayDo(who: string, act: ActionName, eventId: string, way: string | null): boolean {
  if (who === 'delegate') return MAY[act]?.least === 'delegate'
  if (who === 'rollcall') return MAY[act]?.least === 'clock'
  const person: Person | undefined = (OFFICE as Readonly<Record<string, Person>>)[who]
  const row = MAY[act]
  if (person === undefined || row === undefined) return false
  if (row.least === 'delegate' || row.least === 'clock') return false
  if (person.events?.includes(eventId) === false) return false
  const isOfTheBank = way !== null && !AT_THE_DESK.some((one) => one === way)
  return isAtLeast(person.role, isOfTheBank ? 'treasurer' : row.least)
}
