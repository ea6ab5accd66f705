/** The payment page of the simulated gateway, used as a browser uses it, and its messages as an attacker writes them. */
import { expect, vi } from 'vitest'
import { secureHash } from '../../server/payments/gateways/airpay/checksums.ts'
import { sandboxAccount } from '../../server/payments/gateways/airpay/simulator/simulator.ts'
import type { Target } from './target.ts'

export type Fields = Readonly<Record<string, string>>

/** What the browser posts to the gateway, made from the server's payment data. */
export const handOffOf = (data: Fields): Fields => ({
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

const post = (url: string, fields: Fields): Promise<Response> =>
  fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })

/** The address of the page on which the order is paid; null: the gateway refused the hand-off. */
export async function placed(data: Fields, changes: Fields = {}): Promise<string | null> {
  const response = await post(data['payment_url'] ?? '', { ...handOffOf(data), ...changes })
  await response.arrayBuffer()
  const hop = response.headers.get('location')
  return hop === null ? null : hop.replace('/hop/', '/page/')
}

/** Presses a button of the payment page. */
export async function presses(page: string | null, action: string): Promise<void> {
  if (page === null) throw new Error('there is no page')
  const response = await post(page, { do: action })
  await response.arrayBuffer()
  expect(response.status).toBe(200)
}

/** A message as the gateway writes it, its hash right: whoever knows one genuine message can make it. */
export function messageOf(said: {
  readonly orderId: string
  readonly amount?: string
  readonly status?: string
  readonly reference?: string
}): Fields {
  const fields = {
    TRANSACTIONID: said.orderId,
    APTRANSACTIONID: said.reference ?? '900000001',
    AMOUNT: said.amount ?? '7080.00',
    TRANSACTIONSTATUS: said.status ?? '200',
    MESSAGE: 'Success',
  }
  return { ...fields, ap_SecureHash: secureHash(sandboxAccount('afpi'), fields, false) }
}

export const formBody = (fields: Fields): string => new URLSearchParams(fields).toString()
export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** What is stored of an order and of its registration, and how often the gateway was asked. */
export function stored(target: Target, orderId: string): Readonly<Record<string, unknown>> {
  const [row = {}] = target.rows(
    `SELECT p.status, p.review, p.amount, p.asks, p.reference, r.payment_status AS registration, r.total,
            (SELECT count(*) FROM mail_queue m WHERE m.registration_id = r.id AND m.kind = 'confirmation') AS confirmations
     FROM payments p JOIN registrations r ON r.id = p.registration_id WHERE p.order_id = ?`,
    orderId,
  )
  return row
}

const SOON = { timeout: 200_000, interval: 20 }
/** Resolves when the gateway has been asked about the order once more than `asks` times. */
export const untilAsked = (target: Target, orderId: string, asks: number): Promise<void> =>
  vi.waitFor(() => expect(Number(stored(target, orderId)['asks'])).toBeGreaterThan(asks), SOON)

export const untilIs = (target: Target, orderId: string, status: string): Promise<void> =>
  vi.waitFor(() => expect(stored(target, orderId)['status']).toBe(status), SOON)
