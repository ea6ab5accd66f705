/**
 * Substring search over what an office asks for: number, name, email, phone, council number. FTS5
 * trigrams need three characters, so every value is preceded by two marks: "ra" from the start is
 * then the trigram mark-r-a. The marks also keep a term from matching across two values.
 */

const mark = '\u0002'
const withoutMarks = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ')

/** What is indexed, and what the scan of the tail looks in. */
export function searchWords(...values: readonly string[]): string {
  return values
    .filter((value) => value !== '')
    .map((value) => mark + mark + withoutMarks(value))
    .join('')
}

/** A term as it is looked for; null: nothing to look for. One or two characters match from the start of a value. */
export function searchTerm(text: string): string | null {
  const term = withoutMarks(text).trim()
  if (term === '') return null
  const length = Array.from(term).length
  return length >= 3 ? term : mark.repeat(3 - length) + term
}

/** A term as FTS5's query language has it: one phrase. */
export const ftsPhrase = (term: string): string => `"${term.replaceAll('"', '""')}"`

/** SQL function for rows that are not indexed yet. */
export function containsFolded(term: unknown, ...values: readonly unknown[]): 0 | 1 {
  return searchWords(...values.map(String))
    .toLowerCase()
    .includes(String(term).toLowerCase())
    ? 1
    : 0
}
