/** Finds texts in a fee table that are not categories, and words a question about each. */
import type { Currency } from '../../../../lib/money.ts'
import { readPrice } from '../prices.ts'
import { isPeriodHeading, splitTime } from './days.ts'
import type { FeeRow, FeeTable } from './parts.ts'

const EXTRA_WORDS =
  /\b(dinner|banquet|gala|lunch|workshops?|master ?class|hands[- ]on|cme|tours?|sightseeing|excursion|hotel|rooms?|accommodation|per night|stalls?|kit|souvenir|cruise)\b/i
const WORKSHOP_WORDS =
  /\b(workshops?|master ?class(?:es)?|hands[- ]on|courses?|cmes?|tutorials?|add[- ]?ons?)\b/i
const EXTRAS_TITLE_WORDS =
  /\b(dinner|banquet|gala|tours?|sightseeing|excursions?|hotels?|accommodation|stalls?|souvenirs?|cruise|extras|optional)\b/i
/** The maximum number of words in a title. A longer note is a sentence. */
const MAX_TITLE_WORDS = 8
/** Matches the title of a group of categories: "Members". */
export const GROUP_TITLE =
  /\b(members?|non[- ]?members?|delegates?|students?|pgs?|post ?graduates?|residents?|faculty|doctors?|consultants?|nurses?|trainees?|interns?|ugs?|indian?s?|foreign\w*|overseas|international|saarc|national)\b/i
/** "Delegate with dinner", "Conference + CME": the delegate's price includes the extra. */
const INCLUDED_EXTRA_WORDS = /(?:\+|&|\b(?:with|without|incl\w*|excl\w*|and|plus|non)\b)/i
const SEVERAL_PERSONS_WORDS =
  /\b(corporates?|couples?|famil(?:y|ies)|groups?)\b|\b\d+\s*(?:delegates|persons|people|pax|members|participants)\b/i

const OTHER_TAX = /\b(vat|mwst|ust|iva|tva|sales tax)\b/i

export const ACCOMPANYING_WORDS = /\b(accompan\w*|spouses?)\b/i
/** An age, a number, or words in brackets. */
export const CONDITION =
  /\d|\b(?:above|below|under|over|child\w*|years|yrs|age\w*)\b|\((?!\s*(?:s|each|per (?:person|head))\s*\))/i

