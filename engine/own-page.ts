/** What delegates may change on their own page, and until when. */
import type { Answers } from './answer.ts'
import { shownFields } from './answers.ts'
import type { EventConfig, Field } from './config.ts'
import { factsAmong } from './facts.ts'
import { own } from './outcome.ts'
import { dayOf, type Instant } from './time.ts'

/** The questions whose answers a delegate may change at that instant, in form order. */
export function editableFields({ edit, fields }: EventConfig, at: Instant): readonly Field[] {
  return edit === null || dayOf(at) > edit.to
    ? []
    : fields.filter(({ id }) => edit.fields.includes(id))
}

/** The files that the form asks of these answers and that nobody has handed in yet. */
export function missingFiles(event: EventConfig, answers: Answers): readonly Field[] {
  const files = event.fields.filter(
    ({ id, type }) => type === 'file' && own(answers, id) === undefined,
  )
  if (files.length === 0) return files
  const shown = shownFields(event, answers, factsAmong(event, answers))
  return files.filter(({ id }) => shown.has(id))
}
