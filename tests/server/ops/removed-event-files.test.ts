/** Event files that are removed, all missing, or not regular files while a server is running. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { runHere } from '../run-command.ts'
import { attemptStartHere, makeFolders, startServerProcess, startServerHere } from './operator.ts'
import type { RunningServerHere } from './operator.ts'

// Two events, so that one is still served after the other is removed.
const folders = makeFolders(['afpicon2026.yaml', 'midzone2025.yaml'])
let server: RunningServerHere | null = null
afterEach(async () => {
  await server?.stop()
})
afterAll(() => folders.remove())

const POLL_OPTIONS = { timeout: 200_000, interval: 50 }
const waitForOutput = async (text: string): Promise<void> => {
  await expect.poll(() => server?.readOutput(), POLL_OPTIONS).toContain(text)
}
const register = async (): Promise<unknown> => {
  const response = await fetch(`${server?.url}/api/afpicon/register/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      full_name: 'Asha Nair',
      email: 'asha@example.org',
      phone_number: '1',
      ticket_type: 'afpi-gp-specialist',
    }),
  })
  const { code } = await response.json()
  return code ?? response.status
}
const readHealth = async (): Promise<{ health: string; troubles: readonly string[] }> =>
  (await fetch(`${server?.url}/healthz`)).json()
const file = join(folders.eventsDir, 'afpicon2026.yaml')

test('a FIFO among the event files does not block the next change or the shutdown', async () => {
  server = await startServerHere(folders)
  const fifo = join(folders.eventsDir, 'pipe2026.yaml')
  execFileSync('mkfifo', [fifo])
  await waitForOutput('pipe2026.yaml is not a regular file and is not read')
  expect((await readHealth()).troubles).toEqual([expect.stringContaining(fifo)])
  const eventText = readFileSync(file, 'utf8')
  writeFileSync(file, eventText.replace(/^(\s+title: ).*$/m, '$1Changed beside a pipe'))
  await expect
    .poll(async () => (await fetch(`${server?.url}/afpicon`)).text(), POLL_OPTIONS)
    .toContain('Changed beside a pipe')
  writeFileSync(file, eventText)
  rmSync(fifo)
  const validateResult = await runHere(['validate', file])
  expect(validateResult.status).toBe(0)
  expect(await server.stop()).toBe(0)
  expect(server.readOutput()).not.toContain('the shutdown timed out')
})

const runCommand = async (...args: readonly string[]): Promise<string> => {
  const { stdout } = await runHere(args, {
    DATA_DIR: folders.dataDir,
    EVENTS_DIR: folders.eventsDir,
    CLOCK: '2025-10-10',
    PORT: String(server?.port),
  })
  return stdout
}

test('removing an event file closes registration on a running server as it does on a restart; the log, the health check, rollcall event reload and rollcall doctor report this in the same words', async () => {
  // A separate process, which the command can signal to read the files again.
  server = await startServerProcess(folders)
  expect(await register()).toBe(201)
  const text = readFileSync(file, 'utf8')
  rmSync(file)
  const reason = 'The file afpicon2026.yaml no longer exists: registration is closed'
  await waitForOutput(reason)
  await expect.poll(register, POLL_OPTIONS).toBe('registration_closed')
  await expect
    .poll(async () => (await readHealth()).troubles, POLL_OPTIONS)
    .toEqual([expect.stringContaining(reason)])
  expect(await runCommand('event', 'reload')).toContain(`\n${reason}`)
  expect(await runCommand('doctor')).toContain(`\ncheck  The server reports: ${reason}`)
  await server.stop()
  expect(await runCommand('doctor')).toContain(`\nwrong  ${reason}`)
  server = await startServerHere(folders)
  expect(await register()).toBe('registration_closed')
  expect((await readHealth()).troubles).toEqual([expect.stringContaining(reason)])
  writeFileSync(file, text)
  await expect.poll(register, POLL_OPTIONS).toBe(201)
})

test('if the events folder is missing, the server is degraded and keeps serving, even after a restart, but a first startup is rejected', async () => {
  const movedDir = `${folders.eventsDir}-away`
  server = await startServerHere(folders)
  renameSync(folders.eventsDir, movedDir)
  await expect
    .poll(async () => (await readHealth()).troubles, POLL_OPTIONS)
    .toEqual([expect.stringContaining(`EVENTS_DIR is ${folders.eventsDir}, which does not exist`)])
  expect(await register()).toBe(201)
  await server.stop()
  server = await startServerHere(folders)
  expect(await readHealth()).toMatchObject({ health: 'degraded' })
  expect(await register()).toBe(201)
  await server.stop()
  mkdirSync(folders.eventsDir)
  server = await startServerHere(folders)
  expect(await register()).toBe(201)
  expect((await readHealth()).troubles).toEqual([expect.stringContaining('There is no event file')])
  await server.stop()
  rmSync(folders.eventsDir, { recursive: true })
  const newFolders = { ...folders, dataDir: join(folders.folder, 'anew') }
  expect(await attemptStartHere(newFolders)).toMatchObject({
    status: 2,
    output: expect.stringContaining('which does not exist'),
  })
  renameSync(movedDir, folders.eventsDir)
})

test('missing shared files are reported as missing, not as empty (EV103)', async () => {
  const runningServer = await startServerHere(folders)
  server = runningServer
  const sharedFolder = join(folders.eventsDir, '_shared')
  renameSync(join(sharedFolder, 'texts.yaml'), join(sharedFolder, 'texts.away'))
  await expect
    .poll(async () => (await readHealth()).troubles, POLL_OPTIONS)
    .toContainEqual('Missing from _shared: texts.yaml. Restore it.')
  renameSync(join(sharedFolder, 'texts.away'), join(sharedFolder, 'texts.yaml'))
  await expect.poll(async () => (await readHealth()).troubles, POLL_OPTIONS).toEqual([])
  const movedDir = `${folders.eventsDir}-away`
  renameSync(folders.eventsDir, movedDir)
  await expect
    .poll(async () => (await readHealth()).troubles.join(' '), POLL_OPTIONS)
    .toContain('which does not exist')
  renameSync(movedDir, folders.eventsDir)
  await expect.poll(async () => (await readHealth()).troubles, POLL_OPTIONS).toEqual([])
  expect(await runningServer.stop()).toBe(0)
  expect(runningServer.readOutput()).not.toMatch(/EV103|the file is empty|_shared have errors/)
})
