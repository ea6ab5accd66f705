/** Gateway settlement reports and unmatched bank payments are checked, stored once, and decided. */
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
import { twoEventsOfOneAccount } from '../../small-event.ts'
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
    events: twoEventsOfOneAccount(),
  })
  owner = await signIn(server)
})
afterAll(() => server.close())

type Body = Record<string, unknown> & { settlement?: WireSettlement }
const post = async (url: string, body: string | object, office = owner) => {
  const answer = await server.app.inject({
    method: 'POST',
    url,
    headers: {
      authorization: `Bearer ${office.token}`,
      'content-type': typeof body === 'string' ? 'text/csv' : 'application/json',
    },
    payload: body,
  })
  return { code: answer.statusCode, body: answer.json<Body>() }
}
const apiUrl = (path: string) => `/admin/${path}/?event=${EVENT}`
const readSaved = async (office = owner): Promise<WireSettlement> =>
  ((await office.json(apiUrl('settlements'))) as unknown as SettlementsResponse).settlement
const reviews = async (): Promise<ReviewsResponse['reviews']> =>
  ((await owner.json(`/admin/reviews/?event=${EVENT}`)) as unknown as ReviewsResponse).reviews
const decide = async (id: string, words: object) =>
  post(`/admin/reviews/${id}/decide/`, { version: await readShownVersion(server, id), ...words })
const page = async (regNo: string): Promise<OfficeRegistrationResponse> =>
  (await owner.json(`/admin/registrations/${regNo}/`)) as unknown as OfficeRegistrationResponse

const registered = (event = EVENT) => registerDelegate(server, event)
const paid = (reference: string, event = EVENT) => registerPaid(server, event, reference)

const HEAD =
  'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type'
const report = (...rows: string[]): string => [HEAD, ...rows].join('\r\n')
const sale = (
  order: string,
  reference: string,
  amount = 1180,
  utr = 'UTIBN26013000011',
  day = '30-01-2026',
): string => `${order},${reference},${amount}.00,20.00,3.60,${amount - 23.6},${utr},${day},Sale`

