/** Acts as delegates and office staff of a conference with invoices, over HTTP. */
import { writeFileSync, mkdirSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type {
  DocumentsResponse,
  PaymentData,
  RecoveryResponse,
  ReviewsResponse,
} from '../../../engine/api.ts'
import { createPdf } from '../sample-uploads.ts'
import { buildFixtureEvent } from '../small-event.ts'
import { top } from '../run-command.ts'

export const EVENT = 'sample2026'
const INVOICE = `
invoice:
  supplier: Sample Society
  address: 12 Made-up Road, Kochi 682001
  gstin: 32AAAAA0000A1ZB
  sac: 998596
  place_of_supply: Kerala
  number: "SMPL/{year}/{n}"
`
export const createInvoicedEvent = (): string => buildFixtureEvent({ extra: INVOICE })

/** Writes the event file and the shared files to a folder. */
export function writeEvents(eventsDir: string, event = createInvoicedEvent()): void {
  mkdirSync(eventsDir, { recursive: true })
  cpSync(join(top, 'events', '_shared'), join(eventsDir, '_shared'), { recursive: true })
  writeFileSync(join(eventsDir, `${EVENT}.yaml`), event)
}

type Fields = Readonly<Record<string, string>>
const postForm = (address: string, body: BodyInit, headers: Fields = {}): Promise<Response> =>
  fetch(address, { method: 'POST', body, headers, redirect: 'manual' })

export type RegisteredDelegate = { readonly regNo: string; readonly data: PaymentData }

/** Registers a delegate, with a unique letter if `proof` is set. */
export async function registerDelegate(
  url: string,
  email: string,
  { proof = false }: { readonly proof?: boolean } = {},
): Promise<RegisteredDelegate> {
  const form = new FormData()
  const answers = { full_name: 'Asha Sample', email, phone_number: '9876543210', is_member: 'true' }
  for (const [field, answer] of Object.entries(answers)) form.append(field, answer)
  if (proof) form.append('letter', new Blob([new Uint8Array(createPdf(email))]), 'letter.pdf')
  const answer = await postForm(`${url}/api/${EVENT}/register/`, form)
  const text = await answer.text()
  if (answer.status !== 201) throw new Error(`not registered: ${answer.status} ${text}`)
  const { reg_no: regNo, payment_data: data } = JSON.parse(text) as {
    readonly reg_no: string
    readonly payment_data: PaymentData
  }
  return { regNo, data }
}

/** Builds the fields of the hidden checkout form as defined in the gateways file. */
const createFormFields = (data: PaymentData): Record<string, string> => ({
  privatekey: data.privatekey ?? '',
  mercid: data.mercid ?? '',
  orderid: data.orderid,
  UID: data.orderid,
  amount: data.amount,
  checksum: data.checksum ?? '',
  buyerEmail: data.email,
  buyerFirstName: data.first_name ?? '',
  buyerLastName: data.last_name ?? '',
  currency: '356',
  isocurrency: 'INR',
})

/** Clicks a button on the gateway's page, and returns the form fields that the browser sends back to the server. */
export async function payByCard(data: PaymentData, action = 'pay'): Promise<Fields> {
  const handOffResponse = await postForm(
    data.payment_url,
    new URLSearchParams(createFormFields(data)),
  )
  const page = (handOffResponse.headers.get('location') ?? '').replace('/hop/', '/page/')
  const returnPage = await (await postForm(page, new URLSearchParams({ do: action }))).text()
  const matches = returnPage.matchAll(/name="([^"]+)" value="([^"]*)"/g)
  return Object.fromEntries([...matches].map(([, name = '', value = '']) => [name, value]))
}

/** Registers a delegate who pays. Resolves once the server has recorded the payment. */
export async function registerAndPay(
  url: string,
  email: string,
  proof = false,
): Promise<RegisteredDelegate> {
  const registration = await registerDelegate(url, email, { proof })
  await sendGatewayMessage(url, await payByCard(registration.data))
  return registration
}

/** Sends the gateway's message about a payment, and returns the HTTP status. */
export async function sendGatewayMessage(url: string, fields: Fields): Promise<number> {
  return (await postForm(`${url}/api/payment/webhook/`, new URLSearchParams(fields))).status
}

export type Office = {
  get<T>(path: string): Promise<T>
  send<T>(path: string, body: object): Promise<T>
}
export async function openOffice(url: string, password: string): Promise<Office> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ username: 'admin', password })
  const { token } = (await (await postForm(`${url}/admin/login/`, body, headers)).json()) as {
    readonly token: string
  }
  const authorization = `Bearer ${token}`
  const read = async <T>(answer: Response): Promise<T> => {
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${answer.url}: ${answer.status} ${text}`)
    return JSON.parse(text) as T
  }
  return {
    get: async (path) => read(await fetch(`${url}${path}`, { headers: { authorization } })),
    send: async (path, payload) =>
      read(await postForm(`${url}${path}`, JSON.stringify(payload), { ...headers, authorization })),
  }
}
export const readReviews = async (office: Office): Promise<ReviewsResponse['reviews']> =>
  (await office.get<ReviewsResponse>('/admin/reviews/')).reviews
export const readRecovery = (office: Office): Promise<RecoveryResponse> =>
  office.get<RecoveryResponse>('/admin/recovery-state/')
/** Reads the invoice numbers of a registration. */
export const readInvoices = async (office: Office, regNo: string): Promise<readonly string[]> =>
  (
    await office.get<DocumentsResponse>(`/admin/registrations/${regNo}/documents/`)
  ).documents.flatMap(({ kind, serial }) => (kind === 'receipt' ? [] : [serial]))

/** Polls until `check` returns a value. Background work runs at least once a minute. */
export async function waitUntil<T>(condition: string, check: () => Promise<T | null>): Promise<T> {
  for (let attempt = 0; attempt < 4_000; attempt += 1) {
    const value = await check()
    if (value !== null) return value
    await pause(100)
  }
  throw new Error(`timeout while waiting for ${condition}`)
}
