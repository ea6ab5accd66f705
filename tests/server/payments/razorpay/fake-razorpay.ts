/** The real adapter, connected to a fake API whose replies a test sets per path, with checkouts in memory. */
import { INR, instant, toAmount } from '../../../../engine/index.ts'
import type { EventConfig, Money, OrderId } from '../../../../engine/index.ts'
import type { GatewayAdapter } from '../../../../server/dependencies.ts'
import type { RazorpayAccount } from '../../../../server/payments/gateways/razorpay/credentials.ts'
import { createRazorpayGateway } from '../../../../server/payments/gateways/razorpay/razorpay.ts'
import type { StoredCheckout } from '../../../../server/storage/index.ts'
import { createEvent } from '../../../engine/fixtures.ts'
import { openFakeGateway } from '../fake-gateway.ts'

export const account: RazorpayAccount = {
  name: 'demo',
  keyId: 'rzp_live_Demo0001',
  keySecret: 'demo-key-secret',
  webhookSecrets: ['webhook-now', 'webhook-before'],
}
export const ORDER = 'SAMP2026112100015' as OrderId
export const CHECKOUT = 'order_Sample00000001'
export const AT = instant(Date.parse('2026-11-21T12:00:00+05:30'))
export const PRICE: Money = { amount: toAmount(501_500), currency: INR }
export const storedCheckout: StoredCheckout = { checkoutId: CHECKOUT, orderId: ORDER, ...PRICE }

export const createRazorpayEvent = (overrides: Partial<EventConfig> = {}): EventConfig =>
  createEvent({
    payment: {
      account: 'demo',
      gateway: {
        name: 'razorpay',
        kind: 'razorpay',
        live: { pay: 'https://pay.example', status: 'https://pay.example/', refund: '', hops: [] },
        minimum: toAmount(100),
        postsTo: 'payment_url',
        posts: {},
        constants: {},
      },
    },
    ...overrides,
  })

/** `drop` reads the request and then closes the connection without a response. */
export type Reply = { readonly status?: number; readonly body: unknown } | 'drop'
export type FakeRazorpay = {
  readonly adapter: GatewayAdapter
  /** The requests since the latest `setReplies`: method and path, JSON body, and idempotency key. */
  readonly requests: { readonly endpoint: string; readonly body: unknown; readonly key: string }[]
  readonly checkouts: StoredCheckout[]
  /** Sets the replies, keyed by method and path without the query. They are used in turn, and the last is repeated. */
  setReplies(replies: Readonly<Record<string, Reply | readonly Reply[]>>): void
  close(): Promise<void>
}

export async function openFakeRazorpay(
  findAccount: () => RazorpayAccount | null = () => account,
): Promise<FakeRazorpay> {
  const gateway = await openFakeGateway()
  const requests: FakeRazorpay['requests'] = []
  const checkouts: StoredCheckout[] = []
  let queues = new Map<string, Reply[]>()
  gateway.setResponse((response, text, request) => {
    const endpoint = `${request.method} ${(request.url ?? '').slice(1).split('?')[0]}`
    const key = String(request.headers['x-refund-idempotency'] ?? '')
    requests.push({ endpoint, body: text === '' ? null : JSON.parse(text), key })
    const queue = queues.get(endpoint)
    const reply = queue !== undefined && queue.length > 1 ? queue.shift() : queue?.[0]
    if (reply === 'drop') return void request.socket.destroy()
    response.statusCode = reply?.status ?? (reply === undefined ? 404 : 200)
    response.end(typeof reply?.body === 'string' ? reply.body : JSON.stringify(reply?.body ?? {}))
  })
  const url = `http://127.0.0.1:${gateway.port}`
  const servedEvent = { config: createRazorpayEvent(), hash: '', text: '', shared: '' }
  const adapter = createRazorpayGateway({
    events: { all: () => [servedEvent] },
    account: findAccount,
    addresses: { pay: `${url}/checkout`, api: `${url}/`, hops: [url] },
    checkouts: {
      recordCheckout: async (checkout) => void checkouts.push(checkout),
      checkoutsOf: async (orderId) => checkouts.filter((checkout) => checkout.orderId === orderId),
      checkoutById: async (id) => checkouts.find(({ checkoutId }) => checkoutId === id) ?? null,
    },
    returnAddress: (orderId) => `https://register.example/return/${orderId}/`,
  })
  return {
    adapter,
    requests,
    checkouts,
    setReplies: (replies) => {
      requests.length = 0
      queues = new Map(
        Object.entries(replies).map(([endpoint, reply]): [string, Reply[]] => [
          endpoint,
          Array.isArray(reply) ? [...(reply as readonly Reply[])] : [reply as Reply],
        ]),
      )
    },
    close: () => gateway.close(),
  }
}

/** Creates a payment as the gateway lists it. Unless changed, it is captured and its amount is the price. */
export const createPayment = (changes: Readonly<Record<string, unknown>> = {}): object => ({
  id: 'pay_Sample00000001',
  entity: 'payment',
  amount: PRICE.amount,
  currency: 'INR',
  status: 'captured',
  order_id: CHECKOUT,
  method: 'card',
  amount_refunded: 0,
  refund_status: null,
  captured: true,
  error_code: null,
  error_description: null,
  error_reason: null,
  created_at: AT / 1000 - 60,
  ...changes,
})
export const list = (...items: readonly unknown[]): Reply => ({
  body: { entity: 'collection', count: items.length, items },
})
export const createRefusal = (
  description: string,
  status = 400,
  code = 'BAD_REQUEST_ERROR',
): Reply => ({
  status,
  body: {
    error: { code, description, source: 'business', step: 'NA', reason: 'NA', metadata: {} },
  },
})
