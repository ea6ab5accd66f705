/** The audit log describes actions; erasing the data of a delegate also erases the reasons. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegNo } from '../../../engine/index.ts'
import type { AuditLogResponse } from '../../../engine/api.ts'
import { buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { hashCheaply, toNoon, PASSWORD, register, signIn } from './office.ts'
import type { Office } from './office.ts'

let server: TestApp
let owner: Office
const EVENT = 'sample2026'

beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-20T16:00:00+05:30',
    events: { 'sample2026.yaml': buildFixtureEvent() },
  })
  owner = await signIn(server)
})
afterAll(() => server.close())

const registerWithPayment = (
  n: number,
  paymentResult: 'success' | 'wrong-amount',
): Promise<RegNo> =>
  register(server, EVENT, {
    n,
    on: toNoon('2026-01-20'),
    answers: {
      full_name: `Delegate ${n}`,
      email: `delegate${n}@example.org`,
      phone_number: '9876500000',
      is_member: true,
    },
    pays: paymentResult,
  })
const listActions = async (regNo: RegNo): Promise<readonly string[]> => {
  const { rows } = (await owner.get('/admin/log/')).json<AuditLogResponse>()
  return rows.filter((row) => row.reg_no === regNo).map(({ who, what }) => `${who}: ${what}`)
}

test('the audit log shows who cancelled or corrected a registration or wrote a note; the reasons are removed when the data is erased', async () => {
  const regNo = await registerWithPayment(1, 'success')
  await owner.act(regNo, { act: 'note', why: 'Rang about food.' })
  const answers = { full_name: 'Delegate One' }
  await owner.act(regNo, { act: 'correct', why: 'Spelt wrongly.', answers })
  await owner.act(regNo, { act: 'cancel', why: 'Cannot travel.', pay_back: 0 })
  expect(await listActions(regNo)).toEqual([
    'office: cancelled: Cannot travel.',
    'office: corrected: Spelt wrongly.',
    'office: note: Rang about food.',
  ])
  expect((await owner.act(regNo, { act: 'erase', why: 'Asked for by the delegate.' })).status).toBe(
    200,
  )
  expect((await listActions(regNo)).slice(-3)).toEqual([
    'office: cancelled',
    'office: corrected',
    'office: note',
  ])
})

test('the audit log shows a decision on a payment with its amount and reason', async () => {
  const regNo = await registerWithPayment(2, 'wrong-amount')
  const [review] = (await server.deps.store.reviews(EVENT)).filter((row) => row.regNo === regNo)
  await owner.act(regNo, { act: 'accept', review: review?.id, why: 'Agreed on the telephone.' })
  expect(await listActions(regNo)).toEqual([
    expect.stringMatching(/^office: payment accepted, ₹\u00a0[\d,.]+: Agreed on the telephone\.$/),
  ])
})

test("in the audit log, the owner of one event can filter only by that event's users, and sees entries about exports of the log", async () => {
  const permissions = { role: 'owner', events: [EVENT] } as const
  await server.deps.store.addAdmin('of-one', await hashCheaply(PASSWORD), server.now(), permissions)
  const eventOwner = await signIn(server, 'of-one')
  for (const [username, eventId] of [
    ['of-another', 'another2026'],
    ['of-this', EVENT],
  ] as const)
    await server.deps.store.addAuditEntry({
      at: server.now(),
      who: username,
      what: 'noted',
      eventId,
      regNo: null,
    })
  const listUsers = async ({ get }: Office) =>
    (await get('/admin/log/')).json<AuditLogResponse>().people
  expect(await listUsers(eventOwner)).toContain('of-this')
  expect(await listUsers(eventOwner)).not.toContain('of-another')
  expect(await listUsers(owner)).toContain('of-another')
  await eventOwner.get('/admin/log/export/')
  const { rows } = (await eventOwner.get('/admin/log/')).json<AuditLogResponse>()
  expect(rows[0]).toMatchObject({ who: 'of-one', what: 'exported the audit log', event_id: EVENT })
})

test("pages viewed by an event's staff appear in the audit log for that event's owner", async () => {
  const owner2026 = await signIn(server, 'of-one')
  for (const path of ['dashboard/stats/', 'find/?q=none', 'movements/', 'payouts/', 'reviews/'])
    await owner2026.get(`/admin/${path}`)
  for (const path of ['mail/', 'months/?month=2026-01']) await owner2026.get(`/admin/${path}`)
  const { rows } = (await owner2026.get('/admin/log/?kind=looks')).json<AuditLogResponse>()
  const ownEntries = rows.filter(
    ({ who, event_id: eventId }) => who === 'of-one' && eventId === EVENT,
  )
  expect(ownEntries.map(({ what }) => what).toSorted()).toEqual([
    expect.stringMatching(/^searched all events/),
    'viewed the dashboard',
    'viewed the emails',
    'viewed the month 2026-01',
    expect.stringMatching(/^viewed the payments/),
    'viewed the payouts',
    'viewed the reviews (0)',
  ])
})
