/** Assembles the gateway adapter for Razorpay: orders, hosted checkout, payments, refunds and webhooks. */
import { assert, err, listEventsByAccount, ok } from '../../../../engine/index.ts'
import type { EventConfig, Instant, OrderId, Result } from '../../../../engine/index.ts'
import type { EventRegistry, GatewayAdapter, StatusResponse } from '../../../dependencies.ts'
import type { RazorpayAccount } from './credentials.ts'
import type { CheckoutStore, StoredCheckout } from '../../../storage/index.ts'
import { describeFailure, asItems, requestApi } from './api.ts'
import type { Api, Json } from './api.ts'
import {
  buildCheckoutForm,
  calculateCaptureMinutes,
  createOrder,
  findByReceipt,
} from './checkout.ts'
import { requestDispute } from './disputes.ts'
import { readReturn, readWebhook } from './messages.ts'
import { requestRefund } from './refund.ts'
import { interpretPayments, isReceived, readPayment, readRefund } from './status.ts'
import type { RazorpayPayment, RazorpayRefund } from './status.ts'

// Only this folder contains code for Razorpay. The code is the same for Razorpay and for our simulator: only addresses
// and credentials differ. Rules: docs/razorpay.md and tests/server/payments/razorpay/.

/**
 * The URLs of the hosted page and of the API (with a slash at the end), and every origin that a payment passes
 * through.
 */
export type RazorpayAddresses = {
  readonly pay: string
  readonly api: string
  readonly hops: readonly string[]
}
export type RazorpayOptions = {
  readonly events: Pick<EventRegistry, 'all'>
  /** Null if there are no credentials; such an event cannot start a payment. */
  readonly account: (name: string) => RazorpayAccount | null
  /** The simulator's addresses; null to use those of the event's gateway. */
  readonly addresses: RazorpayAddresses | null
  readonly checkouts: Pick<CheckoutStore, 'recordCheckout' | 'checkoutsOf' | 'checkoutById'>
  /** Returns the URL to which the browser returns after the payment of an order. */
  readonly returnAddress: (orderId: OrderId) => string
}

const MINUTE_MS = 60_000
const REFUND_FAILS_AFTER_MS = 60 * MINUTE_MS
/** The number of confirmed payments kept in memory. */
const MAX_REMEMBERED_PAYMENTS = 1000
/**
 * A single webhook may be late. If no webhook arrives for this many payments within this time, webhooks are missing.
 */
const MIN_PAYMENTS_WITHOUT_WEBHOOK = 3
const WEBHOOK_WAIT_MS = 60 * MINUTE_MS
const NO_CREDENTIALS = 'there are no credentials'

