/** The part of an event that a browser may know. */
import type { EventConfig, PublicEvent } from './config.ts'

/** What a browser may know of an event: no office, no email text, no examples. */
export function publicEvent(config: EventConfig): PublicEvent {
  const { admin, cancellation, email, examples, invoice, office, ...rest } = config
  void [admin, cancellation, examples, invoice, office]
  return { ...rest, sendsMail: email !== null }
}
