/** Chooses the page of an event for a given day. Each page is a separate module. */
import { dayOf, checkRegistrationOpen, readInstant } from '../../engine/index.ts'
import type { PublicEvent } from '../../engine/index.ts'
import type { EventResponse } from '../../engine/api.ts'
import { isLazy, chooseWidget } from './fields/choose-field-widget.ts'

/**
 * `form` is for events that sell only a registration. `selling` is for events that sell more, or
 * have fields with several answers.
 */
export type EventPageKind = 'closed' | 'form' | 'selling'

export function choosePageKind({ event, now }: EventResponse): EventPageKind {
  const time = readInstant(now)
  // If the server's time cannot be read, show the form, which also checks the opening days.
  if (time !== null && !checkRegistrationOpen(event, dayOf(time)).open) return 'closed'
  return needsExtensions(event) ? 'selling' : 'form'
}

/** Returns true if the form needs the extensions for events with a bill, lists or pages (form-extensions.ts). */
function needsExtensions({
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
    fees.taxRules !== undefined ||
    fields.some((field) => isLazy(chooseWidget(field))) ||
    form.pages !== 'one'
  )
}
