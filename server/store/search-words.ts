/**
 * Substring search over what an office asks for: number, name, email, phone, council number, places. FTS5
 * trigrams need three characters, so every value is preceded by two marks: "ra" from the start is
 * then the trigram mark-r-a. The marks also keep a term from matching across two values.
 */

const mark = '\u0002'
const withoutMarks = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ')

/** Values beside each other, each to be found from its start. */
function searchWords(...values: readonly string[]): string {
  return values
    .filter((value) => value !== '')
    .map((value) => mark + mark + withoutMarks(value))
    .join('')
}

/** What is searched of a registration, as its row has it. */
export type Words = {
  readonly reg_no: string
  readonly former_no: string | null
  readonly full_name: string
  readonly email: string
  readonly phone: string
  readonly council_no: string
  /** JSON. */
  readonly answers: string
}

/** Answers that people ask for by what they name, whatever else an event asks. */
const PLACES =
  /(?:^|_)(?:city|town|district|institut\w*|institution|hospital|college|university|organi[sz]ation|company)(?:_|$)/

/** Everything that somebody may ask for: also a phone number without its spaces, and where somebody comes from. */
export function wordsOf(row: Words): string {
  const { reg_no, former_no, full_name, email, phone, council_no } = row
  const digits = phone.replaceAll(/\D/g, '')
  return searchWords(
    reg_no,
    former_no ?? '',
    full_name,
    email,
    phone,
    digits === phone ? '' : digits,
    council_no,
    ...placesIn(row.answers),
  )
}

function placesIn(answers: string): readonly string[] {
  if (!PLACES_SOMEWHERE.test(answers)) return []
  return Object.entries(JSON.parse(answers) as Record<string, unknown>).flatMap(([id, answer]) =>
    typeof answer === 'string' && PLACES.test(id) ? [answer] : [],
  )
}
/** Cheaper than to read the answers of everybody. */
const PLACES_SOMEWHERE = /city|town|district|institut|hospital|college|university|organi|company/

/** A number as it is printed in groups, and a phone number however it is written. */
const GROUPED = /^[A-Za-z]{2,}[\d\s-]{6,}$/
const PHONE = /^[(+\d][\d\s().-]{7,}$/

/**
 * What is looked for, each of which must stand somewhere; empty: nothing. One or two characters match from the
 * start of a value. Names may stand in any order; a number may be spaced, and a phone number have its country's.
 */
export function searchTerms(text: string): readonly string[] {
  const said = withoutMarks(text).trim()
  if (GROUPED.test(said)) return [said.replaceAll(/[\s-]/g, '')]
  if (PHONE.test(said)) return [said.replaceAll(/\D/g, '').replace(/^(?:0|91)(?=\d{10}$)/, '')]
  const words = said.split(/\s+/).filter((word) => word !== '')
  // Names are turned round; whatever has an initial or a digit in it is looked for as it was typed.
  if (words.every((word) => lengthOf(word) >= 3 && !/\d/.test(word))) return words
  return [lengthOf(said) >= 3 ? said : mark.repeat(3 - lengthOf(said)) + said]
}

const lengthOf = (word: string): number => Array.from(word).length

/** Terms as FTS5's query language has them: phrases, all of which must be there. */
export const ftsQuery = (terms: readonly string[]): string =>
  terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(' AND ')

/** SQL function for rows that are not indexed yet: the terms as JSON, then the columns of `Words`. */
export function containsFolded(terms: unknown, ...columns: readonly unknown[]): 0 | 1 {
  const [reg_no, former_no, full_name, email, phone, council_no, answers] = columns.map(String)
  const words = wordsOf({
    reg_no: reg_no ?? '',
    former_no: former_no ?? '',
    full_name: full_name ?? '',
    email: email ?? '',
    phone: phone ?? '',
    council_no: council_no ?? '',
    answers: answers ?? '{}',
  }).toLowerCase()
  return (JSON.parse(String(terms)) as string[]).every((term) => words.includes(term.toLowerCase()))
    ? 1
    : 0
}
