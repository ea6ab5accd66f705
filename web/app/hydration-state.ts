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

/** By then a page that has been taken over has drawn what it had to. */
const REST_MS = 300

/** Runs what can wait until the page has come to rest; what is answered calls it off. */
export function whenAtRest(run: () => void): () => void {
  const timer = setTimeout(run, REST_MS)
  return () => clearTimeout(timer)
}

/** False until the page has answered and come to rest. */
export function useIsAtRest(): boolean {
  const [isAtRest, setAtRest] = useState(false)
  useEffect(() => whenAtRest(() => setAtRest(true)), [])
  return isAtRest
}
