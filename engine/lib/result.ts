/** Result type (value or refusal), assertions for programming errors, and safe access to objects. */

/** A success with its value, or an error: the code of a refusal and the values that explain it. */
export type Result<T, E> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E }

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

export function err<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error }
}

/** Throws on a programming error. Never use it for user input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Assertion failed: ${message}`)
}

/** Ends a switch over a union, so that a case added later does not compile until it is handled. */
export function assertNever(value: never): never {
  throw new Error(`Assertion failed: no case for ${JSON.stringify(value)}`)
}

/** Returns the value of a result that cannot be an error here. */
export function expectOk<T, E>(result: Result<T, E>): T {
  assert(result.ok, 'the result must be ok')
  return result.value
}

/**
 * Returns the value of an object's own key, so that `__proto__` and `constructor` are safe names.
 */
export function getOwn<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** Builds an object from pairs. Unlike assignment, this makes `__proto__` an own key. */
export function fromPairs<T>(pairs: readonly (readonly [string, T])[]): Record<string, T> {
  return Object.fromEntries(pairs)
}

/**
 * Returns the value at a path such as `admin.lists.0.title` in parsed YAML or JSON; undefined if
 * there is none.
 */
export function getValueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, key) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, key)
          ? (at as Record<string, unknown>)[key]
          : undefined,
      value,
    )
}
