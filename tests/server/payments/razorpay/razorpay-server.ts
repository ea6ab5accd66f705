/** A real server with the Razorpay simulator, and a delegate who pays in a browser without scripts. */
import { join } from 'node:path'
import type { OrderId } from '../../../../engine/index.ts'
import type { PaymentData, RegisterResponse } from '../../../../engine/api.ts'
import type {
  RazorpaySimulator,
  ReturnFields,
  SimulatorAction,
} from '../../../../server/payments/gateways/razorpay/simulator/simulator-types.ts'
import { createFormFields, openTestServer } from '../server-with-gateway.ts'
import type { TestServer } from '../server-with-gateway.ts'

export const EVENTS = join(import.meta.dirname, 'events')
export const NOON = '2026-01-10T12:00:00+05:30'

export type PlacedCheckout = {
  readonly regNo: string
  readonly orderId: OrderId
  readonly data: PaymentData
}
export type RazorpayServer = TestServer & {
  simulator(): RazorpaySimulator
  /** Registers a delegate. Throws unless the response leads to the gateway. */
  registerFor(event: TestEvent, answers?: Answers): Promise<PlacedCheckout>
  /** Registers a delegate, and returns the response, whatever its status. */
  submit(event: string, answers?: Answers): Promise<RegisterResult>
  retry(orderId: string, email?: string): Promise<RegisterResult>
  /** Posts the form to the hosted checkout, as the browser does, and returns the id of the gateway's order. */
  openCheckout(data: PaymentData): Promise<string>
  /** Registers a delegate who pays and returns from the gateway. `page`: the URL of the page that is then shown. */
  pay(
    action: SimulatorAction,
    event?: TestEvent,
  ): Promise<PlacedCheckout & { readonly page: URL | null }>
  /** Sends the browser to an order's return URL, with a posted form or, after a cancellation (null), by GET. */
  returnTo(orderId: string, fields: ReturnFields | null): Promise<URL>
  postWebhook(body: string, headers: Readonly<Record<string, string>>): Promise<Response>
  waitForStatus(orderId: string, status: string): Promise<void>
}
/** `razortwo` accepts rupees through Airpay or Razorpay, and dollars through Razorpay. */
type TestEvent = 'razorinr' | 'razorusd' | 'razortwo'
type Answers = Readonly<Record<string, string>>
export type RegisterResult = { readonly status: number; readonly body: Partial<RegisterResponse> }

const DELEGATE = { full_name: 'Asha Nair', email: 'asha@example.org', phone_number: '9876543210' }
const POLL_MS = 20

export async function openRazorpayServer(
  variables: Readonly<Record<string, string>> = {},
): Promise<RazorpayServer> {
  const server = await openTestServer({ events: EVENTS, clock: NOON, variables })
  const simulator = (): RazorpaySimulator => {
    const { simulators } = server.parts()
    if (simulators === null) throw new Error('the server has no simulator')
    return simulators.byKind.razorpay
  }
  const send = async (path: string, body: object): Promise<RegisterResult> => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as RegisterResult['body'] }
  }
  const submit: RazorpayServer['submit'] = (event, answers = {}) =>
    send(`/api/${event}/register/`, { ...DELEGATE, ...answers })
  const registerFor: RazorpayServer['registerFor'] = async (event, answers) => {
    const { body } = await submit(event, answers)
    const { payment_data: data, reg_no: regNo = '' } = body
    if (data === undefined) throw new Error(JSON.stringify(body))
    return { regNo, orderId: data.orderid as OrderId, data }
  }
  const openCheckout: RazorpayServer['openCheckout'] = async (data) => {
    const response = await fetch(data.payment_url, {
      method: 'POST',
      body: new URLSearchParams(createFormFields(server.parts().deps, data)),
      redirect: 'manual',
    })
    if (response.status !== 303) throw new Error(await response.text())
    return data['checkout_id'] ?? ''
  }
  const returnTo: RazorpayServer['returnTo'] = async (orderId, fields) => {
    const response = await fetch(`${server.url}/api/payment/return-of/${orderId}/`, {
      method: fields === null ? 'GET' : 'POST',
      ...(fields === null ? {} : { body: new URLSearchParams(fields) }),
      redirect: 'manual',
    })
    if (response.status !== 303) throw new Error(`${response.status} ${await response.text()}`)
    return new URL(response.headers.get('location') ?? '', server.url)
  }
  return {
    ...server,
    simulator,
    submit,
    registerFor,
    openCheckout,
    returnTo,
    retry: (orderId, email = DELEGATE.email) =>
      send('/api/payment/retry/', { order_id: orderId, email }),
    pay: async (action, event = 'razorinr') => {
      const checkout = await registerFor(event)
      const fields = await simulator().run(await openCheckout(checkout.data), action)
      const page =
        fields === null
          ? null
          : await returnTo(checkout.orderId, action === 'cancel' ? null : fields)
      return { ...checkout, page }
    },
    postWebhook: (body, headers) =>
      fetch(`${server.url}/api/payment/webhook/razorpay/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      }),
    waitForStatus: async (orderId, status) => {
      while (server.readOrderState(orderId).status !== status)
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    },
    waitUntilIdle: async () => {
      await simulator().idle()
      await server.parts().deps.payments.waitUntilIdle()
    },
  }
}
