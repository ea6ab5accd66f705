/**
 * Builds substring search terms for number, name, email, phone, council number and place names.
 * FTS5 trigrams need three characters, so two marker characters precede every value: "ra" at the start of a value is
 * then the trigram marker-r-a. The markers also prevent a term from matching across two values.
 */

import { memoize, removeTitles } from '../../../engine/index.ts'

const MARKER = '\u0002'
/** Few texts contain control characters, and checking is cheaper than replacing. */
const CONTROL = /\p{Cc}/u
const replaceControlCharacters = (text: string): string =>
  CONTROL.test(text) ? text.replaceAll(/\p{Cc}/gu, ' ') : text

/** Joins values so that each can be found from its start. */
function joinValues(values: readonly string[]): string {
  let text = ''
  for (const value of values)
    if (value !== '') text += MARKER + MARKER + replaceControlCharacters(value)
  return text
}

/** The searched data of a registration, under the names of its columns. */
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

/** Matches fields that staff search by in any event: places and institutions. */
const PLACE_FIELDS =
  /(?:^|_)(?:city|town|district|institut\w*|institution|hospital|college|university|organi[sz]ation|company)(?:_|$)/

/** Returns all searchable text, including the phone number without spaces, and place names. */
export function joinSearchWords(row: SearchableFields): string {
  const { reg_no, former_no, full_name, email, phone, council_no } = row
  const digits = phone.replaceAll(/\D/g, '')
  // Spaces are removed from search terms too, and each additional character costs a row in the index.
  const isSpaced = SPACED_NUMBER.test(phone)
  return joinValues([
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
  const placeNames: string[] = []
  for (const [id, answer] of Object.entries(JSON.parse(answers) as Record<string, unknown>))
    if (typeof answer === 'string' && isPlaceField(id)) placeNames.push(answer)
  return placeNames
}
/** Memoized, because an event has few fields and many registrations. */
const isPlaceField = memoize((id: string): boolean => PLACE_FIELDS.test(id))
/** A quick test that avoids parsing the answers of every registration. */
const PLACE_FIELD_PATTERN = /city|town|district|institut|hospital|college|university|organi|company/

/** Matches a number printed in groups. */
const GROUPED_NUMBER = /^[A-Za-z]{2,}[\d\s-]{6,}$/
const PHONE = /^[(+\d][\d\s().-]{7,}$/
/**
 * Matches digits that are separated only by the separators of a phone number. Dashes are excluded, because a council
 * number may have them.
 */
const SPACED_NUMBER = /^(?=.*\d)[(+\d][\d\s()+]*$/

/**
 * The requirements of a search: terms that must all occur in the words of a registration, and the beginnings of words
 * of its name.
 */
export type Search = { readonly terms: readonly string[]; readonly nameStarts: readonly string[] }

/**
 * Parses a search; an empty one has no terms. Names may be in any order, with a title and initials; a number may have
 * spaces, and a phone number a country code. A search for only one or two characters matches the start of a value.
 */
export function parseSearch(text: string): Search {
  const term = replaceControlCharacters(text).trim()
  const withSingleTerm = (singleTerm: string): Search => ({ terms: [singleTerm], nameStarts: [] })
  if (GROUPED_NUMBER.test(term)) return withSingleTerm(term.replaceAll(/[\s-]/g, ''))
  if (PHONE.test(term))
    return withSingleTerm(term.replaceAll(/\D/g, '').replace(/^(?:0|91)(?=\d{10}$)/, ''))
  if (SPACED_NUMBER.test(term)) return withSingleTerm(padStart(term.replaceAll(/\D/g, '')))
  const words = removeTitles(term.split(/\s+/).filter((word) => word !== '')).flatMap(splitInitials)
  const terms = words.filter((word) => countCharacters(word) >= 3)
  // A term that has a digit, or consists of initials, is searched for as typed.
  if (words.some((word) => /\d/.test(word)) || (terms.length === 0 && words.length > 0))
    return withSingleTerm(padStart(term))
  return { terms, nameStarts: words.filter((word) => !terms.includes(word)) }
}

/** Splits "K.P.Nair" and "Dr.Meera" into words. Other texts with full stops, such as addresses, are not split. */
function splitInitials(word: string): readonly string[] {
  const parts = word.split('.').filter((part) => part !== '')
  return parts.length > 0 && parts.slice(0, -1).every((part) => countCharacters(part) <= 2)
    ? removeTitles(parts)
    : [word]
}

/** Pads a term that is too short for the index, so that it matches the start of a value. */
const padStart = (term: string): string =>
  MARKER.repeat(Math.max(0, 3 - countCharacters(term))) + term

/**
 * Makes a term match only the end of a value. Does not match the last value of a registration, because no markers
 * follow it.
 */
export const matchEndOfValue = (term: string): string => term + MARKER + MARKER

const countCharacters = (word: string): number => Array.from(word).length

/** Formats terms as an FTS5 query of phrases that must all match. */
export const buildFtsQuery = (terms: readonly string[]): string =>
  terms.map((term) => `"${term.replaceAll('"', '""')}"`).join(' AND ')

/**
 * SQL function that returns 1 if a row that is not indexed yet contains all terms. Arguments: the terms as JSON, then
 * the columns of `WORD_COLUMNS`.
 */
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
