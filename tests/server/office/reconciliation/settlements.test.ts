/** Gateway settlement reports and unmatched bank payments are checked, stored once, and decided by staff. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EventConfig } from '../../../../engine/index.ts'
import type {
  OfficeRegistrationResponse,
  ReviewsResponse,
  SettlementsResponse,
  WireSettlement,
} from '../../../../engine/api.ts'
import { INR, formatMoney, toAmount, getDigitCount, createRegNo } from '../../../../engine/index.ts'
import { main } from '../../../../server/cli/run-command.ts'
import { buildExcel } from '../../../../server/office/spreadsheets/write-excel.ts'
import { buildTwoEventsOfOneAccount } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { hashCheaply, PASSWORD, signIn, readShownVersion } from '../office.ts'
import { registerDelegate, registerPaid } from '../card-payers.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const EVENT = 'sample2026'
let server: TestApp
let owner: Office

beforeAll(async () => {
  server = await startTestApp({
    clock: '2026-01-28T12:00:00+05:30',
    events: buildTwoEventsOfOneAccount(),
  })
  owner = await signIn(server)
})
afterAll(() => server.close())

type ResponseBody = Record<string, unknown> & { settlement?: WireSettlement }
const post = async (url: string, body: string | object, office = owner) => {
  const response = await server.app.inject({
    method: 'POST',
    url,
    headers: {
      authorization: `Bearer ${office.token}`,
      'content-type': typeof body === 'string' ? 'text/csv' : 'application/json',
    },
    payload: body,
  })
  return { code: response.statusCode, body: response.json<ResponseBody>() }
}
const toUrl = (path: string) => `/admin/${path}/?event=${EVENT}`
const readSaved = async (office = owner): Promise<WireSettlement> =>
  ((await office.json(toUrl('settlements'))) as unknown as SettlementsResponse).settlement
const readReviews = async (): Promise<ReviewsResponse['reviews']> =>
  ((await owner.json(`/admin/reviews/?event=${EVENT}`)) as unknown as ReviewsResponse).reviews
const decide = async (id: string, decision: object) =>
  post(`/admin/reviews/${id}/decide/`, { version: await readShownVersion(server, id), ...decision })
const readPage = async (regNo: string): Promise<OfficeRegistrationResponse> =>
  (await owner.json(`/admin/registrations/${regNo}/`)) as unknown as OfficeRegistrationResponse

const register = (event = EVENT) => registerDelegate(server, event)
const addPaid = (reference: string, event = EVENT) => registerPaid(server, event, reference)

const HEADER =
  'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type'
const toReport = (...rows: string[]): string => [HEADER, ...rows].join('\r\n')
const buildSale = (
  order: string,
  reference: string,
  amount = 1180,
  utr = 'UTIBN26013000011',
  day = '30-01-2026',
): string => `${order},${reference},${amount}.00,20.00,3.60,${amount - 23.6},${utr},${day},Sale`

test('a report shows the status of each line and the outstanding payouts; saving it puts unknown payments under review once', async () => {
  const exact = await addPaid('AP1')
  const underpaid = await addPaid('AP2')
  const latePayment = await addPaid('AP3')
  const unpaidOrder = await register()
  const openOrder = await register()
  server.setTime('2026-02-02T10:00:00+05:30')
  owner = await signIn(server)
  const file = toReport(
    buildSale(exact.order, 'AP1'),
    buildSale(underpaid.order, 'AP2', 1000),
    buildSale(unpaidOrder.order, 'AP4'),
    buildSale('ELSEWHERE1', 'AP5'),
    `${exact.order},AP1,500.00,0,0,500.00,UTIBN26013000011,30-01-2026,Refund`,
    `${exact.order},AP9,=1,0,0,0,UTIBN26013000011,30-01-2026,Sale`,
    `${exact.order},AP9,590,0,0,,,,Sale`,
  )
  const checkResponse = await post(toUrl('reconcile'), file)
  expect(checkResponse.code).toBe(200)
  const { settlement } = checkResponse.body
  expect(settlement).toMatchObject({ fresh: 5, unread: [7], not_yet: 1 })
  expect(settlement?.lines.map(({ as, reg_no: regNo, why }) => [as, regNo, why !== null])).toEqual([
    ['settled', exact.regNo, false],
    ['differs', underpaid.regNo, true],
    ['unknown', unpaidOrder.regNo, true],
    ['unknown', null, true],
    ['unknown', exact.regNo, true],
  ])
  // The amount paid to the bank: 1180 + 1000 + 1180 + 1180 − 500 − fees and taxes.
  expect(settlement?.payouts).toEqual([
    {
      day: '2026-01-30',
      utr: 'UTIBN26013000011',
      lines: 5,
      sales: 4540,
      refunds: 500,
      fee: 80,
      tax: 14.4,
      others: 0,
      net: 3945.6,
      account: null,
      elsewhere: null,
    },
  ])
  const late = { amount: 1180, paid_on: '2026-01-28', days: 5, account: null }
  expect(settlement?.unsettled).toEqual([{ reg_no: latePayment.regNo, reference: 'AP3', ...late }])
  expect(await readSaved()).toMatchObject({ lines: [], payouts: [] })
  expect(await readReviews()).toEqual([])

  const saveReport = () => post(toUrl('reconcile/keep'), file)
  expect(await saveReport()).toMatchObject({
    code: 200,
    body: { message: '5 lines saved, 2 lines sent for review.', added: 5, to_review: 2 },
  })
  const saved = await readSaved()
  const capturesBefore = server.rows('SELECT count(*) AS n FROM captures')
  expect((await saveReport()).body).toMatchObject({ added: 0, known: 5, to_review: 0 })
  // The next report repeats a line and adds a new one.
  const nextFile = toReport(
    buildSale(latePayment.order, 'AP3', 1180, 'UTIBN26020200022', '02-02-2026'),
    buildSale(exact.order, 'AP1'),
  )
  expect((await post(toUrl('reconcile/keep'), nextFile)).body).toMatchObject({ added: 1, known: 1 })
  expect(server.rows('SELECT count(*) AS n FROM captures')).toEqual(capturesBefore)
  expect(await readSaved()).toEqual({
    ...saved,
    payouts: [
      expect.objectContaining({ utr: 'UTIBN26020200022', lines: 1, net: 1156.4 }),
      ...saved.payouts,
    ],
    unsettled: [],
  })
  expect(saved.lines.map(({ as, reference }) => [as, reference])).toEqual([
    ['differs', 'AP2'],
    ['review', 'AP4'],
    ['review', 'AP5'],
    ['unknown', 'AP1'],
  ])

  const openReviews = await readReviews()
  expect(
    openReviews.map(({ kind, reg_no: regNo, came, event_id: eventId }) => [
      kind,
      regNo,
      came?.reference,
      eventId,
    ]),
  ).toEqual([
    ['misfit', unpaidOrder.regNo, 'AP4', EVENT],
    ['unmatched', null, 'AP5', EVENT],
  ])
  const [mismatchReview, unmatchedReview] = openReviews
  expect(mismatchReview?.why).toContain('is in the gateway’s settlement of 30 January 2026')
  expect(
    (await decide(mismatchReview?.id ?? '', { decision: 'accept', why: 'In the bank.' })).body[
      'message'
    ],
  ).toContain('the registration is paid')
  const move = { decision: 'move', to: openOrder.regNo, why: 'Paid by another link.' }
  expect((await decide(unmatchedReview?.id ?? '', move)).body['message']).toContain('is now paid')
  expect((await server.deps.store.registration(openOrder.regNo))?.state).toBe('complete')
  expect((await readSaved()).lines.map(({ as, reference }) => [as, reference])).toEqual([
    ['differs', 'AP2'],
    ['unknown', 'AP1'],
  ])
  // The refund that only the report contained is recorded manually, and is recognised from then on.
  const panelData = { amount: 500, by_hand: true, reference: 'panel 7', why: 'Refunded in panel.' }
  const refund = { act: 'refund', ...panelData }
  expect((await post(`/admin/registrations/${exact.regNo}/acts/`, refund)).code).toBe(200)
  expect((await readSaved()).lines.map(({ as }) => as)).toEqual(['differs'])
  expect((await readPage(exact.regNo)).settled).toMatchObject([
    { is: 'sale', reference: 'AP1', amount: 1180, fee: 20, tax: 3.6, net: 1156.4 },
    { is: 'refund', amount: 500, net: -500, utr: 'UTIBN26013000011' },
  ])
  expect((await readPage(openOrder.regNo)).settled).toMatchObject([{ reference: 'AP5' }])
})

test('exports saved lines as CSV', async () => {
  const response = await owner.get(toUrl('settlements/export'))
  expect(response.headers['content-disposition']).toContain('sample2026_settlements_2026-02-02.csv')
  const [header, ...rows] = response.body.split('\r\n')
  expect(header).toContain('Settled on,UTR,Kind,Order,Gateway reference,Registration')
  expect(rows[0]).toMatch(
    /^2026-01-30,UTIBN26013000011,sale,SMPL\w+,AP1,SMPL\d+,2026-01-28,1180.00,20.00,3.60,1156.40,settled,$/,
  )
  expect(rows.filter((row) => row !== '')).toHaveLength(6)
})

test('a user with access to one event sees the lines of another event on the same account, but no names; the command reports the same lines, and its exit status agrees', async () => {
  const otherSale = await addPaid('AP20', 'other2026')
  const ownPayment = await addPaid('AP21')
  await server.deps.store.addAdmin('of-one', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [EVENT],
  })
  const treasurer = await signIn(server, 'of-one')
  const file = toReport(
    buildSale(otherSale.order, 'AP20', ownPayment.amount / 100, 'UTR20'),
    buildSale(ownPayment.order, 'AP21', ownPayment.amount / 100, 'UTR20'),
  )
  const ownCheck = await post(toUrl('reconcile'), file, treasurer)
  expect(ownCheck.body.settlement?.lines.map(({ as, reg_no: regNo }) => [as, regNo])).toEqual([
    ['elsewhere', null],
    ['settled', ownPayment.regNo],
  ])
  expect((await post('/admin/reconcile/?event=other2026', file, treasurer)).code).toBe(403)

  const output: string[] = []
  const terminal = {
    print: (text: string) => void output.push(text),
    printError: (text: string) => void output.push(text),
    environment: () => server.environment,
  }
  const path = join(server.dir, 'settlement.csv')
  const run = (text: string, ...moreArgs: string[]): Promise<number> => {
    writeFileSync(path, text)
    output.length = 0
    return main(['payment', 'reconcile', EVENT, path, ...moreArgs], terminal)
  }
  // The command uses the system clock. Settled lines have no waiting time, so any date works.
  expect(await run(file)).toBe(0)
  expect(output[0]).toMatch(/settlement\.csv:2: ₹\u00a0[\d,]+, AP20: settled; OTHR\d+$/)
  expect(output.at(-1)).toBe(
    `30 January 2026, UTR20: ${formatMoney(toAmount(2 * (ownPayment.amount - 2360)), INR)} to the bank for 2`,
  )
  expect(await run(toReport(buildSale('ELSEWHERE9', 'AP99')))).toBe(1)
  expect(output[0]).toContain('unknown; No registration has this order.')
  expect(await run(file, '--keep')).toBe(2)
  expect(await run(file, '--keep', '--who', 'treasurer')).toBe(0)
  expect(output.at(-1)).toBe('2 lines saved.')
})

test('if the headings of a report are unknown, asks which columns to use, and reads those', async () => {
  const unknownReport = 'Was,Wieviel,Wann\nSMPL1,590,30/01/2026\n'
  expect((await post(toUrl('reconcile'), unknownReport)).body).toMatchObject({
    header: ['Was', 'Wieviel', 'Wann'],
  })
  const urlWithColumns = `${toUrl('reconcile')}&as=settlement&order=0&amount=1&day=2`
  expect((await post(urlWithColumns, unknownReport)).body.settlement?.lines).toMatchObject([
    { as: 'unknown', order_id: 'SMPL1', amount: 590, net: 590 },
  ])
  expect((await post(toUrl('reconcile/keep'), unknownReport)).body).toMatchObject({
    code: 'not_settlement',
  })
})

test('reads a report in Excel or CSV format; rejects a corrupt file with a message', async () => {
  const columns = HEADER.split(',')
  const row = ['ELSEWHERE3', 'AP33', 1180, 20, 3.6, 1156.4, 'UTR33', '30-01-2026', 'Sale']
  const file = await buildExcel({ head: columns, rows: [row] })
  const sendExcel = (payload: Buffer) =>
    server.app.inject({
      method: 'POST',
      url: toUrl('reconcile'),
      headers: {
        authorization: `Bearer ${owner.token}`,
        'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      },
      payload,
    })
  expect((await sendExcel(file)).json<ResponseBody>().settlement?.lines).toMatchObject([
    { as: 'unknown', reference: 'AP33', amount: 1180, fee: 20, tax: 3.6, day: '2026-01-30' },
  ])
  const rejection = await sendExcel(file.subarray(0, file.length - 200))
  expect(rejection.statusCode).toBe(422)
  expect(rejection.json()).toMatchObject({ message: expect.stringContaining('Save it as CSV') })
})

const STATEMENT = [
  'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.',
  '02/02/26,NEFT CR AIRPAY UTIBN26013000011,,,"3,945.60"',
  '02/02/26,NEFT FROM SAMPLE PAYER,SBIN026033000077,,"2,360.00"',
  '02/02/26,UPI REFUNDME,603212340000,,"1,180.00"',
].join('\n')

test('recognises the payout in the bank statement; unmatched payments are recorded, listed and decided', async () => {
  const checkStatement = async () =>
    (await post(toUrl('reconcile'), STATEMENT)).body as unknown as {
      lines: {
        as: string
        reference: string
        amount: number
        day: string
        narration: string
        payout: object | null
      }[]
    }
  const { lines } = await checkStatement()
  expect(lines.map(({ as }) => as)).toEqual(['payout', 'unmatched', 'unmatched'])
  expect(lines[0]?.payout).toEqual({ utr: 'UTIBN26013000011', lines: 5, net: 3945.6 })
  const keep = lines
    .slice(1)
    .map(({ reference, amount, day, narration }) => ({ reference, amount, day, narration }))
  const confirm = (body: object) =>
    post('/admin/reconcile/confirm/', { event: EVENT, lines: [], ...body })
  expect((await confirm({ keep: [{ ...keep[0], day: 'yesterday' }] })).code).toBe(422)
  expect((await confirm({ keep: [{ ...keep[0], amount: 0 }] })).code).toBe(422)
  const invalidResponse = await post('/admin/reconcile/confirm/', { event: 'nothing', keep })
  expect(invalidResponse.code).toBe(404)
  expect((await confirm({ keep })).body['message']).toBe('2 unmatched payments sent for review.')
  expect((await confirm({ keep })).body['message']).toContain('0 unmatched payments')
  expect((await checkStatement()).lines.map(({ as }) => as)).toEqual(['payout', 'known', 'known'])

  const unmatched = (await readReviews()).filter(({ kind }) => kind === 'unmatched')
  expect(
    unmatched.map(({ came, event_id: eventId, why }) => [came?.source, came?.amount, eventId, why]),
  ).toEqual([
    ['transfer', 2360, EVENT, 'Bank payment that matches no registration: NEFT FROM SAMPLE PAYER'],
    ['transfer', 1180, EVENT, 'Bank payment that matches no registration: UPI REFUNDME'],
  ])
  const registration = await register()
  const [transfer, upi] = unmatched
  const move = { decision: 'move', to: registration.regNo, why: 'Her husband paid it.' }
  expect((await decide(transfer?.id ?? '', move)).code).toBe(200)
  expect(await server.deps.store.registration(registration.regNo)).toMatchObject({
    state: 'complete',
    paymentStatus: 'success',
  })
  // The gateway has no record of the payment, so it can only be refunded manually.
  const refund = { decision: 'refund', why: 'Not ours.' }
  expect(await decide(upi?.id ?? '', refund)).toMatchObject({
    code: 409,
    body: { code: 'not_by_gateway' },
  })
  expect((await decide(upi?.id ?? '', { ...refund, by_hand: true, reference: ' ' })).code).toBe(422)
  expect(
    (await decide(upi?.id ?? '', { ...refund, by_hand: true, reference: 'NEFT 9' })).body[
      'message'
    ],
  ).toBe('₹\u00a01,180 was refunded outside Rollcall.')
  expect((await readReviews()).filter(({ kind }) => kind === 'unmatched')).toEqual([])
})

test('a treasurer of one event who saves a report for the shared account changes no payments of the other event', async () => {
  const otherOrder = await register('other2026')
  const otherSale = await addPaid('AP30', 'other2026')
  const ownOrder = await register()
  const ownSale = await addPaid('AP35')
  await server.deps.store.addAdmin('shared', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [EVENT],
  })
  const treasurer = await signIn(server, 'shared')
  const file = toReport(
    buildSale(otherOrder.order, 'AP31', 1180, 'UTR30'),
    buildSale(ownOrder.order, 'AP30', 1180, 'UTR30'),
    buildSale('NOBODYS1', 'AP32', 1180, 'UTR30'),
    `${otherOrder.order},AP33,500.00,0,0,500.00,UTR30,30-01-2026,Refund`,
    buildSale(ownOrder.order, 'AP34', 1180, 'UTR30'),
    buildSale(ownSale.order, 'AP35', 1180, 'UTR30'),
  )
  const registrationBefore = await server.deps.store.registration(otherOrder.regNo)
  const saveResponse = await post(toUrl('reconcile/keep'), file, treasurer)
  expect(saveResponse).toMatchObject({
    code: 200,
    body: {
      message:
        '1 line saved, 2 lines of other events skipped, 3 lines unknown in your events skipped.',
      added: 1,
      changed: 0,
      known: 0,
      to_review: 0,
    },
  })
  expect(await server.deps.store.registration(otherOrder.regNo)).toEqual(registrationBefore)
  expect(
    server.rows("SELECT order_id FROM settlement_lines WHERE utr = 'UTR30' ORDER BY order_id"),
  ).toEqual([{ order_id: ownSale.order }])
  // The order id of a first attempt is the registration number.
  const checkResponse = await post(toUrl('reconcile'), file, treasurer)
  const shownText = JSON.stringify(checkResponse.body)
  for (const hidden of [otherOrder.regNo, otherSale.regNo]) expect(shownText).not.toContain(hidden)
  expect(shownText).toContain(ownOrder.regNo)
  // A user with access to both events saves the rest.
  expect((await post(toUrl('reconcile/keep'), file)).body).toMatchObject({
    added: 5,
    known: 1,
    to_review: 3,
  })
  const csv = await treasurer.get(`/admin/settlements/export/?event=${EVENT}`)
  for (const hidden of [otherOrder.regNo, otherSale.regNo]) expect(csv.body).not.toContain(hidden)
})

test("a payout for the other event alone is neither listed nor exported; a shared payout shows the other event's amounts as one sum", async () => {
  const [otherSale, sharedSale] = [
    await addPaid('AP60', 'other2026'),
    await addPaid('AP61', 'other2026'),
  ]
  const ownPayment = await addPaid('AP62')
  const file = toReport(
    buildSale(otherSale.order, 'AP60', otherSale.amount / 100, 'UTR60'),
    buildSale(sharedSale.order, 'AP61', sharedSale.amount / 100, 'UTR61'),
    buildSale(ownPayment.order, 'AP62', ownPayment.amount / 100, 'UTR61'),
  )
  expect((await post('/admin/reconcile/keep/?event=other2026', file)).code).toBe(200)
  await server.deps.store.addAdmin('payouts', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [EVENT],
  })
  const treasurer = await signIn(server, 'payouts')
  const visible = await readSaved(treasurer)
  const shareAtBank = ownPayment.amount / 100 - 23.6
  expect(visible.payouts.filter(({ utr }) => utr.startsWith('UTR6'))).toMatchObject([
    {
      utr: 'UTR61',
      lines: 1,
      net: 2 * shareAtBank,
      sales: ownPayment.amount / 100,
      elsewhere: { lines: 1, net: shareAtBank },
    },
  ])
  const csv = (await treasurer.get(toUrl('settlements/export'))).body
  expect(csv).toContain('AP62')
  expect(csv).toContain('1 line of other events')
  for (const hidden of ['UTR60', 'AP60', 'AP61']) expect(csv).not.toContain(hidden)
  // A user with access to both events sees the whole payout.
  const allPayouts = (await readSaved()).payouts.filter(({ utr }) => utr.startsWith('UTR6'))
  expect(allPayouts.map(({ utr, lines, elsewhere }) => [utr, lines, elsewhere])).toEqual([
    ['UTR60', 1, null],
    ['UTR61', 2, null],
  ])
})

test('a report saved for one event does not put transfers of the other event under review, reserve its references or hide its missing refunds', async () => {
  const otherSale = await addPaid('AP50', 'other2026')
  const ownSale = await addPaid('AP51')
  const event = { type: 'refunded', reference: 'RF50', amount: toAmount(50_000), at: server.now() }
  await server.deps.store.applyPaymentEvent(otherSale.order, { ...event, type: 'refunded' }, null)
  const transfer = { act: 'came_again', way: 'transfer', amount: '1180', why: 'Seen at the bank.' }
  const path = `/admin/registrations/${otherSale.regNo}/acts/`
  const recordResponse = await post(path, { ...transfer, reference: '526150000001' })
  expect(recordResponse.code, JSON.stringify(recordResponse.body)).toBe(200)
  await server.deps.store.addAdmin('keeper', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [EVENT],
  })
  const ownTreasurer = await signIn(server, 'keeper')
  const buildRefund = (reference: string, amount: number) =>
    `,${reference},${amount}.00,0,0,${amount}.00,UTR50,30-01-2026,Refund`
  const file = toReport(
    buildSale(ownSale.order, 'AP51', 1180, '5261 5000 0001'),
    buildRefund('RF50', 500),
    buildRefund('RF50', 7),
    buildSale('NOBODYS51', 'AP52', 1180, 'UTR50'),
  )
  const readStored = () => [
    server.rows('SELECT id, why, state FROM captures WHERE reference <> ?', 'AP52'),
    server.rows('SELECT id, review FROM payments'),
  ]
  const storedBefore = readStored()
  expect((await post(toUrl('reconcile/keep'), file, ownTreasurer)).body).toMatchObject({
    added: 0,
    message: expect.stringContaining('unknown in your events skipped'),
  })
  expect(readStored()).toEqual(storedBefore)
  expect(server.rows("SELECT 1 FROM settlement_lines WHERE reference IN ('AP51', 'RF50')")).toEqual(
    [],
  )
  // A user with access to both events saves them.
  expect((await post(toUrl('reconcile/keep'), file)).body).toMatchObject({ added: 4 })
})

test('a forged report does not reveal to a treasurer whether a payment of another event is settled, refunded or under review', async () => {
  const pendingOrder = await register('other2026')
  const settledSale = await addPaid('AP40', 'other2026')
  const line = buildSale(settledSale.order, 'AP40', settledSale.amount / 100, 'UTR40')
  expect((await post('/admin/reconcile/keep/?event=other2026', toReport(line))).code).toBe(200)
  await server.deps.store.addAdmin('curious', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [EVENT],
  })
  const ownTreasurer = await signIn(server, 'curious')
  const guesses = [
    line,
    buildSale(settledSale.order, 'AP40', settledSale.amount / 100, 'UTR41'),
    buildSale(settledSale.order, 'AP40', 7, 'UTR41'),
    buildSale(settledSale.order, 'AP41', 1180, 'UTR41'),
    buildSale(pendingOrder.order, 'AP42', 1180, 'UTR41'),
    `${settledSale.order},AP40,500.00,0,0,500.00,UTR41,30-01-2026,Refund`,
  ]
  const { settlement } = (await post(toUrl('reconcile'), toReport(...guesses), ownTreasurer)).body
  expect(
    settlement?.lines.map(({ as, order_id: order, reg_no: regNo, why }) => [as, order, regNo, why]),
  ).toEqual(guesses.map(() => ['elsewhere', '', null, expect.stringContaining('another event')]))
  expect(settlement?.fresh).toBe(0)
  const ownSettlements = await ownTreasurer.json(toUrl('settlements'))
  expect(JSON.stringify(ownSettlements)).not.toContain('AP4')
})

test('a forged report does not reveal to a treasurer which orders and payments of another event exist, even after the lines are saved', async () => {
  const pendingOrder = await register('other2026')
  const otherSale = await addPaid('AP70', 'other2026')
  const [ownOrder, ownSale] = [await register(), await addPaid('AP71')]
  const settledLine = buildSale(otherSale.order, 'AP70', otherSale.amount / 100, 'UTR70')
  const buildRefund = (order: string, reference: string) =>
    `${order},${reference},500.00,0,0,500.00,UTR70,30-01-2026,Refund`
  await server.deps.store.addAdmin('guesses', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [EVENT],
  })
  const treasurer = await signIn(server, 'guesses')
  const event = server.deps.events.findById('other2026')?.config as EventConfig
  const digits = Array.from({ length: getDigitCount(event) }, () => 4)
  const freeRegNo = createRegNo(event, digits)
  /** Builds the same lines for any order, existing or unknown. */
  const buildLines = (order: string, reference: string): readonly string[] => [
    buildSale(order, reference, otherSale.amount / 100, 'UTR70'),
    buildSale(order, 'AP72', 1180, 'UTR70'),
    buildSale(`${order}02`, 'AP73', 1180, 'UTR70'),
    buildSale(ownOrder.order, reference, otherSale.amount / 100, 'UTR70'),
    buildSale('NOBODYS7', reference, otherSale.amount / 100, 'UTR70'),
    buildSale('', reference, otherSale.amount / 100, 'UTR70'),
    buildRefund(order, reference),
    buildRefund(ownOrder.order, reference),
    buildSale(ownSale.order, 'AP71', ownSale.amount / 100, 'UTR71'),
  ]
  const readAll = async (order: string, reference: string): Promise<string> => {
    const file = toReport(...buildLines(order, reference))
    const responses = [
      await post(toUrl('reconcile'), file, treasurer),
      await post(toUrl('reconcile/keep'), file, treasurer),
      await treasurer.json(toUrl('settlements')),
      (await treasurer.get(toUrl('settlements/export'))).body,
    ]
    return JSON.stringify(responses).replaceAll(order, 'ORDER').replaceAll(reference, 'REFERENCE')
  }
  const unrelatedReport = toReport(buildSale(ownSale.order, 'AP71', ownSale.amount / 100, 'UTR71'))
  expect((await post(toUrl('reconcile/keep'), unrelatedReport, treasurer)).code).toBe(200)
  const compare = async (): Promise<void> => {
    const inventedResponses = await readAll(freeRegNo, 'AP79')
    expect(await readAll(otherSale.order, 'AP70')).toBe(inventedResponses)
    expect(await readAll(pendingOrder.order, 'AP78')).toBe(inventedResponses)
  }
  await compare()
  const { settlement } = (
    await post(toUrl('reconcile'), toReport(...buildLines(freeRegNo, 'AP79')), treasurer)
  ).body
  const [elsewhere, unknown] = ['elsewhere', 'unknown']
  expect(settlement?.lines.map(({ as }) => as)).toEqual([
    'settled',
    elsewhere,
    elsewhere,
    elsewhere,
    unknown,
    unknown,
    unknown,
    elsewhere,
    unknown,
  ])
  // A user with access to all events saves the line of the other event.
  expect(
    (await post('/admin/reconcile/keep/?event=other2026', toReport(settledLine))).body,
  ).toMatchObject({ added: 1 })
  await compare()
  expect(
    (await post(toUrl('reconcile'), toReport(settledLine))).body.settlement?.lines,
  ).toMatchObject([{ as: 'settled', reg_no: otherSale.regNo }])
  expect(
    server.rows(
      "SELECT reference FROM settlement_lines WHERE utr IN ('UTR70', 'UTR71') ORDER BY id",
    ),
  ).toEqual([{ reference: 'AP71' }, { reference: 'AP70' }])
})

test("an unknown payment in a shared report is queried at the gateway once a treasurer of the payment's event saves the report", async () => {
  const ownOrder = await register()
  const now = server.now()
  await server.deps.store.applyPaymentEvent(
    ownOrder.order,
    { type: 'declined', code: '400', message: 'Declined', at: now },
    null,
  )
  await server.deps.store.addAdmin('asks', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [EVENT],
  })
  const treasurer = await signIn(server, 'asks')
  const readNextQuery = () =>
    server.rows(`SELECT next_ask_at FROM payments WHERE order_id = '${ownOrder.order}'`)
  const queryBefore = readNextQuery()
  const file = toReport(buildSale(ownOrder.order, 'AP80', 1180, 'UTR80'))
  await post(toUrl('reconcile/keep'), file, treasurer)
  expect(readNextQuery()).not.toEqual(queryBefore)
})
