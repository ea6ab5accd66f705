/** Derives the id of a new event and the prefix of its registration numbers. */

/** Converts a text to an event id: "my-event" → "myevent"; null if nothing is left. */
export function deriveEventId(text: string): string | null {
  const id = text
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/^\d+/, '')
  return id === '' ? null : id
}

/**
 * Returns a prefix for registration numbers such that it and the prefixes of other events do not
 * begin each other.
 */
export function findPrefix(id: string, usedIds: readonly string[]): string | null {
  const letters = id.replace(/[^a-z]/g, '').toUpperCase()
  const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const candidates = [
    letters.slice(0, 4),
    letters.slice(0, 5),
    ...alphabet.map((letter) => letters.slice(0, 3) + letter),
    ...alphabet.flatMap((a) => alphabet.map((b) => `${letters.slice(0, 2)}${a}${b}`)),
  ]
  return (
    candidates.find(
      (candidate) =>
        candidate.length >= 3 &&
        !usedIds.some((other) => other.startsWith(candidate) || candidate.startsWith(other)),
    ) ?? null
  )
}
