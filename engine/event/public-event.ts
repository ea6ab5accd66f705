/** The part of an event that a browser may know. */
import type { EventConfig, PublicEvent } from './config.ts'

/** What a browser may know of an event: no office, no email text, no examples. */
export function publicEvent(config: EventConfig): PublicEvent {
  const { admin, cancellation, edit, email, examples, invoice, keep, office, ways, ...rest } =
    config
  void [admin, cancellation, edit, examples, invoice, keep, office, ways]
  return { ...rest, sendsMail: email !== null }
}
