/** Payouts to all accounts of a user's events, and whether the saved bank statements show them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { INR, day, listGatewayAccounts, toAmount } from '../../../../engine/index.ts'
import type { OrderId, SettlementLine } from '../../../../engine/index.ts'
import type { PayoutsResponse, StatementResponse } from '../../../../engine/api.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { hashCheaply, PASSWORD, signIn } from '../office.ts'
import type { Office } from '../office.ts'

let server: TestApp
let office: Office
let eventId: string
const buildLine = (utr: string, on: string, net: number): SettlementLine => ({
  line: 2,
  is: 'sale',
  order: '' as OrderId,
  reference: `REF${utr}`,
  amount: toAmount(net + 2_360),
  fee: toAmount(2_000),
  tax: toAmount(360),
  net: toAmount(net),
  day: day(on),
  utr,
  paidOn: null,
  nth: 1,
})
const buildDeposit = (number: number, narration: string, amount: number) => ({
  line: number,
  day: day('2026-01-13'),
  narration,
  reference: '',
  amount: toAmount(amount),
  isWithdrawal: false,
})
const listPayouts = async (user: Office, reference = ''): Promise<PayoutsResponse> =>
  (await user.json(`/admin/payouts/?reference=${reference}`)) as unknown as PayoutsResponse

beforeAll(async () => {
  server = await startTestApp({ clock: '2026-01-20' })
  const configs = server.deps.events.all().map(({ config }) => config)
  const event = configs.find((config) => listGatewayAccounts(config).length > 0)
  const [account] = event === undefined ? [] : listGatewayAccounts(event)
  if (event === undefined || account === undefined) throw new Error('the test needs a gateway')
  eventId = event.id
  const { store } = server.deps
  const at = server.now()
  await store.saveSettlement({
    source: account.gateway.name,
    account: account.account,
    eventId,
    sha256: '',
    who: 'office',
    at,
    lines: [
      buildLine('UTIBN26012000011', '2026-01-12', 115_640),
      buildLine('UTIBN26012000012', '2026-01-12', 200_000),
      buildLine('UTIBN26012000013', '2026-01-12', 300_000),
      buildLine('UTIBN26012000014', '2026-01-12', 400_000),
      buildLine('UTIBN26012500015', '2026-01-25', 500_000),
    ],
  })
  await store.saveBankStatement({
    sha256: '',
    currency: INR,
    events: [eventId],
    bank: '',
    firstDay: day('2026-01-12'),
    lastDay: day('2026-01-14'),
    details: [],
    unread: [],
    repeated: [],
    rows: [
      buildDeposit(2, 'NEFT UTIBN26012000011 GATEWAY', 115_640),
      buildDeposit(3, 'NEFT UTIBN26012000012 GATEWAY', 199_000),
      buildDeposit(4, 'NEFT GATEWAY SETTLEMENT', 300_000),
    ],
    who: 'office',
    at,
  })
  office = await signIn(server)
})
afterAll(() => server.close())

test('a payout is found by its reference or its amount; otherwise, the page says what is missing', async () => {
  const { payouts } = await listPayouts(office)
  expect(payouts.map(({ utr, net, bank }) => [utr, net, bank.is])).toEqual([
    ['UTIBN26012500015', 5000, 'no_statement'],
    ['UTIBN26012000011', 1156.4, 'found'],
    ['UTIBN26012000012', 2000, 'amount_differs'],
    ['UTIBN26012000013', 3000, 'found'],
    ['UTIBN26012000014', 4000, 'missing'],
  ])
  expect(payouts[2]?.bank).toMatchObject({ day: '2026-01-13', amount: 1990 })
  const payoutDetails = await listPayouts(office, 'UTIBN26012000011')
  expect(payoutDetails.payouts).toMatchObject([{ sales: 1180, fee: 20, tax: 3.6, net: 1156.4 }])
  expect(payoutDetails.lines).toMatchObject([{ amount: 1180, net: 1156.4 }])
})

test('the statement line of a payout found by its amount is assigned to the payout until staff reopen it', async () => {
  const readStatement = async () =>
    (await office.json('/admin/statements/1/')) as unknown as Extract<
      StatementResponse,
      { unchanged: false }
    >
  const { lines, totals } = await readStatement()
  expect(lines.map(({ state, payout }) => [state, payout?.utr, payout?.by_amount])).toEqual([
    ['assigned', 'UTIBN26012000011', false],
    ['assigned', 'UTIBN26012000012', false],
    ['assigned', 'UTIBN26012000013', true],
  ])
  expect(totals).toMatchObject({ left: { lines: 0, amount: 0 }, assigned: { lines: 3 } })
  const lineByAmount = lines[2]
  const response = await server.app.inject({
    method: 'POST',
    url: '/admin/statements/1/decide/',
    headers: { authorization: `Bearer ${office.token}` },
    payload: { decision: 'undone', choices: [{ line: lineByAmount?.id, seen: null }] },
  })
  expect(response.json()).toMatchObject({ done: [lineByAmount?.id] })
  expect((await readStatement()).lines[2]).toMatchObject({ state: 'left', payout: null })
  // Once staff have reopened its line, a payout does not count as found by its amount.
  const { payouts } = await listPayouts(office)
  expect(payouts.find(({ utr }) => utr === 'UTIBN26012000013')?.bank.is).toBe('missing')
})

test('a treasurer of another event sees neither the payout nor the statement', async () => {
  const otherEvent = server.deps.events.all().find(({ config }) => config.id !== eventId)
  await server.deps.store.addAdmin('there', await hashCheaply(PASSWORD), server.now(), {
    role: 'treasurer',
    events: [otherEvent?.config.id ?? ''],
  })
  const { payouts } = await listPayouts(await signIn(server, 'there'))
  expect(JSON.stringify(payouts)).not.toContain('UTIBN260')
})
