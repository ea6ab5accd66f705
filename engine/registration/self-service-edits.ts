/** The answers and files that delegates may change on their self-service page. */
import type { Answers } from '../event/answer-types.ts'
import { findVisibleFields } from '../answers/normalize-answers.ts'
import type { EventConfig, Field } from '../event/config.ts'
import { extractContext } from '../rules/pricing-context.ts'
import { getOwn } from '../lib/result.ts'
import { dayOf, type Instant } from '../lib/time.ts'

/** Returns the fields whose answers a delegate may change at that time, in form order. */
export function listEditableFields({ edit, fields }: EventConfig, at: Instant): readonly Field[] {
  return edit === null || dayOf(at) > edit.until
    ? []
    : fields.filter(({ id }) => edit.fields.includes(id))
}

/**
 * Returns the file fields that are visible for these answers, in form order: fields whose file may be replaced, and
 * fields without a file.
 */
export function listFileFieldsToSubmit(
  event: EventConfig,
  answers: Answers,
  editableFields: readonly Field[],
): readonly Field[] {
  const fileFields = event.fields.filter(
    (field) =>
      field.type === 'file' &&
      (editableFields.includes(field) || getOwn(answers, field.id) === undefined),
  )
  if (fileFields.length === 0) return fileFields
  const visibleIds = findVisibleFields(event, answers, extractContext(event, answers))
  return fileFields.filter(({ id }) => visibleIds.has(id))
}
