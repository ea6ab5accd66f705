/** Thrown when the store did not run the operation and it can be retried: the response is 503 with Retry-After. */
export class StoreBusy extends Error {
  /**
   * The database's error code as returned by `getBusyCode`. Empty if the queue is full or the thread is restarting.
   */
  readonly code: string
  constructor(message: string, code = '') {
    super(message)
    this.code = code
  }
}

/** Thrown when the store works with its existing connections, but the database does not accept new ones. */
export class NoFurtherConnection extends StoreBusy {}

const UPDATING_REGISTRATIONS = 'ROWS_BEHIND'
/**
 * Creates the error for an operation that must wait a few seconds: an event file was changed, and its existing
 * registrations are still being processed in the background.
 */
export const createUpdatingError = (message: string): StoreBusy =>
  new StoreBusy(message, UPDATING_REGISTRATIONS)
export const isUpdatingRegistrations = (error: unknown): boolean =>
  error instanceof StoreBusy && error.code === UPDATING_REGISTRATIONS

/**
 * Thrown when the object storage did not store, return or delete a file. The message states the bucket and the reason.
 */
export class UploadsUnavailable extends StoreBusy {}
