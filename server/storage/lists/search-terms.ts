/**
 * Builds substring search terms for number, name, email, phone, council number and places.
 * FTS5 trigrams need three characters, so every value is preceded by two marks: "ra" from the start is then the
 * trigram mark-r-a. The marks also keep a term from matching across two values.
 */

import { memoize } from '../../../engine/index.ts'

const mark = '\u0002'
/** Hardly anything has one: looking is cheaper than replacing. */
const CONTROL = /\p{Cc}/u
const withoutMarks = (text: string): string =>
  CONTROL.test(text) ? text.replaceAll(/\p{Cc}/gu, ' ') : text

/** Values beside each other, each to be found from its start. */
function searchWords(values: readonly string[]): string {
  let words = ''
  for (const value of values) if (value !== '') words += mark + mark + withoutMarks(value)
  return words
}

/** The searched data of a registration, as in its row. */
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

/** Returns everything that can be searched, including a phone number without spaces, and places of origin. */
export function wordsOf(row: Words): string {
  const { reg_no, former_no, full_name, email, phone, council_no } = row
  const digits = phone.replaceAll(/\D/g, '')
  // Spaces are taken out of what is looked for, too; each further letter costs a row of the index.
  const isSpaced = SPACED.test(phone)
  return searchWords([
    reg_no,
    former_no ?? '',
    full_name,
    email,
    isSpaced ? '' : phone,
    digits === phone && !isSpaced ? '' : digits,
    council_no,
    ...placesIn(row.answers),
  ])
}

function placesIn(answers: string): readonly string[] {
  if (!PLACES_SOMEWHERE.test(answers)) return []
  const places: string[] = []
  for (const [id, answer] of Object.entries(JSON.parse(answers) as Record<string, unknown>))
    if (typeof answer === 'string' && isPlace(id)) places.push(answer)
  return places
}
/** Events have few fields, and registrations are many. */
const isPlace = memoize((id: string): boolean => PLACES.test(id))
/** Cheaper than to read the answers of everybody. */
const PLACES_SOMEWHERE = /city|town|district|institut|hospital|college|university|organi|company/

/** A number as it is printed in groups, and a phone number however it is written. */
const GROUPED = /^[A-Za-z]{2,}[\d\s-]{6,}$/
const PHONE = /^[(+\d][\d\s().-]{7,}$/
/** Digits, and what stands between those of a phone number only; a council's number may have dashes. */
const SPACED = /^(?=.*\d)[(+\d][\d\s()+]*$/

/**
 * Returns the terms, all of which must match; empty: none. One or two characters match from the start of a value.
 * Names may be in any order; a number may have spaces, and a phone number a country code.
 */
export function searchTerms(text: string): readonly string[] {
  const said = withoutMarks(text).trim()
  if (GROUPED.test(said)) return [said.replaceAll(/[\s-]/g, '')]
  if (PHONE.test(said)) return [said.replaceAll(/\D/g, '').replace(/^(?:0|91)(?=\d{10}$)/, '')]
  if (SPACED.test(said)) return [fromStart(said.replaceAll(/\D/g, ''))]
  const words = said.split(/\s+/).filter((word) => word !== '')
  // Names are turned round; whatever has an initial or a digit in it is looked for as it was typed.
  if (words.every((word) => lengthOf(word) >= 3 && !/\d/.test(word))) return words
  return [fromStart(said)]
}

/** What is too short for the index stands at the start of a value. */
const fromStart = (said: string): string => mark.repeat(Math.max(0, 3 - lengthOf(said))) + said

const lengthOf = (word: string): number => Array.from(word).length

/** Formats terms as an FTS5 query: phrases that must all match. */
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
