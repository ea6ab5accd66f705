/** After an older copy is restored, data created since then is neither lost nor repeated. */
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runHere } from '../run-command.ts'
import {
  readInvoices,
  openOffice,
  registerAndPay,
  payByCard,
  readRecovery,
  registerDelegate,
  readReviews,
  sendGatewayMessage,
  waitUntil,
  writeEvents,
} from './delegates.ts'
import type { Office } from './delegates.ts'
import { makeFolders, startServerProcess, startServerHere } from './operator.ts'
import type { RunningServerHere } from './operator.ts'

const PASSWORD = 'a password for operators'
/** The hour that the clock shows. It continues while the server is down. */
let hour = 8
const getClock = () => ({ CLOCK: `2026-01-10T${String(hour).padStart(2, '0')}:00:00+05:30` })
/** The gateway's message about a payment that is missing from the restored copy. */
let laterPayment: Awaited<ReturnType<typeof payByCard>>
const folders = makeFolders()
const getVariables = (variables: Readonly<Record<string, string>> = {}) => ({
  DATA_DIR: folders.dataDir,
  EVENTS_DIR: folders.eventsDir,
  ...getClock(),
  ...variables,
})
let server: RunningServerHere
let office: Office
afterAll(async () => {
  await server.stop()
  folders.remove()
})

const start = async (startMode: 'here' | 'as a process' = 'here'): Promise<void> => {
  hour += 1
  server = await (startMode === 'here' ? startServerHere : startServerProcess)(folders, getClock())
  office = await openOffice(server.url, PASSWORD)
}
const readInvoice = (regNo: string): Promise<string> =>
  waitUntil('the invoice', async () => (await readInvoices(office, regNo))[0] ?? null)

const restartOn = async (copy: string): Promise<void> => {
  await server.stop()
  hour += 1
  const restoreResult = await runHere(['db', 'restore', copy, '--move-aside'], getVariables())
  expect([restoreResult.status, restoreResult.stderr]).toEqual([0, ''])
  expect(restoreResult.stdout).toMatch(/The installation is in recovery R\w{3}:/)
  await start('as a process')
}