test('a report shows the status of each line and outstanding payouts; saved, it puts unknown payments under review once', async () => {
  const matched = await paid('AP1')
  const less = await paid('AP2')
  const latePayment = await paid('AP3')
  const unpaid = await registered()
  const waits = await registered()
  server.setTime('2026-02-02T10:00:00+05:30')
  owner = await signIn(server)
  const file = report(
    sale(matched.order, 'AP1'),
    sale(less.order, 'AP2', 1000),
    sale(unpaid.order, 'AP4'),
    sale('ELSEWHERE1', 'AP5'),
    `${matched.order},AP1,500.00,0,0,500.00,UTIBN26013000011,30-01-2026,Refund`,
    `${matched.order},AP9,=1,0,0,0,UTIBN26013000011,30-01-2026,Sale`,
    `${matched.order},AP9,590,0,0,,,,Sale`,
  )
  const checked = await post(apiUrl('reconcile'), file)
  expect(checked.code).toBe(200)
  const { settlement } = checked.body
  expect(settlement).toMatchObject({ fresh: 5, unread: [7], not_yet: 1 })
  expect(settlement?.lines.map(({ as, reg_no: regNo, why }) => [as, regNo, why !== null])).toEqual([
    ['settled', matched.regNo, false],
    ['differs', less.regNo, true],
    ['unknown', unpaid.regNo, true],
    ['unknown', null, true],
    ['unknown', matched.regNo, true],
  ])
  // 1180 + 1000 + 1180 + 1180 − 500 − fees and taxes: the amount at the bank.
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
  const owed = { amount: 1180, paid_on: '2026-01-28', days: 5, account: null }
  expect(settlement?.unsettled).toEqual([{ reg_no: latePayment.regNo, reference: 'AP3', ...owed }])
  expect(await readSaved()).toMatchObject({ lines: [], payouts: [] })
  expect(await reviews()).toEqual([])

  const keep = () => post(apiUrl('reconcile/keep'), file)
  expect(await keep()).toMatchObject({
    code: 200,
    body: {
      message: '5 lines saved, 2 lines sent to review.',
      added: 5,
      to_review: 2,
    },
  })
  const after = await readSaved()
  const before = server.rows('SELECT count(*) AS n FROM captures')
  expect((await keep()).body).toMatchObject({ added: 0, known: 5, to_review: 0 })
  // The same lines divided into other files, and one new line.
  const later = report(
    sale(latePayment.order, 'AP3', 1180, 'UTIBN26020200022', '02-02-2026'),
    sale(matched.order, 'AP1'),
  )
  expect((await post(apiUrl('reconcile/keep'), later)).body).toMatchObject({ added: 1, known: 1 })
  expect(server.rows('SELECT count(*) AS n FROM captures')).toEqual(before)
  expect(await readSaved()).toEqual({
    ...after,
    payouts: [
      expect.objectContaining({ utr: 'UTIBN26020200022', lines: 1, net: 1156.4 }),
      ...after.payouts,
    ],
    unsettled: [],
  })
  expect(after.lines.map(({ as, reference }) => [as, reference])).toEqual([
    ['differs', 'AP2'],
    ['review', 'AP4'],
    ['review', 'AP5'],
    ['unknown', 'AP1'],
  ])

  const waiting = await reviews()
  expect(
    waiting.map(({ kind, reg_no: regNo, came, event_id: of }) => [
      kind,
      regNo,
      came?.reference,
      of,
    ]),
  ).toEqual([
    ['misfit', unpaid.regNo, 'AP4', EVENT],
    ['unmatched', null, 'AP5', EVENT],
  ])
  const [ownLine, otherLine] = waiting
  expect(ownLine?.why).toContain('is in the gateway’s settlement of 30 January 2026')
  expect(
    (await decide(ownLine?.id ?? '', { decision: 'accept', why: 'In the bank.' })).body['message'],
  ).toContain('the registration is paid')
  const moved = { decision: 'move', to: waits.regNo, why: 'Paid by another link.' }
  expect((await decide(otherLine?.id ?? '', moved)).body['message']).toContain('is now paid')
  expect((await server.deps.store.registration(waits.regNo))?.state).toBe('complete')
  expect((await readSaved()).lines.map(({ as, reference }) => [as, reference])).toEqual([
    ['differs', 'AP2'],
    ['unknown', 'AP1'],
  ])
  // The refund that only the report contained is recorded manually, and then known.
  const byHand = { amount: 500, by_hand: true, reference: 'panel 7', why: 'Refunded in panel.' }
  const refund = { act: 'refund', ...byHand }
  expect((await post(`/admin/registrations/${matched.regNo}/acts/`, refund)).code).toBe(200)
  expect((await readSaved()).lines.map(({ as }) => as)).toEqual(['differs'])
  expect((await page(matched.regNo)).settled).toMatchObject([
    { is: 'sale', reference: 'AP1', amount: 1180, fee: 20, tax: 3.6, net: 1156.4 },
    { is: 'refund', amount: 500, net: -500, utr: 'UTIBN26013000011' },
  ])
  expect((await page(waits.regNo)).settled).toMatchObject([{ reference: 'AP5' }])
})

test('exports saved lines as CSV', async () => {
  const answer = await owner.get(apiUrl('settlements/export'))
  expect(answer.headers['content-disposition']).toContain('sample2026_settlements_2026-02-02.csv')
  const [header, ...rows] = answer.body.split('\r\n')
  expect(header).toContain('Settled on,UTR,Kind,Order,Gateway reference,Registration')
  expect(rows[0]).toMatch(
    /^2026-01-30,UTIBN26013000011,sale,SMPL\w+,AP1,SMPL\d+,2026-01-28,1180.00,20.00,3.60,1156.40,settled,$/,
  )
  expect(rows.filter((row) => row !== '')).toHaveLength(6)
})

