/** Which reports a user of some events can save, depending on who else uses the merchant account. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ReviewsResponse, SettlementSavedResponse } from '../../../../engine/api.ts'
import { buildFixtureEvent, buildTwoEventsOfOneAccount } from '../../small-event.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { buildDecline } from '../../sample-registrations.ts'
import { registerDelegate } from '../card-payers.ts'
import { hashCheaply, PASSWORD, signIn } from '../office.ts'
import type { Office } from '../office.ts'
import { readCsvHere } from '../read-csv-here.ts'

readCsvHere()

const EVENT = 'sample2026'
const [FOREIGN_EVENT, FOREIGN_FILE] = ['third2026', 'third2026.yaml'] as const
const foreignEventFile = buildFixtureEvent()
  .replaceAll(EVENT, FOREIGN_EVENT)
  .replaceAll('SMPL', 'THRD')
  .replaceAll('/sample', '/third')
const foreignEventOfOtherAccount = foreignEventFile.replace('account: sample', 'account: third')
let server: TestApp
/** A user of all events. */
let owner: Office
/** A treasurer of the two events that use the account. */
let treasurer: Office
beforeEach(async () => {
  server = await startTestApp({
    clock: '2026-02-02T10:00:00+05:30',
    events: { ...buildTwoEventsOfOneAccount(), [FOREIGN_FILE]: foreignEventOfOtherAccount },
  })
  owner = await signIn(server)
  const permissions = { role: 'treasurer', events: [EVENT, 'other2026'] } as const
  const hash = await hashCheaply(PASSWORD)
  await server.deps.store.addAdmin('treasurer', hash, server.now(), permissions)
  treasurer = await signIn(server, 'treasurer')
})
afterEach(() => server.close())

async function saveLine(office: Office, order: string, reference: string): Promise<string> {
  const response = await server.app.inject({
    method: 'POST',
    url: `/admin/reconcile/keep/?event=${EVENT}`,
    headers: { authorization: `Bearer ${office.token}`, 'content-type': 'text/csv' },
    payload: [
      'Merchant Txn ID,Transaction ID,Txn Amount,UTR Number,Settlement Date,Txn Type',
      `${order},${reference},1180,UTR1,30-01-2026,Sale`,
    ].join('\n'),
  })
  return response.json<SettlementSavedResponse>().message
}
const SAVED = '1 line saved, 1 line sent for review.'
const SKIPPED = '0 lines saved, 1 line unknown in your events skipped.'

test('a line with the order id of an event that does not use the account does not prevent the users of the account from saving a report', async () => {
  expect(await saveLine(treasurer, 'SMPL99999900', 'AP1')).toBe(SAVED)
  expect(await saveLine(owner, 'THRD99999901', 'AP2')).toBe(SAVED)
  const { reviews } = (await owner.json(
    `/admin/reviews/?event=${FOREIGN_EVENT}`,
  )) as unknown as ReviewsResponse
  expect(await saveLine(treasurer, 'SMPL99999902', 'AP3')).toBe(SAVED)
  // The payment of the other event stays hidden.
  expect(await saveLine(treasurer, 'SMPL99999903', 'AP2')).toBe(SKIPPED)
  await owner.decide(reviews[0]?.id, { decision: 'dismiss', why: 'A wrong line.' })
  expect(await saveLine(treasurer, 'SMPL99999904', 'AP4')).toBe(SAVED)
  expect(await saveLine(treasurer, '', 'AP2')).toBe(SKIPPED)
})

test('a line that is unknown in the user’s events is skipped if another event has an order at the account', async () => {
  server.writeEvent(FOREIGN_FILE, foreignEventFile)
  await server.deps.events.reload()
  const { order } = await registerDelegate(server, FOREIGN_EVENT)
  await server.deps.store.applyPaymentEvent(order, buildDecline(server.now()), null)
  server.writeEvent(FOREIGN_FILE, foreignEventOfOtherAccount)
  await server.deps.events.reload()
  expect(
    server.deps.events.findById(FOREIGN_EVENT)?.config.payment?.account,
    server.output.join('\n'),
  ).toBe('third')
  expect(await saveLine(treasurer, 'SMPL99999905', 'AP5')).toBe(SKIPPED)
})

test('a bank line with the number of another event’s registration does not reveal whether it was paid', async () => {
  const readLine = async (regNo: string) => {
    const response = await server.app.inject({
      method: 'POST',
      url: `/admin/reconcile/?event=${EVENT}`,
      headers: { authorization: `Bearer ${treasurer.token}`, 'content-type': 'text/csv' },
      payload: `Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt\n01/02/26,UPI ${regNo},,,2000`,
    })
    const [line] = response.json<{ lines: { as: string; why: string | null }[] }>().lines
    return [line?.as, line?.why]
  }
  const { regNo, amount } = await registerDelegate(server, FOREIGN_EVENT)
  const unpaidLine = await readLine(regNo)
  const payment = {
    act: 'confirm',
    way: 'transfer',
    reference: regNo,
    day: '2026-02-01',
    amount: String(amount / 100),
  }
  expect(await owner.act(regNo, payment)).toMatchObject({ status: 200 })
  expect(await readLine(regNo)).toEqual(unpaidLine)
})
