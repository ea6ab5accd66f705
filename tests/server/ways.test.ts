/** Money that delegates pay by themselves: chosen on the form, told of, found or not found by the office, or lapsed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MyAnswer, RegisterAnswer } from '../../engine/index.ts'
import { signIn } from '../office/office.ts'
import type { Office } from '../office/office.ts'
import { startTestApp } from './harness.ts'
import type { TestApp } from './harness.ts'

const file = 'lekhacon2027.yaml'
const text = readFileSync(join(import.meta.dirname, '..', 'events', file), 'utf8')

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-10', events: { [file]: text } })
  office = await signIn(server)
})
afterAll(() => server.close())

const asha = {
  full_name: 'Asha Nair',
  email: 'asha@delegate.example',
  phone_number: '9847000000',
  registered_as: 'member',
}
let numbers = 0
/** A UTR that nobody has told yet. */
const utr = (): string => String(500_000_000_000 + ++numbers)

const register = async (answers: Readonly<Record<string, string>>) => {
  const answer = await server.post('/api/lekhacon2027/register/', { ...asha, ...answers })
  return { status: answer.statusCode, body: answer.json<RegisterAnswer>() }
}
/** The calls of a delegate's own page, by the address that registering answers. */
const ownPage = (page: string | undefined) => {
  const path = `/api${page ?? ''}/`
  return {
    look: async () => (await server.app.inject({ method: 'GET', url: path })).json<MyAnswer>(),
    tell: async (answers: Readonly<Record<string, unknown>>, key?: string) => {
      const payload = { act: 'tell', answers, ...(key === undefined ? {} : { key }) }
      const answer = await server.app.inject({ method: 'POST', url: `${path}acts/`, payload })
      return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() }
    },
  }
}
const act = async (regNo: string, payload: Readonly<Record<string, unknown>>) => {
  const answer = await server.app.inject({
    method: 'POST',
    url: `/admin/registrations/${regNo}/acts/`,
    headers: { authorization: `Bearer ${office.token}` },
    payload,
  })
  return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() }
}
const stored = async (regNo: string) => {
  const found = await server.deps.store.registration(regNo)
  if (found === null) throw new Error(`no registration ${regNo}`)
  return found
}
const mailsOf = async (regNo: string) => (
  await stored(regNo),
  server.deps.store.mailsOf((await stored(regNo)).regNo)
)

test('whoever pays by transfer reads where to pay, tells, and is complete once it is found', async () => {
  const { status, body } = await register({ way: 'transfer' })
  expect(status).toBe(201)
  expect(body).toMatchObject({ stands: 'by-hand' })
  expect(body.payment_data).toBeUndefined()
  expect((await mailsOf(body.reg_no))[0]?.text).toContain('account 50200012345678')
  const own = ownPage(body.page)
  const before = await own.look()
  expect(before.state).toBe('to_pay')
  expect(before.paying).toMatchObject({
    way: 'transfer',
    total: 4720,
    numbers: [
      { label: 'UPI ID', text: 'lekhacon@mlbr' },
      { label: 'Account', text: '50200012345678' },
      { label: 'IFSC', text: 'MLBR0000032' },
    ],
    upi: `upi://pay?pa=lekhacon@mlbr&pn=LEKHACON%202027&am=4720.00&cu=INR&tn=${body.reg_no}`,
    pay_until: '2027-01-21T00:00:00+05:30',
    told: null,
  })
  const number = utr()
  const told = await own.tell({ utr: number, paid_on: '2027-01-09' }, 'key-of-a-click')
  expect(told).toMatchObject({ status: 200, body: { state: 'told' } })
  // The same click once more.
  expect(await own.tell({ utr: number, paid_on: '2027-01-09' }, 'key-of-a-click')).toMatchObject({
    status: 200,
    body: { repeated: true },
  })
  expect((await own.look()).paying?.told).toMatchObject({
    reference: number,
    paid_on: '2027-01-09',
    stands: 'looking',
  })
  const confirmed = await act(body.reg_no, {
    act: 'confirm',
    way: 'transfer',
    reference: number,
    amount: '4720',
    day: '2027-01-09',
  })
  expect(confirmed).toMatchObject({ status: 200, body: { state: 'complete' } })
  const after = await own.look()
  expect(after).toMatchObject({ state: 'complete', paying: null })
  expect(after.registration).toMatchObject({ stands: 'complete', payment_status: 'success' })
  expect((await mailsOf(body.reg_no)).map(({ subject }) => subject)).toEqual([
    'How to pay for LEKHACON 2027',
    'We look for your payment for LEKHACON 2027',
    `LEKHACON 2027: ${body.reg_no}`,
  ])
})
