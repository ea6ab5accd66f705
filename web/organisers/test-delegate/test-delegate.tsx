/** The test delegate and the day that the previews use. */
import {
  removeContext,
  dayOf,
  formatDay,
  instant,
  isDay,
  EMPTY_CONTEXT,
  checkRegistrationOpen,
  getOwn,
  findVisibleFields,
  startOfDay,
} from '../../../engine/index.ts'
import { readExampleContext, findPriceFields } from '../../../engine/authoring.ts'
import type {
  Answers,
  Day,
  EventConfig,
  PricingContext,
  Instant,
  RawAnswers,
} from '../../../engine/index.ts'
import { TestField } from './test-answer-field.tsx'
import { PricingContextFields } from './test-pricing-context.tsx'

/** The test delegate: a day, answers as a browser would send them, and the pricing context. */
export type TestDelegate = {
  readonly day: Day
  readonly answers: RawAnswers
  readonly context: PricingContext
}

/** Returns the first worked example that has answers, or else today with empty answers. */
export function createInitialDelegate(event: EventConfig, today: Day): TestDelegate {
  const example = event.examples.find((example) => 'answers' in example)
  if (example !== undefined && 'answers' in example)
    return {
      day: dayOf(example.on),
      answers: removeContext(event, example.answers as Answers),
      context: readExampleContext(event, example.answers),
    }
  return { day: today, answers: {}, context: EMPTY_CONTEXT }
}

/** Returns noon in India on this day. */
export const getNoon = (day: Day): Instant => instant(startOfDay(day) + 12 * 60 * 60 * 1000)

type TestDelegateProps = {
  readonly event: EventConfig
  readonly testDelegate: TestDelegate
  readonly onChange: (testDelegate: TestDelegate) => void
  /** Whether to also show the answer fields. */
  readonly showsAnswers: boolean
}

/** Shows the day, and the answers that determine the price. */
export function TestDelegateForm({
  event,
  testDelegate,
  onChange,
  showsAnswers,
}: TestDelegateProps) {
  const openState = checkRegistrationOpen(event, testDelegate.day)
  // An answer to a hidden field has no effect, so its label states that the form does not ask for it.
  const shownIds = findVisibleFields(event, testDelegate.answers, testDelegate.context)
  const changeAnswer = (id: string, value: unknown) => {
    const { [id]: _old, ...rest } = testDelegate.answers
    onChange({ ...testDelegate, answers: value === undefined ? rest : { ...rest, [id]: value } })
  }
  return (
    <div className="org-try">
      <label>
        Preview date
        <input
          type="date"
          value={testDelegate.day}
          required
          onChange={(changeEvent) => {
            const { value } = changeEvent.target
            if (isDay(value)) onChange({ ...testDelegate, day: value })
          }}
        />
      </label>
      {showsAnswers &&
        findPriceFields(event).map((field) => (
          <TestField
            key={field.id}
            field={
              shownIds.has(field.id) ? field : { ...field, label: `${field.label} (not asked)` }
            }
            value={getOwn(testDelegate.answers, field.id)}
            onChange={(value) => changeAnswer(field.id, value)}
          />
        ))}
      {showsAnswers && (
        <PricingContextFields
          event={event}
          context={testDelegate.context}
          onChange={(context) => onChange({ ...testDelegate, context })}
        />
      )}
      {!openState.open && (
        <p className="org-closed">
          On {formatDay(testDelegate.day)}: {openState.text}
        </p>
      )}
    </div>
  )
}
