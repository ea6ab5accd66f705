/** The price of a manual registration, or the reason why there is none yet. */
import { formatMoney, buildFullSeatMessage, getOwn } from '../../../../engine/index.ts'
import type { PricingContext, PublicEvent, Quote, SeatPool } from '../../../../engine/index.ts'

const APPROVAL_TEXT =
  'This registration needs approval before payment. Choose “Pay later (send link)”.'

export function PriceText({
  event,
  fullPool,
  replacedPool,
  left,
  isPaymentTooEarly,
  price,
}: {
  readonly event: PublicEvent
  readonly fullPool: SeatPool | null
  /** The full quota of the requested category, if another category replaces it. */
  readonly replacedPool: SeatPool | null
  readonly left: PricingContext['left']
  readonly isPaymentTooEarly: boolean
  readonly price: Quote | null
}) {
  const replacementNotice =
    fullPool === null && replacedPool !== null
      ? `${buildFullSeatMessage(event, replacedPool)}. `
      : ''
  return (
    <p aria-live="polite" className="price">
      {replacementNotice}
      {fullPool !== null
        ? buildFullSeatMessage(event, fullPool, getOwn(left, fullPool.id))
        : isPaymentTooEarly
          ? APPROVAL_TEXT
          : price === null
            ? 'The price appears when the answers are complete.'
            : `To pay: ${formatMoney(price.total, price.currency)}`}
    </p>
  )
}
