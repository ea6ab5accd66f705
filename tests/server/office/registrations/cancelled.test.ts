/** Cancelled registrations are not shown as paid in the lists and figures of the office. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SalesResponse } from '../../../../engine/index.ts'
import type { SearchResponse, ListResponse, StatsResponse } from '../../../../engine/api.ts'
import { drawRegNo } from '../../../../server/registration/create-registration.ts'
import { readImportText } from '../../cli/import-text.ts'
import { buildFixtureEvent } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { createImportRow } from '../../sample-registrations.ts'
import { toNoon, register, signIn } from '../office.ts'
import type { Office } from '../office.ts'

let server: TestApp
let owner: Office
let cancelledRegNo: string
const EVENT = 'sample2026'

beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-20T16:00:00+05:30',
    events: { 'sample2026.yaml': buildFixtureEvent({}) },
  })
  owner = await signIn(server)
  const registerSample = (n: number, paymentResult?: 'success') =>
    register(server, EVENT, {
      n,
      on: toNoon('2026-01-10'),
      answers: {
        full_name: `Delegate ${n}`,
        email: `d${n}@example.org`,
        phone_number: '9876500000',
      },
      ...(paymentResult && { pays: paymentResult }),
    })
  cancelledRegNo = await registerSample(1, 'success')
  await registerSample(2, 'success')
  await registerSample(3)
  const unpaidRegNo = await registerSample(4)
  for (const regNo of [cancelledRegNo, unpaidRegNo])
    await owner.act(regNo, { act: 'cancel', why: 'Not coming.' })
})
afterAll(() => server.close())

const readPage = async (query: string): Promise<ListResponse> =>
  (await owner.json(`/admin/${EVENT}/registrations/?${query}`)) as unknown as ListResponse

test('a paid registration that is cancelled is not shown as paid in the list, in the search, on its page or on the dashboard', async () => {
  const expectedStatus = { payment_status: 'success', payment_status_display: 'Cancelled (paid)' }
  const { registrations } = await readPage('')
  expect(registrations.map((row) => row.payment_status_display)).toEqual([
    'Cancelled',
    'Pending',
    'Paid',
    'Cancelled (paid)',
  ])
  expect(registrations.at(-1)).toMatchObject({ ...expectedStatus, in_state: 'cancelled' })
  const search = (await owner.json(`/admin/find/?q=${cancelledRegNo}`)) as unknown as SearchResponse
  expect(search.found).toMatchObject([{ ...expectedStatus, in_state: 'cancelled' }])
  expect(
    (await owner.json(`/admin/registrations/${cancelledRegNo}/`))['registration'],
  ).toMatchObject({
    ...expectedStatus,
    in_state: 'cancelled',
  })
  const { data } = (await owner.json('/admin/dashboard/stats/')) as unknown as StatsResponse
  expect(data['sample_stats'] ?? data[`${EVENT}_stats`]).toMatchObject({
    total_registrations: 4,
    paid_registrations: 1,
    pending_registrations: 1,
    failed_registrations: 0,
    ended_registrations: 2,
  })
  expect(data.recent_registrations[EVENT]?.at(-1)).toMatchObject({
    ...expectedStatus,
    in_state: 'cancelled',
  })
})

test('the Cancelled filter finds cancelled registrations, and totals count each registration once', async () => {
  const cancelledPage = await readPage('payment_status=cancelled')
  expect(cancelledPage.shown).toBe('2 cancelled registrations')
  expect(cancelledPage.registrations.map(({ reg_no }) => reg_no)).toContain(cancelledRegNo)
  expect(cancelledPage.sums).toMatchObject({ paid: 0, pending: 0, failed: 0, ended: 2 })
  expect((await readPage('')).sums).toMatchObject({ paid: 1, pending: 1, failed: 0, ended: 2 })
  // A payment status filter still finds cancelled registrations; the totals count them separately.
  const paidPage = await readPage('payment_status=success')
  expect([paidPage.count, paidPage.sums]).toMatchObject([2, { paid: 1, ended: 1 }])
  expect((await readPage('payment_status=refused')).count).toBe(0)
  const conflictResponse = await owner.get(
    `/admin/${EVENT}/registrations/?payment_status=cancelled&in_state=complete`,
  )
  expect([
    conflictResponse.statusCode,
    conflictResponse.json<{ message: string }>().message,
  ]).toEqual([400, 'A registration cannot be both cancelled and complete.'])
  const sortedPage = await readPage('sort=status')
  expect(sortedPage.registrations.map(({ in_state }) => in_state)).toEqual([
    'to_pay',
    'complete',
    'cancelled',
    'cancelled',
  ])
})

test('sales exclude cancelled registrations, unless the filter selects them', async () => {
  const listId = server.deps.events.findById(EVENT)?.config.admin.lists[0]?.id
  const readSales = async (options: string) => {
    const response = await owner.json(`/admin/sold/?event_id=${EVENT}&list_id=${listId}${options}`)
    const [row] = (response as unknown as SalesResponse).rows
    return row && [row.registrations, row.quantity, row.paid_quantity]
  }
  expect(await readSales('')).toEqual([2, 2, 1])
  expect(await readSales('&payment_status=success')).toEqual([1, 1, 1])
  expect(await readSales('&search=Delegate')).toEqual([2, 2, 1])
  expect(await readSales('&payment_status=cancelled')).toEqual([2, 2, 1])
})

test('an export filtered for Paid excludes cancelled registrations', async () => {
  const fullExport = await owner.get(`/admin/export/?event_type=${EVENT}`)
  const statuses = fullExport.body.match(/Paid|Pending|Cancelled(?: \(paid\))?/g)
  expect(statuses).toEqual(['Cancelled', 'Pending', 'Paid', 'Cancelled (paid)'])
  const csvExport = await owner.get(`/admin/export/?event_type=${EVENT}&payment_status=cancelled`)
  expect(csvExport.headers['content-disposition']).toContain('_cancelled.csv')
  const servedEvent = server.deps.events.findById(EVENT)
  if (servedEvent === null) throw new Error('no event')
  const importResult = readImportText(servedEvent.config, servedEvent.hash, fullExport.body)
  expect(importResult.ok ? [] : importResult.error.map(({ message }) => message)).toContainEqual(
    expect.stringContaining(
      'means that the registration was cancelled. Only active registrations can be imported.',
    ),
  )
})

test('a registration that was refunded before its import is displayed as “Refunded”, not as cancelled', async () => {
  const config = server.deps.events.findById(EVENT)?.config
  if (config === undefined) throw new Error('no event')
  const row = createImportRow({
    eventId: EVENT,
    paymentStatus: 'refunded',
    regNo: drawRegNo(config),
  })
  expect(await server.deps.store.importRegistrations([row])).toMatchObject({ ok: true })
  const { registrations } = await readPage('payment_status=refunded')
  const expectedRow = { reg_no: row.regNo, payment_status_display: 'Refunded' }
  expect(registrations).toEqual([expect.objectContaining(expectedRow)])
})
