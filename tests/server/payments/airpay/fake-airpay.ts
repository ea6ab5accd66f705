/** An Airpay account with an event and an order, and the real adapter connected to the test's port. */
import { instant, toAmount } from '../../../../engine/index.ts'
import type { EventConfig, OrderId } from '../../../../engine/index.ts'
import type { GatewayAdapter } from '../../../../server/dependencies.ts'
import type { Account } from '../../../../server/payments/gateways/airpay/credentials.ts'
import { createAirpayGateway } from '../../../../server/payments/gateways/airpay/airpay.ts'
import type { AirpayOptions } from '../../../../server/payments/gateways/airpay/airpay.ts'
import { createEvent } from '../../../engine/fixtures.ts'

export const account: Account = {
  name: 'demo',
  username: 'demoUser01',
  password: 'demoPass#9',
  secret: 'S3cr3tApiKey0123',
  merchantId: '123456',
}
export const orderId = 'SAMP2026112100015' as OrderId
export const responseTime = instant(Date.parse('2026-11-21T12:00:00+05:30'))

/** An event that uses the account above. */
export const event: EventConfig = createEvent({
  payment: {
    account: 'demo',
    gateway: {
      name: 'airpay',
      live: {
        pay: 'https://pay.example',
        status: 'https://pay.example/status',
        refund: 'https://pay.example/refund',
        hops: [],
      },
      minimum: toAmount(100),
      postsTo: 'pay',
      posts: {},
      constants: {},
    },
  },
})

export function createAdapter(port: number, options: Partial<AirpayOptions> = {}): GatewayAdapter {
  const url = `http://127.0.0.1:${port}`
  const servedEvent = { config: event, hash: '', text: '', shared: '' }
  return createAirpayGateway({
    mode: 'live',
    events: {
      all: () => [servedEvent],
      findByOrderId: (id) => (id.startsWith('SAMP') ? servedEvent : null),
    },
    account: (name) => (name === 'demo' ? account : null),
    addresses: { pay: url, status: `${url}/status`, refund: `${url}/refund`, hops: [url] },
    ...options,
  })
}
