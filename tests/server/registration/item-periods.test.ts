/** A room with its own periods: each delegate pays the room's price on the date of registration. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegisterResponse } from '../../../engine/api.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { buildFixtureEvent } from '../small-event.ts'

const ITEM = `  items:
    - id: room
      when: {room: true}
      periods:
        - {id: first, to: 2026-01-14}
        - {id: second, from: 2026-01-15, to: 2026-02-14}
        - {id: last, from: 2026-02-15}
      prices: {period: [first, second, last], each: [500, 800, none]}

form:`
const text = buildFixtureEvent()
  .replace('\nform:', `${ITEM}`)
  .replace(
    'default: false}\n',
    'default: false}\n        - {id: room, type: yes-no, label: Room, default: false}\n',
  )

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: '2026-01-10', events: { 'sample2026.yaml': text } })
})
afterAll(() => server.close())

const delegate = {
  full_name: 'Test Delegate',
  email: 'delegate@sample.example',
  phone_number: '9876543210',
  is_member: 'true',
  room: 'true',
}
const registerOn = async (day: string) => {
  server.setTime(day)
  const response = await server.post('/api/sample2026/register/', delegate)
  return { status: response.statusCode, body: response.json<RegisterResponse>() }
}

test.each([
  ['2026-01-10', 1180 + 590],
  ['2026-01-15', 1180 + 944],
  ['2026-02-01', 2360 + 944],
])('on %s, a member with a room pays %d', async (day, rupees) => {
  const { status, body } = await registerOn(day)
  expect(status).toBe(201)
  const registration = await server.deps.store.registration(body.reg_no)
  expect(registration?.total).toBe(rupees * 100)
})

test('after its last day, the room is not on sale, and a registration with it is rejected', async () => {
  const { status, body } = await registerOn('2026-02-20')
  expect(status).toBe(409)
  expect(body).toMatchObject({ code: 'not_on_sale' })
})
