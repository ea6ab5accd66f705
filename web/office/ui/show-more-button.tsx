/** The button below a long list that shows the next rows. */
import { formatCount } from '../../../engine/index.ts'

/** Renders nothing if all rows are visible. */
export function ShowMoreButton({
  count,
  visibleCount,
  step,
  onChange,
}: {
  /** Of the whole list. */
  readonly count: number
  readonly visibleCount: number
  /** How many more rows a click shows. */
  readonly step: number
  readonly onChange: (visibleCount: number) => void
}) {
  return (
    count > visibleCount && (
      <button type="button" className="btn line" onClick={() => onChange(visibleCount + step)}>
        Show {formatCount(Math.min(step, count - visibleCount))} more
      </button>
    )
  )
}
