/** The answers and files that delegates may change on their self-service page. */
import type { Answers } from '../event/answer-types.ts'
import { findVisibleFields } from '../answers/normalize-answers.ts'
import type { EventConfig, Field } from '../event/config.ts'
import { extractContext } from '../rules/pricing-context.ts'
import { getOwn } from '../lib/result.ts'
import { dayOf, type Instant } from '../lib/time.ts'

/** Returns the fields whose answers a delegate may change at that instant, in form order. */
export function listEditableFields({ edit, fields }: EventConfig, at: Instant): readonly Field[] {
  return edit === null || dayOf(at) > edit.until
    ? []
    : fields.filter(({ id }) => edit.fields.includes(id))
}

/**
 * Returns the file fields that are visible for these answers, in form order: those that may be
 * replaced, and those without a file.
 */
export function listFilesToSend(
  event: EventConfig,
  answers: Answers,
  editable: readonly Field[],
): readonly Field[] {
  const files = event.fields.filter(
    (field) =>
      field.type === 'file' &&
      (editable.includes(field) || getOwn(answers, field.id) === undefined),
  )
  if (files.length === 0) return files
  const shown = findVisibleFields(event, answers, extractContext(event, answers))
  return files.filter(({ id }) => shown.has(id))
}
