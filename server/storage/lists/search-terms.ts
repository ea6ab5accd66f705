/**
 * Builds substring search terms for number, name, email, phone, council number and places.
 * FTS5 trigrams need three characters, so every value is preceded by two marks: "ra" from the start is then the
 * trigram mark-r-a. The marks also keep a term from matching across two values.
 */

import { memoize, removeTitles } from '../../../engine/index.ts'

const mark = '\u0002'
/** Few texts have one: checking is cheaper than replacing. */
const CONTROL = /\p{Cc}/u
const removeAccents = (text: string): string =>
  CONTROL.test(text) ? text.replaceAll(/\p{Cc}/gu, ' ') : text

/** Adjacent values, each of which can be found from its start. */
function searchWords(values: readonly string[]): string {
  let text = ''
  for (const value of values) if (value !== '') text += mark + mark + removeAccents(value)
  return text
}

/** The searched data of a registration, as in its row. */
export type SearchableFields = {
  readonly reg_no: string
  readonly former_no: string | null
  readonly full_name: string
  readonly email: string
  readonly phone: string
  readonly council_no: string
  /** JSON. */
  readonly answers: string
}

/** Fields whose meaning staff search by, in any event. */
const PLACE_FIELDS =
  /(?:^|_)(?:city|town|district|institut\w*|institution|hospital|college|university|organi[sz]ation|company)(?:_|$)/

/** Returns all searchable text, including a phone number without spaces, and places of origin. */
export function joinSearchWords(row: SearchableFields): string {
  const { reg_no, former_no, full_name, email, phone, council_no } = row
  const digits = phone.replaceAll(/\D/g, '')
  // Spaces are removed from search terms too; each further character costs a row of the index.
  const isSpaced = SPACED_NUMBER.test(phone)
  return searchWords([
    reg_no,
    former_no ?? '',
    full_name,
    email,
    isSpaced ? '' : phone,
    digits === phone && !isSpaced ? '' : digits,
    council_no,
    ...findPlaceNames(row.answers),
  ])
}

function findPlaceNames(answers: string): readonly string[] {
  if (!PLACE_FIELD_PATTERN.test(answers)) return []
  const found: string[] = []
  for (const [id, answer] of Object.entries(JSON.parse(answers) as Record<string, unknown>))
    if (typeof answer === 'string' && isPlaceField(id)) found.push(answer)
  return found
}
/** Events have few fields, but many registrations. */
const isPlaceField = memoize((id: string): boolean => PLACE_FIELDS.test(id))
/** Cheaper than parsing the answers of every registration. */
const PLACE_FIELD_PATTERN = /city|town|district|institut|hospital|college|university|organi|company/

/** Match a number printed in groups, or a phone number in any format. */
const GROUPED_NUMBER = /^[A-Za-z]{2,}[\d\s-]{6,}$/
const PHONE = /^[(+\d][\d\s().-]{7,}$/
/** Matches digits with the separators of a phone number only: a council's number may have dashes. */
const SPACED_NUMBER = /^(?=.*\d)[(+\d][\d\s()+]*$/

/**
 * The requirements of a search: terms that must all be in the words of a registration, and starts of words of its
 * name.
 */
export type Search = { readonly terms: readonly string[]; readonly nameStarts: readonly string[] }

/**
 * Reads a search; an empty one has no terms. Names may be in any order, with a title and initials; a number may have
 * spaces, and a phone number a country code. One or two characters alone match from the start of a value.
 */
export function readSearch(text: string): Search {
  const term = removeAccents(text).trim()
  const only = (found: string): Search => ({ terms: [found], nameStarts: [] })
  if (GROUPED_NUMBER.test(term)) return only(term.replaceAll(/[\s-]/g, ''))
  if (PHONE.test(term)) return only(term.replaceAll(/\D/g, '').replace(/^(?:0|91)(?=\d{10}$)/, ''))
  if (SPACED_NUMBER.test(term)) return only(padStart(term.replaceAll(/\D/g, '')))
  const words = removeTitles(term.split(/\s+/).filter((word) => word !== '')).flatMap(splitInitials)
  const terms = words.filter((word) => countCharacters(word) >= 3)
  // A text with a digit, or of initials alone, is searched for as typed.
  if (words.some((word) => /\d/.test(word)) || (terms.length === 0 && words.length > 0))
    return only(padStart(term))
  return { terms, nameStarts: words.filter((word) => !terms.includes(word)) }
}

/** Splits "K.P.Nair" and "Dr.Meera" into words. Other texts with full stops, such as addresses, stay whole. */
function splitInitials(word: string): readonly string[] {
  const parts = word.split('.').filter((part) => part !== '')
  return parts.length > 0 && parts.slice(0, -1).every((part) => countCharacters(part) <= 2)
    ? removeTitles(parts)
    : [word]
}

/** Terms that are too short for the index match at the start of a value. */
const padStart = (term: string): string =>
  mark.repeat(Math.max(0, 3 - countCharacters(term))) + term

/** Makes a term match only the end of a value. Only the last value of a registration has no marks after it. */
export const endOfValue = (term: string): string => term + mark + mark

const countCharacters = (word: string): number => Array.from(word).length

/** Formats terms as an FTS5 query: phrases that must all match. */
export const buildFtsQuery = (terms: readonly string[]): string =>
  terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(' AND ')

/** SQL function for rows that are not indexed yet: the terms as JSON, then the columns of `WORD_COLUMNS`. */
export function containsFolded(terms: unknown, ...columns: readonly unknown[]): 0 | 1 {
  const [reg_no, former_no, full_name, email, phone, council_no, answers] = columns.map(String)
  const words = joinSearchWords({
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
