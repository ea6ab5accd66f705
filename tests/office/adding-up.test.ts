/** The money of one event at every place where the office reads it: the figures must agree, to the paisa. */
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { paise } from '../../engine/index.ts'
import type { ListAnswer, RegNo, SoldAnswer, StatsAnswer } from '../../engine/index.ts'
import { startTestApp } from '../server/harness.ts'
import type { TestApp } from '../server/harness.ts'
import { noon, register, signIn } from './office.ts'
import type { Office } from './office.ts'

const EVENT = 'afpicon2026'
let test_: TestApp
let office: Office
beforeAll(async () => {
  test_ = await startTestApp({ clock: '2025-10-10T16:00:00+05:30' })
  office = await signIn(test_)
})
afterAll(() => test_.close())

const made = (n: number, pays?: 'success' | 'wrong-amount') =>
  register(test_, EVENT, {
    n,
    on: noon('2025-10-10'),
    answers: {
      full_name: `Delegate ${n}`,
      email: `delegate${n}@example.org`,
      phone_number: '+919876500000',
      ticket_type: 'afpi-gp-specialist',
    },
    ...(pays === undefined ? {} : { pays }),
  })
const paisaOf = (rupees: unknown): number => Math.round(Number(rupees) * 100)
const act = async (regNo: string, payload: object) => {
  const done = await office.act(regNo, payload)
  expect(done, JSON.stringify(done.body)).toMatchObject({ status: 200 })
}
const grounds = { who: 'office', why: 'Ill', actor: 'owner', once: null } as const

/** What each reader of the office adds up, in paise. */
async function figures() {
  const listed = (await office.json(
    '/admin/afpicon/registrations/?page_size=100',
  )) as unknown as ListAnswer
  const body = (await office.get('/afpicon/download-csv/')).body.replace(/^\uFEFF/, '')
  const rows = parse(body, { columns: true }) as Record<string, string>[]
  const added = (column: string) => rows.reduce((sum, row) => sum + paisaOf(row[column]), 0)
  const rowsAdded = (column: string) =>
    listed.registrations.reduce((sum, row) => sum + paisaOf(row[column] ?? 0), 0)
  const sold = (await office.json(
    `/admin/sold/?event_id=${EVENT}&list_id=afpicon`,
  )) as unknown as SoldAnswer
  const { data } = (await office.json('/admin/dashboard/stats/')) as unknown as StatsAnswer
  const stats = data['afpicon_stats'] as { total_revenue: number }
  return {
    csv: added('Amount paid') - added('Amount refunded'),
    csvDue: added('Amount due'),
    rows: rowsAdded('money.paid') - rowsAdded('money.refunded'),
    list: paisaOf(listed.sums?.money),
    listDue: paisaOf(listed.sums?.due),
    sales:
      paisaOf(sold.paid_beside) + sold.rows.reduce((sum, row) => sum + paisaOf(row.paid_total), 0),
    dashboard: paisaOf(stats.total_revenue),
  }
}
async function agree(money: number, due: number) {
  expect(await figures()).toEqual({
    csv: money,
    csvDue: due,
    rows: money,
    list: money,
    listDue: due,
    sales: money,
    dashboard: money,
  })
}

const PRICE = 708_000

test('“Paid” is what payers paid: list, CSV, sales and dashboard add up to one figure', async () => {
  const [paid, cancelled, review] = [
    await made(1, 'success'),
    await made(2, 'success'),
    await made(3, 'wrong-amount'),
  ]
  await made(4)
  await agree(2 * PRICE, 2 * PRICE)
  // A part of a price accepted as the whole: the payer paid one rupee.
  await act(review, { act: 'accept', why: 'Agreed.', review: await reviewOf(review) })
  await agree(2 * PRICE + 100, PRICE)
  await test_.deps.store.wantRefund({
    of: paid,
    amount: paise(100_050),
    ...grounds,
    byHand: 'NEFT 1',
    at: test_.now(),
  })
  await agree(2 * PRICE + 100 - 100_050, PRICE)
  await test_.deps.store.cancel(
    { ...grounds, regNo: cancelled, act: 'cancel', at: test_.now() },
    { payBack: paise(300_000), shown: null, mail: null },
  )
  await agree(2 * PRICE + 100 - 100_050, PRICE)
  await test_.deps.store.wantRefund({
    of: cancelled,
    amount: paise(300_000),
    ...grounds,
    byHand: 'NEFT 2',
    at: test_.now(),
  })
  await agree(2 * PRICE + 100 - 400_050, PRICE)
})

const reviewOf = async (regNo: RegNo): Promise<string> =>
  (await test_.deps.store.reviews(null)).find((review) => review.regNo === regNo)?.id ?? ''
