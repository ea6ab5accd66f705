/** Payments outstanding at the gateway after a change of account or gateway, and after manual refunds. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SettlementsResponse, WireSettlement } from '../../../../engine/api.ts'
import { main } from '../../../../server/cli/run-command.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildFixtureEvent } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { signIn } from '../office.ts'
import { registerPaid } from '../card-payers.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'
import { withoutThreads } from '../../store-without-threads.ts'

readCsvHere()

const EVENT = 'sample2026'
const EVENT_FILE = `${EVENT}.yaml`
let server: TestApp
let owner: Office
beforeEach(async () => {
  server = await startTestApp({
    clock: '2026-01-28T12:00:00+05:30',
    events: { [EVENT_FILE]: buildFixtureEvent({}) },
  })
  owner = await signIn(server)
})
afterEach(() => server.close())

const registerPaidDelegate = (reference: string) => registerPaid(server, EVENT, reference)
/** Replaces the payment line in the event file, and reloads it. */
async function changeAccount(paymentYaml: string): Promise<void> {
  const eventFile = buildFixtureEvent({}).replace(
    'payment: {gateway: airpay, account: sample}',
    paymentYaml,
  )
  expect(eventFile).not.toBe(buildFixtureEvent({}))
  server.writeEvent(EVENT_FILE, eventFile)
  await server.deps.events.reload()
  const { config } = server.deps.events.findById(EVENT) ?? {}
  expect(config?.payment?.account, server.output.join('\n')).not.toBe('sample')
}
const NEXT_ACCOUNT = 'payment: {gateway: airpay, account: next}'
const post = async (path: string, rows: readonly string[]) => {
  const response = await server.app.inject({
    method: 'POST',
    url: `/admin/${path}/?event=${EVENT}`,
    headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'text/csv' },
    payload: rows.join('\n'),
  })
  expect(response.statusCode, response.body).toBe(200)
  return response.json<{ settlement: WireSettlement; lines: { as: string }[] }>()
}
const HEADER =
  'Merchant Txn ID,Transaction ID,Txn Amount,MDR,GST,Net Amount,UTR Number,Settlement Date,Txn Type'
const buildSaleLine = (order: string, reference: string, utr = 'UTIBN26013000011') =>
  `${order},${reference},1180.00,20.00,3.60,1156.40,${utr},30-01-2026,Sale`
const readSettlement = async (): Promise<WireSettlement> => {
  const response = await owner.json(`/admin/settlements/?event=${EVENT}`)
  return (response as unknown as SettlementsResponse).settlement
}
const listOutstanding = async () =>
  (await readSettlement()).unsettled.map(({ reference, amount, account }) => [
    reference,
    amount,
    account,
  ])

test('payments of the previous account are still listed after the event file changes to another account', async () => {
  const [settledPayment, secondPayment, thirdPayment] = [
    await registerPaidDelegate('AP1'),
    await registerPaidDelegate('AP2'),
    await registerPaidDelegate('AP3'),
  ]
  await post('reconcile/keep', [HEADER, buildSaleLine(settledPayment.order, 'AP1')])
  expect(await listOutstanding()).toEqual([
    ['AP2', 1180, null],
    ['AP3', 1180, null],
  ])

  await changeAccount(NEXT_ACCOUNT)
  await registerPaidDelegate('NX1')
  expect(await listOutstanding()).toEqual([
    ['AP2', 1180, 'sample'],
    ['AP3', 1180, 'sample'],
    ['NX1', 1180, null],
  ])
  // The previous account's payouts are still on the page, in the export and in the bank statement check.
  const { payouts, lines } = await readSettlement()
  expect(payouts).toMatchObject([{ utr: 'UTIBN26013000011', net: 1156.4, account: 'sample' }])
  expect(lines).toEqual([])
  expect((await owner.get(`/admin/settlements/export/?event=${EVENT}`)).body).toContain(
    `UTIBN26013000011,sale,${settledPayment.order},AP1`,
  )
  const statement = [
    'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.',
    '30/01/26,NEFT CR AIRPAY UTIBN26013000011,,,1156.40',
  ]
  expect((await post('reconcile', statement)).lines).toMatchObject([{ as: 'payout' }])

  // The gateway's next report repeats the first line. It is uploaded after the change to the event file.
  const report = [
    HEADER,
    buildSaleLine(settledPayment.order, 'AP1'),
    buildSaleLine(secondPayment.order, 'AP2', 'UTR2'),
    buildSaleLine(thirdPayment.order, 'AP3', 'UTR2'),
  ]
  const { unsettled } = (await post('reconcile', report)).settlement
  expect(unsettled.map(({ reference }) => reference)).toEqual(['NX1'])
  await post('reconcile/keep', report)
  expect(await listOutstanding()).toEqual([['NX1', 1180, null]])
  const settlementAfter = await readSettlement()
  expect(settlementAfter.lines).toEqual([])
  expect(settlementAfter.payouts.map(({ utr, net }) => [utr, net])).toEqual([
    ['UTIBN26013000011', 1156.4],
    ['UTR2', 2312.8],
  ])
})

