/**
 * Delegates, the gateway and a treasurer, all at once: who registers, pays, declines, comes back, is told twice and tries
 * again, and who decides and refunds. What was answered with success is remembered: it must be there whatever happens.
 */
import type { PaymentData, ReviewsAnswer } from '../../engine/api.ts'
import type { Running } from './server.ts'

const CLIENTS = 64
/** Of 64, so many sit in the office. */
const TREASURERS = 4

/** What the server said that it did. */
export type Told = {
  readonly registered: Set<string>
  /** Order ids of notices that were taken, each as often as it was. */
  readonly notices: string[]
  /** Names of reviews whose decision was taken. */
  readonly decided: string[]
  /** Numbers of registrations of which a refund was taken. */
  readonly refunded: string[]
  readonly retried: string[]
}
export const nothingTold = (): Told => ({
  registered: new Set(),
  notices: [],
  decided: [],
  refunded: [],
  retried: [],
})
export const count = (told: Told): number =>
  told.notices.length + told.decided.length + told.refunded.length + told.retried.length

type Pick = <T>(from: readonly T[]) => T
type Fields = Readonly<Record<string, string>>

/** Until the server is gone. `random` decides who does what; in what order it happens the machine decides. */
export async function besiegeWithMoney(
  { url, child }: Running,
  told: Told,
  random: () => number,
): Promise<void> {
  const isUp = (): boolean => child.exitCode === null && child.signalCode === null
  const pick: Pick = (from) => {
    const one = from[Math.floor(random() * from.length)]
    if (one === undefined) throw new Error('nothing to pick from')
    return one
  }
  const work = async (turn: () => Promise<void>): Promise<void> => {
    while (isUp()) {
      try {
        await turn()
      } catch (error) {
        // Cut off: whoever is killed answers nothing. Anything else is a mistake of ours.
        if (isUp() && !(error instanceof TypeError)) throw error
      }
    }
  }
  const token = await signIn(url).catch(() => null)
  await Promise.all(
    Array.from({ length: CLIENTS }, (_, at) =>
      work(
        at < TREASURERS && token !== null
          ? () => decideOne(url, token, told, pick)
          : () => oneDelegate(url, told, pick),
      ),
    ),
  )
}

async function post(address: string, body: string | URLSearchParams, headers: Fields = {}) {
  return fetch(address, { method: 'POST', body, headers, redirect: 'manual' })
}
const JSON_TYPE = { 'content-type': 'application/json' }

async function oneDelegate(url: string, told: Told, pick: Pick): Promise<void> {
  const answers = {
    full_name: 'Asha Demo',
    email: 'asha@example.org',
    phone_number: '9876543210',
    state: 'Kerala',
    ticket_type: 'afpi-gp-specialist',
  }
  const response = await post(`${url}/api/afpicon/register/`, JSON.stringify(answers), JSON_TYPE)
  const { reg_no: regNo, payment_data: data } = (await response.json()) as {
    reg_no?: string
    payment_data?: PaymentData
  }
  if (response.status !== 201 || regNo === undefined || data === undefined) return
  told.registered.add(regNo)
  const declined = pick([true, false, false])
  await payAt(
    url,
    data,
    declined ? 'decline' : pick(['pay', 'twice', 'first', 'wrong', 'silent']),
    told,
  )
  if (!declined) return
  const again = await post(
    `${url}/api/payment/retry/`,
    JSON.stringify({ order_id: data.orderid }),
    JSON_TYPE,
  )
  const { payment_data: second } = (await again.json()) as { payment_data?: PaymentData }
  if (again.status !== 201 || second === undefined) return
  told.retried.push(second.orderid)
  await payAt(url, second, pick(['pay', 'wrong']), told)
}

/** Hand-off, the gateway's page, the browser's way back, and the gateway's own message once more. */
async function payAt(url: string, data: PaymentData, action: string, told: Told): Promise<void> {
  const gone = await post(data.payment_url, new URLSearchParams(formOf(data)))
  const hop = gone.headers.get('location')
  if (hop === null) return
  const page = hop.replace('/hop/', '/page/')
  const back = await (await post(page, new URLSearchParams({ do: action }))).text()
  const fields = fieldsOf(back)
  if (fields['TRANSACTIONID'] === undefined) return
  await post(`${url}/api/payment/return/`, new URLSearchParams(fields))
  const notice = await post(`${url}/api/payment/webhook/`, new URLSearchParams(fields))
  if (notice.status === 200) told.notices.push(data.orderid)
}

/** The hidden form, as the gateways file has it. */
const formOf = (data: PaymentData): Record<string, string> => ({
  privatekey: data.privatekey,
  mercid: data.mercid,
  orderid: data.orderid,
  UID: data.orderid,
  amount: data.amount,
  checksum: data.checksum,
  buyerEmail: data.email,
  buyerFirstName: data.first_name,
  buyerLastName: data.last_name,
  currency: '356',
  isocurrency: 'INR',
})

function fieldsOf(page: string): Fields {
  const found = page.matchAll(/name="([^"]+)" value="([^"]*)"/g)
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]))
}

async function signIn(url: string): Promise<string> {
  const body = JSON.stringify({ username: 'admin', password: 'a long password for tests' })
  const response = await post(`${url}/admin/login/`, body, JSON_TYPE)
  return ((await response.json()) as { token: string }).token
}

async function decideOne(url: string, token: string, told: Told, pick: Pick): Promise<void> {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${token}` }
  const why = 'As the delegate asked.'
  const paid = [...told.registered]
  if (paid.length > 0 && pick([true, false])) {
    const regNo = pick(paid)
    const amount = pick([{}, { amount: 80 }, { amount: 1000 }])
    const body = JSON.stringify({ why, ...amount })
    const answer = await post(`${url}/admin/registrations/${regNo}/refund/`, body, headers)
    if (answer.status === 200) told.refunded.push(regNo)
    return
  }
  const listed = await fetch(`${url}/admin/reviews/`, { headers })
  const { reviews } = (await listed.json()) as ReviewsAnswer
  if (reviews.length === 0) return
  const { id, version, decisions } = pick(reviews)
  const decision = pick(decisions.filter((one) => one !== 'move'))
  const body = JSON.stringify({ decision, version, why, reference: id })
  const answer = await post(`${url}/admin/reviews/${id}/decide/`, body, headers)
  if (answer.status === 200) told.decided.push(id)
}
