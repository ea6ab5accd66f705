/** The progress of a job: a bar, “120 of 600 processed”, and Stop if the job can be stopped. */
import { formatCount } from '../../../engine/index.ts'
import './progress.css'

type ProgressProps = {
  /** The text after the numbers, such as “reminders sent”. If the total is unknown, this is the whole text. */
  readonly label: string
  readonly done?: number
  /** Null if the total is unknown, for example for an upload. The bar then shows no percentage. */
  readonly total: number | null
  /** Omitted if the user could not find out how much had been done when the job was stopped. */
  readonly onStop?: (() => void) | undefined
}

/** Progress is announced only every 25 percent, because announcing every count would interrupt the screen reader. */
const QUARTER_PERCENT = 25
const PERCENT = 100

export function Progress({ label, done = 0, total, onStop }: ProgressProps) {
  const text = total === null ? label : `${formatCount(done)} of ${formatCount(total)} ${label}`
  const percent = total === null || total === 0 ? 0 : Math.floor((done * PERCENT) / total)
  const announcedPercent = percent - (percent % QUARTER_PERCENT)
  return (
    <div className="progress">
      <progress {...(total !== null && { value: done, max: total })} aria-label={text} />
      <p>{total === null ? text : `${text} (${percent}%)`}</p>
      <p role="status" className="vh">
        {total !== null && `${announcedPercent}%`}
      </p>
      {onStop !== undefined && (
        <button type="button" className="btn line sm" onClick={onStop}>
          Stop
        </button>
      )}
    </div>
  )
}
