/** Thrown by a write that must undo what it wrote and still answer: the writer rolls its savepoint back and answers the value. */
export class Refused extends Error {
  readonly value: unknown
  constructor(value: unknown) {
    super('refused')
    this.value = value
  }
}
