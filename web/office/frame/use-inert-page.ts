/** Makes the page inert while an overlay covers it. */
import { useLayoutEffect } from 'react'
import type { RefObject } from 'react'

/**
 * While `isOpen`, everything outside the overlay is inaccessible to pointer, keyboard and screen reader, like the
 * page behind a modal dialog: covered text is not read as if it were visible. This is undone before the browser
 * handles the key that closed the overlay, so that Tab can reach the page.
 */
export function useInertPage(overlay: RefObject<HTMLElement | null>, isOpen: boolean): void {
  useLayoutEffect(() => {
    if (!isOpen) return
    const outsideElements = listOutside(overlay.current)
    for (const element of outsideElements) element.toggleAttribute('inert', true)
    return () => {
      for (const element of outsideElements) element.toggleAttribute('inert', false)
    }
  }, [overlay, isOpen])
}

/** The siblings of the element and of its ancestors, except those that are already inert. */
function listOutside(element: Element | null): readonly Element[] {
  const parent = element?.parentElement ?? null
  if (parent === null) return []
  const siblings = [...parent.children].filter(
    (sibling) => sibling !== element && !sibling.hasAttribute('inert'),
  )
  return [...siblings, ...listOutside(parent)]
}
