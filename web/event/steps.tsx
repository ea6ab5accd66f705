/** The steps above the form, and which of them is the current one. */
import type { PublicEvent } from '../../engine/index.ts'
import type { FormState } from './form.tsx'
import '../styles/steps.css'

/** Steps as the event file names them. Where it does not hold them on one, the first unfinished section is the current one. */
export function Stepper({
  event,
  form,
}: {
  readonly event: PublicEvent
  readonly form: FormState
}) {
  const { stepper } = event.form
  if (stepper === null) return null
  const { steps, staysOn } = stepper
  const unfinished = form.progress.findIndex(
    (state, index) =>
      state !== 'complete' && event.sections[index]?.fields.some((id) => form.shown.has(id)),
  )
  const current =
    staysOn === undefined
      ? unfinished < 0
        ? steps.length - 1
        : Math.min(unfinished, steps.length - 1)
      : staysOn - 1
  return (
    <ol className="stp full" aria-label="Steps">
      {steps.map((step, index) => (
        <li
          key={step}
          {...(index === current ? { 'aria-current': 'step' as const } : {})}
          className={index < current ? 'past' : ''}
        >
          <span className="t">
            <span className="of">
              Step {index + 1} of {steps.length}:{' '}
            </span>
            {step}
          </span>
        </li>
      ))}
    </ol>
  )
}
