/** Starts an order's checkout: builds the form that the browser posts to the gateway, and the response. */
import { err, ok, readDelegate, takesPayments } from '../../engine/index.ts'
import { SERVER_MESSAGES } from '../../engine/messages.ts'
import type {
  Answers,
  EventConfig,
  Instant,
  Money,
  OrderId,
  PaymentState,
  RegNo,
  Result,
} from '../../engine/index.ts'
import type { PaymentData, RegisterResponse } from '../../engine/api.ts'
import type { Buyer, Deps, HandOffRefusal } from '../dependencies.ts'
import { CHECKOUT_TIMEOUT_MS } from './gateways/request-timeouts.ts'

/** The amount to pay and its order. */
export type OutstandingOrder = Money & {
  readonly regNo: RegNo
  readonly orderId: OrderId
  readonly answers: Answers
}

/**
 * Returns the gateway's form for the payment. The checksum contains the date, so each request builds a new form.
 */
export function handOff(
  deps: Pick<Deps, 'gateway'>,
  event: EventConfig,
  order: OutstandingOrder,
  at: Instant,
  payer: 'delegate' | 'stranger' = 'delegate',
): Result<PaymentData, HandOffRefusal> {
  const { fullName, email, phone } = readDelegate(event, order.answers)
  const { regNo, orderId, amount, currency } = order
  const buildForm = (buyer: Omit<Buyer, 'regNo'>) =>
    deps.gateway.handOff(event, { ...buyer, regNo }, orderId, { amount, currency }, at)
  const delegateForm = buildForm({ fullName, email, phone })
  // The gateway requires an email address and a name. A requester who has only the registration number must not learn
  // the delegate's name and email address, so the organisers' are sent instead.
  const form =
    delegateForm.ok && payer === 'stranger' ? buildForm(createOrganiserBuyer(event)) : delegateForm
  // The browser posts the form to this gateway.
  return form.ok && event.cardAccounts !== undefined && event.payment !== null
    ? ok({ ...form.value, gateway: event.payment.gateway.name })
    : form
}

/**
 * Returns the form of a stored order, with the checkout that some gateways create first; null if the gateway did not
 * create it. The registration is stored, so the delegate can try again.
 */
export async function openCheckout(
  { gateway, log }: Pick<Deps, 'gateway' | 'log'>,
  event: EventConfig,
  { orderId, amount, currency }: Pick<OutstandingOrder, 'orderId' | 'amount' | 'currency'>,
  form: PaymentData,
  at: Instant,
): Promise<PaymentData | null> {
  if (gateway.createCheckout === undefined) return form
  const order = { orderId, amount, currency }
  const checkoutResult = await gateway
    .createCheckout(event, order, form, at, CHECKOUT_TIMEOUT_MS)
    .catch((error: unknown) => err(String(error)))
  if (checkoutResult.ok) return checkoutResult.value
  log.warn(
    { event: event.id, error: checkoutResult.error },
    'the gateway did not create a checkout',
  )
  return null
}

const createOrganiserBuyer = ({ support }: EventConfig) => ({
  fullName: '',
  email: support,
  phone: '',
})

const { recorded } = SERVER_MESSAGES

/** Builds the response for a stored registration; `data` is null if no payment is needed now. */
export function buildResponse(
  event: EventConfig,
  reg_no: string,
  data: PaymentData | null,
  state: PaymentState = data === null ? 'complete' : 'not-paid',
): RegisterResponse {
  if (state === 'to-approve') {
    return { status: 'success', message: recorded.toApprove, reg_no, stands: state }
  }
  if (data === null) {
    const notice = !takesPayments(event) ? event.form.withoutPayment.notice : null
    return { status: 'success', message: notice ?? recorded.complete, reg_no, stands: state }
  }
  return {
    status: 'success',
    message: recorded.toPay,
    reg_no,
    stands: state,
    payment_data: data,
  }
}
