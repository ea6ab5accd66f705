/** Makes the page inert while an overlay covers it. */
import { useLayoutEffect } from 'react'
import type { RefObject } from 'react'

/**
 * Makes everything outside the overlay inaccessible to pointer, keyboard and screen reader while `isOpen`, like the
 * page behind a modal dialog. Otherwise, a screen reader would read the covered text. The page is restored before the
 * browser handles the key that closed the overlay, so that Tab can reach the page.
 */
export function useInertPage(overlay: RefObject<HTMLElement | null>, isOpen: boolean): void {
  useLayoutEffect(() => {
    if (!isOpen) return
    const outsideElements = listOutsideElements(overlay.current)
    for (const element of outsideElements) element.toggleAttribute('inert', true)
    return () => {
      for (const element of outsideElements) element.toggleAttribute('inert', false)
    }
  }, [overlay, isOpen])
}

/** Returns the siblings of the element and of its ancestors, except those that are already inert. */
function listOutsideElements(element: Element | null): readonly Element[] {
  const parent = element?.parentElement ?? null
  if (parent === null) return []
  const siblings = [...parent.children].filter(
    (sibling) => sibling !== element && !sibling.hasAttribute('inert'),
  )
  return [...siblings, ...listOutsideElements(parent)]
}
