/** The price on the credit date applies to moved payments and to statement lines. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toAmount } from '../../../../engine/index.ts'
import type { RegNo } from '../../../../engine/index.ts'
import type {
  ActionsResponse,
  ListResponse,
  SelfServiceResponse,
  ReconcileResponse,
  RegisterResponse,
} from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { actionsUrl, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const EVENT = 'lekhacon2027'
const eventFileName = `${EVENT}.yaml`
const eventFile = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'events', eventFileName),
  'utf8',
)
/** The prices for a member until 15 January and after it. */
const [EARLY_PRICE, REGULAR_PRICE] = [4720, 5900]

let server: TestApp
let office: Office
const regNos: RegNo[] = []
beforeAll(async () => {
  server = await startTestApp({ clock: '2027-01-14', events: { [eventFileName]: eventFile } })
  for (const name of ['Asha', 'Binu', 'Chitra', 'Divya']) {
    const response = await server.post(`/api/${EVENT}/register/`, {
      full_name: name,
      email: `${name}@delegate.example`,
      phone_number: '9847000000',
      registered_as: 'member',
      way: 'transfer',
    })
    regNos.push(response.json<RegisterResponse>().reg_no as RegNo)
  }
  server.setTime('2027-01-18')
  office = await signIn(server)
})
afterAll(() => server.close())

const post = async (url: string, type: string, payload: string | object) => {
  const headers = { authorization: `Bearer ${office.token}`, 'content-type': type }
  return server.app.inject({ method: 'POST', url, headers, payload })
}
const readActions = async (regNo: RegNo | undefined) =>
  (await office.json(actionsUrl(regNo ?? ''))) as unknown as ActionsResponse
const getRegNo = (index: number): RegNo => regNos[index] ?? ('' as RegNo)

test('a payment credited in the regular period does not pay a registration at the early price when it is moved there', async () => {
  const [paidRegNo, targetRegNo] = [getRegNo(0), getRegNo(1)]
  const payment = { act: 'confirm', way: 'transfer', reference: '526123000001', day: '2027-01-17' }
  expect((await office.act(paidRegNo, { ...payment, amount: String(EARLY_PRICE) })).status).toBe(
    200,
  )
  const [review] = (await readActions(paidRegNo)).reviews
  expect(review?.due).toBe(REGULAR_PRICE)
  const moveResponse = await post(`/admin/reviews/${review?.id}/decide/`, 'application/json', {
    decision: 'move',
    version: review?.version,
    to: targetRegNo,
    why: 'Meant for a friend.',
  })
  expect(moveResponse.json()).toMatchObject({
    message: expect.stringContaining('where it needs review'),
  })
  const [openReview] = (await readActions(targetRegNo)).reviews
  expect([openReview?.due, openReview?.why]).toEqual([
    REGULAR_PRICE,
    expect.stringContaining('₹\u00a05,900 due'),
  ])
  // The rule also works the other way round.
  const earlyPayment = {
    act: 'confirm',
    way: 'transfer',
    reference: '526123000002',
    day: '2027-01-15',
  }
  expect((await office.act(paidRegNo, { ...earlyPayment, amount: '1' })).status).toBe(200)
  const [movedReview] = (await readActions(paidRegNo)).reviews
  expect(movedReview?.due).toBe(EARLY_PRICE)
})

test('a statement line is compared with the price on its date', async () => {
  const [lateRegNo, earlyRegNo] = [getRegNo(2), getRegNo(3)]
  const lines = [
    'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt',
    `17/01/27,NEFT ${lateRegNo},526123000011,,${EARLY_PRICE}`,
    `15/01/27,NEFT ${earlyRegNo},526123000012,,${EARLY_PRICE}`,
  ]
  const result = await post(`/admin/reconcile/?event=${EVENT}`, 'text/csv', lines.join('\n'))
  const statementLines = result.json<Extract<ReconcileResponse, { header: null }>>().lines
  expect(statementLines.map(({ as: outcome, of: matches }) => [outcome, matches[0]?.due])).toEqual([
    ['differs', REGULAR_PRICE],
    ['matched', EARLY_PRICE],
  ])
})

test('the confirmation states the price on the date of the payment, whether the payment is confirmed or moved', async () => {
  const [paidRegNo, overpaidRegNo, targetRegNo] = [getRegNo(2), getRegNo(0), getRegNo(1)]
  const payment = {
    act: 'confirm',
    way: 'transfer',
    day: '2027-01-17',
    amount: String(REGULAR_PRICE),
  }
  expect((await office.act(paidRegNo, { ...payment, reference: '526123000021' })).status).toBe(200)
  const listEmails = async (regNo: RegNo) =>
    (await server.deps.store.emailsOfRegistration(regNo)).map(({ text: body }) =>
      body.replaceAll('\u00a0', ' '),
    )
  expect(await listEmails(paidRegNo)).toContainEqual(
    expect.stringContaining('We have received ₹ 5,900'),
  )
  // At the early price, the other registration has a lower balance.
  const earlyPayment = { ...payment, reference: '526123000022', day: '2027-01-14', amount: '4721' }
  expect((await office.act(overpaidRegNo, earlyPayment)).status).toBe(200)
  const review = (await readActions(overpaidRegNo)).reviews.at(-1)
  expect(review?.due).toBe(EARLY_PRICE)
  const decision = {
    decision: 'move',
    version: review?.version,
    to: targetRegNo,
    why: 'Meant for a friend.',
  }
  await post(`/admin/reviews/${review?.id}/decide/`, 'application/json', decision)
  expect((await readActions(targetRegNo)).reviews.at(-1)?.due).toBe(EARLY_PRICE)
})

