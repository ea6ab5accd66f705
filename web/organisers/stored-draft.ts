/** Drafts of the organisers' page. The browser keeps one of each kind when the tab is closed. */
import { formatInstant, readInstant } from '../../engine/index.ts'
import { isRecord } from '../app/json-readers.ts'
import {
  readPersistentItem,
  readTabItem,
  removePersistentItem,
  removeTabItem,
  writePersistentItem,
  writeTabItem,
} from '../app/browser-storage.ts'

/** A stored draft. If this tab stored it (`isFromThisTab`), a reload opens it without a question. */
export type StoredDraft = {
  readonly value: unknown
  /** ISO 8601; null if unknown. */
  readonly savedAt: string | null
  readonly isFromThisTab: boolean
}

/** Stores a draft for this tab and, in place of any earlier draft, for later visits. Null removes both. */
export function storeDraft(name: string, value: unknown): void {
  if (value === null) {
    removeTabItem(name)
    removePersistentItem(name)
    return
  }
  const draft = { value, savedAt: new Date().toISOString() }
  // Also stored for this tab, because another tab may replace the persistent draft.
  writeTabItem(name, draft)
  writePersistentItem(name, JSON.stringify(draft))
}

/** Returns this tab's draft, or else the latest draft stored in the browser. Null if there is none. */
export function loadStoredDraft(name: string): StoredDraft | null {
  const tabDraft = readTabItem(name)
  const stored = isRecord(tabDraft) ? tabDraft : readPersistentDraft(name)
  if (!isRecord(stored)) return null
  const { value, savedAt } = stored
  return {
    value,
    savedAt: typeof savedAt === 'string' ? savedAt : null,
    isFromThisTab: isRecord(tabDraft),
  }
}

function readPersistentDraft(name: string): unknown {
  try {
    return JSON.parse(readPersistentItem(name) ?? 'null')
  } catch {
    return null
  }
}

/** Formats the time as on other pages. Empty if it cannot be read. */
export function formatSavedAt(savedAt: string | null): string {
  const time = savedAt === null ? null : readInstant(savedAt)
  return time === null ? '' : formatInstant(time)
}
