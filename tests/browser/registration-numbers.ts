/** Registration numbers of imported registrations: Rollcall assigns new ones and stores the former ones. */
import { join } from 'node:path'
import Database from 'better-sqlite3'

type FourNumbers = readonly [string, string, string, string]

/** Returns four registration numbers in the format of another system. */
export const buildNumbers = (prefix: string): FourNumbers => [
  `${prefix}1000000000001`,
  `${prefix}1000000000002`,
  `${prefix}1000000000003`,
  `${prefix}1000000000004`,
]

/** Returns the numbers assigned to the registrations with these former numbers, in the same order. */
export function readNumbers(dataDir: string, formerNumbers: FourNumbers): FourNumbers {
  const db = new Database(join(dataDir, 'rollcall.db'), { readonly: true })
  const statement = db.prepare<[string], { reg_no: string }>(
    'SELECT reg_no FROM registrations WHERE former_no = ?',
  )
  const findNumber = (number: string): string =>
    statement.get(number)?.reg_no ?? `none for ${number}`
  const numbers: FourNumbers = [
    findNumber(formerNumbers[0]),
    findNumber(formerNumbers[1]),
    findNumber(formerNumbers[2]),
    findNumber(formerNumbers[3]),
  ]
  db.close()
  return numbers
}

/**
 * Replaces the former registration number in the page data of an imported registration, except in the order and
 * transaction ID, which keep the former number.
 */
export const replaceNumber = (
  details: Readonly<Record<string, string | undefined>>,
  formerNumber: string,
  assignedNumber: string,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(details).map(([name, text]) => [
      name,
      ['Order ID', 'Transaction ID'].includes(name)
        ? text
        : text?.replace(formerNumber, assignedNumber),
    ]),
  )

/** Removes the spaces from long numbers, which are displayed in groups. */
export const removeGaps = (
  details: Readonly<Record<string, string>>,
  ...labels: readonly string[]
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(details).map(([label, value]) => [
      label,
      labels.includes(label) ? value.replaceAll(' ', '') : value,
    ]),
  )