export function createRazorpayGateway(options: RazorpayOptions): GatewayAdapter {
  const { checkouts, returnAddress } = options
  const getPayment = ({ payment }: EventConfig) => {
    assert(payment !== null, 'a payment for an event without a gateway')
    return payment
  }
  const getAddresses = (event: EventConfig): RazorpayAddresses => {
    const { pay, status: api, hops } = getPayment(event).gateway.live
    return options.addresses ?? { pay, api, hops }
  }
  const getAccount = (event: EventConfig): RazorpayAccount | null =>
    options.account(getPayment(event).account)
  const openApi = (event: EventConfig, timeoutMs: number): Api | null => {
    const account = getAccount(event)
    const { api: address } = getAddresses(event)
    return account === null ? null : { address, account, signal: AbortSignal.timeout(timeoutMs) }
  }
  const events = (): readonly EventConfig[] =>
    options.events.all().flatMap(({ config }) => listEventsByAccount(config).filter(isRazorpay))

  /** The time at which this process first confirmed each payment. */
  const confirmationTimes = new Map<OrderId, Instant>()
  const recordConfirmed = (
    orderId: OrderId,
    response: StatusResponse,
    at: Instant,
  ): StatusResponse => {
    const isPaid = response.is === 'payment-event' && response.paymentEvent.type === 'confirmed'
    if (
      isPaid &&
      confirmationTimes.size < MAX_REMEMBERED_PAYMENTS &&
      !confirmationTimes.has(orderId)
    )
      confirmationTimes.set(orderId, at)
    return response
  }

  return {
    handOff(event, buyer, orderId, money) {
      const account = getAccount(event)
      if (account === null) return err({ code: 'no_credentials' })
      const addresses = { pay: getAddresses(event).pay, back: returnAddress(orderId) }
      return buildCheckoutForm(event, account, addresses, buyer, orderId, money)
    },
    async createCheckout(event, order, form, at, timeoutMs) {
      const api = openApi(event, timeoutMs)
      if (api === null) return err(NO_CREDENTIALS)
      const createResult = await createOrder(
        api,
        event,
        order,
        await checkouts.checkoutsOf(order.orderId),
      )
      if (!createResult.ok) return createResult
      for (const checkout of createResult.value) await checkouts.recordCheckout(checkout, at)
      const [checkout] = createResult.value
      assert(checkout !== undefined, 'a checkout was created and is missing')
      return ok({ ...form, checkout_id: checkout.checkoutId })
    },
    readReturn: async (event, orderId, fields) =>
      readReturn(orderId, fields, getAccount(event), await checkouts.checkoutsOf(orderId)),
    readWebhook: (webhook) =>
      readWebhook(
        webhook,
        events().flatMap((event) => getAccount(event) ?? []),
        checkouts.checkoutById,
      ),
    countConfirmedWithoutWebhook(lastWebhookAt, at) {
      for (const [orderId, confirmedAt] of confirmationTimes)
        if (lastWebhookAt !== null && confirmedAt <= lastWebhookAt)
          confirmationTimes.delete(orderId)
      const [since] = confirmationTimes.values()
      return since === undefined ||
        confirmationTimes.size < MIN_PAYMENTS_WITHOUT_WEBHOOK ||
        at - since < WEBHOOK_WAIT_MS
        ? null
        : { payments: confirmationTimes.size, since }
    },
    getMerchantId: (event) =>
      event.payment === null ? null : describeMerchant(options.account(event.payment.account)),
    async status(event, orderId, at, timeoutMs, canCapture = false) {
      const api = openApi(event, timeoutMs)
      if (api === null) return { is: 'unreachable', error: NO_CREDENTIALS }
      const findResult = await findCheckouts(api, checkouts, orderId)
      if (!findResult.ok) return { is: 'unreachable', error: findResult.error }
      const readResult = await readPayments(api, findResult.value)
      if (!readResult.ok) return { is: 'unreachable', error: readResult.error }
      const capturable = canCapture
        ? findCapturable(
            readResult.value.payments,
            findResult.value,
            at - calculateCaptureMinutes(event) * MINUTE_MS,
          )
        : null
      if (capturable === null)
        return recordConfirmed(orderId, await interpret(api, readResult.value, at), at)
      const { id, amount, currency } = capturable
      const captureResponse = await requestApi(api, 'POST', `payments/${id}/capture`, {
        amount,
        currency,
      })
      if (captureResponse.is === 'failed')
        return { is: 'unreachable', error: captureResponse.error }
      // The payments are read again even after a refusal, because the gateway may have captured this payment itself in
      // the meantime.
      const rereadResult = await readPayments(api, findResult.value)
      return rereadResult.ok
        ? recordConfirmed(orderId, await interpret(api, rereadResult.value, at), at)
        : { is: 'unreachable', error: rereadResult.error }
    },
    async refund(event, reference, { amount }, _at, timeoutMs, key = '') {
      const api = openApi(event, timeoutMs)
      return api === null
        ? { is: 'not-sent', error: NO_CREDENTIALS }
        : requestRefund(api, reference, amount, key)
    },
    async dispute(event, orderId, disputeId, timeoutMs) {
      const api = openApi(event, timeoutMs)
      if (api === null) return err(NO_CREDENTIALS)
      const findResult = await findCheckouts(api, checkouts, orderId)
      const readResult = findResult.ok ? await readPayments(api, findResult.value) : findResult
      return readResult.ok
        ? requestDispute(
            api,
            disputeId,
            readResult.value.payments.map(({ id }) => id),
          )
        : readResult
    },
    origins: () => [
      ...new Set(
        events().flatMap((event) => {
          const { pay, hops } = getAddresses(event)
          return [pay, ...hops].map((address) => new URL(address).origin)
        }),
      ),
    ],
  }
}

