/** Readers of untrusted JSON. Each returns the requested value or null, and never throws. */

export type JsonObject = Readonly<Record<string, unknown>>

/** Returns whether the value is an object, not null and not an array. */
export const isRecord = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses every entry of an array. Returns null if one of them cannot be parsed. */
export function readArray<T>(value: unknown, read: (entry: unknown) => T | null): T[] | null {
  if (!Array.isArray(value)) return null
  const entries: T[] = []
  for (const entry of value as readonly unknown[]) {
    const item = read(entry)
    if (item === null) return null
    entries.push(item)
  }
  return entries
}

/**
 * Parses every property of an object; `read` receives the value and the name. Returns null if one of them cannot be
 * parsed.
 */
export function readRecord<T>(
  value: unknown,
  read: (entry: unknown, name: string) => T | null,
): Record<string, T> | null {
  if (!isRecord(value)) return null
  const values = readArray(Object.entries(value), (entry) => {
    const [name, item] = entry as [string, unknown]
    return read(item, name)
  })
  return values === null
    ? null
    : Object.fromEntries(Object.keys(value).flatMap((name, index) => [[name, values[index] as T]]))
}

/** Returns the objects of an array that contains only objects, otherwise an empty array. */
export const readRecords = (value: unknown): JsonObject[] =>
  readArray(value, (entry) => (isRecord(entry) ? entry : null)) ?? []

export const readString = (value: unknown): string | null =>
  typeof value === 'string' ? value : null

export const readNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

/** The maximum number of decimal places in a currency. */
const MAX_AMOUNT_DECIMALS = 3
/** Larger than the error of binary addition (0.1 + 0.2), and smaller than an excess decimal place. */
const MAX_ROUNDING_ERROR = 1e-6

/** Returns whether the value can be a non-negative amount in major units of some currency. */
export const isAmount = (value: unknown): value is number =>
  typeof value === 'number' &&
  Number.isFinite(value) &&
  value >= 0 &&
  Math.abs(Number(value.toFixed(MAX_AMOUNT_DECIMALS)) - value) < MAX_ROUNDING_ERROR

/** Returns whether the value can be an amount, including a negative one. */
export const isSignedAmount = (value: unknown): value is number =>
  typeof value === 'number' && isAmount(Math.abs(value))

/** Parses an object whose values are all strings. */
export const readStringRecord = (value: unknown): Record<string, string> | null =>
  readRecord(value, readString)

/** Returns whether all these properties have the given type. */
export function hasAll(
  value: JsonObject,
  type: 'string' | 'number' | 'boolean',
  ...names: readonly string[]
): boolean {
  return names.every((name) => typeof value[name] === type)
}
