/** Imports get numbers of our drawing; the office keeps the old one. What a test finds under which. */
import { join } from 'node:path'
import Database from 'better-sqlite3'

type Four = readonly [string, string, string, string]

/** Four numbers as another system may have counted them. */
export const longNumbers = (prefix: string): Four => [
  `${prefix}1000000000001`,
  `${prefix}1000000000002`,
  `${prefix}1000000000003`,
  `${prefix}1000000000004`,
]

/** The numbers drawn for registrations that had these elsewhere, in the same order. */
export function drawnNumbers(dataDir: string, old: Four): Four {
  const db = new Database(join(dataDir, 'rollcall.db'), { readonly: true })
  const drawn = db.prepare<[string], { reg_no: string }>(
    'SELECT reg_no FROM registrations WHERE former_no = ?',
  )
  const numberOf = (number: string): string => drawn.get(number)?.reg_no ?? `none for ${number}`
  const numbers: Four = [numberOf(old[0]), numberOf(old[1]), numberOf(old[2]), numberOf(old[3])]
  db.close()
  return numbers
}

/** Facts of an imported registration: its registration number was drawn; its transaction ID is the former number. */
export const factsUnder = (
  facts: Readonly<Record<string, string | undefined>>,
  old: string,
  drawn: string,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(facts).map(([name, text]) => [
      name,
      ['Order ID', 'Transaction ID'].includes(name) ? text : text?.replace(old, drawn),
    ]),
  )

/** Facts as they are compared: a long number stands in groups. */
export const withoutGaps = (
  facts: Readonly<Record<string, string>>,
  ...labels: readonly string[]
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(facts).map(([label, value]) => [
      label,
      labels.includes(label) ? value.replaceAll(' ', '') : value,
    ]),
  )
