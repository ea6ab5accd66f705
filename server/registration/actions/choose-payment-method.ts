/** Chooses the payment method for the outstanding balance. */
import {
  acceptsCurrency,
  dayOf,
  findTransferMethod,
  findChosenMethod,
  getOwn,
  isMethodOpen,
  listDelegateMethods,
  METHOD_FIELD,
  quoteByMethod,
  withCardOf,
} from '../../../engine/index.ts'
import type { EventConfig, Instant, PaymentMethod } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { applyPrice } from '../../payments/price-on-credit-date.ts'
import type { PaymentChannel, ReplacedMethod, StoredRegistration } from '../../storage/index.ts'

/**
 * Returns the current method, else the chosen one if it is open, else the card or the first transfer. Null if the event
 * takes no payments.
 */
export function choosePaymentChannel(
  { gateway }: Pick<Deps, 'gateway'>,
  event: EventConfig,
  registration: StoredRegistration,
  at: Instant,
): PaymentChannel {
  const { payments, answers, currency } = registration
  const chosenMethod = findChosenMethod(event, answers, dayOf(at), currency)
  const methodId = payments[0]?.way ?? (chosenMethod.ok ? (chosenMethod.value?.id ?? null) : null)
  const transfer = findTransferMethod(event, methodId)
  if (transfer !== null) return { method: transfer.id }
  const cardEvent = withCardOf(event, answers, currency, dayOf(at))
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

/**
 * Returns the registration with the method and the price of its first order. If the chosen method has closed, that is
 * the first open method of the file, at its price in the registration's period; `replacedMethod` is then the change to
 * store. It is null if the chosen method is open, if none is, or if there are earlier orders.
 */
export function applyOpenMethod(
  event: EventConfig,
  registration: StoredRegistration,
  at: Instant,
): { readonly registration: StoredRegistration; readonly replacedMethod: ReplacedMethod | null } {
  const { payments, answers, currency } = registration
  const methods = listDelegateMethods(event).filter((method) => acceptsCurrency(method, currency))
  const isOpen = (method: PaymentMethod): boolean => isMethodOpen(method, dayOf(at))
  const chosenMethod = methods.find(({ id }) => id === getOwn(answers, METHOD_FIELD))
  const openMethod =
    payments.length > 0 ||
    methods.length < 2 ||
    (chosenMethod !== undefined && isOpen(chosenMethod))
      ? undefined
      : methods.find(isOpen)
  if (openMethod === undefined) return { registration, replacedMethod: null }
  const replacedMethod = {
    answers: { ...answers, [METHOD_FIELD]: openMethod.id },
    quote: quoteByMethod(event, registration, openMethod.id),
    change: `Payment method: ${chosenMethod?.label ?? '–'} → ${openMethod.label}`,
  }
  const { quote } = replacedMethod
  return {
    registration: applyPrice({ ...registration, answers: replacedMethod.answers }, quote),
    replacedMethod,
  }
}

/** Returns a registration that awaits approval at the price that an approval now would ask for; any other unchanged. */
export const applyApprovalPrice = (
  event: EventConfig,
  registration: StoredRegistration,
  at: Instant,
): StoredRegistration =>
  registration.state === 'to_approve'
    ? applyOpenMethod(event, registration, at).registration
    : registration
