/** Browser history of the organisers' page: Back returns to the previous question or to the first page. */
import { useEffect, useRef } from 'react'
import { isRecord } from '../../app/json-readers.ts'

/**
 * The content of an entry; null for the first page of the organisers. `before` is the question of the previous entry.
 */
export type HistoryEntry =
  | { readonly is: 'question'; readonly name: string; readonly before: string | null }
  | { readonly is: 'file' }

const KEY = 'organisers'

/** Adds an entry. */
export function pushHistoryEntry(historyEntry: HistoryEntry): void {
  const state: unknown = history.state
  history.pushState({ ...(isRecord(state) ? state : {}), [KEY]: historyEntry }, '')
}

/** Returns the content of the current entry. */
export function readHistoryEntry(): HistoryEntry | null {
  const state: unknown = history.state
  const historyEntry = isRecord(state) ? state[KEY] : null
  if (!isRecord(historyEntry)) return null
  if (historyEntry['is'] === 'file') return { is: 'file' }
  const { name, before } = historyEntry
  return typeof name === 'string'
    ? { is: 'question', name, before: typeof before === 'string' ? before : null }
    : null
}

/** Goes back and returns true if the previous entry shows this question; otherwise returns false. */
export function goBackInHistory(name: string): boolean {
  const historyEntry = readHistoryEntry()
  if (historyEntry?.is !== 'question' || historyEntry.before !== name) return false
  history.back()
  return true
}

/** Calls `show` when the user moves in the history. */
export function useHistoryEntry(show: (historyEntry: HistoryEntry | null) => void): void {
  const latestShow = useRef(show)
  useEffect(() => {
    latestShow.current = show
  })
  useEffect(() => {
    const listen = () => latestShow.current(readHistoryEntry())
    addEventListener('popstate', listen)
    return () => removeEventListener('popstate', listen)
  }, [])
}
