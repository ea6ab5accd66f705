/** Who may do what in the office: four roles, each of which may what the one before it may, for all events or some. */

/** From the one that may least to the one that may all. */
export const ROLES = ['viewer', 'desk', 'treasurer', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** What each role is there for, as the office says it beside the choice. */
export const ROLE_SAYS: Readonly<Record<Role, string>> = {
  viewer: 'looks at lists, registrations and figures',
  desk: 'also adds registrations, takes money at the desk, writes notes and sends mails again',
  treasurer: 'also confirms payments, decides reviews, refunds, reconciles and gives out codes',
  owner: 'also erases, looks after the people of the office, and sees who did what',
}

/** Somebody of the office as far as it matters to what they may do. */
export type Person = {
  readonly username: string
  readonly role: Role
  /** The ids of the events they work for; null: all, also those to come. */
  readonly events: readonly string[] | null
}

export function isRole(text: unknown): text is Role {
  return ROLES.some((role) => role === text)
}

/** Whether a role may what takes `least`. */
export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least)
}

export function maySee({ events }: Pick<Person, 'events'>, eventId: string): boolean {
  return events === null || events.includes(eventId)
}
