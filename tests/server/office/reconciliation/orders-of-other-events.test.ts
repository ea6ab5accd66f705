/** Unknown payments in a report of an account that two events share. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegNo } from '../../../../engine/index.ts'
import type { ReviewsResponse } from '../../../../engine/api.ts'
import { main } from '../../../../server/cli/run-command.ts'
import { buildTwoEventsOfOneAccount } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { registerDelegate, registerPaid } from '../card-payers.ts'
import { hashCheaply, PASSWORD, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const EVENT = 'sample2026'
const OTHER_EVENT = 'other2026'
let server: TestApp
let treasurerOfBoth: Office
let treasurer: Office
let otherTreasurer: Office

beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-02-02T10:00:00+05:30',
    events: buildTwoEventsOfOneAccount(),
  })
  const addTreasurer = async (name: string, events: readonly string[]): Promise<Office> => {
    const permissions = { role: 'treasurer', events: [...events] } as const
    await server.deps.store.addAdmin(name, await hashCheaply(PASSWORD), server.now(), permissions)
    return signIn(server, name)
  }
  treasurerOfBoth = await addTreasurer('of-both', [EVENT, OTHER_EVENT])
  treasurer = await addTreasurer('of-one', [EVENT])
  otherTreasurer = await addTreasurer('of-other', [OTHER_EVENT])
})
afterAll(() => server.close())

const toReport = (order: string, reference: string): string =>
  [
    'Merchant Txn ID,Transaction ID,Txn Amount,UTR Number,Settlement Date,Txn Type',
    `${order},${reference},1180,UTR1,30-01-2026,Sale`,
  ].join('\n')
const listReviewedOrders = async (office: Office, event: string) => {
  const { reviews } = (await office.json(
    `/admin/reviews/?event=${event}`,
  )) as unknown as ReviewsResponse
  return reviews.map(({ why }) => /order (\w+)/.exec(why ?? '')?.[1])
}

test('an unknown payment of another event, saved on this event’s page, is listed and moved only by staff of the other event', async () => {
  const { regNo } = await registerDelegate(server, EVENT)
  const response = await server.app.inject({
    method: 'POST',
    url: `/admin/reconcile/keep/?event=${EVENT}`,
    headers: { authorization: `Bearer ${treasurerOfBoth.token}`, 'content-type': 'text/csv' },
    payload: toReport('OTHR99999901', 'AP1'),
  })
  expect(response.json()).toMatchObject({ added: 1, to_review: 1 })

  expect(await listReviewedOrders(treasurer, EVENT)).toEqual([])
  expect(await listReviewedOrders(otherTreasurer, OTHER_EVENT)).toEqual(['OTHR99999901'])
  const [payment] = server.rows('SELECT id, found_for FROM captures')
  expect(payment).toMatchObject({ found_for: OTHER_EVENT })
  // The gateway's response about the order also belongs to the other event.
  expect(server.rows('SELECT event_id FROM unknown_orders')).toEqual([{ event_id: OTHER_EVENT }])
  expect(
    server.rows("SELECT event_id FROM audit_log WHERE what = 'saved 1 line of a settlement'"),
  ).toEqual([{ event_id: OTHER_EVENT }])
  const decision = await server.app.inject({
    method: 'POST',
    url: `/admin/reviews/C${String(payment?.['id'])}/decide/`,
    headers: { authorization: `Bearer ${treasurer.token}` },
    payload: { decision: 'move', to: regNo, why: 'The delegate paid.', version: 0 },
  })
  expect(decision.statusCode).toBe(404)
})

test.each([
  ['in lower case', 'othr99999911', 'AP11'],
  ['after a number sign', '#OTHR99999912', 'AP12'],
  ['in full-width characters', 'ＯＴＨＲ９９９９９９１３', 'AP13'],
  ['with an invisible character', 'OT\u200bHR99999914', 'AP14'],
  ['after a word', 'order_OTHR99999915', 'AP15'],
  ['after a word that banks print', 'TxnOTHR9999999999916', 'AP16'],
  ['in groups', 'OTHR 9999-9917', 'AP17'],
])(
  'an unknown payment whose order id is written %s belongs to the event of the order',
  async (_, order, reference) => {
    const response = await server.app.inject({
      method: 'POST',
      url: `/admin/reconcile/keep/?event=${EVENT}`,
      headers: { authorization: `Bearer ${treasurerOfBoth.token}`, 'content-type': 'text/csv' },
      payload: toReport(order, reference),
    })
    expect(response.json()).toMatchObject({ added: 1, to_review: 1 })
    expect(server.rows('SELECT found_for FROM captures ORDER BY id DESC LIMIT 1')).toEqual([
      { found_for: OTHER_EVENT },
    ])
    const settlements = await treasurer.json(`/admin/settlements/?event=${EVENT}`)
    expect(settlements).toMatchObject({ status: 'success' })
    expect(JSON.stringify(settlements)).not.toContain(order)
  },
)

test('an unknown payment that the command saves belongs to the event of its order id', async () => {
  const path = join(server.dir, 'settlement.csv')
  writeFileSync(path, toReport('OTHR99999902', 'AP2'))
  const terminal = { print: () => {}, printError: () => {}, environment: () => server.environment }
  await main(['payment', 'reconcile', EVENT, path, '--keep', '--who', 'Asha'], terminal)
  expect(await listReviewedOrders(treasurer, EVENT)).toEqual([])
  expect(await listReviewedOrders(otherTreasurer, OTHER_EVENT)).toContain('OTHR99999902')
})

const readFeesOf = async (user: Office): Promise<string> => {
  const response = await user.get('/api/admin/months/export/?month=2026-01')
  const files = unzipSync(new Uint8Array(response.rawPayload))
  return strFromU8(files['settlement-fees_2026-01.csv'] ?? new Uint8Array())
}
const saveAsTreasurerOfBoth = async (report: string): Promise<void> => {
  const response = await server.app.inject({
    method: 'POST',
    url: `/admin/reconcile/keep/?event=${OTHER_EVENT}`,
    headers: { authorization: `Bearer ${treasurerOfBoth.token}`, 'content-type': 'text/csv' },
    payload: report,
  })
  expect(response.json()).toMatchObject({ added: 1 })
}

test('the accountant’s file lists a line with another event’s order and this event’s payment for the event of the order, like the settlements page', async () => {
  await registerPaid(server, EVENT, 'AP21')
  const { order } = await registerDelegate(server, OTHER_EVENT)
  await saveAsTreasurerOfBoth(toReport(order, 'AP21'))
  const settlements = (user: Office, event: string) =>
    user.json(`/admin/settlements/?event=${event}`)
  expect(JSON.stringify(await settlements(treasurer, EVENT))).not.toContain(order)
  expect(JSON.stringify(await settlements(otherTreasurer, OTHER_EVENT))).toContain(order)
  expect(await readFeesOf(treasurer)).not.toContain(order)
  expect(await readFeesOf(otherTreasurer)).toContain(order)
})

test('an unknown order stays out of the accountant’s file of another event after its payment was moved there', async () => {
  await saveAsTreasurerOfBoth(toReport('OTHR99999923', 'AP23'))
  const { regNo } = await registerDelegate(server, EVENT)
  const { reviews } = (await treasurerOfBoth.json('/admin/reviews/')) as unknown as ReviewsResponse
  const review = reviews.find(({ why }) => why?.includes('OTHR99999923'))
  await treasurerOfBoth.decide(review?.id, {
    decision: 'move',
    to: regNo,
    why: 'The delegate paid.',
  })
  expect(await readFeesOf(treasurer)).not.toContain('OTHR99999923')
  expect(await readFeesOf(otherTreasurer)).toContain('OTHR99999923')
})

test('a line that states its order in lower case belongs to the order, whether its payment is recorded or not', async () => {
  const paid = await registerPaid(server, EVENT, 'AP31')
  const unpaid = await registerDelegate(server, EVENT)
  const payload = [
    'Merchant Txn ID,Transaction ID,Txn Amount,UTR Number,Settlement Date,Txn Type',
    ...[[paid, 'AP31'] as const, [unpaid, 'AP32'] as const].map(
      ([{ order, amount }, reference]) =>
        `${order.toLowerCase()},${reference},${amount / 100},UTR3,30-01-2026,Sale`,
    ),
  ].join('\n')
  const post = async (url: string, { token }: Office) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/csv' }
    return (await server.app.inject({ method: 'POST', url, headers, payload })).json<object>()
  }
  // A user of one event saves only lines whose orders and payments belong to it.
  expect(await post(`/admin/reconcile/keep/?event=${EVENT}`, treasurer)).toMatchObject({ added: 1 })
  expect(await post(`/admin/reconcile/keep/?event=${EVENT}`, treasurerOfBoth)).toMatchObject({
    added: 1,
    to_review: 1,
  })
  expect(await post(`/admin/reconcile/?event=${EVENT}`, treasurer)).toMatchObject({
    settlement: {
      lines: [
        { as: 'settled', reg_no: paid.regNo, why: null, order_id: paid.order.toLowerCase() },
        { as: 'review', reg_no: unpaid.regNo },
      ],
    },
  })
  expect(await server.deps.store.captures(unpaid.regNo as RegNo)).toMatchObject([
    { reference: 'AP32', state: 'review' },
  ])
})
