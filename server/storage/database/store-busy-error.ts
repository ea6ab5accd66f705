/** Thrown when the store did nothing and can be retried: the response is 503 with Retry-After. */
export class StoreBusy extends Error {
  /** What the database says of it, as `codeOfBusy` writes it; empty: the queue is full, or the thread is being started again. */
  readonly code: string
  constructor(message: string, code = '') {
    super(message)
    this.code = code
  }
}

/** The store does what it is asked over the connections that it has, and the database gives it no further one. */
export class NoFurtherConnection extends StoreBusy {}

/** The object storage did not store, return or delete a file. The message names the bucket and the reason. */
export class UploadsUnavailable extends StoreBusy {}
