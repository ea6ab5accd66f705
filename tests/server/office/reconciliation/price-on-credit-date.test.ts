/** The price of the day of credit holds for money that is moved, and for the lines of a statement. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { paise } from '../../../../engine/index.ts'
import type { RegNo } from '../../../../engine/index.ts'
import type {
  ActionsAnswer,
  ListAnswer,
  MyAnswer,
  ReconcileAnswer,
  RegisterAnswer,
} from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { actsOn, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const EVENT = 'lekhacon2027'
const file = `${EVENT}.yaml`
const text = readFileSync(join(import.meta.dirname, '..', '..', '..', 'events', file), 'utf8')
/** Of a member, until 15 January and after it. */
const [EARLY, REGULAR] = [4720, 5900]

let server: TestApp
let office: Office
const numbers: RegNo[] = []
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-14', events: { [file]: text } })
  for (const name of ['Asha', 'Binu', 'Chitra', 'Divya']) {
    const answer = await server.post(`/api/${EVENT}/register/`, {
      full_name: name,
      email: `${name}@delegate.example`,
      phone_number: '9847000000',
      registered_as: 'member',
      way: 'transfer',
    })
    numbers.push(answer.json<RegisterAnswer>().reg_no as RegNo)
  }
  server.setTime('2027-01-18')
  office = await signIn(server)
})
afterAll(() => server.close())

const post = async (url: string, type: string, payload: string | object) => {
  const headers = { authorization: `Bearer ${office.token}`, 'content-type': type }
  return server.app.inject({ method: 'POST', url, headers, payload })
}
const standing = async (regNo: RegNo | undefined) =>
  (await office.json(actsOn(regNo ?? ''))) as unknown as ActionsAnswer
const numbered = (at: number): RegNo => numbers[at] ?? ('' as RegNo)

test('money credited in the regular period paid another registration at the early price after it was moved', async () => {
  const [from, to] = [numbered(0), numbered(1)]
  const came = { act: 'confirm', way: 'transfer', reference: '526123000001', day: '2027-01-17' }
  expect((await office.act(from, { ...came, amount: String(EARLY) })).status).toBe(200)
  const [review] = (await standing(from)).reviews
  expect(review?.due).toBe(REGULAR)
  const moved = await post(`/admin/reviews/${review?.id}/decide/`, 'application/json', {
    decision: 'move',
    version: review?.version,
    to,
    why: 'Meant for a friend.',
  })
  expect(moved.json()).toMatchObject({ message: expect.stringContaining('where it needs review') })
  const [waiting] = (await standing(to)).reviews
  expect([waiting?.due, waiting?.why]).toEqual([
    REGULAR,
    expect.stringContaining('₹\u00a05,900 due'),
  ])
  // The price is that of the day, in both directions.
  const early = { act: 'confirm', way: 'transfer', reference: '526123000002', day: '2027-01-15' }
  expect((await office.act(from, { ...early, amount: '1' })).status).toBe(200)
  const [one] = (await standing(from)).reviews
  expect(one?.due).toBe(EARLY)
})

test('a line of a statement is compared with the price of its own day', async () => {
  const [late, early] = [numbered(2), numbered(3)]
  const lines = [
    'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt',
    `17/01/27,NEFT ${late},526123000011,,${EARLY}`,
    `15/01/27,NEFT ${early},526123000012,,${EARLY}`,
  ]
  const laid = await post(`/admin/reconcile/?event=${EVENT}`, 'text/csv', lines.join('\n'))
  const found = laid.json<Extract<ReconcileAnswer, { header: null }>>().lines
  expect(found.map(({ as, of }) => [as, of[0]?.due])).toEqual([
    ['differs', REGULAR],
    ['matched', EARLY],
  ])
})

test('the confirmation of money at the price of its day states that price, confirmed or moved', async () => {
  const [paid, from, to] = [numbered(2), numbered(0), numbered(1)]
  const came = { act: 'confirm', way: 'transfer', day: '2027-01-17', amount: String(REGULAR) }
  expect((await office.act(paid, { ...came, reference: '526123000021' })).status).toBe(200)
  const mailed = async (regNo: RegNo) =>
    (await server.deps.store.mailsOf(regNo)).map(({ text: body }) => body.replaceAll('\u00a0', ' '))
  expect(await mailed(paid)).toContainEqual(expect.stringContaining('We have received ₹ 5,900'))
  // At the early price the other registration owes less.
  const early = { ...came, reference: '526123000022', day: '2027-01-14', amount: '4721' }
  expect((await office.act(from, early)).status).toBe(200)
  const review = (await standing(from)).reviews.at(-1)
  expect(review?.due).toBe(EARLY)
  const words = { decision: 'move', version: review?.version, to, why: 'Meant for a friend.' }
  await post(`/admin/reviews/${review?.id}/decide/`, 'application/json', words)
  expect((await standing(to)).reviews.at(-1)?.due).toBe(EARLY)
})

