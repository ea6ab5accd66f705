/** The browser's history on the organisers' page: its Back button returns to the question before, and to the first page. */
import { useEffect, useRef } from 'react'
import { isRecord } from '../../app/json-readers.ts'

/** What an entry shows. Null for the first page of the organisers. `before`: the question that the entry before shows. */
export type HistoryPlace =
  | { readonly is: 'question'; readonly name: string; readonly before: string | null }
  | { readonly is: 'file' }

const KEY = 'organisers'

/** Adds an entry. */
export function openInHistory(place: HistoryPlace): void {
  const state: unknown = history.state
  history.pushState({ ...(isRecord(state) ? state : {}), [KEY]: place }, '')
}

/** What the current entry shows. */
export function readPlace(): HistoryPlace | null {
  const state: unknown = history.state
  const place = isRecord(state) ? state[KEY] : null
  if (!isRecord(place)) return null
  if (place['is'] === 'file') return { is: 'file' }
  const { name, before } = place
  return typeof name === 'string'
    ? { is: 'question', name, before: typeof before === 'string' ? before : null }
    : null
}

/** Goes back if the entry before shows this question; false if it does not. */
export function goBackInHistory(name: string): boolean {
  const place = readPlace()
  if (place?.is !== 'question' || place.before !== name) return false
  history.back()
  return true
}

/** Calls `show` when the user moves in the history. */
export function useHistoryPlace(show: (place: HistoryPlace | null) => void): void {
  const latest = useRef(show)
  useEffect(() => {
    latest.current = show
  })
  useEffect(() => {
    const listen = () => latest.current(readPlace())
    addEventListener('popstate', listen)
    return () => removeEventListener('popstate', listen)
  }, [])
}
