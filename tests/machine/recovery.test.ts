/** What operators saw after they had put an older copy back, on real servers. */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runHere } from '../server/running.ts'
import {
  invoicesOf,
  officeAt,
  paid,
  pays,
  recoveryIn,
  registers,
  reviewsIn,
  tells,
  until,
  writeEvents,
} from './delegates.ts'
import type { Office } from './delegates.ts'
import { makeFolders, operate } from './operator.ts'
import type { Operated } from './operator.ts'

const PASSWORD = 'a password for operators'
const CLOCK = { CLOCK: '2026-01-10' }
const folders = makeFolders()
const variables = { DATA_DIR: folders.dataDir, EVENTS_DIR: folders.eventsDir, ...CLOCK }
let server: Operated
let office: Office
afterAll(async () => {
  await server.stop()
  folders.remove()
})

const start = async (): Promise<void> => {
  server = await operate(folders, CLOCK)
  office = await officeAt(server.url, PASSWORD)
}
const invoiceOf = (regNo: string): Promise<string> =>
  until('the invoice', async () => (await invoicesOf(office, regNo))[0] ?? null)

describe('after an older copy was put back', () => {
  const before: string[] = []
  let lost: Awaited<ReturnType<typeof pays>>
  let lostRegNo = ''
  beforeAll(async () => {
    rmSync(folders.eventsDir, { recursive: true })
    writeEvents(folders.eventsDir)
    await start()
    const first = await paid(server.url, 'first@example.org')
    await invoiceOf(first.regNo)
    const copy = join(folders.folder, 'copy')
    expect(await runHere(['backup', copy], variables)).toMatchObject({ status: 0 })
    for (const email of ['second@example.org', 'third@example.org']) {
      const one = await paid(server.url, email)
      before.push(await invoiceOf(one.regNo))
    }
    // Paid in the lost period; the gateway's message is repeated after it.
    const last = await registers(server.url, 'last@example.org')
    lost = await pays(last.data)
    lostRegNo = last.regNo
    await until('paid', async () => (await invoicesOf(office, last.regNo))[0] ?? null)
    await server.stop()
    const done = await runHere(['restore', copy, '--move-aside'], variables)
    expect([done.status, done.err]).toEqual([0, ''])
    await start()
  })

  test('invoice numbers are not issued twice', async () => {
    const after: string[] = []
    for (const email of ['fourth@example.org', 'fifth@example.org'])
      after.push(await invoiceOf((await paid(server.url, email)).regNo))
    expect(after.filter((serial) => before.includes(serial))).toEqual([])
    expect(Math.max(...after.map((serial) => serial.length))).toBeLessThanOrEqual(16)
  })

  test('registrations paid after the copy was made appear as money to decide, with what the gateway says of them', async () => {
    expect(await tells(server.url, lost)).toBe(200)
    const [review, ...more] = await reviewsIn(office)
    expect(more).toEqual([])
    expect(review).toMatchObject({
      kind: 'unmatched',
      event_id: 'sample2026',
      came: { amount: 1180, reference: lost['APTRANSACTIONID'] },
      unknown_order: lostRegNo,
      decisions: ['refund', 'move', 'dismiss'],
    })
    // The same message again is the same money.
    expect(await tells(server.url, lost)).toBe(200)
    expect(await reviewsIn(office)).toHaveLength(1)
  })
})
