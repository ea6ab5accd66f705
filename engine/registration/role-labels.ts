/** Labels and descriptions of the roles for the office's pages. */
import type { Role } from './permissions.ts'

/** The name of each role. */
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
