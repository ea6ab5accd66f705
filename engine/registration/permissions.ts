/** Office permissions: four roles, each including the previous one, for all events or some. */

/** The roles in ascending order of permissions. */
export const ROLES = ['viewer', 'desk', 'treasurer', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** The data of a user that determines their permissions. */
export type PermissionHolder = {
  readonly username: string
  readonly role: Role
  /** The ids of the events that the user can access. Null for all, including future ones. */
  readonly events: readonly string[] | null
}

export function isRole(text: unknown): text is Role {
  return ROLES.some((role) => role === text)
}

/** Returns true if a role includes the permissions of the minimum role. */
export function isAtLeast(role: Role, minimumRole: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(minimumRole)
}

export function canSee({ events }: Pick<PermissionHolder, 'events'>, eventId: string): boolean {
  return events === null || events.includes(eventId)
}
