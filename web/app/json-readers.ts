/** What came from outside, taken apart: each reader answers the value it was asked for or null, and never throws. */

export type Unread = Readonly<Record<string, unknown>>

/** An object with names, neither null nor a list. */
export const isRecord = (value: unknown): value is Unread =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every entry read, or null: one that cannot be read spoils the list. */
export function listOf<T>(value: unknown, read: (entry: unknown) => T | null): T[] | null {
  if (!Array.isArray(value)) return null
  const entries: T[] = []
  for (const entry of value as readonly unknown[]) {
    const one = read(entry)
    if (one === null) return null
    entries.push(one)
  }
  return entries
}

/** Every value of an object read, or null: one that cannot be read spoils them all. */
export function recordOf<T>(
  value: unknown,
  read: (entry: unknown) => T | null,
): Record<string, T> | null {
  if (!isRecord(value)) return null
  const values = listOf(Object.values(value), read)
  return values === null
    ? null
    : Object.fromEntries(Object.keys(value).flatMap((name, at) => [[name, values[at] as T]]))
}

/** The objects of a list of nothing else; of anything else none. */
export const recordsOf = (value: unknown): Unread[] =>
  listOf(value, (entry) => (isRecord(entry) ? entry : null)) ?? []

export const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null

/** An object of texts. */
export const textsOf = (value: unknown): Record<string, string> | null => recordOf(value, textOf)

/** Whether every name stands for a value of this type. */
export function holdsAll(
  value: Unread,
  type: 'string' | 'number' | 'boolean',
  ...names: readonly string[]
): boolean {
  return names.every((name) => typeof value[name] === type)
}
