/** Scroll anchoring for browsers without it: the page does not jump when a message appears further up. */
import { useEffect } from 'react'

/**
 * Keeps the most recently pressed or focused element in place on the screen when content above it changes height.
 * Presses are tracked too, because not every browser focuses a pressed element.
 */
export function useScrollAnchoring(): void {
  useEffect(() => {
    const main = document.getElementById('main')
    if (main === null) return
    let anchor: Element | null = document.activeElement
    let top = 0
    const measure = () => (top = anchor?.getBoundingClientRect().top ?? 0)
    const trackElement = ({ target }: Event) => {
      if (!(target instanceof Element)) return
      anchor = target
      measure()
    }
    const observer = new ResizeObserver(() => {
      if (anchor === null || anchor === document.body || !anchor.isConnected) return
      const isVisible = top >= 0 && top <= innerHeight
      const shift = anchor.getBoundingClientRect().top - top
      if (isVisible && shift !== 0) scrollBy({ top: shift, behavior: 'instant' })
      measure()
    })
    observer.observe(main)
    const abort = new AbortController()
    const { signal } = abort
    for (const type of ['pointerdown', 'focusin'])
      addEventListener(type, trackElement, { capture: true, signal })
    addEventListener('scroll', measure, { passive: true, signal })
    return () => {
      observer.disconnect()
      abort.abort()
    }
  }, [])
}
