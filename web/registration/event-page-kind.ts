/** Chooses the page of an event for a given day. Each page is a separate module. */
import { dayOf, checkRegistrationOpen, readInstant } from '../../engine/index.ts'
import type { PublicEvent } from '../../engine/index.ts'
import type { EventAnswer } from '../../engine/api.ts'
import { isLater, wayOf } from './fields/choose-field-widget.ts'

/**
 * `form`: the event sells only a registration. `selling`: more, or with several answers to one
 * field.
 */
export type EventPageKind = 'closed' | 'form' | 'selling'

export function kindOf({ event, now }: EventAnswer): EventPageKind {
  const at = readInstant(now)
  // If the server's time cannot be read, show the form; it checks the opening days itself.
  if (at !== null && !checkRegistrationOpen(event, dayOf(at)).open) return 'closed'
  return sellsMore(event) ? 'selling' : 'form'
}

/**
 * Whether the form needs the extensions for events with a bill, lists or pages
 * (form-extensions.ts).
 */
function sellsMore({
  fees,
  quotas,
  codeKinds,
  memberLists,
  approvals,
  fields,
  form,
}: PublicEvent): boolean {
  return (
    [fees.items, fees.adjustments, quotas, codeKinds, memberLists, approvals].some(
      ({ length }) => length > 0,
    ) ||
    fields.some((field) => isLater(wayOf(field))) ||
    form.pages !== 'one'
  )
}