test('two events with one account: each sees lines of the other without names; the command reports the same, also by its exit status', async () => {
  const other = await paid('AP20', 'other2026')
  const ownPayment = await paid('AP21')
  await server.deps.store.addAdmin('of-one', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [EVENT],
  })
  const treasurer = await signIn(server, 'of-one')
  const file = report(
    sale(other.order, 'AP20', ownPayment.amount / 100, 'UTR20'),
    sale(ownPayment.order, 'AP21', ownPayment.amount / 100, 'UTR20'),
  )
  const seen = await post(apiUrl('reconcile'), file, treasurer)
  expect(seen.body.settlement?.lines.map(({ as, reg_no: regNo }) => [as, regNo])).toEqual([
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
  const run = (text: string, ...later: string[]): Promise<number> => {
    writeFileSync(path, text)
    output.length = 0
    return main(['payment', 'reconcile', EVENT, path, ...later], terminal)
  }
  // The command uses the machine's clock; settled lines have no waiting time, so any date works.
  expect(await run(file)).toBe(0)
  expect(output[0]).toMatch(/settlement\.csv:2: ₹\u00a0[\d,]+, AP20: settled; OTHR\d+$/)
  expect(output.at(-1)).toBe(
    `30 January 2026, UTR20: ${formatMoney(toAmount(2 * (ownPayment.amount - 2360)), INR)} to the bank for 2`,
  )
  expect(await run(report(sale('ELSEWHERE9', 'AP99')))).toBe(1)
  expect(output[0]).toContain('unknown; No registration has this order.')
  expect(await run(file, '--keep')).toBe(2)
  expect(await run(file, '--keep', '--who', 'treasurer')).toBe(0)
  expect(output.at(-1)).toBe('2 lines saved.')
})

test('asks for the columns of a report with unknown headings, and reads the chosen columns', async () => {
  const odd = 'Was,Wieviel,Wann\nSMPL1,590,30/01/2026\n'
  expect((await post(apiUrl('reconcile'), odd)).body).toMatchObject({
    header: ['Was', 'Wieviel', 'Wann'],
  })
  const output = `${apiUrl('reconcile')}&as=settlement&order=0&amount=1&day=2`
  expect((await post(output, odd)).body.settlement?.lines).toMatchObject([
    { as: 'unknown', order_id: 'SMPL1', amount: 590, net: 590 },
  ])
  expect((await post(apiUrl('reconcile/keep'), odd)).body).toMatchObject({ code: 'not_settlement' })
})

test('reads a report as Excel or CSV; rejects a corrupt one with a sentence', async () => {
  const head = HEAD.split(',')
  const row = ['ELSEWHERE3', 'AP33', 1180, 20, 3.6, 1156.4, 'UTR33', '30-01-2026', 'Sale']
  const file = await buildExcel({ head, rows: [row] })
  const send = (payload: Buffer) =>
    server.app.inject({
      method: 'POST',
      url: apiUrl('reconcile'),
      headers: {
        authorization: `Bearer ${owner.token}`,
        'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      },
      payload,
    })
  expect((await send(file)).json<Body>().settlement?.lines).toMatchObject([
    { as: 'unknown', reference: 'AP33', amount: 1180, fee: 20, tax: 3.6, day: '2026-01-30' },
  ])
  const corrupt = await send(file.subarray(0, file.length - 200))
  expect(corrupt.statusCode).toBe(422)
  expect(corrupt.json()).toMatchObject({ message: expect.stringContaining('Save it as CSV') })
})

const STATEMENT = [
  'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.',
  '02/02/26,NEFT CR AIRPAY UTIBN26013000011,,,"3,945.60"',
  '02/02/26,NEFT FROM SAMPLE PAYER,SBIN026033000077,,"2,360.00"',
  '02/02/26,UPI REFUNDME,603212340000,,"1,180.00"',
].join('\n')

test('recognises the payout in the bank statement; unmatched payments are recorded, listed and decided', async () => {
  const check = async () =>
    (await post(apiUrl('reconcile'), STATEMENT)).body as unknown as {
      lines: {
        as: string
        reference: string
        amount: number
        day: string
        narration: string
        payout: object | null
      }[]
    }
  const { lines } = await check()
  expect(lines.map(({ as }) => as)).toEqual(['payout', 'unmatched', 'unmatched'])
  expect(lines[0]?.payout).toEqual({ utr: 'UTIBN26013000011', lines: 5, net: 3945.6 })
  const keep = lines
    .slice(1)
    .map(({ reference, amount, day, narration }) => ({ reference, amount, day, narration }))
  const confirm = (body: object) =>
    post('/admin/reconcile/confirm/', { event: EVENT, lines: [], ...body })
  expect((await confirm({ keep: [{ ...keep[0], day: 'yesterday' }] })).code).toBe(422)
  expect((await confirm({ keep: [{ ...keep[0], amount: 0 }] })).code).toBe(422)
  const invalid = await post('/admin/reconcile/confirm/', { event: 'nothing', keep })
  expect(invalid.code).toBe(404)
  expect((await confirm({ keep })).body['message']).toBe('2 unmatched payments sent to review.')
  expect((await confirm({ keep })).body['message']).toContain('0 unmatched payments')
  expect((await check()).lines.map(({ as }) => as)).toEqual(['payout', 'known', 'known'])

  const waiting = (await reviews()).filter(({ kind }) => kind === 'unmatched')
  expect(
    waiting.map(({ came, event_id: of, why }) => [came?.source, came?.amount, of, why]),
  ).toEqual([
    ['transfer', 2360, EVENT, 'Bank payment that matches no registration: NEFT FROM SAMPLE PAYER'],
    ['transfer', 1180, EVENT, 'Bank payment that matches no registration: UPI REFUNDME'],
  ])
  const registration = await registered()
  const [first, second] = waiting
  const moved = { decision: 'move', to: registration.regNo, why: 'Her husband paid it.' }
  expect((await decide(first?.id ?? '', moved)).code).toBe(200)
  expect(await server.deps.store.registration(registration.regNo)).toMatchObject({
    state: 'complete',
    paymentStatus: 'success',
  })
  // The gateway has no record of it, so it can only be refunded manually.
  const manual = { decision: 'refund', why: 'Not ours.' }
  expect(await decide(second?.id ?? '', manual)).toMatchObject({
    code: 409,
    body: { code: 'not_by_gateway' },
  })
  expect((await decide(second?.id ?? '', { ...manual, by_hand: true, reference: ' ' })).code).toBe(
    422,
  )
  expect(
    (await decide(second?.id ?? '', { ...manual, by_hand: true, reference: 'NEFT 9' })).body[
      'message'
    ],
  ).toBe('₹\u00a01,180 was refunded outside Rollcall.')
  expect((await reviews()).filter(({ kind }) => kind === 'unmatched')).toEqual([])
})

test('a treasurer of one event who saved a report of the shared account changed payments of the other event', async () => {
  const other = await registered('other2026')
  const paidThere = await paid('AP30', 'other2026')
  const own = await registered()
  const paidHere = await paid('AP35')
  await server.deps.store.addAdmin('shared', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [EVENT],
  })
  const treasurer = await signIn(server, 'shared')
  const file = report(
    sale(other.order, 'AP31', 1180, 'UTR30'),
    sale(own.order, 'AP30', 1180, 'UTR30'),
    sale('NOBODYS1', 'AP32', 1180, 'UTR30'),
    `${other.order},AP33,500.00,0,0,500.00,UTR30,30-01-2026,Refund`,
    sale(own.order, 'AP34', 1180, 'UTR30'),
    sale(paidHere.order, 'AP35', 1180, 'UTR30'),
  )
  const before = await server.deps.store.registration(other.regNo)
  const saveResponse = await post(apiUrl('reconcile/keep'), file, treasurer)
  expect(saveResponse).toMatchObject({
    code: 200,
    body: {
      message:
        '1 line saved, 2 lines of other events not matched, 3 lines unknown in your events not matched.',
      added: 1,
      changed: 0,
      known: 0,
      to_review: 0,
    },
  })
  expect(await server.deps.store.registration(other.regNo)).toEqual(before)
  expect(
    server.rows("SELECT order_id FROM settlement_lines WHERE utr = 'UTR30' ORDER BY order_id"),
  ).toEqual([{ order_id: paidHere.order }])
  // The order id of a first attempt is the registration number.
  const checked = await post(apiUrl('reconcile'), file, treasurer)
  const shown = JSON.stringify(checked.body)
  for (const hidden of [other.regNo, paidThere.regNo]) expect(shown).not.toContain(hidden)
  expect(shown).toContain(own.regNo)
  // A user of both events saves the rest.
  expect((await post(apiUrl('reconcile/keep'), file)).body).toMatchObject({
    added: 5,
    known: 1,
    to_review: 3,
  })
  const csv = await treasurer.get(`/admin/settlements/export/?event=${EVENT}`)
  for (const hidden of [other.regNo, paidThere.regNo]) expect(csv.body).not.toContain(hidden)
})

test('a payout of the other event only was listed and exported with its amounts; of a shared one, other amounts are a sum', async () => {
  const [first, second] = [await paid('AP60', 'other2026'), await paid('AP61', 'other2026')]
  const ownPayment = await paid('AP62')
  const file = report(
    sale(first.order, 'AP60', first.amount / 100, 'UTR60'),
    sale(second.order, 'AP61', second.amount / 100, 'UTR61'),
    sale(ownPayment.order, 'AP62', ownPayment.amount / 100, 'UTR61'),
  )
  expect((await post('/admin/reconcile/keep/?event=other2026', file)).code).toBe(200)
  await server.deps.store.addAdmin('payouts', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [EVENT],
  })
  const treasurer = await signIn(server, 'payouts')
  const seen = await readSaved(treasurer)
  const net = ownPayment.amount / 100 - 23.6
  expect(seen.payouts.filter(({ utr }) => utr.startsWith('UTR6'))).toMatchObject([
    {
      utr: 'UTR61',
      lines: 1,
      net: 2 * net,
      sales: ownPayment.amount / 100,
      elsewhere: { lines: 1, net },
    },
  ])
  const csv = (await treasurer.get(apiUrl('settlements/export'))).body
  expect(csv).toContain('AP62')
  expect(csv).toContain('1 line of other events')
  for (const hidden of ['UTR60', 'AP60', 'AP61']) expect(csv).not.toContain(hidden)
  // A user of both events sees the whole payout.
  const all = (await readSaved()).payouts.filter(({ utr }) => utr.startsWith('UTR6'))
  expect(all.map(({ utr, lines, elsewhere }) => [utr, lines, elsewhere])).toEqual([
    ['UTR60', 1, null],
    ['UTR61', 2, null],
  ])
})

