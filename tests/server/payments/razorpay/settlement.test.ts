/** Razorpay's settlement is fetched, printed as CSV, and compared with our payments. */
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { main } from '../../../../server/cli/run-command.ts'
import { readSettlement } from '../../../../engine/index.ts'
import type { Settlement } from '../../../../engine/index.ts'
import { toSettlementRow } from '../../../../server/payments/gateways/razorpay/settlement.ts'
import { openRazorpayServer } from './razorpay-server.ts'
import type { PlacedCheckout, RazorpayServer } from './razorpay-server.ts'
import { withoutThreads } from '../../store-without-threads.ts'

let server: RazorpayServer
beforeAll(async () => {
  server = await openRazorpayServer()
})
afterAll(() => server.close())

const run = async (...args: readonly string[]) => {
  const output: string[] = []
  const status = await main(['payment', 'settlement', ...args], {
    print: (text) => void output.push(text),
    printError: (text) => void output.push(text),
    environment: () => withoutThreads(server.environment),
  })
  return { status, text: output.join('\n') }
}
const parseReport = (text: string): Settlement => {
  const rows = parse(text, { bom: true }) as string[][]
  const report = readSettlement(rows.map((cells, index) => ({ line: index + 1, cells })))
  if (!report.ok) throw new Error(`unknown columns: ${report.error.header.join()}`)
  return report.value
}
const MONTH = ['--account', 'society', '--month', '2026-01'] as const

const createRow = (changes: object = {}) => ({
  entity_id: 'pay_1',
  type: 'payment',
  debit: 0,
  credit: 17_282,
  amount: 17_700,
  currency: 'INR',
  fee: 418,
  tax: 64,
  on_hold: false,
  settled: true,
  created_at: Date.parse('2026-01-10T12:00:00+05:30') / 1000,
  settled_at: Date.parse('2026-01-12T12:00:00+05:30') / 1000,
  settlement_utr: 'HDFC0001',
  order_receipt: 'RZIN1-2',
  ...changes,
})

describe('a row of the settlement', () => {
  test('is in rupees, with the fee before tax, and with our order id', () => {
    expect(toSettlementRow(createRow())).toEqual([
      'RZIN1',
      'pay_1',
      'payment',
      '177.00',
      '3.54',
      '0.64',
      '172.82',
      '2026-01-12',
      'HDFC0001',
      '2026-01-10',
      'INR',
    ])
  })
  test('for a refund is a deduction', () => {
    const refund = createRow({
      type: 'refund',
      debit: 5_000,
      credit: 0,
      amount: 5_000,
      fee: 0,
      tax: 0,
    })
    expect(toSettlementRow(refund)).toMatchObject({ 2: 'refund', 3: '50.00', 6: '-50.00' })
  })
  test('that is not settled has neither a date nor a UTR', () => {
    expect(toSettlementRow(createRow({ settled: false }))).toMatchObject({ 7: '', 8: '' })
  })
  test.each([
    ['an amount as text', { amount: '17700' }],
    ['an amount with decimals', { credit: 172.82 }],
    ['no id', { entity_id: '' }],
    ['no type', { type: null }],
  ])('with %s is not read', (_name, changes) => {
    expect(toSettlementRow(createRow(changes))).toBeNull()
  })
})

describe('the command', () => {
  let first: PlacedCheckout
  let second: PlacedCheckout
  beforeAll(async () => {
    first = await server.pay('silent')
    second = await server.pay('silent')
    const [payment] = server.simulator().order(second.orderId)?.payments ?? []
    server.simulator().refundInPanel(payment?.id ?? '', 5_000)
  })

  test('prints a report that the office can read: the payout is sales minus refunds, fees and tax', async () => {
    const { status, text } = await run(...MONTH)
    expect(status, text).toBe(0)
    const { lines, unread, unsettled } = parseReport(text)
    expect([unread, unsettled]).toEqual([[], 0])
    expect(lines).toMatchObject([
      { is: 'sale', order: first.orderId, amount: 17_700, fee: 354, tax: 64, net: 17_282 },
      { is: 'sale', order: second.orderId, amount: 17_700, net: 17_282 },
      { is: 'refund', order: second.orderId, amount: 5_000, net: -5_000 },
    ])
    for (const { amount, fee, tax, net, is } of lines)
      expect(net).toBe((is === 'refund' ? -amount : amount) - fee - tax)
    expect(lines.every(({ utr, day }) => utr === 'RZPSIM0000000001' && day !== null)).toBe(true)
  })
  test('numbers repeated rows, and accepts a report in which a row is missing', async () => {
    const { faults } = server.simulator()
    faults.settlement = ([first, ...others]) => [first ?? {}, first ?? {}, ...others.slice(1)]
    const { lines } = parseReport((await run(...MONTH)).text)
    faults.settlement = (rows) => rows
    expect(lines.map(({ order, nth }) => [order, nth])).toEqual([
      [first.orderId, 1],
      [first.orderId, 2],
      [second.orderId, 1],
    ])
  })
  test('prints nothing if a row has an unknown format', async () => {
    const { faults } = server.simulator()
    faults.settlement = (rows) => [...rows, { type: 'payment' }]
    const { status, text } = await run(...MONTH)
    faults.settlement = (rows) => rows
    expect([status, text]).toEqual([1, expect.stringContaining('unknown format')])
  })
  test('reports why the gateway sent no settlement', async () => {
    server.simulator().faults.responses = [500]
    expect(await run(...MONTH)).toMatchObject({ status: 1 })
  })
  test.each([
    ['no account', ['--month', '2026-01'], /Specify the account/],
    ['no month', ['--account', 'society'], /Specify the month/],
    ['a month that does not exist', ['--account', 'society', '--month', '2026-13'], /month/],
    ['a date that does not exist', [...MONTH, '--day', '32'], /day of the month/],
    ['an unknown account', ['--account', 'unknown', '--month', '2026-01'], /No event file uses/],
  ])('refuses %s', async (_name, args, text) => {
    expect(await run(...args)).toEqual({ status: 2, text: expect.stringMatching(text) as string })
  })
})
