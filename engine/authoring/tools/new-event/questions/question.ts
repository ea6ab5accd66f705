/** A question of `rollcall new` and of the organisers' page. */
import type { Result } from '../../../../lib/result.ts'
import type { Day } from '../../../../lib/time.ts'
import type { NewEventAnswers } from '../sample-options.ts'

/** The questions about details. All are optional, and the page shows them together. */
export type DetailName = 'refund' | 'edit-until' | 'on-site' | 'account' | 'colour'

export type Question = {
  readonly name:
    | 'title'
    | 'from'
    | 'to'
    | 'venue'
    | 'support'
    | 'free'
    | 'categories'
    | 'gst'
    | 'companions'
    | 'workshops'
    | 'early-until'
    | DetailName
  /** Returns the question. Returns null if earlier answers already cover it. */
  readonly buildQuestion: (answers: NewEventAnswers) => string | null
  /** Returns an example of an answer, as one line of text. */
  readonly example?: (answers: NewEventAnswers) => string
  /** Returns the answers with this one added, or a message that explains what is wrong with it. */
  readonly parse: (
    answer: string,
    answers: NewEventAnswers,
    today: Day,
  ) => Result<NewEventAnswers, string>
}