test('after the period had ended, page, UPI code, list and CSV showed its price, and the confirmation another', async () => {
  const register = async (name: string, words = {}) => {
    const answer = await server.post(`/api/${EVENT}/register/`, {
      full_name: name,
      email: `${name}@delegate.example`,
      phone_number: '9847000000',
      registered_as: 'member',
      way: 'transfer',
      ...words,
    })
    expect(answer.statusCode, answer.body).toBe(201)
    const { reg_no: regNo, page } = answer.json<RegisterAnswer>()
    return { regNo: regNo as RegNo, page: page ?? '' }
  }
  server.setClock('2027-01-15T18:00:00+05:30')
  office = await signIn(server)
  const [waits, told, card] = [
    await register('Esha'),
    await register('Farid'),
    await register('Gita', { way: 'card' }),
  ]
  const report = { act: 'tell', answers: { utr: '526123000091', paid_on: '2027-01-15' } }
  expect((await post(`/api${told.page}/acts/`, 'application/json', report)).statusCode).toBe(200)
  const shown = async ({ regNo, page }: { regNo: RegNo; page: string }) => {
    const own = (await server.app.inject(`/api${page}/`)).json<MyAnswer>()
    const list = (await office.json(
      '/admin/lekhacon2027/registrations/?page_size=100',
    )) as unknown as ListAnswer
    const row = list.registrations.find((one) => one['reg_no'] === regNo)
    const csv = parse(
      (await office.get('/admin/export/?event_type=lekhacon2027')).body.replace(/^\uFEFF/, ''),
      {
        columns: true,
      },
    ) as Record<string, string>[]
    const line = csv.find((cells) => Object.values(cells).includes(regNo))
    return {
      page: own.paying?.total,
      until: own.paying?.price_until,
      total: own.registration.total,
      upi: /am=([\d.]+)/.exec(own.paying?.upi ?? '')?.[1],
      row: row?.['total'],
      csv: Number(line?.['Amount due']),
      listDue: paise(Math.round((list.sums?.due ?? 0) * 100)),
    }
  }
  const price = (amount: number, until: string) => ({
    page: amount,
    until,
    total: amount,
    upi: amount.toFixed(2),
    row: amount,
    csv: amount,
  })
  await server.priceUpdates.run()
  const before = await shown(waits)
  expect(before).toMatchObject(price(EARLY, '2027-01-15'))
  server.setClock('2027-01-16T00:01:00+05:30')
  office = await signIn(server)
  const changed = await server.priceUpdates.run()
  expect(changed).toBeGreaterThan(0)
  const after = await shown(waits)
  expect(after).toMatchObject(price(REGULAR, after.until ?? ''))
  expect(after.until).not.toBe('2027-01-15')
  // The sum of the list follows; nothing changes twice.
  expect(after.listDue - before.listDue).toBe(changed * (REGULAR - EARLY) * 100)
  expect(await server.priceUpdates.run()).toBe(0)
  // Paid on the last day, as the delegate reports: the confirmation asks for the price of that day.
  expect((await shown(told)).page).toBe(EARLY)
  // A card payment has the price of the registration.
  expect((await server.deps.store.registration(card.regNo))?.total).toBe(EARLY * 100)
  const came = { act: 'confirm', way: 'transfer', reference: '526123000092' }
  const done = await office.act(waits.regNo, { ...came, amount: String(after.page) })
  expect(done.body.message).toContain('is paid')
})

test('a payment under review keeps the price of its day while prices change', async () => {
  const one = numbered(3)
  server.setClock('2027-01-18T12:00:00+05:30')
  office = await signIn(server)
  await server.priceUpdates.run()
  const early = { act: 'confirm', way: 'transfer', reference: '526123000095', day: '2027-01-14' }
  expect((await office.act(one, { ...early, amount: '4700' })).status).toBe(200)
  expect((await standing(one)).reviews.at(-1)?.due).toBe(EARLY)
  await server.priceUpdates.run()
  expect((await standing(one)).reviews.at(-1)?.due).toBe(EARLY)
})
