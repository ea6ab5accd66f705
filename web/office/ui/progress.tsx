/** The progress of a job that takes many requests: a bar, and “120 of 600”. */
import { formatCount } from '../../../engine/index.ts'
import './progress.css'

type ProgressProps = {
  /** What is processed, such as “reminders sent”. */
  readonly label: string
  readonly done: number
  readonly total: number
}

export function Progress({ label, done, total }: ProgressProps) {
  const text = `${formatCount(done)} of ${formatCount(total)} ${label}`
  return (
    <div className="progress">
      <progress value={done} max={total} aria-label={text} />
      <p>{text}</p>
    </div>
  )
}
