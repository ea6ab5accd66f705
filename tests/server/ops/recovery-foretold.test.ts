/** `rollcall doctor` before a restore, before the startup after it, and during the recovery. */
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findFreePort } from '../../browser/serve.ts'
import { runHere } from '../run-command.ts'
import { registerAndPay, registerDelegate, writeEvents } from './delegates.ts'
import { makeFolders, startServerHere } from './operator.ts'
import type { RunningServerHere } from './operator.ts'

const folders = makeFolders()
const file = join(folders.dataDir, 'rollcall.db')
const copiesFolder = join(folders.folder, 'copies')
let server: RunningServerHere
let hour = 8
let smtpUrl = ''
const getClock = () => ({ CLOCK: `2026-01-10T${String(hour).padStart(2, '0')}:00:00+05:30` })
const getVariables = () => ({
  DATA_DIR: folders.dataDir,
  EVENTS_DIR: folders.eventsDir,
  PORT: '1',
  ...getClock(),
})
const start = async (): Promise<void> => {
  hour += 1
  // No mail server responds at this URL, so emails stay queued.
  server = await startServerHere(folders, { ...getClock(), SMTP_URL: smtpUrl })
}
const runCommand = async (...args: readonly string[]): Promise<string> => {
  const { status, stdout, stderr } = await runHere(args, getVariables())
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}
const runDoctor = async (): Promise<string> => (await runHere(['doctor'], getVariables())).stdout
beforeAll(async () => {
  smtpUrl = `smtp://127.0.0.1:${await findFreePort()}`
  rmSync(folders.eventsDir, { recursive: true })
  writeEvents(folders.eventsDir)
  await start()
  await registerAndPay(server.url, 'first@example.org')
  hour += 1
  await runCommand('db', 'backup', copiesFolder)
  copyFileSync(file, `${copiesFolder}.db`)
  hour += 1
})
afterAll(async () => {
  await server.stop()
  folders.remove()
})

test('before a restore, doctor reports how many items a recovery will hold, and how many are missing from the latest backup', async () => {
  await server.stop()
  await start()
  await registerAndPay(server.url, 'second@example.org')
  await registerDelegate(server.url, 'third@example.org')
  await server.stop()
  const reportBefore = await runDoctor()
  const [, emailCount, pendingCount] =
    /^good +The installation is not in recovery\. rollcall db restore begins one.* A recovery holds (\d+) emails, 0 refunds, .* at the gateway: (\d+)\./m.exec(
      reportBefore,
    ) ?? []
  expect(Number(emailCount)).toBeGreaterThan(0)
  expect(pendingCount).toBe('1')
  expect(reportBefore).toMatch(
    /The last backup \(.+\) does not include later data: 2 registrations, 2 payments, 1 invoices/,
  )

  // If the complete data is restored, the recovery holds the same number of emails.
  const completeFolder = join(folders.folder, 'whole')
  await runCommand('db', 'backup', completeFolder)
  await runCommand('db', 'restore', completeFolder, '--move-aside')
  const duringRecovery = await runDoctor()
  expect(duringRecovery).toMatch(new RegExp(`^check +Held: ${emailCount} emails`, 'm'))
  expect(duringRecovery).toMatch(new RegExp(`pending in the copy: ${pendingCount};`))
  expect(duringRecovery).toMatch(
    /^check +To end the recovery: load each event's settlement reports from 10 January 2026 on .*rollcall db recovery end --who NAME --mails copy/m,
  )
  expect(duringRecovery).not.toContain('is not in recovery')
  await runCommand('db', 'recovery', 'end', '--who', 'owner', '--mails', 'copy')
  expect(await runDoctor()).toContain('The installation is not in recovery.')
})

test('before a startup on a manually restored copy, doctor reports that a recovery will begin, and the startup begins it', async () => {
  await start()
  await registerDelegate(server.url, 'fourth@example.org')
  await server.stop()
  copyFileSync(`${copiesFolder}.db`, file)
  expect(await runDoctor()).toMatch(
    /^check +The next start begins a recovery\. The database (is older than|lacks) .*emails, 0 refunds/m,
  )
  await start()
  expect(server.readOutput()).toContain('the installation is in recovery')
  await server.stop()
})
