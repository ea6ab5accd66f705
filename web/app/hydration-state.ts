/** The hydration state of a page: server-rendered, interactive, or idle. */
import { useEffect, useLayoutEffect, useState } from 'react'

let isHydrated = false
/** Marks the page as hydrated. Called before rendering a page without server rendering. */
export function markHydrated(): void {
  isHydrated = true
}

/**
 * Returns false on the server and during hydration, otherwise true. Changes synchronously with hydration, so that
 * buttons stay enabled when the page takes over from the pre-hydration script.
 */
export function useIsLive(): boolean {
  const [isLive, setLive] = useState(isHydrated)
  useLayoutEffect(() => {
    markHydrated()
    setLive(true)
  }, [])
  return isLive
}

/** The time in milliseconds within which a hydrated page finishes rendering. */
const IDLE_DELAY_MS = 300

/** Runs deferrable work when the page is idle. Returns a function that cancels it. */
export function runWhenIdle(run: () => void): () => void {
  const timer = setTimeout(run, IDLE_DELAY_MS)
  return () => clearTimeout(timer)
}

/** Returns false until the page is interactive and idle. */
export function useIsIdle(): boolean {
  const [isIdle, setIdle] = useState(false)
  useEffect(() => runWhenIdle(() => setIdle(true)), [])
  return isIdle
}
