/** What operators saw after they had put an older copy back: the server that is started then is a process of its own. */
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runHere } from '../run-command.ts'
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
import { makeFolders, operate, operateHere } from './operator.ts'
import type { Here } from './operator.ts'

const PASSWORD = 'a password for operators'
/** The clock goes on while a server is away. */
let hour = 8
const clock = () => ({ CLOCK: `2026-01-10T${String(hour).padStart(2, '0')}:00:00+05:30` })
/** The gateway's message about a payment that a restored copy does not hold. */
let later: Awaited<ReturnType<typeof pays>>
const folders = makeFolders()
const variables = (more: Readonly<Record<string, string>> = {}) => ({
  DATA_DIR: folders.dataDir,
  EVENTS_DIR: folders.eventsDir,
  ...clock(),
  ...more,
})
let server: Here
let office: Office
afterAll(async () => {
  await server.stop()
  folders.remove()
})

const start = async (how: 'here' | 'as a process' = 'here'): Promise<void> => {
  hour += 1
  server = await (how === 'here' ? operateHere : operate)(folders, clock())
  office = await officeAt(server.url, PASSWORD)
}
const invoiceOf = (regNo: string): Promise<string> =>
  until('the invoice', async () => (await invoicesOf(office, regNo))[0] ?? null)

