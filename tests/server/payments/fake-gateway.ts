/** A fake gateway with responses set by the test, on a separate port, and the real adapter. */
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { instant, toAmount } from '../../../engine/index.ts'
import type { EventConfig, OrderId } from '../../../engine/index.ts'
import type { Account, GatewayAdapter } from '../../../server/dependencies.ts'
import { createAirpayGateway } from '../../../server/payments/gateways/airpay/airpay.ts'
import type { AirpayOptions } from '../../../server/payments/gateways/airpay/airpay.ts'
import { createEvent } from '../../engine/fixtures.ts'

export const account: Account = {
  name: 'demo',
  username: 'demoUser01',
  password: 'demoPass#9',
  secret: 'S3cr3tApiKey0123',
  merchantId: '123456',
}
export const orderId = 'SAMP2026112100015' as OrderId
export const responseTime = instant(Date.parse('2026-11-21T12:00:00+05:30'))

type GatewayResponse = (
  response: ServerResponse,
  requests: string,
  request: IncomingMessage,
) => void
export type FakeGateway = {
  readonly port: number
  /** Received requests, newest last. */
  readonly queries: string[]
  /** Sets the response from now on. */
  answers(answer: string | GatewayResponse): void
  close(): Promise<void>
}

export async function openFakeGateway(): Promise<FakeGateway> {
  const queries: string[] = []
  let answer: GatewayResponse = (response) => response.end()
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      queries.push(text)
      answer(response, text, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return {
    port: address.port,
    queries,
    answers: (next) => {
      answer = typeof next === 'string' ? (response) => response.end(next) : next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** An event with the account above. */
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

export function adapterAt(port: number, options: Partial<AirpayOptions> = {}): GatewayAdapter {
  const url = `http://127.0.0.1:${port}`
  const served = { config: event, hash: '', text: '', shared: '' }
  return createAirpayGateway({
    mode: 'live',
    events: {
      all: () => [served],
      byOrderId: (id) => (id.startsWith('SAMP') ? served : null),
    },
    account: (name) => (name === 'demo' ? account : null),
    addresses: { pay: url, status: `${url}/status`, refund: `${url}/refund`, hops: [url] },
    ...options,
  })
}
