/**
 * Simulated delegates, gateway and treasurers, all concurrent: delegates register, pay, decline,
 * return and retry; treasurers decide and refund. Records every success response, whose result must
 * survive any crash.
 */
import type { PaymentData, ReviewsResponse } from '../../engine/api.ts'
import type { Running } from './server.ts'

const CLIENTS = 64
/** The number of treasurers among the 64 clients. */
const TREASURERS = 4

/** Operations that the server confirmed. */
export type Acknowledged = {
  readonly registered: Set<string>
  /** Order ids of accepted gateway messages, with repetitions. */
  readonly notices: string[]
  /** Ids of decided reviews. */
  readonly decided: string[]
  /** Registration numbers of accepted refunds. */
  readonly refunded: string[]
  readonly retried: string[]
}
export const createAcknowledged = (): Acknowledged => ({
  registered: new Set(),
  notices: [],
  decided: [],
  refunded: [],
  retried: [],
})
export const countOperations = (acknowledged: Acknowledged): number =>
  acknowledged.notices.length +
  acknowledged.decided.length +
  acknowledged.refunded.length +
  acknowledged.retried.length

type PickOne = <T>(from: readonly T[]) => T
type Fields = Readonly<Record<string, string>>

/**
 * Runs until the server stops. `random` chooses the actions; their interleaving depends on the
 * machine.
 */
export async function runPayingClients(
  { url, child }: Running,
  acknowledged: Acknowledged,
  random: () => number,
): Promise<void> {
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
  const pick: PickOne = (candidates) => {
    const one = candidates[Math.floor(random() * candidates.length)]
    if (one === undefined) throw new Error('nothing to pick from')
    return one
  }
  const repeatTurns = async (runTurn: () => Promise<void>): Promise<void> => {
    while (isRunning()) {
      try {
        await runTurn()
      } catch (error) {
        // The connection of a killed server breaks. Any other error is a bug.
        if (isRunning() && !(error instanceof TypeError)) throw error
      }
    }
  }
  const token = await signIn(url).catch(() => null)
  await Promise.all(
    Array.from({ length: CLIENTS }, (_, index) =>
      repeatTurns(
        index < TREASURERS && token !== null
          ? () => decideOne(url, token, acknowledged, pick)
          : () => registerAndPay(url, acknowledged, pick),
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
  acknowledged: Acknowledged,
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
  acknowledged.registered.add(regNo)
  const isDeclining = pick([true, false, false])
  await payAt(
    url,
    data,
    isDeclining ? 'decline' : pick(['pay', 'twice', 'first', 'wrong', 'silent']),
    acknowledged,
  )
  if (!isDeclining) return
  const retryResponse = await postForm(
    `${url}/api/payment/retry/`,
    JSON.stringify({ order_id: data.orderid }),
    JSON_TYPE,
  )
  const { payment_data: second } = (await retryResponse.json()) as { payment_data?: PaymentData }
  if (retryResponse.status !== 201 || second === undefined) return
  acknowledged.retried.push(second.orderid)
  await payAt(url, second, pick(['pay', 'wrong']), acknowledged)
}

/** Pays: the hand-off, the gateway's page, the browser's return, and the gateway's own message. */
async function payAt(
  url: string,
  data: PaymentData,
  action: string,
  acknowledged: Acknowledged,
): Promise<void> {
  const handOff = await postForm(data.payment_url, new URLSearchParams(createForm(data)))
  const redirectUrl = handOff.headers.get('location')
  if (redirectUrl === null) return
  const page = redirectUrl.replace('/hop/', '/page/')
  const returnPage = await (await postForm(page, new URLSearchParams({ do: action }))).text()
  const fields = readFields(returnPage)
  if (fields['TRANSACTIONID'] === undefined) return
  await postForm(`${url}/api/payment/return/`, new URLSearchParams(fields))
  const messageResponse = await postForm(`${url}/api/payment/webhook/`, new URLSearchParams(fields))
  if (messageResponse.status === 200) acknowledged.notices.push(data.orderid)
}

/** The hidden form, as in the gateways file. */
const createForm = (data: PaymentData): Record<string, string> => ({
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
  const found = page.matchAll(/name="([^"]+)" value="([^"]*)"/g)
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]))
}

async function signIn(url: string): Promise<string> {
  const body = JSON.stringify({ username: 'admin', password: 'a long password for tests' })
  const response = await postForm(`${url}/admin/login/`, body, JSON_TYPE)
  return ((await response.json()) as { token: string }).token
}

async function decideOne(
  url: string,
  token: string,
  acknowledged: Acknowledged,
  pick: PickOne,
): Promise<void> {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` }
  const note = 'As the delegate asked.'
  const paid = [...acknowledged.registered]
  if (paid.length > 0 && pick([true, false])) {
    const regNo = pick(paid)
    const amount = pick([{}, { amount: 80 }, { amount: 1000 }])
    const body = JSON.stringify({ why: note, ...amount })
    const answer = await postForm(`${url}/admin/registrations/${regNo}/refund/`, body, headers)
    if (answer.status === 200) acknowledged.refunded.push(regNo)
    return
  }
  const reviewsResponse = await fetch(`${url}/admin/reviews/`, { headers })
  const { reviews } = (await reviewsResponse.json()) as ReviewsResponse
  if (reviews.length === 0) return
  const { id, version, decisions } = pick(reviews)
  // After `ask`, another order pays the balance, which the checks would mistake for a second payment.
  const decision = pick(
    decisions.filter((candidate) => candidate !== 'move' && candidate !== 'ask'),
  )
  const body = JSON.stringify({ decision, version, why: note, reference: id })
  const answer = await postForm(`${url}/admin/reviews/${id}/decide/`, body, headers)
  if (answer.status === 200) acknowledged.decided.push(id)
}
