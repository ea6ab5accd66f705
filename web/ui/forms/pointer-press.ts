/** Runs a function after the pointer is released, so that nothing moves between the press and the release. */
import { useEffect } from 'react'

/** Runs a function after the current pointer press has ended, or immediately if there is none. */
export function runAfterPress(run: () => void): void {
  if (!isPressed) return run()
  const runOnce = () => setTimeout(run)
  addEventListener('pointerup', runOnce, { once: true })
}
let isPressed = false

/** Tracks presses. Must be called in a component that is shown while `runAfterPress` is used. */
export function usePointerTracking(): void {
  useEffect(() => {
    const pointerEvents = { pointerdown: true, pointerup: false, pointercancel: false }
    const abort = new AbortController()
    for (const [type, isDown] of Object.entries(pointerEvents))
      addEventListener(type, () => (isPressed = isDown), { capture: true, signal: abort.signal })
    return () => abort.abort()
  }, [])
}
