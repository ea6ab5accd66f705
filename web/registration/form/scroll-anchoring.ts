/** Keeps what one is at where it is, while messages above it come and go: not every browser does that by itself. */
import { useEffect } from 'react'

/**
 * What was pressed last, or has the focus, stays where it is on the screen when what stands above it
 * grows or shrinks. By the press, too, because not everywhere does it give the focus to what is pressed.
 */
export function useStill(): void {
  useEffect(() => {
    const main = document.getElementById('main')
    if (main === null) return
    let at: Element | null = document.activeElement
    let top = 0
    const measure = () => (top = at?.getBoundingClientRect().top ?? 0)
    const hold = ({ target }: Event) => {
      if (!(target instanceof Element)) return
      at = target
      measure()
    }
    const watch = new ResizeObserver(() => {
      if (at === null || at === document.body || !at.isConnected) return
      const isSeen = top >= 0 && top <= innerHeight
      const moved = at.getBoundingClientRect().top - top
      if (isSeen && moved !== 0) scrollBy({ top: moved, behavior: 'instant' })
      measure()
    })
    watch.observe(main)
    const leave = new AbortController()
    const { signal } = leave
    for (const type of ['pointerdown', 'focusin'])
      addEventListener(type, hold, { capture: true, signal })
    addEventListener('scroll', measure, { passive: true, signal })
    return () => {
      watch.disconnect()
      leave.abort()
    }
  }, [])
}
