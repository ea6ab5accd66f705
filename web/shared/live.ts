/** Whether a page is as the server drew it, or answers; and whether it has nothing better to do. */
import { useEffect, useLayoutEffect, useState } from 'react'

let isTaken = false
/** Told before a page is drawn that the server has not drawn. */
export function goLive(): void {
  isTaken = true
}

/**
 * False on the server and while React takes over what that has drawn; from then on, and everywhere else, true.
 * It becomes so in the breath of the takeover, so that no button is shut between the script that came ahead
 * and this one.
 */
export function useIsLive(): boolean {
  const [isLive, setLive] = useState(isTaken)
  useLayoutEffect(() => {
    goLive()
    setLive(true)
  }, [])
  return isLive
}

/** Runs when nothing else is to be done, at the latest after `waits`; where a browser cannot tell, soon. */
export function whenIdle(run: () => void, waits: number): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(run)
    return () => clearTimeout(timer)
  }
  const asked = requestIdleCallback(run, { timeout: waits })
  return () => cancelIdleCallback(asked)
}

/** How long what can wait does so where a page never rests. */
export const REST_MS_MAX = 2_000

/** False until the page has answered and come to rest. */
export function useIsAtRest(): boolean {
  const [isAtRest, setAtRest] = useState(false)
  useEffect(() => whenIdle(() => setAtRest(true), REST_MS_MAX), [])
  return isAtRest
}
