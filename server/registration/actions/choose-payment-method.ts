/** Chooses the payment method for the outstanding balance. */
import {
  acceptsCurrency,
  dayOf,
  findTransferMethod,
  findChosenMethod,
  withCardOf,
} from '../../../engine/index.ts'
import type { EventConfig, Instant } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import type { PaymentChannel, StoredRegistration } from '../../storage/index.ts'

/**
 * Returns the current method, else the chosen one if it is open, else any open method. Null if the event takes no
 * payments.
 */
export function choosePaymentChannel(
  { gateway }: Pick<Deps, 'gateway'>,
  event: EventConfig,
  { payments, answers, currency }: Pick<StoredRegistration, 'payments' | 'answers' | 'currency'>,
  at: Instant,
): PaymentChannel {
  const chosenMethod = findChosenMethod(event, answers, dayOf(at), currency)
  const methodId =
    payments[0]?.way ??
    (chosenMethod.ok && chosenMethod.value !== null ? chosenMethod.value.id : null)
  const transfer = findTransferMethod(event, methodId)
  if (transfer !== null) return { method: transfer.id }
  const cardEvent = withCardOf(event, answers, currency)
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
