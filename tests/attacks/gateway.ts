/** Uses the gateway simulator's payment page as a browser does, and builds an attacker's gateway messages. */
import { expect, vi } from 'vitest'
import { computeSecureHash } from '../../server/payments/gateways/airpay/checksums.ts'
import { createSandboxAccount } from '../../server/payments/gateways/airpay/simulator/simulator.ts'
import type { Target } from './target.ts'

export type FormFields = Readonly<Record<string, string>>

/** Builds the form that the browser posts to the gateway from the server's payment data. */
export const buildGatewayForm = (data: FormFields): FormFields => ({
  buyerEmail: data['email'] ?? '',
  buyerFirstName: data['first_name'] ?? '',
  buyerLastName: data['last_name'] ?? '',
  orderid: data['orderid'] ?? '',
  amount: data['amount'] ?? '',
  UID: data['orderid'] ?? '',
  mercid: data['merchant_id'] ?? '',
  privatekey: data['privatekey'] ?? '',
  checksum: data['checksum'] ?? '',
  currency: '356',
  isocurrency: 'INR',
  chmod: '',
})

const postFields = (url: string, fields: FormFields): Promise<Response> =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })

/** Places the order. Returns the URL of its payment page, or null if the gateway rejects the order. */
export async function placeOrder(
  data: FormFields,
  changes: FormFields = {},
): Promise<string | null> {
  const response = await postFields(data['payment_url'] ?? '', {
    ...buildGatewayForm(data),
    ...changes,
  })
  await response.arrayBuffer()
  const redirectUrl = response.headers.get('location')
  return redirectUrl === null ? null : redirectUrl.replace('/hop/', '/page/')
}

/** Clicks a button on the payment page. */
export async function clickPaymentButton(pageUrl: string | null, action: string): Promise<void> {
  if (pageUrl === null) throw new Error('the order has no payment page')
  const response = await postFields(pageUrl, { do: action })
  await response.arrayBuffer()
  expect(response.status).toBe(200)
}

/** Builds a gateway message with a valid hash, as an attacker with one genuine message can. */
export function buildMessage(content: {
  readonly orderId: string
  readonly amount?: string
  readonly status?: string
  readonly reference?: string
}): FormFields {
  const fields = {
    TRANSACTIONID: content.orderId,
    APTRANSACTIONID: content.reference ?? '900000001',
    AMOUNT: content.amount ?? '7080.00',
    TRANSACTIONSTATUS: content.status ?? '200',
    MESSAGE: 'Success',
  }
  return {
    ...fields,
    ap_SecureHash: computeSecureHash(createSandboxAccount('afpi'), fields, false),
  }
}

export const encodeForm = (fields: FormFields): string => new URLSearchParams(fields).toString()
export const FORM_HEADERS = { 'content-type': 'application/x-www-form-urlencoded' }

/** Returns an order with its registration, and the number of gateway queries. */
export function readStoredOrder(
  target: Target,
  orderId: string,
): Readonly<Record<string, unknown>> {
  const [row = {}] = target.readRows(
    `SELECT p.status, p.review, p.amount, p.asks, p.reference, r.payment_status AS registration, r.total,
            (SELECT count(*) FROM mail_queue m WHERE m.registration_id = r.id AND m.kind = 'confirmation') AS confirmations
     FROM payments p JOIN registrations r ON r.id = p.registration_id WHERE p.order_id = ?`,
    orderId,
  )
  return row
}

const POLLING = { timeout: 200_000, interval: 20 }
/** Waits until the gateway has been queried about the order more than `queryCount` times. */
export const waitForQuery = (target: Target, orderId: string, queryCount: number): Promise<void> =>
  vi.waitFor(
    () => expect(Number(readStoredOrder(target, orderId)['asks'])).toBeGreaterThan(queryCount),
    POLLING,
  )

export const waitForStatus = (target: Target, orderId: string, status: string): Promise<void> =>
  vi.waitFor(() => expect(readStoredOrder(target, orderId)['status']).toBe(status), POLLING)
