/** Keeps the keyboard focus in a panel when its focused button disappears. */
import { useEffect, useRef } from 'react'
import type { RefObject } from 'react'

/**
 * When `state` changes and the focused element is gone, focuses the panel's heading, which needs `tabIndex={-1}`.
 * Otherwise, a screen reader would start again at the top of the page.
 */
export function useHeadingFocus(state: unknown): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  const lastState = useRef(state)
  useEffect(() => {
    if (lastState.current === state) return
    lastState.current = state
    if (document.activeElement === null || document.activeElement === document.body)
      heading.current?.focus()
  }, [state])
  return heading
}
