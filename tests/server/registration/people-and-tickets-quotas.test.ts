/** Quotas that count tickets or people are never oversold, and the error states the number of seats left. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegisterResponse, TariffResponse } from '../../../engine/api.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { signIn } from '../office/office.ts'
import type { Office } from '../office/office.ts'

const file = buildFixtureEvent({
  extra: `
quotas:
  - {id: dinner, count: dinner_tickets, max: 8, full: The dinner is full}
  - {id: bus, count: companions, with_delegate: true, when: {bus: true}, max: 6, full: The bus is full}
`,
}).replace(
  '        - {id: letter,',
  `        - {id: dinner_tickets, type: number, label: Dinner tickets, min: 0, max: 5, default: 0}
        - {id: bus, type: yes-no, label: Bus, default: false}
        - id: companions
          type: people
          label: Who is coming with you?
          max: 3
          fields:
            - {id: name, label: Name, required: Please give the name}
        - {id: letter,`,
)

let server: TestApp
let office: Office
beforeAll(async () => {
  server = await startTestApp({ clock: '2026-01-10', events: { 'sample2026.yaml': file } })
  office = await signIn(server)
})
afterAll(() => server.close())

let personCount = 0
const register = async (answers: object) => {
  personCount += 1
  const response = await server.app.inject({
    method: 'POST',
    url: '/api/sample2026/register/',
    payload: { ...fixtureDelegate, email: `delegate${personCount}@sample.example`, ...answers },
  })
  return {
    status: response.statusCode,
    body: response.json<RegisterResponse & Record<string, unknown>>(),
  }
}

const createGuests = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `Guest ${n}` }))
const readTakenSeats = async () =>
  Object.fromEntries(
    (await server.deps.store.listTakenSeats('sample2026')).map(({ quotaKey, taken }) => [
      quotaKey,
      taken,
    ]),
  )

test('tickets and people are counted, and the error states how many seats are left', async () => {
  expect(
    (await register({ dinner_tickets: 3, bus: true, companions: createGuests(3) })).status,
  ).toBe(201)
  expect((await register({ dinner_tickets: 0, companions: createGuests(2) })).status).toBe(201)
  const secondResponse = await register({ dinner_tickets: 3 })
  expect(secondResponse.status).toBe(201)
  expect(await readTakenSeats()).toEqual({ dinner: 6, bus: 4 })

  const tariff = (await server.app.inject('/api/sample2026/tariff-info/')).json<TariffResponse>()
  expect(tariff.left).toEqual({ dinner: 2, bus: 2 })
  const message = 'Dinner: only 2 left, and you asked for 3.'
  expect(await register({ dinner_tickets: 3 })).toMatchObject({
    status: 409,
    body: { code: 'full', message, left: 2, errors: { dinner_tickets: message } },
  })
  expect(await register({ bus: true, companions: createGuests(2) })).toMatchObject({
    status: 409,
    body: { message: 'Bus: only 2 left, and you asked for 3.' },
  })
  expect(await readTakenSeats()).toEqual({ dinner: 6, bus: 4 })

  // Staff cannot exceed the quota with a correction either.
  const correct = (dinner_tickets: number) =>
    office.act(secondResponse.body.reg_no, {
      act: 'correct',
      why: 'Asked for.',
      answers: { dinner_tickets },
    })
  expect((await correct(5)).status).toBe(200)
  expect(await readTakenSeats()).toEqual({ dinner: 8, bus: 4 })
  expect(await register({ dinner_tickets: 1 })).toMatchObject({
    status: 409,
    body: { message: 'The dinner is full', left: 0 },
  })
  expect((await correct(4)).status).toBe(200)
  expect(await readTakenSeats()).toEqual({ dinner: 7, bus: 4 })
})

test('concurrent requests together never get more seats than the quota has', async () => {
  const takenBefore = (await readTakenSeats())['dinner'] ?? 0
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) => register({ dinner_tickets: 1 + (index % 2) })),
  )
  const acceptedTicketCount = responses.reduce(
    (sum, { status }, i) => sum + (status === 201 ? 1 + (i % 2) : 0),
    0,
  )
  expect(responses.every(({ status }) => status === 201 || status === 409)).toBe(true)
  expect(takenBefore + acceptedTicketCount).toBe(8)
  expect(await readTakenSeats()).toMatchObject({ dinner: 8 })
})
