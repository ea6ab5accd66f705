/** Office permissions: four roles, each including the previous one, for all events or some. */

/** From the least to the most permissions. */
export const ROLES = ['viewer', 'desk', 'treasurer', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** Names of the roles on the office's pages. */
export const ROLE_LABELS: Readonly<Record<Role, string>> = {
  viewer: 'Viewer',
  desk: 'Front desk',
  treasurer: 'Treasurer',
  owner: 'Owner',
}

/** Descriptions of the roles, shown next to the choice. */
export const ROLE_DESCRIPTIONS: Readonly<Record<Role, string>> = {
  viewer: 'Viewer: sees lists, registrations and figures.',
  desk: 'Front desk: adds registrations, records payments, resends emails.',
  treasurer:
    'Treasurer: also records bank payments, decides reviews, makes refunds and creates codes.',
  owner: 'Owner: also erases personal data, manages the team and sees the audit log.',
}

/** The part of a user that decides their permissions. */
export type PermissionHolder = {
  readonly username: string
  readonly role: Role
  /** The ids of the events they work for. Null for all, including future ones. */
  readonly events: readonly string[] | null
}

export function isRole(text: unknown): text is Role {
  return ROLES.some((role) => role === text)
}

/** Whether a role includes the permissions of the minimum role. */
export function isAtLeast(role: Role, minimumRole: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(minimumRole)
}

export function canSee({ events }: Pick<PermissionHolder, 'events'>, eventId: string): boolean {
  return events === null || events.includes(eventId)
}