export const isRazorpay = ({ payment }: EventConfig): boolean =>
  payment !== null && payment.gateway.kind === 'razorpay'

/** Identifies a merchant by mode and name, because its keys are replaced from time to time. */
function describeMerchant(account: RazorpayAccount | null): string | null {
  if (account === null) return null
  return `${account.keyId.startsWith('rzp_live_') ? 'live' : 'test'}:${account.name}`
}

/** Returns the stored checkouts or, if there are none (for example after a restore), those that the gateway has. */
async function findCheckouts(
  api: Api,
  checkouts: RazorpayOptions['checkouts'],
  orderId: OrderId,
): Promise<Result<readonly StoredCheckout[], string>> {
  const storedCheckouts = await checkouts.checkoutsOf(orderId)
  return storedCheckouts.length > 0 ? ok(storedCheckouts) : findByReceipt(api, orderId)
}

type Payments = { readonly payments: readonly RazorpayPayment[]; readonly texts: readonly string[] }

async function readPayments(
  api: Api,
  checkouts: readonly StoredCheckout[],
): Promise<Result<Payments, string>> {
  const payments: RazorpayPayment[] = []
  const texts: string[] = []
  for (const { checkoutId } of checkouts) {
    const list = await readList(api, `orders/${checkoutId}/payments`, readPayment)
    if (!list.ok) return list
    payments.push(...list.value.items)
    texts.push(list.value.text)
  }
  return ok({ payments, texts })
}

async function readList<Item>(
  api: Api,
  path: string,
  read: (json: Json) => Item | null,
): Promise<Result<{ readonly items: readonly Item[]; readonly text: string }, string>> {
  const response = await requestApi(api, 'GET', path)
  if (response.is !== 'ok') return err(describeFailure(response))
  const items = asItems(response.json)?.map(read)
  return items !== undefined && items.every((item) => item !== null)
    ? ok({ items, text: response.text })
    : err('the list cannot be read')
}

/**
 * Returns an authorised payment of the requested amount that was started recently enough, unless money has already been
 * received.
 */
function findCapturable(
  payments: readonly RazorpayPayment[],
  checkouts: readonly StoredCheckout[],
  startedAfter: number,
): RazorpayPayment | null {
  if (payments.some(isReceived)) return null
  return (
    payments.find(
      ({ status, amount, currency, createdAt }) =>
        status === 'authorized' &&
        createdAt >= startedAfter &&
        checkouts.some((checkout) => checkout.amount === amount && checkout.currency === currency),
    ) ?? null
  )
}

async function interpret(
  api: Api,
  { payments, texts }: Payments,
  at: Instant,
): Promise<StatusResponse> {
  const refunds: RazorpayRefund[] = []
  const responseTexts = [...texts]
  for (const { id, amountRefunded, createdAt } of payments.filter(isReceived)) {
    // The refunded amount excludes failed refunds, so even 0 may mean that there are some. No refund fails within an
    // hour.
    if (amountRefunded === 0 && at - createdAt < REFUND_FAILS_AFTER_MS) continue
    const list = await readList(api, `payments/${id}/refunds?count=100`, readRefund)
    if (!list.ok) return { is: 'unreachable', error: list.error }
    refunds.push(...list.value.items)
    responseTexts.push(list.value.text)
  }
  return interpretPayments(payments, refunds, { at, raw: `[${responseTexts.join(',')}]` })
}