test('a report saved for one event put a transfer of the other under review, blocked its reference there, and hid a missing refund', async () => {
  const other = await paid('AP50', 'other2026')
  const own = await paid('AP51')
  const event = { type: 'refunded', reference: 'RF50', amount: toAmount(50_000), at: server.now() }
  await server.deps.store.applyPaymentEvent(other.order, { ...event, type: 'refunded' }, null)
  const transfer = { act: 'came_again', way: 'transfer', amount: '1180', why: 'Seen at the bank.' }
  const acts = `/admin/registrations/${other.regNo}/acts/`
  const recorded = await post(acts, { ...transfer, reference: '526150000001' })
  expect(recorded.code, JSON.stringify(recorded.body)).toBe(200)
  await server.deps.store.addAdmin('keeper', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [EVENT],
  })
  const keeper = await signIn(server, 'keeper')
  const refundOf = (reference: string, amount: number) =>
    `,${reference},${amount}.00,0,0,${amount}.00,UTR50,30-01-2026,Refund`
  const file = report(
    sale(own.order, 'AP51', 1180, '5261 5000 0001'),
    refundOf('RF50', 500),
    refundOf('RF50', 7),
    sale('NOBODYS51', 'AP52', 1180, 'UTR50'),
  )
  const readStored = () => [
    server.rows('SELECT id, why, state FROM captures WHERE reference <> ?', 'AP52'),
    server.rows('SELECT id, review FROM payments'),
  ]
  const before = readStored()
  expect((await post(apiUrl('reconcile/keep'), file, keeper)).body).toMatchObject({
    added: 0,
    message: expect.stringContaining('not matched'),
  })
  expect(readStored()).toEqual(before)
  expect(server.rows("SELECT 1 FROM settlement_lines WHERE reference IN ('AP51', 'RF50')")).toEqual(
    [],
  )
  // A user of both events saves them.
  expect((await post(apiUrl('reconcile/keep'), file)).body).toMatchObject({ added: 4 })
})

