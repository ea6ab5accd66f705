/** What a delegate's page states while staff check a payment, and once a part of the price is paid. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toAmount } from '../../../engine/index.ts'
import type { OrderId, RegNo } from '../../../engine/index.ts'
import type {
  ActionsResponse,
  RegisterResponse,
  RegistrationResponse,
  SelfServiceResponse,
} from '../../../engine/api.ts'
import { issueLink } from '../../../server/registration/access-link.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { actionsUrl, signIn } from '../office/office.ts'

const file = 'lekhacon2027.yaml'
const text = readFileSync(join(import.meta.dirname, '..', '..', 'events', file), 'utf8')
const EMAIL = 'asha@delegate.example'

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-10', events: { [file]: text } })
})
afterAll(() => server.close())

const register = async (method: string) => {
  const response = await server.post('/api/lekhacon2027/register/', {
    full_name: 'Asha Nair',
    email: EMAIL,
    phone_number: '9847000000',
    registered_as: 'member',
    way: method,
  })
  return response.json<RegisterResponse>()
}
const readSelfService = async (page: string | undefined) =>
  (
    await server.app.inject({ method: 'GET', url: `/api${page ?? ''}/` })
  ).json<SelfServiceResponse>()
const readResultPage = async (regNo: string, values: Readonly<Record<string, string>>) =>
  (
    await server.post(`/api/lekhacon2027/registrations/${regNo}/`, values)
  ).json<RegistrationResponse>()
let referenceCount = 0
const recordTransfer = async (regNo: string, amount: string, action = 'confirm') => {
  const response = await (
    await signIn(server)
  ).act(regNo, {
    act: action,
    way: 'transfer',
    reference: String(526_123_000_000 + ++referenceCount),
    amount,
  })
  expect(response.status, JSON.stringify(response.body)).toBe(200)
}
test('a delegate whose transfer is under review reads the received amount, not the price, as received', async () => {
  const { reg_no: regNo, page } = await register('transfer')
  await recordTransfer(regNo, '4700')
  const response = await readSelfService(page)
  expect(response.registration).toMatchObject({
    stands: 'organisers',
    in_review: true,
    total: 4720,
  })
  expect(response.under_review).toEqual([{ amount: 4700 }])
  await recordTransfer(regNo, '20')
  expect((await readSelfService(page)).under_review).toEqual([{ amount: 4700 }, { amount: 20 }])
})

test('the result page states the received amount to the delegate, but not to others who know the number', async () => {
  const { reg_no: regNo } = await register('card')
  await server.deps.store.applyPaymentEvent(
    regNo as unknown as OrderId,
    {
      type: 'confirmed',
      reference: 'CARD1',
      amount: toAmount(4000),
      currency: '840',
      kind: 'sale',
      at: server.now(),
    },
    null,
  )
  const response = await readResultPage(regNo, { email: EMAIL })
  expect(response.registration.stands).toBe('organisers')
  expect(response.under_review).toEqual([{ amount: 40, currency: 'USD' }])
  expect((await readResultPage(regNo, {})).under_review).toBeUndefined()
})

test('once a part is paid, the instructions state the rest and no deadline for the seat', async () => {
  const { reg_no: regNo, page } = await register('transfer')
  expect((await readSelfService(page)).paying?.pay_until).not.toBeNull()
  await recordTransfer(regNo, '4700')
  const office = await signIn(server)
  const { reviews } = (await office.json(actionsUrl(regNo))) as unknown as ActionsResponse
  const response = await server.app.inject({
    method: 'POST',
    url: `/admin/reviews/${reviews[0]?.id}/decide/`,
    headers: { authorization: `Bearer ${office.token}` },
    payload: { decision: 'ask', version: reviews[0]?.version, why: 'Short by 20 rupees.' },
  })
  expect(response.statusCode, response.body).toBe(200)
  const pageData = await readSelfService(page)
  expect(pageData.registration).toMatchObject({ stands: 'complete', difference_due: 20 })
  expect(pageData.under_review).toBeUndefined()
  expect(pageData.paying).toMatchObject({ total: 20, pay_until: null, price_until: null })
})

test('a delegate is not asked for the rest while another payment that may cover it is under review', async () => {
  const { reg_no: regNo, page } = await register('transfer')
  await recordTransfer(regNo, '2000')
  await recordTransfer(regNo, '2700')
  const office = await signIn(server)
  const decide = async (decision: string): Promise<string> => {
    const { reviews } = (await office.json(actionsUrl(regNo))) as unknown as ActionsResponse
    const response = await server.app.inject({
      method: 'POST',
      url: `/admin/reviews/${reviews[0]?.id}/decide/`,
      headers: { authorization: `Bearer ${office.token}` },
      payload: { decision, version: reviews[0]?.version, why: 'Paid in parts.' },
    })
    expect(response.statusCode, response.body).toBe(200)
    return String(response.json().message).replaceAll('\u00a0', ' ')
  }
  expect(await decide('ask')).toBe(
    '₹ 2,000 counts, and ₹ 2,720 is still due. No payment link was sent. Another payment, of ₹ 2,700, needs review. Decide on it, and then send the payment link.',
  )
  const pageData = await readSelfService(page)
  expect(pageData.under_review).toEqual([{ amount: 2700 }])
  expect(pageData.paying).toBeNull()
  expect(await decide('accept')).toContain('₹ 20 is still due')
  expect((await readSelfService(page)).paying).toMatchObject({ total: 20 })
  expect(await office.act(regNo, { act: 'send_pay_link' })).toMatchObject({ status: 200 })
})

test('the new holder of a registration does not see the amount of a payment from before the transfer', async () => {
  const { reg_no: regNo } = await register('transfer')
  await recordTransfer(regNo, '4720')
  await recordTransfer(regNo, '4321', 'came_again')
  server.setTime('2027-01-11')
  const office = await signIn(server)
  const answers = {
    full_name: 'Binu Thomas',
    email: 'binu@delegate.example',
    phone_number: '9847000001',
  }
  const { status } = await office.act(regNo, { act: 'transfer', why: 'Ill.', answers })
  expect(status).toBe(200)
  const { pathname } = new URL(
    await issueLink(server.deps, { regNo: regNo as RegNo, eventId: 'lekhacon2027' }),
  )
  const readAmounts = async () => [
    (await readSelfService(pathname)).under_review,
    (await readResultPage(regNo, { email: answers.email })).under_review,
  ]
  expect(await readAmounts()).toEqual([undefined, undefined])
  server.setTime('2027-01-12')
  await recordTransfer(regNo, '20', 'came_again')
  expect(await readAmounts()).toEqual([[{ amount: 20 }], [{ amount: 20 }]])
})
