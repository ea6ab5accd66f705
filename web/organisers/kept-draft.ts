/** Drafts of the organisers' page: one of each kind is kept in the browser when the tab is closed. */
import { formatInstant, readInstant } from '../../engine/index.ts'
import { isRecord } from '../app/json-readers.ts'
import {
  readLasting,
  readStored,
  removeLasting,
  removeStored,
  writeLasting,
  writeStored,
} from '../app/browser-storage.ts'

/** A draft as stored. `isOfTab`: this tab wrote it, so a reload opens it again without asking. */
export type KeptDraft = {
  readonly value: unknown
  /** ISO 8601; null if unknown. */
  readonly savedAt: string | null
  readonly isOfTab: boolean
}

/** Stores a draft for this tab and, in place of an earlier one, for later visits. Null removes both. */
export function keepDraft(name: string, value: unknown): void {
  if (value === null) {
    removeStored(name)
    removeLasting(name)
    return
  }
  const kept = { value, savedAt: new Date().toISOString() }
  // The tab's own draft: another tab may replace the lasting one.
  writeStored(name, kept)
  writeLasting(name, JSON.stringify(kept))
}

/** The draft of this tab, otherwise the last one of this browser. Null if there is none. */
export function findKeptDraft(name: string): KeptDraft | null {
  const ofTab = readStored(name)
  const stored = isRecord(ofTab) ? ofTab : readLastingDraft(name)
  if (!isRecord(stored)) return null
  const { value, savedAt } = stored
  return {
    value,
    savedAt: typeof savedAt === 'string' ? savedAt : null,
    isOfTab: isRecord(ofTab),
  }
}

function readLastingDraft(name: string): unknown {
  try {
    return JSON.parse(readLasting(name) ?? 'null')
  } catch {
    return null
  }
}

/** The time as on the other pages; empty if it is not readable. */
export function formatSavedAt(savedAt: string | null): string {
  const at = savedAt === null ? null : readInstant(savedAt)
  return at === null ? '' : formatInstant(at)
}
