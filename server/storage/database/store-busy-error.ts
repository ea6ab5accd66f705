/** Thrown when the store did nothing and can be retried: the response is 503 with Retry-After. */
export class StoreBusy extends Error {
  /**
   * The database's error code, in the form of `codeOfBusy`. Empty if the queue is full or the thread is restarting.
   */
  readonly code: string
  constructor(message: string, code = '') {
    super(message)
    this.code = code
  }
}

/** The store works over its existing connections, but the database accepts no new one. */
export class NoFurtherConnection extends StoreBusy {}

/** The object storage did not store, return or delete a file. The message names the bucket and the reason. */
export class UploadsUnavailable extends StoreBusy {}