const restartOn = async (copy: string): Promise<void> => {
  await server.stop()
  hour += 1
  const done = await runHere(['db', 'restore', copy, '--move-aside'], variables())
  expect([done.status, done.stderr]).toEqual([0, ''])
  expect(done.stdout).toMatch(/The installation is in recovery R\w{3}:/)
  await start('as a process')
}

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
    const { status, stderr } = await runHere(['db', 'backup', copy], variables())
    if (status !== 0) throw new Error(stderr)
    for (const email of ['second@example.org', 'third@example.org']) {
      const one = await registers(server.url, email)
      later = await pays(one.data)
      before.push(await invoiceOf(one.regNo))
    }
    // Paid in the lost period; the gateway's message is repeated after it.
    const last = await registers(server.url, 'last@example.org')
    lost = await pays(last.data)
    lostRegNo = last.regNo
    await until('paid', async () => (await invoicesOf(office, last.regNo))[0] ?? null)
    await restartOn(copy)
  })

  test('invoice numbers are not issued twice', async () => {
    const after: string[] = []
    for (const email of ['fourth@example.org', 'fifth@example.org'])
      after.push(await invoiceOf((await paid(server.url, email)).regNo))
    expect(after.filter((serial) => before.includes(serial))).toEqual([])
    expect(Math.max(...after.map((serial) => serial.length))).toBeLessThanOrEqual(16)
  })

  test("registrations paid after the copy was made appear under review, with the gateway's data", async () => {
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

  test('a refund is not requested twice, and doctor, /healthz and the office say why', async () => {
    const one = await paid(server.url, 'sixth@example.org')
    await invoiceOf(one.regNo)
    const refund = await office.send<{ readonly refund: string; readonly message: string }>(
      `/admin/registrations/${one.regNo}/refund/`,
      { why: 'Payment requested.' },
    )
    expect([refund.refund, refund.message]).toEqual([
      'wanted',
      expect.stringContaining('or after a running recovery'),
    ])
    const health = (await (await fetch(`${server.url}/healthz`)).json()) as object
    expect(health).toMatchObject({
      health: 'degraded',
      troubles: expect.arrayContaining([expect.stringMatching(/^In recovery since /)]),
    })
    const { stdout } = await runHere(['doctor'], variables({ PORT: String(server.port) }))
    expect(stdout).toMatch(/^look +The installation has been in recovery since .+ was restored\.$/m)
    expect(stdout).toMatch(/^look +Held: \d emails .*, 1 refunds, /m)
    expect(server.printed()).toContain('the installation is in recovery')
    expect((await recoveryIn(office)).recovery).toMatchObject({
      held: { refunds: 1 },
      unknown: { to_decide: 1 },
    })
    const shown = await runHere(['db', 'recovery'], variables())
    expect(shown.stdout).toContain('1 wait for a decision')
    const wrong = await runHere(['db', 'recovery', 'end', '--who', 'owner'], variables())
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('--mails')])
    const ended = await runHere(
      ['db', 'recovery', 'end', '--who', 'owner', '--mails', 'copy'],
      variables(),
    )
    expect([ended.status, ended.stdout]).toEqual([0, expect.stringContaining('has ended')])
    const twice = await runHere(
      ['db', 'recovery', 'end', '--who', 'owner', '--mails', 'copy'],
      variables(),
    )
    expect([twice.status, twice.stderr]).toEqual([1, 'The installation is not in recovery.\n'])
    await until('the credit note', async () =>
      (await invoicesOf(office, one.regNo)).length > 1 ? true : null,
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

test('an older file that was copied back by hand is noticed by the start, which served newer records from that folder', async () => {
  await server.stop()
  const file = join(folders.dataDir, 'rollcall.db')
  const older = join(folders.folder, 'older.db')
  copyFileSync(file, older)
  await start()
  expect((await recoveryIn(office)).recovery).toBe(null)
  const lost = await paid(server.url, 'seventh@example.org')
  const number = await invoiceOf(lost.regNo)
  await server.stop()
  copyFileSync(older, file)
  await start()
  expect(server.printed()).toContain('an older copy was put back')
  expect((await recoveryIn(office)).recovery?.why).toMatch(/^The database is older than /)
  const next = await invoiceOf((await paid(server.url, 'eighth@example.org')).regNo)
  expect(next).not.toBe(number)
  // Whoever starts again is in the same recovery.
  const { past } = await recoveryIn(office)
  await server.stop()
  await start()
  const again = await recoveryIn(office)
  expect([again.past.length, again.recovery === null]).toEqual([past.length, false])
})

test('outside a recovery too, money that the gateway confirms for an order that is not here waits for staff', async () => {
  await runHere(['db', 'recovery', 'end', '--who', 'owner', '--mails', 'send'], variables())
  const known = (await reviewsIn(office)).length
  expect(await tells(server.url, { ...later, TRANSACTIONID: 'SMPL0000000000000' })).toBe(404)
  expect(await reviewsIn(office)).toHaveLength(known)
  expect(await tells(server.url, later)).toBe(200)
  expect((await reviewsIn(office)).at(-1)).toMatchObject({
    kind: 'unmatched',
    unknown_order: later['TRANSACTIONID'],
    payer: { email: 'third@example.org' },
  })
})

test('rollcall db recovery begin is refused beside a running server, and a second time without --again', async () => {
  const begin = (...more: readonly string[]) =>
    runHere(['db', 'recovery', 'begin', '--who', 'owner', ...more], variables())
  expect(await begin()).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^A server is running on DATA_DIR .+Stop it, .+No recovery was started/,
    ),
  })
  await server.stop()
  await runHere(['db', 'recovery', 'end', '--who', 'owner', '--mails', 'discard'], variables())
  const [first, second] = [await begin(), await begin()]
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
  const third = await begin('--again')
  expect([third.status, third.stdout]).toEqual([0, expect.not.stringContaining(code)])
  await start()
})

test('a database from another folder, moved by hand into one that had served another, was only warned of: the installation is in recovery, which issues no number twice', async () => {
  await server.stop()
  await runHere(['db', 'recovery', 'end', '--who', 'owner', '--mails', 'discard'], variables())
  const file = join(folders.dataDir, 'rollcall.db')
  const elsewhere = makeFolders()
  try {
    writeEvents(elsewhere.eventsDir)
    const other = await operateHere(elsewhere, clock())
    await paid(other.url, 'ninth@example.org')
    await other.stop()
    const own = join(folders.folder, 'own.db')
    renameSync(file, own)
    copyFileSync(join(elsewhere.dataDir, 'rollcall.db'), file)
    await start()
    expect(server.printed()).toMatch(
      /a different database from the one served from this DATA_DIR before.*rollcall db restore.*rollcall db recovery end/,
    )
    const { recovery } = await recoveryIn(office)
    expect(recovery?.why).toMatch(/^The database is not the one that this DATA_DIR served until /)
    // Once: whoever starts again is in the same recovery.
    await server.stop()
    await start()
    expect((await recoveryIn(office)).past).toEqual([])
    expect((await recoveryIn(office)).recovery?.code).toBe(recovery?.code)
  } finally {
    elsewhere.remove()
  }
})
