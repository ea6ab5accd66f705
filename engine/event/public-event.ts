/** Extracts the part of an event that a browser may receive. */
import type { EventConfig, PublicEvent } from './config.ts'

/** Returns the event without office settings, email texts and examples. */
export function publicEvent(config: EventConfig): PublicEvent {
  const {
    admin,
    cancellation,
    edit,
    email,
    examples,
    invoice,
    retention: keep,
    office,
    methods: ways,
    ...rest
  } = config
  void [admin, cancellation, edit, examples, invoice, keep, office, ways]
  return { ...rest, sendsMail: email !== null }
}
