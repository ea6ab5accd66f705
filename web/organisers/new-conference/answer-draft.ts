/** Stores the answers about a new conference in this browser. Does not load the checker, which is large. */
import { readCurrency } from '../../../engine/index.ts'
import type { FeeTable, ItemTable } from '../../../engine/authoring.ts'
import { hasAll, isRecord } from '../../app/json-readers.ts'
import { loadStoredDraft, storeDraft } from '../stored-draft.ts'

/** The texts that the organiser has typed. */
export type AnswerTexts = {
  /** Keyed by question. */
  readonly texts: Readonly<Record<string, string | undefined>>
  readonly fees: FeeTable
  readonly workshops: ItemTable
  readonly companions: ItemTable
}
/** `at` is the name of the question that is shown. */
export type AnswerDraft = AnswerTexts & {
  readonly at: string
  /** True if the questions are shown. Otherwise the draft waits until the organiser continues. */
  readonly isOpen: boolean
}
/** `savedAt`: ISO 8601; null if unknown. */
type StoredAnswers = { readonly draft: AnswerDraft; readonly savedAt: string | null }

const STORAGE_NAME = 'answers about a new conference'

/** Serialises the answers. Equal answers give the same string, even if different questions are open. */
export const serialiseAnswers = ({ texts, fees, workshops, companions }: AnswerDraft): string =>
  JSON.stringify([texts, fees, workshops, companions])

export function saveAnswers(draft: AnswerDraft | null): void {
  storeDraft(STORAGE_NAME, draft)
}

/** Reads the confirmed messages, which are absent if an earlier version of the page stored none. */
const readConfirmed = (value: unknown): Pick<FeeTable, 'confirmed'> =>
  Array.isArray(value) ? { confirmed: value.map(readText) } : {}

const readText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Reads a table of items; it is empty if an earlier version of the page stored none. */
function readItemTable(value: unknown): ItemTable {
  const { rows, notes, isByPeriod, seatsAsked, confirmed } = isRecord(value) ? value : {}
  return {
    rows: (Array.isArray(rows) ? rows : []).flatMap((row) =>
      isRecord(row) && Array.isArray(row['cells'])
        ? [
            {
              label: readText(row['label']),
              category: readText(row['category']),
              cells: row['cells'].map(readText),
              number: readText(row['number']),
            },
          ]
        : [],
    ),
    notes: (Array.isArray(notes) ? notes : []).map(readText),
    isByPeriod: isByPeriod === true,
    ...(seatsAsked === true ? { seatsAsked } : {}),
    ...readConfirmed(confirmed),
  }
}

/**
 * Returns the stored draft, which is open only in the tab that stored it. Null if there is none, or if an earlier
 * version of the page stored it in another format.
 */
export function loadAnswers(): StoredAnswers | null {
  const storedDraft = loadStoredDraft(STORAGE_NAME)
  if (storedDraft === null || !isRecord(storedDraft.value)) return null
  const { texts, fees, at, isOpen } = storedDraft.value
  if (typeof at !== 'string' || !isRecord(texts) || !isRecord(fees)) return null
  const { columns, rows, notes } = fees
  const currency = readCurrency(fees['currency'])
  const currencyAsked = readCurrency(fees['currencyAsked'])
  if (!Array.isArray(columns) || !Array.isArray(rows) || !Array.isArray(notes)) return null
  const draft = {
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
      ...readConfirmed(fees['confirmed']),
      ...(currency === null ? {} : { currency }),
      ...(currencyAsked === null ? {} : { currencyAsked }),
    },
    workshops: readItemTable(storedDraft.value['workshops']),
    companions: readItemTable(storedDraft.value['companions']),
    at,
    isOpen: isOpen === true && storedDraft.isFromThisTab,
  }
  return { draft, savedAt: storedDraft.savedAt }
}
