/** Answers that do not go with the category a delegate has picked: pointed out before paying, and never refused. */
import type { Answers } from '../event/answer-types.ts'
import { holds, passes } from './evaluate-condition.ts'
import type { PublicEvent } from '../event/config.ts'
import { own } from '../lib/result.ts'
import { answerText } from '../event/texts.ts'

export type Contradiction = {
  /** The question whose answer differs, by its id and as the form asks it. */
  readonly field: string
  readonly question: string
  readonly answer: string
  /** The category's label. */
  readonly category: string
}

/** The first answer that the picked category does not go with; null where all of them do. Of answers normalised. */
export function contradictionOf(
  event: PublicEvent,
  answers: Answers,
  category: string | null,
): Contradiction | null {
  const picked = event.categories.find(({ id }) => id === category)
  if (picked?.goesWith === undefined || holds(picked.goesWith, answers, category)) return null
  const differs = picked.goesWith[0]?.find(({ field, test }) => !passes(test, own(answers, field)))
  const field = event.fields.find(({ id }) => id === differs?.field)
  const answer = field && own(answers, field.id)
  return field === undefined || answer === undefined
    ? null
    : {
        field: field.id,
        question: field.label,
        answer: answerText(event, field.id, answer),
        category: picked.label,
      }
}