const LEADING_MARK = /^[*†‡#]+\s*\S/
const TRAILING_MARK = /[*†‡#]+$/
/** Returns the labels that have a footnote mark but no footnote among the notes. */
export const listUnexplainedMarks = (
  labels: readonly string[],
  notes: readonly string[],
): readonly string[] =>
  labels.filter((label) => {
    const [mark] = TRAILING_MARK.exec(label) ?? []
    return mark !== undefined && !notes.some((note) => note.startsWith(mark))
  })

const mentionsExtra = (words: RegExp, text: string): boolean => {
  const found = words.exec(text)
  return found !== null && !INCLUDED_EXTRA_WORDS.test(text.slice(0, found.index))
}
const isExtra = (label: string): boolean => mentionsExtra(EXTRA_WORDS, label)
const isTitle = (text: string): boolean => text.split(' ').length <= MAX_TITLE_WORDS

/** Returns true for the title of a list of workshops. */
export const namesWorkshops = (title: string): boolean =>
  isTitle(title) && mentionsExtra(WORKSHOP_WORDS, title)
/** Returns true for the title of a list of other extras, such as "Accommodation". */
export const namesExtras = (title: string): boolean =>
  isTitle(title) && mentionsExtra(EXTRAS_TITLE_WORDS, title)
const needsQuestion = ({ label }: FeeRow): boolean =>
  isExtra(label) || SEVERAL_PERSONS_WORDS.test(label) || ACCOMPANYING_WORDS.test(label)

/** Moves rows that are probably not categories, with their prices, to the notes. */
export function moveExtrasToNotes<Table extends FeeTable>(fees: Table): Table {
  const extraRows = fees.rows.filter(needsQuestion)
  // If all rows contain such a word, it describes the whole event: "CME – Member".
  if (extraRows.length === 0 || extraRows.length === fees.rows.length) return fees
  return {
    ...fees,
    rows: fees.rows.filter((row) => !extraRows.includes(row)),
    notes: [...fees.notes, ...extraRows.map(formatNote)],
  }
}

const formatNote = ({ label, cells }: FeeRow): string =>
  `${label} = ${cells.join(' / ').replaceAll('/-', '')}`

/** Matches the end of a note about a row from another table, which has its own heading. */
const BELOW_HEADING = / \[below “(.*)”\]$/

/** Returns the note about a row of another table. */
export const formatNoteBelow = (row: FeeRow, heading: string): string =>
  `${formatNote(row)} [below “${heading}”]`

/** Moves accompanying persons to their own answer, because they accompany a delegate and are not a category. */
export function extractCompanions(
  fees: FeeTable,
  currency: Currency,
): FeeTable & { readonly companions: string | null } {
  const row = fees.rows.find(({ label }) => ACCOMPANYING_WORDS.test(label))
  const prices = row?.cells.map((cell) => readPrice(cell, currency)) ?? []
  if (row === undefined || fees.rows.length === 1 || prices.some((price) => price == null))
    return { ...fees, companions: null }
  return {
    ...fees,
    rows: fees.rows.filter((other) => other !== row),
    // The price is entered on another card, so a condition such as an age must be entered there, too.
    notes: CONDITION.test(row.label) ? [...fees.notes, row.label] : fees.notes,
    companions: row.cells.join(' / ').replaceAll(/\/-/g, ''),
  }
}

/** Returns the row for a note that the organiser adds as a category. */
export function readNote(text: string, periods: number): FeeRow {
  const note = text.replace(BELOW_HEADING, '')
  const separatorIndex = note.lastIndexOf(' = ')
  const prices = separatorIndex < 0 ? [] : note.slice(separatorIndex + 3).split(' / ')
  return {
    label: separatorIndex < 0 ? note : note.slice(0, separatorIndex),
    cells: Array.from({ length: periods }, (_, index) => prices[index] ?? ''),
  }
}

/** The possible meanings of a note. The organiser can also leave it out. */
export type NoteMeaning = 'category' | 'workshop' | 'companion'
/** The question about a note, with the possible meanings. The most likely one comes first. */
export type NoteQuestion = { readonly message: string; readonly meanings: readonly NoteMeaning[] }

export function explainNote(note: string): NoteQuestion {
  // A row with prices may be a category, whatever its name.
  const { label } = readNote(note, 0)
  const [, heading] = BELOW_HEADING.exec(note) ?? []
  const remark = label === note ? explainRemark(note) : null
  if (remark !== null) return { message: remark, meanings: [] }
  return {
    message:
      heading === undefined
        ? askForMeaning(note)
        : `“${note.replace(BELOW_HEADING, '')}” is not below the heading of the fees, but below “${heading}”. What is it? Compare its prices after you have moved it.`,
    meanings:
      label === note
        ? ['category']
        : ACCOMPANYING_WORDS.test(label)
          ? ['companion', 'category', 'workshop']
          : isExtra(label)
            ? ['workshop', 'category', 'companion']
            : ['category', 'workshop', 'companion'],
  }
}

/** Explains a note that is certainly not a category. */
function explainRemark(note: string): string | null {
  const { time } = splitTime(note)
  if (time !== null && isPeriodHeading(note))
    return `“${note}” states a time. Prices change only at the end of a day, at midnight in India, so “${time}” is ignored. Check the last day, then leave this out.`
  if (ACCOMPANYING_WORDS.test(note) && CONDITION.test(note))
    return `“${note}” has a condition that was not read. Leave it out here, and enter it with the price of an accompanying person, such as 4000, free under 10.`
  const columns = / \(columns\)$/.exec(note)
  if (columns !== null)
    return `The columns “${note.slice(0, columns.index)}” were not read, because they are not 18% GST on the preceding fee and the total. Check the prices, then leave this out.`
  if (LEADING_MARK.test(note))
    return `“${note}” is a footnote, which cannot be stored here. Leave it out here. If it affects the prices, add it to the file later.`
  if (TRAILING_MARK.test(note))
    return `“${note}” has a footnote mark, but the footnote is not in the table. Leave this out. If the footnote affects the prices, add it to the file later.`
  if (OTHER_TAX.test(note))
    return `“${note}” mentions a tax other than GST at 18%. Leave it out here. If the prices are not in rupees, a separate question asks about tax. Otherwise, add the tax to the file later.`
  return null
}

function askForMeaning(note: string): string {
  const { label } = readNote(note, 0)
  if (label !== note && ACCOMPANYING_WORDS.test(label))
    return `“${note}” is about accompanying persons. A separate question asks about them. Move it there, or add it as a category if these persons register alone.`
  if (label !== note && isExtra(label))
    return `“${note}” looks like an extra, such as a workshop or a dinner, not a category of delegates. If it is an extra, move it to the workshops.`
  if (label !== note)
    return `“${note}” looks like a price for several persons, but each delegate registers alone. If one person pays it, add it as a category; otherwise leave it out.`
  return `“${note}” has no prices. If it is a category, add it as a row, then remove it here.`
}
