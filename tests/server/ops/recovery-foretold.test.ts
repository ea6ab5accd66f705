/** What `rollcall doctor` says before a restore, before the start that follows one, and during the recovery. */
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../browser/serve.ts'
import { runHere } from '../run-command.ts'
import { paid, registers, writeEvents } from './delegates.ts'
import { makeFolders, operateHere } from './operator.ts'
import type { Here } from './operator.ts'

const folders = makeFolders()
const file = join(folders.dataDir, 'rollcall.db')
const copies = join(folders.folder, 'copies')
let server: Here
let hour = 8
let smtpUrl = ''
const clock = () => ({ CLOCK: `2026-01-10T${String(hour).padStart(2, '0')}:00:00+05:30` })
const variables = () => ({
  DATA_DIR: folders.dataDir,
  EVENTS_DIR: folders.eventsDir,
  PORT: '1',
  ...clock(),
})
const start = async (): Promise<void> => {
  hour += 1
  // No mail server answers there: what is written waits.
  server = await operateHere(folders, { ...clock(), SMTP_URL: smtpUrl })
}
const command = async (...args: readonly string[]): Promise<string> => {
  const { status, stdout, stderr } = await runHere(args, variables())
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}
const doctor = async (): Promise<string> => (await runHere(['doctor'], variables())).stdout
beforeAll(async () => {
  smtpUrl = `smtp://127.0.0.1:${await freePort()}`
  rmSync(folders.eventsDir, { recursive: true })
  writeEvents(folders.eventsDir)
  await start()
  await paid(server.url, 'first@example.org')
  hour += 1
  await command('db', 'backup', copies)
  copyFileSync(file, `${copies}.db`)
  hour += 1
})
afterAll(async () => {
  await server.stop()
  folders.remove()
})

test('nobody knew before a restore what a recovery would hold: the doctor says how much, and what the last backup lacks', async () => {
  await server.stop()
  await start()
  await paid(server.url, 'second@example.org')
  await registers(server.url, 'third@example.org')
  await server.stop()
  const before = await doctor()
  const [, mails, pending] =
    /^good +The installation is not in recovery\. rollcall db restore begins one, .*: (\d+) emails, 0 refunds .* about (\d+) pending payments/m.exec(
      before,
    ) ?? []
  expect(Number(mails)).toBeGreaterThan(0)
  expect(pending).toBe('1')
  expect(before).toMatch(
    /The last backup \(.+\) does not include later data: 2 registrations, 2 payments, 1 invoices/,
  )

  // The restore of all of it holds as much.
  const whole = join(folders.folder, 'whole')
  await command('db', 'backup', whole)
  await command('db', 'restore', whole, '--move-aside')
  const during = await doctor()
  expect(during).toMatch(new RegExp(`^look +Held: ${mails} emails`, 'm'))
  expect(during).toMatch(new RegExp(`pending in the copy: ${pending};`))
  expect(during).toMatch(
    /^look +To end the recovery: load the settlement reports from 10 January 2026 on .*rollcall db recovery end --who NAME --mails copy/m,
  )
  expect(during).not.toContain('is not in recovery')
  await command('db', 'recovery', 'end', '--who', 'owner', '--mails', 'copy')
  expect(await doctor()).toContain('The installation is not in recovery.')
})

test('a copy that was put back by hand: the doctor says before the start that it begins a recovery, and the start does', async () => {
  await start()
  await registers(server.url, 'fourth@example.org')
  await server.stop()
  copyFileSync(`${copies}.db`, file)
  expect(await doctor()).toMatch(
    /^look +The next start begins a recovery\. The database (is older than|lacks) .*emails, 0 refunds/m,
  )
  await start()
  expect(server.printed()).toContain('the installation is in recovery')
  await server.stop()
})