test('the command states the account of an outstanding payment, and reports the payment as late', async () => {
  await registerPaidDelegate('AP1')
  const latePayment = await registerPaidDelegate('AP2')
  await changeAccount(NEXT_ACCOUNT)
  const newPayment = await registerPaidDelegate('NX1')
  const path = join(server.dir, 'settlement.csv')
  writeFileSync(path, [HEADER, buildSaleLine(newPayment.order, 'NX1')].join('\n'))
  const output: string[] = []
  const terminal = {
    print: (text: string) => void output.push(text),
    printError: (text: string) => void output.push(text),
    environment: () => withoutThreads(server.environment),
  }
  expect(await main(['payment', 'reconcile', EVENT, path], terminal)).toBe(1)
  expect(output.join('\n')).toMatch(
    new RegExp(
      `${latePayment.regNo}: ₹\\u00a01,180 paid \\d+ days ago, account sample: not in any settlement yet`,
    ),
  )
})

test('payments at the gateway are still listed after the gateway is removed from the event file', async () => {
  const firstPayment = await registerPaidDelegate('AP1')
  await registerPaidDelegate('AP2')
  await changeAccount(`registration:
  closes: 2026-02-10

payment:
  methods:
    - id: transfer
      label: Bank transfer
      until: 2026-02-10
      expires_after: 10 days
      instructions: Account 50200012345678, IFSC MLBR0000032
      fields: [{id: utr, label: UTR number, format: utr, unique: true, required: true}]`)
  expect(await listOutstanding()).toEqual([
    ['AP1', 1180, 'sample (airpay)'],
    ['AP2', 1180, 'sample (airpay)'],
  ])
  await post('reconcile/keep', [HEADER, buildSaleLine(firstPayment.order, 'AP1')])
  expect(await listOutstanding()).toEqual([['AP2', 1180, 'sample (airpay)']])
})

test('a card payment that staff refunded in full by bank transfer is still expected in a settlement', async () => {
  const [fullRefund, partialRefund] = [
    await registerPaidDelegate('AP1'),
    await registerPaidDelegate('AP2'),
  ]
  const reviewedPayment = await registerPaidDelegate('AP3')
  const repeatedPayment = {
    amount: reviewedPayment.amount,
    currency: '356',
    kind: 'sale',
    at: server.now(),
  } as const
  await server.deps.store.applyPaymentEvent(
    reviewedPayment.order,
    { type: 'confirmed', reference: 'AP4', ...repeatedPayment },
    null,
  )
  const manualRefund = { by_hand: true, why: 'The card is closed.' }
  const refund = { act: 'refund', ...manualRefund }
  for (const [regNo, amount, reference] of [
    [fullRefund.regNo, '1180', 'NEFT 1'],
    [partialRefund.regNo, '180', 'NEFT 2'],
  ] as const)
    expect((await owner.act(regNo, { ...refund, amount, reference })).status).toBe(200)
  const [review] = await server.deps.store.reviews(EVENT)
  await owner.decide(review?.id, { decision: 'refund', ...manualRefund, reference: 'NEFT 3' })
  // The gateway refunded this payment itself, so no payout is expected.
  const refundedPayment = await registerPaidDelegate('AP5')
  await server.deps.store.applyPaymentEvent(
    refundedPayment.order,
    { type: 'refunded', reference: 'RF5', amount: refundedPayment.amount, at: server.now() },
    null,
  )
  expect((await listOutstanding()).map(([reference]) => reference)).toEqual([
    'AP1',
    'AP2',
    'AP3',
    'AP4',
  ])
  await post('reconcile/keep', [
    HEADER,
    buildSaleLine(fullRefund.order, 'AP1'),
    buildSaleLine(reviewedPayment.order, 'AP4'),
  ])
  expect((await listOutstanding()).map(([reference]) => reference)).toEqual(['AP2', 'AP3'])
  expect((await readSettlement()).lines).toEqual([])
})

test('a refund that a report lists after the change of account stops being listed as missing', async () => {
  const payment = await registerPaidDelegate('AP1')
  await post('reconcile/keep', [HEADER, buildSaleLine(payment.order, 'AP1')])
  await server.deps.store.applyPaymentEvent(
    payment.order,
    { type: 'refunded', reference: 'RF1', amount: payment.amount, at: server.now() },
    null,
  )
  await changeAccount(NEXT_ACCOUNT)
  server.setTime('2026-02-10T12:00:00+05:30')
  owner = await signIn(server)
  const listQueue = async () =>
    (await server.deps.store.workQueue([EVENT], server.now())).map(({ is, count }) => [is, count])
  expect(await listQueue()).toEqual([['refund_unsettled', 1]])
  await post('reconcile/keep', [
    HEADER,
    `${payment.order},RF1,1180.00,0,0,1180.00,UTR9,02-02-2026,Refund`,
  ])
  expect(await listQueue()).toEqual([])
})
