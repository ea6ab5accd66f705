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
  const methodsPricedOnCredit = listMethodsPricedOnCredit(config)
  return {
    ...rest,
    sendsMail: email !== null,
    ...(methodsPricedOnCredit.length === 0 ? {} : { methodsPricedOnCredit }),
  }
}

/** Returns the payment methods whose credit date determines the price. */
export const listMethodsPricedOnCredit = ({
  methods,
}: Pick<EventConfig, 'methods'>): readonly string[] =>
  methods.flatMap((method) =>
    method.is === 'transfer' && method.priceDate === 'credit' ? [method.id] : [],
  )
