/** The steps above a one-page form, linked to its sections. */
import { FORM_MESSAGES } from '../../../engine/messages.ts'
import type { PublicEvent } from '../../../engine/index.ts'
import type { FormState } from './registration-form.tsx'
import { BAR_ID, SUMMARY_ID, useIsWide } from '../price/price-summary-and-pay-button.tsx'
import './progress-steps.css'

/**
 * Shows the steps as named in the event file. All sections are on this page, so the steps are not numbered. A hidden
 * section has no link. The current step is the one that the event file sets, or the first unfinished section.
 */
export function ProgressSteps({
  event,
  form,
}: {
  readonly event: PublicEvent
  readonly form: FormState
}) {
  const summaryId = useIsWide() === false ? BAR_ID : SUMMARY_ID
  const { stepper } = event.form
  if (stepper === null) return null
  const { steps, staysOn } = stepper
  const isShown = (index: number) =>
    event.sections[index]?.fields.some((id) => form.shownFields.has(id)) === true
  const unfinishedIndex = form.progress.findIndex(
    (state, index) => state !== 'complete' && isShown(index),
  )
  const currentIndex =
    staysOn === undefined
      ? unfinishedIndex < 0
        ? steps.length - 1
        : Math.min(unfinishedIndex, steps.length - 1)
      : staysOn - 1
  /**
   * Returns the anchor of a step. A step has the title of its section; the last step may be the
   * bill, which has no section.
   */
  const findStepAnchor = (step: string, index: number): string | null => {
    const section = event.sections.findIndex(({ title }) => title === step)
    if (section >= 0) return isShown(section) ? `section-${section}` : null
    return index === steps.length - 1 ? summaryId : null
  }
  return (
    <ol className="stp linked-steps full" aria-label={FORM_MESSAGES.sections.steps}>
      {steps.map((step, index) => {
        const anchor = findStepAnchor(step, index)
        return (
          <li
            key={step}
            {...(index === currentIndex ? { 'aria-current': 'step' as const } : {})}
            className={index < currentIndex ? 'past' : ''}
          >
            <span className="t">{anchor === null ? step : <a href={`#${anchor}`}>{step}</a>}</span>
          </li>
        )
      })}
    </ol>
  )
}
