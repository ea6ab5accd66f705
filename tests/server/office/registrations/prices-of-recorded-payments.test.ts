/** Amounts that "Record payment" shows and expects, if the price depends on the payment method or the date received. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ActionsResponse, RegisterResponse } from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { actionsUrl, signIn } from '../office.ts'
import type { Office } from '../office.ts'

const file = 'lekhacon2027.yaml'
const text = readFileSync(join(import.meta.dirname, '..', '..', '..', 'events', file), 'utf8')
  .replace(
    '\nquotas:',
    `  adjustments:
    - {id: no-card, label: Discount, when: {method: [transfer, draft]}, on: all, percent: -3}

quotas:`,
  )
  .replace(
    '  methods:\n',
    `  methods:
    - {id: draft, label: Demand draft, office_only: true, fields: [{id: dd_number, label: Draft number, required: true}, {id: bank, label: Bank}]}
`,
  )

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-10', events: { [file]: text } })
  office = await signIn(server)
})
afterAll(() => server.close())

const register = async (method: string): Promise<string> => {
  const response = await server.post('/api/lekhacon2027/register/', {
    full_name: 'Asha Nair',
    email: 'asha@delegate.example',
    phone_number: '9847000000',
    registered_as: 'member',
    way: method,
  })
  expect(response.statusCode, response.body).toBe(201)
  return response.json<RegisterResponse>().reg_no
}
const readActions = async (regNo: string) =>
  (await office.json(actionsUrl(regNo))) as unknown as ActionsResponse

test.each([
  ['card', 4720, ['transfer', 'upi', 'draft']],
  // A cheque replaces the transfer that the delegate chose.
  ['transfer', 4578.4, ['transfer', 'upi', 'cheque', 'draft']],
] as const)(
  'for a registration by %s, the amount shown for each method in “Record payment” completes the registration',
  async (registeredMethod, dueAmount, discountedMethods) => {
    for (const method of ['transfer', 'upi', 'cheque', 'cash', 'machine', 'draft']) {
      const regNo = await register(registeredMethod)
      const { to_pay: due, to_pay_by_method: amounts = {} } = await readActions(regNo)
      expect(due).toBe(dueAmount)
      const amount = amounts[method] ?? due
      const isDiscounted = discountedMethods.some((id) => id === method)
      expect([method, amount]).toEqual([method, isDiscounted ? 4578.4 : 4720])
      const result = await office.act(regNo, {
        act: 'confirm',
        way: method,
        reference: `5261230${regNo.slice(-5)}`,
        amount: String(amount),
      })
      expect(result, JSON.stringify([method, result.body])).toMatchObject({
        status: 200,
        body: { state: 'complete' },
      })
    }
  },
)

test('“Record payment” states that the price depends on the date received only for a transfer priced on its credit date', async () => {
  expect((await readActions(await register('transfer'))).priced_on_credit).toBe(true)
  expect((await readActions(await register('card'))).priced_on_credit).toBeUndefined()
})
