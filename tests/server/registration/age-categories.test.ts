/** Prices by age: like the form, the server charges by the delegate's age on the first day of the event. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { day, quote, startOfDay, type PublicEvent } from '../../../engine/index.ts'
import type { RegisterResponse } from '../../../engine/api.ts'
import { readGolden } from '../../engine/authoring/goldens.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

let server: TestApp
beforeAll(async () => {
  const event = readGolden('EV315.yaml')
    .replace('gateway: card-gateway, account: sample', 'gateway: airpay, account: afpi')
    .replace('at_least: 6,', 'at_least: 7,')
    .replace('at_least: 14', 'at_least: 13')
    .replace('{is_member: true}, then', '{born_on: {age: {below: 30}}}, then')
    .replace(
      '        - {id: is_member,',
      '        - {id: born_on, type: date, label: Date of birth, from: 1920-01-01, to: 2010-12-31, required: true}\n        - {id: is_member,',
    )
  server = await startTestApp({ clock: '2026-01-20', events: { 'sample2026.yaml': event } })
})
afterAll(() => server.close())

const createCompanion = (name: string, bornOn: string) => ({ name, born_on: bornOn })

test.each([
  ['who is 29 until the second day of the event', '1996-03-08', [], 1180],
  ['who is 30 on the first day of the event', '1996-03-07', [], 2360],
  ['with a child of 6', '1980-01-01', [createCompanion('Mini Sample', '2019-03-08')], 2596],
  [
    'with a child who is 7 on that day',
    '1980-01-01',
    [createCompanion('Mini Sample', '2019-03-07')],
    2832,
  ],
])('a delegate %s pays the price for that age', async (_, bornOn, companions, total) => {
  const answers = {
    full_name: 'Asha Sample',
    email: `asha${total}@example.org`,
    phone_number: '+919876510001',
    is_member: false,
    born_on: bornOn,
    companions,
  }
  const eventResponse = await server.app.inject('/api/events/sample2026/')
  const event =
    eventResponse.json<{ event?: PublicEvent }>().event ?? (eventResponse.json() as PublicEvent)
  const quoteResult = quote(event, answers, startOfDay(day('2026-01-20')))
  expect(quoteResult.ok && quoteResult.value.total).toBe(total * 100)
  const response = await server.app.inject({
    method: 'POST',
    url: '/api/sample2026/register/',
    payload: answers,
  })
  expect(response.statusCode, response.body).toBe(201)
  const { reg_no: regNo } = response.json<RegisterResponse>()
  expect(server.rows(`SELECT total FROM registrations WHERE reg_no = '${regNo}'`)).toEqual([
    { total: total * 100 },
  ])
})
