/** Thrown when a write of a request is refused because its user has lost the session or a permission meanwhile. */
import type { LostPermission } from './staff-types.ts'

/** The message for a request whose user was removed, signed out or demoted before its transaction. */
export const LOST_PERMISSION_MESSAGE =
  'Not done: you are no longer signed in, or your permissions have changed. Reload the page.'

export class LostPermissionError extends Error {
  /** 401: the session has ended. 403: the user lost the role or an event. */
  readonly status: 401 | 403
  constructor({ lostPermission }: LostPermission) {
    super(LOST_PERMISSION_MESSAGE)
    this.status = lostPermission === 'session' ? 401 : 403
  }
}