test('a forged report told a treasurer whether a payment of another event was settled, refunded or under review', async () => {
  const pending = await registered('other2026')
  const settled = await paid('AP40', 'other2026')
  const line = sale(settled.order, 'AP40', settled.amount / 100, 'UTR40')
  expect((await post('/admin/reconcile/keep/?event=other2026', report(line))).code).toBe(200)
  await server.deps.store.addAdmin('curious', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [EVENT],
  })
  const outsider = await signIn(server, 'curious')
  const guesses = [
    line,
    sale(settled.order, 'AP40', settled.amount / 100, 'UTR41'),
    sale(settled.order, 'AP40', 7, 'UTR41'),
    sale(settled.order, 'AP41', 1180, 'UTR41'),
    sale(pending.order, 'AP42', 1180, 'UTR41'),
    `${settled.order},AP40,500.00,0,0,500.00,UTR41,30-01-2026,Refund`,
  ]
  const { settlement } = (await post(apiUrl('reconcile'), report(...guesses), outsider)).body
  expect(
    settlement?.lines.map(({ as, order_id: order, reg_no: regNo, why }) => [as, order, regNo, why]),
  ).toEqual(guesses.map(() => ['elsewhere', '', null, expect.stringContaining('another event')]))
  expect(settlement?.fresh).toBe(0)
  const ownView = await outsider.json(apiUrl('settlements'))
  expect(JSON.stringify(ownView)).not.toContain('AP4')
})