describe('after restoring an older copy', () => {
  const numbersBefore: string[] = []
  let lostPayment: Awaited<ReturnType<typeof payByCard>>
  let lostRegNo = ''
  beforeAll(async () => {
    rmSync(folders.eventsDir, { recursive: true })
    writeEvents(folders.eventsDir)
    await start()
    const firstDelegate = await registerAndPay(server.url, 'first@example.org')
    await readInvoice(firstDelegate.regNo)
    const copy = join(folders.folder, 'copy')
    const { status, stderr } = await runHere(['db', 'backup', copy], getVariables())
    if (status !== 0) throw new Error(stderr)
    for (const email of ['second@example.org', 'third@example.org']) {
      const delegate = await registerDelegate(server.url, email)
      laterPayment = await payByCard(delegate.data)
      numbersBefore.push(await readInvoice(delegate.regNo))
    }
    // This delegate pays after the copy is made. The gateway repeats its message after the restore.
    const lastDelegate = await registerDelegate(server.url, 'last@example.org')
    lostPayment = await payByCard(lastDelegate.data)
    lostRegNo = lastDelegate.regNo
    await waitUntil('paid', async () => (await readInvoices(office, lastDelegate.regNo))[0] ?? null)
    await restartOn(copy)
  })

  test('invoice numbers are not issued twice', async () => {
    const numbersAfter: string[] = []
    for (const email of ['fourth@example.org', 'fifth@example.org'])
      numbersAfter.push(await readInvoice((await registerAndPay(server.url, email)).regNo))
    expect(numbersAfter.filter((serial) => numbersBefore.includes(serial))).toEqual([])
    expect(Math.max(...numbersAfter.map((serial) => serial.length))).toBeLessThanOrEqual(16)
  })

  test("registrations paid after the copy was made appear under review, with the gateway's data", async () => {
    expect(await sendGatewayMessage(server.url, lostPayment)).toBe(200)
    const [review, ...otherReviews] = await readReviews(office)
    expect(otherReviews).toEqual([])
    expect(review).toMatchObject({
      kind: 'unmatched',
      event_id: 'sample2026',
      came: { amount: 1180, reference: lostPayment['APTRANSACTIONID'] },
      unknown_order: lostRegNo,
      decisions: ['refund', 'move', 'dismiss'],
    })
    // A repeated message does not count as another payment.
    expect(await sendGatewayMessage(server.url, lostPayment)).toBe(200)
    expect(await readReviews(office)).toHaveLength(1)
  })

  test('a refund is not requested twice, and doctor, /healthz and the office report why', async () => {
    const delegate = await registerAndPay(server.url, 'sixth@example.org')
    await readInvoice(delegate.regNo)
    const refund = await office.send<{ readonly refund: string; readonly message: string }>(
      `/admin/registrations/${delegate.regNo}/acts/`,
      { act: 'refund', why: 'Payment requested.' },
    )
    expect([refund.refund, refund.message]).toEqual([
      'wanted',
      expect.stringContaining('it is sent after the recovery'),
    ])
    const health = (await (await fetch(`${server.url}/healthz`)).json()) as object
    expect(health).toMatchObject({
      health: 'degraded',
      troubles: expect.arrayContaining([expect.stringMatching(/^In recovery since /)]),
    })
    const { stdout } = await runHere(['doctor'], getVariables({ PORT: String(server.port) }))
    expect(stdout).toMatch(
      /^check +The installation has been in recovery since .+ was restored from a backup made on .+\.$/m,
    )
    expect(stdout).toMatch(/^check +Held: \d emails .*, 1 refunds, /m)
    expect(server.readOutput()).toContain('the installation is in recovery')
    expect((await readRecovery(office)).recovery).toMatchObject({
      held: { refunds: 1 },
      unknown: { to_decide: 1 },
    })
    const recoveryReport = await runHere(['db', 'recovery'], getVariables())
    expect(recoveryReport.stdout).toContain('1 waiting for a decision')
    const endRejection = await runHere(['db', 'recovery', 'end', '--who', 'owner'], getVariables())
    expect([endRejection.status, endRejection.stderr]).toEqual([
      2,
      expect.stringContaining('--mails'),
    ])
    const endResult = await runHere(
      ['db', 'recovery', 'end', '--who', 'owner', '--mails', 'copy'],
      getVariables(),
    )
    expect([endResult.status, endResult.stdout]).toEqual([0, expect.stringContaining('has ended')])
    const secondEnd = await runHere(
      ['db', 'recovery', 'end', '--who', 'owner', '--mails', 'copy'],
      getVariables(),
    )
    expect([secondEnd.status, secondEnd.stderr]).toEqual([
      1,
      'The installation is not in recovery.\n',
    ])
    await waitUntil('the credit note', async () =>
      (await readInvoices(office, delegate.regNo)).length > 1 ? true : null,
    )
    const { rows } = await office.get<{ readonly rows: readonly { what: string }[] }>(
      '/admin/log/?kind=all&words=recovery',
    )
    expect(rows.map(({ what }) => what)).toEqual([
      expect.stringMatching(/^ended the recovery R/),
      expect.stringMatching(/^began a recovery, /),
    ])
  })
})

