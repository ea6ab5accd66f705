/** The box around a wide table, whose header stays visible. */
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'

type ScrollBoxProps = {
  readonly isSelecting: boolean
  readonly isBusy: boolean
  /** The number of the visible page. Each new page starts at its top. */
  readonly page: number | undefined
  readonly children: ReactNode
}

/**
 * Keeps the table header visible: sticky in the window if the table fits, otherwise in the box, which then scrolls in
 * both directions.
 */
export function ScrollBox({ isSelecting, isBusy, page, children }: ScrollBoxProps) {
  const box = useRef<HTMLDivElement>(null)
  const [isFitting, setFitting] = useState(false)
  const [hasMore, setHasMore] = useState(false)
  const measure = () => {
    const element = box.current
    if (element === null) return
    const { scrollWidth, clientWidth, scrollLeft } = element
    setFitting(scrollWidth <= clientWidth)
    // On zoomed pages, positions are fractions of pixels.
    setHasMore(scrollWidth - clientWidth - scrollLeft > 1)
  }
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  })
  useEffect(() => {
    box.current?.scrollTo(0, 0)
  }, [page])
  return (
    <div className={hasMore ? 'tb-edge more' : 'tb-edge'}>
      <div
        className={['tb', isFitting && 'fits', isSelecting && 'ticks'].filter(Boolean).join(' ')}
        ref={box}
        onScroll={measure}
        aria-busy={isBusy}
      >
        {children}
      </div>
    </div>
  )
}
