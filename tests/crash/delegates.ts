/** Simulated delegates and treasurers, who register, pay, retry, decide and refund concurrently. */
import type { PaymentData, ReviewsResponse } from '../../engine/api.ts'
import type { RunningServer } from './server.ts'

const CLIENT_COUNT = 64
/** The number of treasurers among the 64 clients. */
const TREASURER_COUNT = 4

/** Operations that the server confirmed. */
export type AcknowledgedOperations = {
  readonly registered: Set<string>
  /** Order ids in accepted gateway messages, including repeated ones. */
  readonly acceptedMessages: string[]
  /** Ids of reviews that were decided. */
  readonly decidedReviews: string[]
  /** Registration numbers for which a refund was accepted. */
  readonly refundedRegistrations: string[]
  readonly retried: string[]
}
export const createAcknowledgedOperations = (): AcknowledgedOperations => ({
  registered: new Set(),
  acceptedMessages: [],
  decidedReviews: [],
  refundedRegistrations: [],
  retried: [],
})
export const countOperations = (operations: AcknowledgedOperations): number =>
  operations.acceptedMessages.length +
  operations.decidedReviews.length +
  operations.refundedRegistrations.length +
  operations.retried.length

type PickOne = <T>(from: readonly T[]) => T
type Fields = Readonly<Record<string, string>>

/**
 * Runs the clients until the server stops, and records each operation that the server confirmed, which must survive any
 * crash. `random` determines the actions; their order depends on the machine.
 */
export async function runPayingClients(
  { url, child }: RunningServer,
  operations: AcknowledgedOperations,
  random: () => number,
): Promise<void> {
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
  const pick: PickOne = (candidates) => {
    const picked = candidates[Math.floor(random() * candidates.length)]
    if (picked === undefined) throw new Error('nothing to pick from')
    return picked
  }
  const repeatTurns = async (runTurn: () => Promise<void>): Promise<void> => {
    while (isRunning()) {
      try {
        await runTurn()
      } catch (error) {
        // When the server is killed, its connections break. Any other error is a bug.
        if (isRunning() && !(error instanceof TypeError)) throw error
      }
    }
  }
  const token = await signIn(url).catch(() => null)
  await Promise.all(
    Array.from({ length: CLIENT_COUNT }, (_, index) =>
      repeatTurns(
        index < TREASURER_COUNT && token !== null
          ? () => decideOrRefund(url, token, operations, pick)
          : () => registerAndPay(url, operations, pick),
      ),
    ),
  )
}

async function postForm(address: string, body: string | URLSearchParams, headers: Fields = {}) {
  return fetch(address, { method: 'POST', body, headers, redirect: 'manual' })
}
const JSON_TYPE = { 'content-type': 'application/json' }

async function registerAndPay(
  url: string,
  operations: AcknowledgedOperations,
  pick: PickOne,
): Promise<void> {
  const answers = {
    full_name: 'Asha Demo',
    email: 'asha@example.org',
    phone_number: '9876543210',
    state: 'Kerala',
    ticket_type: 'afpi-gp-specialist',
  }
  const response = await postForm(
    `${url}/api/afpicon/register/`,
    JSON.stringify(answers),
    JSON_TYPE,
  )
  const { reg_no: regNo, payment_data: data } = (await response.json()) as {
    reg_no?: string
    payment_data?: PaymentData
  }
  if (response.status !== 201 || regNo === undefined || data === undefined) return
  operations.registered.add(regNo)
  const shouldDecline = pick([true, false, false])
  await payAt(
    url,
    data,
    shouldDecline ? 'decline' : pick(['pay', 'twice', 'first', 'wrong', 'silent']),
    operations,
  )
  if (!shouldDecline) return
  const retryResponse = await postForm(
    `${url}/api/payment/retry/`,
    JSON.stringify({ order_id: data.orderid }),
    JSON_TYPE,
  )
  const { payment_data: secondOrder } = (await retryResponse.json()) as {
    payment_data?: PaymentData
  }
  if (retryResponse.status !== 201 || secondOrder === undefined) return
  operations.retried.push(secondOrder.orderid)
  await payAt(url, secondOrder, pick(['pay', 'wrong']), operations)
}

/**
 * Pays an order: posts the hand-off form, acts on the gateway's page, and sends the browser's return request and
 * the gateway's message.
 */
async function payAt(
  url: string,
  data: PaymentData,
  action: string,
  operations: AcknowledgedOperations,
): Promise<void> {
  const handOff = await postForm(data.payment_url, new URLSearchParams(createFormFields(data)))
  const redirectUrl = handOff.headers.get('location')
  if (redirectUrl === null) return
  const page = redirectUrl.replace('/hop/', '/page/')
  const returnPage = await (await postForm(page, new URLSearchParams({ do: action }))).text()
  const fields = readFields(returnPage)
  if (fields['TRANSACTIONID'] === undefined) return
  await postForm(`${url}/api/payment/return/`, new URLSearchParams(fields))
  const messageResponse = await postForm(`${url}/api/payment/webhook/`, new URLSearchParams(fields))
  if (messageResponse.status === 200) operations.acceptedMessages.push(data.orderid)
}

/** Builds the fields of the hidden form that the gateways file defines. */
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

function readFields(page: string): Fields {
  const matches = page.matchAll(/name="([^"]+)" value="([^"]*)"/g)
  return Object.fromEntries([...matches].map(([, name = '', value = '']) => [name, value]))
}

async function signIn(url: string): Promise<string> {
  const body = JSON.stringify({ username: 'admin', password: 'a long password for tests' })
  const response = await postForm(`${url}/admin/login/`, body, JSON_TYPE)
  return ((await response.json()) as { token: string }).token
}

async function decideOrRefund(
  url: string,
  token: string,
  operations: AcknowledgedOperations,
  pick: PickOne,
): Promise<void> {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` }
  const note = 'As the delegate asked.'
  const regNos = [...operations.registered]
  if (regNos.length > 0 && pick([true, false])) {
    const regNo = pick(regNos)
    const amount = pick([{}, { amount: 80 }, { amount: 1000 }])
    const body = JSON.stringify({ act: 'refund', why: note, ...amount })
    const response = await postForm(`${url}/admin/registrations/${regNo}/acts/`, body, headers)
    if (response.status === 200) operations.refundedRegistrations.push(regNo)
    return
  }
  const reviewsResponse = await fetch(`${url}/admin/reviews/`, { headers })
  const { reviews } = (await reviewsResponse.json()) as ReviewsResponse
  if (reviews.length === 0) return
  const { id, version, decisions } = pick(reviews)
  // After `ask`, the balance is paid through another order, which the checks would mistake for a second payment.
  const decision = pick(
    decisions.filter((candidate) => candidate !== 'move' && candidate !== 'ask'),
  )
  const body = JSON.stringify({ decision, version, why: note, reference: id })
  const response = await postForm(`${url}/admin/reviews/${id}/decide/`, body, headers)
  if (response.status === 200) operations.decidedReviews.push(id)
}
