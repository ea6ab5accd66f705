/** Extracts the part of an event that a browser may receive. */
import type { EventConfig, PublicEvent } from './config.ts'

/** Returns the event without office settings, email texts or examples. */
export function toPublicEvent(config: EventConfig): PublicEvent {
  const {
    admin,
    cancellation,
    edit,
    email,
    examples,
    invoice,
    retention,
    office,
    methods,
    ...rest
  } = config
  void [admin, cancellation, edit, examples, invoice, retention, office, methods]
  return { ...rest, sendsMail: email !== null }
}
