/** Derives the id of a new event and the prefix of its registration numbers. */

/** Converts text to an event id: "my-event" → "myevent". Returns null if the text has no usable letter. */
export function deriveEventId(text: string): string | null {
  const id = text
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/^\d+/, '')
  return id === '' ? null : id
}

/** Longer ids are hard to read in a web address. */
const MAX_ID_LETTERS = 16
/** Matches an event's name and year in a longer title, as in brochures: "GHICON 2027". */
const ACRONYM = /\b([A-Z]{3,}[A-Za-z]*(?: [A-Z]{3,})?)(?:[ -]?20\d\d|['’]\d\d)\b/
/**
 * Matches a name and year before a colon, a dash or a bracket: "Pulmonary Update 2026: from cell to
 * cure".
 */
const NAME_BEFORE_SEPARATOR = /^([^:(–—]*\b20\d\d)\s*[:(–—]/
const SMALL_WORDS = new Set(['a', 'an', 'and', 'at', 'for', 'in', 'of', 'on', 'the', 'to', 'with'])

/** Suggests an id from a title: "Lungs 2027" → "lungs2027", "Congress of Rural Medicine 2027" → "crm2027". */
export function suggestEventId(title: string, usedIds: readonly string[]): string {
  const words = (NAME_BEFORE_SEPARATOR.exec(title)?.[1] ?? title)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .split(/[ -]+/)
    .filter((word) => word !== '')
  const [fullId, initials] = [words, words.filter((word) => !SMALL_WORDS.has(word))].map(
    (parts, index) =>
      deriveEventId(
        parts.map((word) => (index === 0 || /\d/.test(word) ? word : word[0])).join(''),
      ),
  )
  const initialsId = initials != null && initials.replace(/\d/g, '').length > 1 ? initials : null
  // In a title in capital letters, every word looks like an acronym.
  const acronymMatch = /[a-z]/.test(title) ? ACRONYM.exec(title) : null
  const acronym = acronymMatch === null ? null : deriveEventId(acronymMatch[0])
  const id =
    (fullId != null && fullId.length <= MAX_ID_LETTERS ? fullId : null) ??
    acronym ??
    initialsId ??
    fullId?.slice(0, MAX_ID_LETTERS) ??
    'conference'
  const letters = id.replace(/\d+$/, '')
  const candidates = [
    id,
    ...[...'bcdefgh'].map((letter) => letters + letter + id.slice(letters.length)),
  ]
  return candidates.find((candidate) => !usedIds.includes(candidate)) ?? id
}

/**
 * Returns a prefix for registration numbers that is not the beginning of another event's prefix, and does not begin
 * with one. Returns null if none is available.
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
      (candidate) => candidate.length >= 3 && isPrefixAvailable(candidate, usedIds),
    ) ?? null
  )
}

const isPrefixAvailable = (prefix: string, usedIds: readonly string[]): boolean =>
  !usedIds.some((other) => other.startsWith(prefix) || prefix.startsWith(other))

/**
 * Returns the prefix of the next event in a series. A prefix that ends with the year of the old id keeps its letters:
 * SEV27 of sevikacon2027 becomes SEV28.
 */
export function findNextPrefix(
  old: { readonly id: string; readonly prefix: string },
  id: string,
  usedIds: readonly string[],
): string | null {
  const [oldYear, year] = [old.id, id].map((name) => /\d\d$/.exec(name)?.[0])
  const prefix =
    oldYear !== undefined && year !== undefined && old.prefix.endsWith(oldYear)
      ? old.prefix.slice(0, -oldYear.length) + year
      : null
  return prefix !== null && isPrefixAvailable(prefix, usedIds) ? prefix : findPrefix(id, usedIds)
}
