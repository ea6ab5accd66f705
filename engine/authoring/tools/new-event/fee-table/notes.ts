/** Parts of a fee table that are no category of delegates, and the question about each. */
import { isPeriodHeading, splitTime } from './days.ts'
import type { FeeRow, FeeTable } from './parts.ts'

const EXTRA =
  /\b(dinner|banquet|gala|lunch|workshops?|master ?class|hands[- ]on|cme|tours?|sightseeing|excursion|hotel|rooms?|accommodation|per night|stalls?|kit|souvenir|cruise)\b/i
/** "Delegate with dinner", "Conference + CME": the extra is part of what a delegate pays. */
const WITH_EXTRA = /(?:\+|&|\b(?:with|without|incl\w*|excl\w*|and|plus|non)\b)/i
const SEVERAL_PERSONS =
  /\b(corporates?|couples?|famil(?:y|ies)|groups?)\b|\b\d+\s*(?:delegates|persons|people|pax|members|participants)\b/i

const OTHER_TAX = /\b(vat|mwst|ust|iva|tva|sales tax)\b/i

export const ACCOMPANYING = /\b(accompan\w*|spouses?)\b/i
/** An age, a number or words in brackets. */
export const CONDITION =
  /\d|\b(?:above|below|under|over|child\w*|years|yrs|age\w*)\b|\((?!\s*(?:s|each|per (?:person|head))\s*\))/i

const MARK_BEFORE = /^[*†‡#]+\s*\S/
const MARK_BEHIND = /[*†‡#]+$/
/** Returns the labels with a mark whose footnote is not among the notes. */
export const listUnexplainedMarks = (
  labels: readonly string[],
  notes: readonly string[],
): readonly string[] =>
  labels.filter((label) => {
    const [mark] = MARK_BEHIND.exec(label) ?? []
    return mark !== undefined && !notes.some((note) => note.startsWith(mark))
  })

const isExtra = (label: string): boolean => {
  const found = EXTRA.exec(label)
  return found !== null && !WITH_EXTRA.test(label.slice(0, found.index))
}
const isAsked = ({ label }: FeeRow): boolean =>
  isExtra(label) || SEVERAL_PERSONS.test(label) || ACCOMPANYING.test(label)

/** Moves rows that are probably no category to the notes, with their prices. */
export function askAboutExtras<Table extends FeeTable>(fees: Table): Table {
  const asked = fees.rows.filter(isAsked)
  // If all rows have such a word, it is about the whole event: "CME – Member".
  if (asked.length === 0 || asked.length === fees.rows.length) return fees
  return {
    ...fees,
    rows: fees.rows.filter((row) => !asked.includes(row)),
    notes: [...fees.notes, ...asked.map(writeNote)],
  }
}

const writeNote = ({ label, cells }: FeeRow): string =>
  `${label} = ${cells.join(' / ').replaceAll('/-', '')}`

/** The row that a note becomes if the organiser adds it as a category. */
export function readNote(note: string, periods: number): FeeRow {
  const at = note.lastIndexOf(' = ')
  const prices = at < 0 ? [] : note.slice(at + 3).split(' / ')
  return {
    label: at < 0 ? note : note.slice(0, at),
    cells: Array.from({ length: periods }, (_, index) => prices[index] ?? ''),
  }
}

/** The question about a note, and whether the answer can be that it is a category. */
export type NoteQuestion = { readonly says: string; readonly isMaybeCategory: boolean }

export function explainNote(note: string): NoteQuestion {
  // A row with prices can be a category, whatever its name says.
  const about = note.includes(' = ') ? null : explainRemark(note)
  return about === null
    ? { says: askForMeaning(note), isMaybeCategory: true }
    : { says: about, isMaybeCategory: false }
}

/** Explains a note that is certainly no category. */
function explainRemark(note: string): string | null {
  const { time } = splitTime(note)
  if (time !== null && isPeriodHeading(note))
    return `“${note}” states a time. A price changes only at the end of a day, at midnight in India, so “${time}” is not kept. Check the last day, then leave this out.`
  if (ACCOMPANYING.test(note) && CONDITION.test(note))
    return `“${note}” has a condition that was not read. Leave it out here, and write it with the price of an accompanying person, such as 4000, free under 10.`
  const columns = / \(columns\)$/.exec(note)
  if (columns !== null)
    return `The columns “${note.slice(0, columns.index)}” were not read: they are not 18% GST of the fee before them and the sum. Check the prices, then leave this out.`
  if (MARK_BEFORE.test(note))
    return `“${note}” is a footnote, which is not taken over. Leave it out here; if it decides who pays what, add it to the file later.`
  if (MARK_BEHIND.test(note))
    return `“${note}” has a mark, but the text that it refers to is not in the table. If that text decides who pays what, add it to the file later; leave this out.`
  if (OTHER_TAX.test(note))
    return `“${note}” is about a tax that these questions do not know: they know GST of 18%. Leave it out here, and add the tax to the file later.`
  return null
}

function askForMeaning(note: string): string {
  const { label } = readNote(note, 0)
  if (label !== note && ACCOMPANYING.test(label))
    return `“${note}” is about accompanying persons, who have a question of their own. Leave it out here and write the price there, or add it as a category if these persons register alone.`
  if (label !== note && isExtra(label))
    return `“${note}” looks like an extra, such as a workshop or a dinner, and not like a category of delegates. If it is an extra, leave it out here and enter it with the workshops.`
  if (label !== note)
    return `“${note}” looks like a price for several persons, but each delegate registers alone. If one person pays it, add it as a category; otherwise leave it out.`
  return `“${note}” has no prices. If it is a category, add it as a row; then remove it here.`
}
