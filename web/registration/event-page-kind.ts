/** Which page an event has on a day: each is a module of its own, and loads what it needs. */
import { dayOf, openOn, readInstant } from '../../engine/index.ts'
import type { EventAnswer, PublicEvent } from '../../engine/index.ts'
import { isLater, wayOf } from './fields/choose-field-widget.ts'

/** `form`: the event sells a registration and nothing else. `selling`: more, or more than one answer at a time. */
export type EventPageKind = 'closed' | 'form' | 'selling'

export function kindOf({ event, now }: EventAnswer): EventPageKind {
  const at = readInstant(now)
  // A day that the server's clock cannot say is the form's to judge.
  if (at !== null && !openOn(event, dayOf(at)).open) return 'closed'
  return sellsMore(event) ? 'selling' : 'form'
}

/** Whether the form needs what only events with a bill, with lists or with pages need (form-extensions.ts). */
function sellsMore({
  fees,
  limits,
  codeKinds,
  rolls,
  approvals,
  fields,
  form,
}: PublicEvent): boolean {
  return (
    [fees.items, fees.adjustments, limits, codeKinds, rolls, approvals].some(
      ({ length }) => length > 0,
    ) ||
    fields.some((field) => isLater(wayOf(field))) ||
    form.pages !== 'one'
  )
}
