/** The answers about a new conference as they are kept in this browser tab; without the checker, which is large. */
import type { FeeTable } from '../../../engine/authoring.ts'
import { hasAll, isRecord } from '../../app/json-readers.ts'
import { readStored, removeStored, writeStored } from '../../app/browser-storage.ts'

/** Texts as typed, by question; the table of fees has its own structure. `at`: the question that is shown. */
export type AnswerDraft = {
  readonly texts: Readonly<Record<string, string | undefined>>
  readonly fees: FeeTable
  readonly at: string
  /** The questions are shown. Otherwise the draft waits until the organiser continues. */
  readonly isOpen: boolean
}

const STORAGE_NAME = 'answers about a new conference'

export function saveAnswers(draft: AnswerDraft | null): void {
  if (draft === null) removeStored(STORAGE_NAME)
  else writeStored(STORAGE_NAME, draft)
}

/** Null if there is none, or an earlier version of the page stored it differently. */
export function loadAnswers(): AnswerDraft | null {
  const stored = readStored(STORAGE_NAME)
  if (!isRecord(stored)) return null
  const { texts, fees, at, isOpen } = stored
  if (typeof at !== 'string' || !isRecord(texts) || !isRecord(fees)) return null
  const { columns, rows, notes } = fees
  if (!Array.isArray(columns) || !Array.isArray(rows) || !Array.isArray(notes)) return null
  const readText = (value: unknown): string => (typeof value === 'string' ? value : '')
  return {
    texts: Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, readText(value)])),
    fees: {
      columns: columns.flatMap((column) =>
        isRecord(column) && hasAll(column, 'string', 'label', 'from', 'to')
          ? [
              {
                label: String(column['label']),
                from: String(column['from']),
                to: String(column['to']),
              },
            ]
          : [],
      ),
      rows: rows.flatMap((row) =>
        isRecord(row) && Array.isArray(row['cells'])
          ? [{ label: readText(row['label']), cells: row['cells'].map(readText) }]
          : [],
      ),
      notes: notes.map(readText),
    },
    at,
    isOpen: isOpen === true,
  }
}
