/** What delegates may change on their own page, and until when. */
import type { EventConfig, Field } from './config.ts'
import { dayOf, type Instant } from './time.ts'

/** The questions whose answers a delegate may change at that instant, in form order. */
export function editableFields({ edit, fields }: EventConfig, at: Instant): readonly Field[] {
  return edit === null || dayOf(at) > edit.to
    ? []
    : fields.filter(({ id }) => edit.fields.includes(id))
}
