/** Chooses the payment method for the outstanding balance. */
import {
  acceptsCurrency,
  dayOf,
  findTransferMethod,
  findChosenMethod,
  isMethodOpen,
  listDelegateMethods,
  quoteByMethod,
  withCardMethod,
  withCardOf,
} from '../../../engine/index.ts'
import type { Day, EventConfig, Instant, PaymentMethod } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { PaymentChannel, StoredRegistration } from '../../storage/index.ts'

/**
 * Returns the current method, else the chosen one if it is open, else an open method with the same price, else the card
 * or the first transfer. Null if the event takes no payments.
 */
export function choosePaymentChannel(
  { gateway }: Pick<Deps, 'gateway'>,
  event: EventConfig,
  registration: StoredRegistration,
  at: Instant,
): PaymentChannel {
  const { payments, answers, currency } = registration
  const chosenMethod = findChosenMethod(event, answers, dayOf(at), currency)
  const otherMethod =
    payments.length > 0 || chosenMethod.ok
      ? null
      : findOtherOpenMethod(event, registration, dayOf(at))
  const methodId =
    payments[0]?.way ??
    otherMethod?.id ??
    (chosenMethod.ok ? (chosenMethod.value?.id ?? null) : null)
  const transfer = findTransferMethod(event, methodId)
  if (transfer !== null) return { method: transfer.id }
  const cardEvent =
    otherMethod === null
      ? withCardOf(event, answers, currency)
      : withCardMethod(event, otherMethod.id)
  const { payment } = cardEvent
  if (payment === null) {
    const firstTransfer = event.methods.find(
      (method) => method.is === 'transfer' && acceptsCurrency(method, currency),
    )
    return firstTransfer === undefined ? null : { method: firstTransfer.id }
  }
  return {
    gateway: payment.gateway.name,
    merchantAccount: { account: payment.account, merchantId: gateway.getMerchantId(cardEvent) },
  }
}

/** Returns the first open method with the price of the registration, for a first order. Null if there is none. */
function findOtherOpenMethod(
  event: EventConfig,
  registration: StoredRegistration,
  day: Day,
): PaymentMethod | null {
  return (
    listDelegateMethods(event).find(
      (method) =>
        acceptsCurrency(method, registration.currency) &&
        isMethodOpen(method, day) &&
        quoteByMethod(event, registration, method.id) === null,
    ) ?? null
  )
}