test('a forged report told a treasurer which orders and payments of another event exist, also after such lines were saved', async () => {
  const pending = await registered('other2026')
  const other = await paid('AP70', 'other2026')
  const [own, paidHere] = [await registered(), await paid('AP71')]
  const settled = sale(other.order, 'AP70', other.amount / 100, 'UTR70')
  const refund = (order: string, reference: string) =>
    `${order},${reference},500.00,0,0,500.00,UTR70,30-01-2026,Refund`
  await server.deps.store.addAdmin('guesses', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [EVENT],
  })
  const treasurer = await signIn(server, 'guesses')
  const event = server.deps.events.byId('other2026')?.config as EventConfig
  const digits = Array.from({ length: getDigitCount(event) }, () => 4)
  const nobodys = createRegNo(event, digits)
  /** The same lines for existing and for unknown orders. */
  const lines = (order: string, reference: string): readonly string[] => [
    sale(order, reference, other.amount / 100, 'UTR70'),
    sale(order, 'AP72', 1180, 'UTR70'),
    sale(`${order}02`, 'AP73', 1180, 'UTR70'),
    sale(own.order, reference, other.amount / 100, 'UTR70'),
    sale('NOBODYS7', reference, other.amount / 100, 'UTR70'),
    sale('', reference, other.amount / 100, 'UTR70'),
    refund(order, reference),
    refund(own.order, reference),
    sale(paidHere.order, 'AP71', paidHere.amount / 100, 'UTR71'),
  ]
  const answersTo = async (order: string, reference: string): Promise<string> => {
    const file = report(...lines(order, reference))
    const answers = [
      await post(apiUrl('reconcile'), file, treasurer),
      await post(apiUrl('reconcile/keep'), file, treasurer),
      await treasurer.json(apiUrl('settlements')),
      (await treasurer.get(apiUrl('settlements/export'))).body,
    ]
    return JSON.stringify(answers).replaceAll(order, 'ORDER').replaceAll(reference, 'REFERENCE')
  }
  const unrelated = report(sale(paidHere.order, 'AP71', paidHere.amount / 100, 'UTR71'))
  expect((await post(apiUrl('reconcile/keep'), unrelated, treasurer)).code).toBe(200)
  const compare = async (): Promise<void> => {
    const invented = await answersTo(nobodys, 'AP79')
    expect(await answersTo(other.order, 'AP70')).toBe(invented)
    expect(await answersTo(pending.order, 'AP78')).toBe(invented)
  }
  await compare()
  const { settlement } = (
    await post(apiUrl('reconcile'), report(...lines(nobodys, 'AP79')), treasurer)
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
  // A user of all events saves the line of the other event.
  expect(
    (await post('/admin/reconcile/keep/?event=other2026', report(settled))).body,
  ).toMatchObject({ added: 1 })
  await compare()
  expect((await post(apiUrl('reconcile'), report(settled))).body.settlement?.lines).toMatchObject([
    { as: 'settled', reg_no: other.regNo },
  ])
  expect(
    server.rows(
      "SELECT reference FROM settlement_lines WHERE utr IN ('UTR70', 'UTR71') ORDER BY id",
    ),
  ).toEqual([{ reference: 'AP71' }, { reference: 'AP70' }])
})

test('an unknown payment in a shared report is queried at the gateway when a treasurer of its event saves the report', async () => {
  const own = await registered()
  const now = server.now()
  await server.deps.store.applyPaymentEvent(
    own.order,
    { type: 'declined', code: '400', message: 'Declined', at: now },
    null,
  )
  await server.deps.store.addAdmin('asks', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [EVENT],
  })
  const treasurer = await signIn(server, 'asks')
  const next = () => server.rows(`SELECT next_ask_at FROM payments WHERE order_id = '${own.order}'`)
  const before = next()
  await post(apiUrl('reconcile/keep'), report(sale(own.order, 'AP80', 1180, 'UTR80')), treasurer)
  expect(next()).not.toEqual(before)
})
