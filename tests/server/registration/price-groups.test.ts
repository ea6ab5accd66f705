/** Groups of categories with their own price periods: the prices charged and the data stored. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatInstant } from '../../../engine/index.ts'
import type {
  ListResponse,
  OfficeRegistrationResponse,
  RegisterResponse,
  SessionResponse,
} from '../../../engine/api.ts'
import { signIn } from '../office/office.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { buildFixtureEvent } from '../small-event.ts'

const GROUP = `  price_groups:
    - label: Others
      periods: [{id: first, label: First days, to: 2026-01-15}, {id: second, label: Later, from: 2026-01-16}]
      prices: {period: [first, second], non-member: [3000, 4000]}
  items:
    - {id: guest, label: Guest, when: {category: member}, count: guests, prices: {period: [first, late], each: [500, 600]}}
    - id: other-guest
      label: Guest
      when: {category: non-member}
      count: guests
      periods: [{id: first, label: Early, to: 2026-02-20}, {id: second, label: Later, from: 2026-02-21}]
      prices: {period: [first, second], each: [700, 800]}
`
const text = buildFixtureEvent()
  .replace(/ +non-member: +\[.*\]\n/, '')
  .replace('form:\n', `${GROUP}form:\n`)
  .replace(
    '        - {id: letter',
    '        - {id: guests, type: number, label: Guests, min: 0, max: 2, default: 0}\n        - {id: letter',
  )
  .replace('{id: early, from', '{id: first, label: First period, from')
  .replaceAll(/early/g, 'first').concat(`
admin:
  lists:
    - {id: all, title: All, route: /admin/all, filters: [period], columns: [reg_no, category, period]}
`)

const MEMBERS_HELD_UNTIL = '2 February 2026, 12:00 am'

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: '2026-01-15', events: { 'sample2026.yaml': text } })
})
afterAll(() => server.close())

const register = async (isMember: string, total: string, guests = '0') => {
  const response = await server.post('/api/sample2026/register/', {
    full_name: 'Test Delegate',
    email: 'delegate@sample.example',
    phone_number: '9876543210',
    is_member: isMember,
    guests,
    total_amount: total,
  })
  if (response.statusCode !== 201) return response.statusCode
  const registration = await server.deps.store.registration(
    response.json<RegisterResponse>().reg_no,
  )
  const holdUntil = registration?.payments[0]?.holdUntil
  return [
    registration?.period,
    (registration?.total ?? 0) / 100,
    holdUntil == null ? null : formatInstant(holdUntil),
  ]
}

test('a category with its own price dates is charged by those dates; other categories are not', async () => {
  expect(await register('false', '3540')).toEqual(['first', 3540, '17 January 2026, 12:00 am'])
  // A member's price is held until the members' period ends, even if another period ends earlier.
  expect(await register('true', '1180')).toEqual(['first', 1180, MEMBERS_HELD_UNTIL])
  server.setTime('2026-01-16')
  expect(await register('false', '3540')).toBe(409)
  expect(await register('false', '4720')).toEqual(['second', 4720, '2 March 2026, 12:00 am'])
  expect(await register('true', '1180')).toEqual(['first', 1180, MEMBERS_HELD_UNTIL])
  const tariff = await server.app.inject({ method: 'GET', url: '/api/sample2026/tariff-info/' })
  expect(tariff.json()).toMatchObject({
    current_period: 'first',
    pricing: { member: { total: 1180 }, 'non-member': { total: 4720 } },
  })
})

test("the office shows each category's period and each group's price steps", async () => {
  const office = await signIn(server)
  const { events } = (await office.get('/admin/session/')).json<SessionResponse>()
  expect(events[0]?.lists[0]?.filters[0]?.options).toEqual([
    { id: 'first', label: 'First period, First days' },
    { id: 'late', label: 'Late' },
    { id: 'second', label: 'Later' },
  ])
  expect(events[0]?.price_steps).toEqual([
    { day: '2026-01-16', label: 'Others: Later' },
    { day: '2026-02-01', label: 'Late' },
  ])
  const page = (await office.get('/admin/all/registrations/?period=first')).json<ListResponse>()
  expect(page.shown).toBe('3 registrations, First period, First days')
  const labels = await Promise.all(
    page.registrations.map(async ({ reg_no: regNo, category }) => {
      const registrationPage = (
        await office.get(`/admin/registrations/${regNo}/`)
      ).json<OfficeRegistrationResponse>()
      return [category, registrationPage.registration['period_display']]
    }),
  )
  expect(labels.toSorted()).toEqual([
    ['member', 'First period'],
    ['member', 'First period'],
    ['non-member', 'First days'],
  ])
})

test("a price is held until its own period ends, even if another category's price ends earlier", async () => {
  server.setTime('2026-01-17')
  // The first periods for members and their guests end on 31 January.
  expect(await register('false', '4720')).toEqual(['second', 4720, '2 March 2026, 12:00 am'])
  // The price for this delegate's own guest ends on 20 February.
  expect(await register('false', '5546', '1')).toEqual([
    'second',
    5546,
    '22 February 2026, 12:00 am',
  ])
  expect(await register('true', '1770', '1')).toEqual(['first', 1770, MEMBERS_HELD_UNTIL])
})