test('a startup detects an older database file that was copied back manually, because the folder has newer records', async () => {
  await server.stop()
  const file = join(folders.dataDir, 'rollcall.db')
  const olderFile = join(folders.folder, 'older.db')
  copyFileSync(file, olderFile)
  await start()
  expect((await readRecovery(office)).recovery).toBe(null)
  const lostDelegate = await registerAndPay(server.url, 'seventh@example.org')
  const invoiceNumber = await readInvoice(lostDelegate.regNo)
  await server.stop()
  copyFileSync(olderFile, file)
  await start()
  expect(server.readOutput()).toContain('an older copy was put back')
  expect((await readRecovery(office)).recovery?.why).toMatch(/^The database is older than /)
  const nextInvoice = await readInvoice(
    (await registerAndPay(server.url, 'eighth@example.org')).regNo,
  )
  expect(nextInvoice).not.toBe(invoiceNumber)
  // Another restart continues the same recovery.
  const { past: pastRecoveries } = await readRecovery(office)
  await server.stop()
  await start()
  const sameRecovery = await readRecovery(office)
  expect([sameRecovery.past.length, sameRecovery.recovery === null]).toEqual([
    pastRecoveries.length,
    false,
  ])
})

test('a confirmed payment for an unknown order waits for staff, even outside a recovery', async () => {
  await runHere(['db', 'recovery', 'end', '--who', 'owner', '--mails', 'send'], getVariables())
  const reviewCount = (await readReviews(office)).length
  expect(
    await sendGatewayMessage(server.url, { ...laterPayment, TRANSACTIONID: 'SMPL0000000000000' }),
  ).toBe(404)
  expect(await readReviews(office)).toHaveLength(reviewCount)
  expect(await sendGatewayMessage(server.url, laterPayment)).toBe(200)
  expect((await readReviews(office)).at(-1)).toMatchObject({
    kind: 'unmatched',
    unknown_order: laterPayment['TRANSACTIONID'],
    payer: { email: 'third@example.org' },
  })
})

test('rollcall db recovery begin is rejected next to a running server, and a second time without --again', async () => {
  const beginRecovery = (...args: readonly string[]) =>
    runHere(['db', 'recovery', 'begin', '--who', 'owner', ...args], getVariables())
  expect(await beginRecovery()).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^A server is running on DATA_DIR .+Stop it, .+No recovery was started/,
    ),
  })
  await server.stop()
  await runHere(['db', 'recovery', 'end', '--who', 'owner', '--mails', 'discard'], getVariables())
  const [first, second] = [await beginRecovery(), await beginRecovery()]
  const [, code = ''] =
    /in recovery: numbers of new documents contain (R\w+)/.exec(first.stdout) ?? []
  expect([first.status, code]).toEqual([0, expect.stringMatching(/^R\w+$/)])
  expect(second).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(
      `^The installation is already in recovery ${code}, since .+--again`,
    ),
  })
  const third = await beginRecovery('--again')
  expect([third.status, third.stdout]).toEqual([0, expect.not.stringContaining(code)])
  await start()
})

test('a recovery begins if a database is moved manually into a folder from which another database was served', async () => {
  await server.stop()
  await runHere(['db', 'recovery', 'end', '--who', 'owner', '--mails', 'discard'], getVariables())
  const file = join(folders.dataDir, 'rollcall.db')
  const otherFolders = makeFolders()
  try {
    writeEvents(otherFolders.eventsDir)
    const otherServer = await startServerHere(otherFolders, getClock())
    await registerAndPay(otherServer.url, 'ninth@example.org')
    await otherServer.stop()
    const ownFile = join(folders.folder, 'own.db')
    renameSync(file, ownFile)
    copyFileSync(join(otherFolders.dataDir, 'rollcall.db'), file)
    await start()
    expect(server.readOutput()).toMatch(
      /a different database from the one served from this DATA_DIR before.*rollcall db restore.*rollcall db recovery end/,
    )
    const { recovery } = await readRecovery(office)
    expect(recovery?.why).toMatch(/^The database is not the one that this DATA_DIR served until /)
    // The recovery begins only once, and another restart continues it.
    await server.stop()
    await start()
    expect((await readRecovery(office)).past).toEqual([])
    expect((await readRecovery(office)).recovery?.code).toBe(recovery?.code)
  } finally {
    otherFolders.remove()
  }
})