test('after the period ends, the page, UPI code, list and CSV show the price that the confirmation uses', async () => {
  const register = async (name: string, extraAnswers = {}) => {
    const response = await server.post(`/api/${EVENT}/register/`, {
      full_name: name,
      email: `${name}@delegate.example`,
      phone_number: '9847000000',
      registered_as: 'member',
      way: 'transfer',
      ...extraAnswers,
    })
    expect(response.statusCode, response.body).toBe(201)
    const { reg_no: regNo, page } = response.json<RegisterResponse>()
    return { regNo: regNo as RegNo, page: page ?? '' }
  }
  server.setClock('2027-01-15T18:00:00+05:30')
  office = await signIn(server)
  const [waitingDelegate, claimant, cardPayer] = [
    await register('Esha'),
    await register('Farid'),
    await register('Gita', { way: 'card' }),
  ]
  const claim = { act: 'tell', answers: { utr: '526123000091', paid_on: '2027-01-15' } }
  expect((await post(`/api${claimant.page}/acts/`, 'application/json', claim)).statusCode).toBe(200)
  const readShownPrices = async ({ regNo, page }: { regNo: RegNo; page: string }) => {
    const ownPage = (await server.app.inject(`/api${page}/`)).json<SelfServiceResponse>()
    const list = (await office.json(
      '/admin/lekhacon2027/registrations/?page_size=100',
    )) as unknown as ListResponse
    const row = list.registrations.find((registration) => registration['reg_no'] === regNo)
    const csv = parse(
      (await office.get('/admin/export/?event_type=lekhacon2027')).body.replace(/^\uFEFF/, ''),
      {
        columns: true,
      },
    ) as Record<string, string>[]
    const line = csv.find((cells) => Object.values(cells).includes(regNo))
    return {
      page: ownPage.paying?.total,
      until: ownPage.paying?.price_until,
      total: ownPage.registration.total,
      upi: /am=([\d.]+)/.exec(ownPage.paying?.upi ?? '')?.[1],
      row: row?.['total'],
      csv: Number(line?.['Amount due']),
      listDue: toAmount(Math.round((list.sums?.due ?? 0) * 100)),
    }
  }
  const buildExpectedPrices = (amount: number, until: string) => ({
    page: amount,
    until,
    total: amount,
    upi: amount.toFixed(2),
    row: amount,
    csv: amount,
  })
  await server.priceUpdates.run()
  const shownBefore = await readShownPrices(waitingDelegate)
  expect(shownBefore).toMatchObject(buildExpectedPrices(EARLY_PRICE, '2027-01-15'))
  server.setClock('2027-01-16T00:01:00+05:30')
  office = await signIn(server)
  const changeResult = await server.priceUpdates.run()
  expect(changeResult).toBeGreaterThan(0)
  const shownAfter = await readShownPrices(waitingDelegate)
  expect(shownAfter).toMatchObject(buildExpectedPrices(REGULAR_PRICE, shownAfter.until ?? ''))
  expect(shownAfter.until).not.toBe('2027-01-15')
  // The list's total is updated; nothing changes twice.
  expect(shownAfter.listDue - shownBefore.listDue).toBe(
    changeResult * (REGULAR_PRICE - EARLY_PRICE) * 100,
  )
  expect(await server.priceUpdates.run()).toBe(0)
  // A delegate reported a payment made on the last day of the period: the price on that date applies.
  expect((await readShownPrices(claimant)).page).toBe(EARLY_PRICE)
  // A card payment is compared with the registration's own price.
  expect((await server.deps.store.registration(cardPayer.regNo))?.total).toBe(EARLY_PRICE * 100)
  const payment = { act: 'confirm', way: 'transfer', reference: '526123000092' }
  const confirmResponse = await office.act(waitingDelegate.regNo, {
    ...payment,
    amount: String(shownAfter.page),
  })
  expect(confirmResponse.body.message).toContain('is paid')
})

test('the price on the date of a payment under review stays the same when prices change', async () => {
  const regNo = getRegNo(3)
  server.setClock('2027-01-18T12:00:00+05:30')
  office = await signIn(server)
  await server.priceUpdates.run()
  const earlyPayment = {
    act: 'confirm',
    way: 'transfer',
    reference: '526123000095',
    day: '2027-01-14',
  }
  expect((await office.act(regNo, { ...earlyPayment, amount: '4700' })).status).toBe(200)
  expect((await readActions(regNo)).reviews.at(-1)?.due).toBe(EARLY_PRICE)
  await server.priceUpdates.run()
  expect((await readActions(regNo)).reviews.at(-1)?.due).toBe(EARLY_PRICE)
})
