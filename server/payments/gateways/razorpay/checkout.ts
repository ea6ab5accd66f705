/** Creates a Razorpay order before the hand-off, and the form that the browser posts to the hosted checkout. */
import {
  formatPlainAmount,
  err,
  GATEWAY_CAPABILITIES,
  getGatewayMinimum,
  ok,
  readCurrency,
  toAmount,
} from '../../../../engine/index.ts'
import type { EventConfig, Money, OrderId, Result } from '../../../../engine/index.ts'
import type { PaymentData } from '../../../../engine/api.ts'
import type { Buyer, HandOffRefusal } from '../../../dependencies.ts'
import type { RazorpayAccount } from './credentials.ts'
import type { StoredCheckout } from '../../../storage/index.ts'
import { describeFailure, asItems, requestApi, asText, asWholeNumber } from './api.ts'
import type { Api, Json } from './api.ts'

const { razorpay } = GATEWAY_CAPABILITIES
/** Receipts may have 40 characters. Our receipts consist of an order id and a number. */
const ORDER_ID_PATTERN = /^[A-Za-z0-9]{1,36}$/
/** Rollcall shortens longer texts, because the gateway would reject them. */
const MAX_TEXT_CHARACTERS = 250
const MINUTE_MS = 60_000

/** Builds the form. Rejects payments that the gateway would reject. The checkout's id is added once it exists. */
export function buildCheckoutForm(
  event: EventConfig,
  account: RazorpayAccount,
  addresses: { readonly pay: string; readonly back: string },
  { fullName, email, phone, regNo }: Buyer,
  orderId: OrderId,
  { amount, currency }: Money,
): Result<PaymentData, HandOffRefusal> {
  if (!ORDER_ID_PATTERN.test(orderId)) return err({ code: 'order_id' })
  if (!razorpay.currencies.includes(currency)) return err({ code: 'currency', currency })
  if (amount <= 0 || amount > razorpay.maxAmount) return err({ code: 'amount' })
  const minimum = getGatewayMinimum(razorpay, currency)
  if (amount < minimum) return err({ code: 'below_minimum', minimum })
  if (email === '') return err({ code: 'email', characters: 0 })
  const form: PaymentData = {
    key_id: account.keyId,
    orderid: orderId,
    amount: formatPlainAmount(amount, currency),
    minor_units: String(amount),
    currency,
    organiser: shortenText(event.title),
    description: shortenText(`${event.title}: ${regNo}`),
    name: shortenText(fullName),
    email,
    phone,
    payment_url: addresses.pay,
    callback_url: addresses.back,
    cancel_url: addresses.back,
  }
  return ok(form)
}

const shortenText = (text: string): string => text.slice(0, MAX_TEXT_CHARACTERS)

/**
 * Returns the minutes from the start of a payment after which the gateway no longer captures it. With quotas, this is
 * the time for which the seat is held: the gateway refunds a later payment, because another delegate may have taken
 * the seat. Without quotas, it is the gateway's maximum.
 */
export function calculateCaptureMinutes({ quotas, holdSeatsMs }: EventConfig): number {
  const { min, max } = razorpay.checkoutMinutes ?? { min: 0, max: 0 }
  return quotas.length === 0
    ? max
    : Math.min(max, Math.max(min, Math.ceil(holdSeatsMs / MINUTE_MS)))
}

/**
 * Returns the checkouts to store, the first of which is used, or a sentence that explains why there are none. After a
 * request without a response, searches by receipt, and creates another checkout only if there is none.
 */
export async function createOrder(
  api: Api,
  event: EventConfig,
  order: Money & { readonly orderId: OrderId },
  earlierCheckouts: readonly StoredCheckout[],
): Promise<Result<readonly StoredCheckout[], string>> {
  const matchingCheckouts = earlierCheckouts.filter(
    ({ amount, currency }) => amount === order.amount && currency === order.currency,
  )
  if (matchingCheckouts.length > 0) return ok(matchingCheckouts)
  const receipt =
    earlierCheckouts.length === 0
      ? order.orderId
      : `${order.orderId}-${earlierCheckouts.length + 1}`
  for (const isLast of [false, true]) {
    const response = await requestApi(api, 'POST', 'orders', buildOrderBody(event, order, receipt))
    if (response.is === 'refused') return err(`${response.code}: ${response.message}`)
    if (response.is === 'ok') {
      const checkout = readCheckout(response.json, order.orderId)
      return checkout !== null && isForOrder(checkout, order)
        ? ok([checkout])
        : err('the gateway created an order that differs from the requested one')
    }
    if (!response.wasSent || isLast) return err(response.error)
    const findResult = await findByReceipt(api, order.orderId, receipt)
    if (!findResult.ok) return findResult
    const matching = findResult.value.filter((checkout) => isForOrder(checkout, order))
    if (matching.length > 0) return ok(matching)
  }
  return err('the gateway did not create the order')
}

const isForOrder = (checkout: Money, { amount, currency }: Money): boolean =>
  checkout.amount === amount && checkout.currency === currency

function buildOrderBody(
  event: EventConfig,
  { orderId, amount, currency }: Money & { readonly orderId: OrderId },
  receipt: string,
): object {
  const minutes = calculateCaptureMinutes(event)
  return {
    amount,
    currency,
    receipt,
    notes: { order: orderId, event: event.id },
    payment: {
      capture: 'automatic',
      capture_options: {
        automatic_expiry_period: minutes,
        manual_expiry_period: minutes,
        refund_speed: 'normal',
      },
    },
  }
}

/** Finds the checkouts of an order whose ids are not stored: after a timeout, or in a restored database. */
export async function findByReceipt(
  api: Api,
  orderId: OrderId,
  receipt: string = orderId,
): Promise<Result<readonly StoredCheckout[], string>> {
  const query = new URLSearchParams({ receipt, count: '100' }).toString()
  const response = await requestApi(api, 'GET', `orders?${query}`)
  if (response.is !== 'ok') return err(describeFailure(response))
  const items = asItems(response.json)
  if (items === null) return err('the list of orders cannot be read')
  const matching = items.filter((item) => asText(item['receipt']) === receipt)
  const checkouts = matching.map((item) => readCheckout(item, orderId))
  return checkouts.every((checkout) => checkout !== null)
    ? ok(checkouts)
    : err('the list of orders cannot be read')
}

function readCheckout(json: Json, orderId: OrderId): StoredCheckout | null {
  const checkoutId = asText(json['id'])
  const amount = asWholeNumber(json['amount'])
  const currency = readCurrency(json['currency'])
  return /^order_\w+$/.test(checkoutId) && amount !== null && currency !== null
    ? { checkoutId, orderId, amount: toAmount(amount), currency }
    : null
}
