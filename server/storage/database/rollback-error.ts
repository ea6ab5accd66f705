/** Thrown to undo a write and still return a value: the writer rolls back the savepoint and returns `value`. */
export class RollbackError extends Error {
  readonly value: unknown
  constructor(value: unknown) {
    super('refused')
    this.value = value
  }
}
