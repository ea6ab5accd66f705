/**
 * The staff users in the histories and their permissions, defined independently of the engine. The histories check that
 * the engine's table agrees.
 */
import type { ActionName, RegistrationState, Role, ManualMethod } from '../../engine/index.ts'

type StaffUser = { readonly role: Role; readonly events: readonly string[] | null }

export const STAFF = {
  Vimala: { role: 'viewer', events: null },
  Dev: { role: 'desk', events: null },
  Tara: { role: 'treasurer', events: null },
  Omar: { role: 'owner', events: null },
  Usha: { role: 'owner', events: null },
  /** A user with access to only one event. */
  Eshan: { role: 'owner', events: ['second2026'] },
} as const satisfies Readonly<Record<string, StaffUser>>
export type StaffName = keyof typeof STAFF
export const STAFF_NAMES = Object.keys(STAFF) as readonly StaffName[]

export const isStaffName = (username: string): username is StaffName =>
  Object.hasOwn(STAFF, username)

const ROLES: readonly Role[] = ['viewer', 'desk', 'treasurer', 'owner']
const ALL_STATES: readonly RegistrationState[] = [
  'to_approve',
  'refused',
  'to_pay',
  'told',
  'complete',
  'cancelled',
  'lapsed',
]
const listStatesExcept = (
  ...excludedStates: readonly RegistrationState[]
): readonly RegistrationState[] => ALL_STATES.filter((state) => !excludedStates.includes(state))

type Permission = {
  readonly minimumRole: Role | 'delegate' | 'clock'
  readonly states: readonly RegistrationState[]
}
const PERMISSIONS: Readonly<Partial<Record<ActionName, Permission>>> = {
  note: { minimumRole: 'desk', states: ALL_STATES },
  correct: { minimumRole: 'owner', states: listStatesExcept('refused', 'cancelled') },
  transfer: { minimumRole: 'owner', states: ['complete'] },
  confirm: { minimumRole: 'desk', states: ['to_pay', 'told', 'lapsed'] },
  came_again: { minimumRole: 'desk', states: ['complete', 'cancelled', 'refused'] },
  accept: { minimumRole: 'treasurer', states: listStatesExcept('refused', 'cancelled') },
  dismiss: { minimumRole: 'treasurer', states: ALL_STATES },
  refund: { minimumRole: 'treasurer', states: listStatesExcept('to_approve') },
  handle_refund: { minimumRole: 'treasurer', states: ALL_STATES },
  cancel: { minimumRole: 'owner', states: listStatesExcept('refused', 'cancelled') },
  resend: { minimumRole: 'desk', states: ['complete'] },
  send_pay_link: { minimumRole: 'desk', states: ['to_pay', 'told', 'lapsed'] },
  approve: { minimumRole: 'owner', states: ['to_approve', 'refused'] },
  refuse: { minimumRole: 'owner', states: ['to_approve'] },
  not_found: { minimumRole: 'treasurer', states: ALL_STATES },
  take_up: { minimumRole: 'treasurer', states: ['lapsed'] },
  tell: { minimumRole: 'delegate', states: ['to_pay', 'told', 'lapsed'] },
  lapse: { minimumRole: 'clock', states: ['to_pay', 'told'] },
  reopen: { minimumRole: 'clock', states: ['lapsed'] },
  accept_offer: { minimumRole: 'delegate', states: ['refused'] },
  edit: { minimumRole: 'delegate', states: ['to_approve', 'to_pay', 'told', 'complete'] },
  erase: { minimumRole: 'owner', states: ALL_STATES },
  ask_cancel: { minimumRole: 'delegate', states: ['to_approve', 'to_pay', 'told', 'complete'] },
  ask_refund: { minimumRole: 'delegate', states: ['to_pay', 'told', 'complete'] },
  withdraw_refund: { minimumRole: 'delegate', states: ['to_pay', 'told', 'complete'] },
}
/** The payment methods at the desk. All other methods are bank payments. */
const DESK_METHODS: readonly ManualMethod[] = ['cash', 'machine', 'desk']

const isAtLeast = (role: Role, minimum: Role): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(minimum)

export function isAllowedInState(action: ActionName, state: RegistrationState): boolean {
  return PERMISSIONS[action]?.states.includes(state) === true
}

/** Returns true if the user may add a manual registration. */
export function canAddRegistration(username: StaffName, eventId: string): boolean {
  const { role, events }: StaffUser = STAFF[username]
  return isAtLeast(role, 'desk') && events?.includes(eventId) !== false
}

/** Returns true if the user may perform the action. `method` is the payment method if the action records a payment. */
export function canPerform(
  username: string,
  action: ActionName,
  eventId: string,
  method: string | null,
): boolean {
  if (username === 'delegate') return PERMISSIONS[action]?.minimumRole === 'delegate'
  if (username === 'rollcall') return PERMISSIONS[action]?.minimumRole === 'clock'
  const staffUser: StaffUser | undefined = (STAFF as Readonly<Record<string, StaffUser>>)[username]
  const row = PERMISSIONS[action]
  if (staffUser === undefined || row === undefined) return false
  if (row.minimumRole === 'delegate' || row.minimumRole === 'clock') return false
  if (staffUser.events?.includes(eventId) === false) return false
  const isBankMethod = method !== null && !DESK_METHODS.some((deskMethod) => deskMethod === method)
  return isAtLeast(staffUser.role, isBankMethod ? 'treasurer' : row.minimumRole)
}
