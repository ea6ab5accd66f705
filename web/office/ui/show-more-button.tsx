/** The button below a long list that shows the next rows. */
import { formatCount } from '../../../engine/index.ts'

/** Renders nothing if all rows are visible. */
export function ShowMoreButton({
  count,
  visibleCount,
  step,
  onChange,
}: {
  /** The number of rows in the whole list. */
  readonly count: number
  readonly visibleCount: number
  /** The number of rows that a click adds. */
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
