/** Event files that are removed, are no files, or are all missing, under a server as an operator starts it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { runHere } from '../run-command.ts'
import { attemptHere, makeFolders, operate, operateHere } from './operator.ts'
import type { Here } from './operator.ts'

// With one of two gone, the other is served.
const folders = makeFolders(['afpicon2026.yaml', 'midzone2025.yaml'])
let server: Here | null = null
afterEach(async () => {
  await server?.stop()
})
afterAll(() => folders.remove())

const PATIENT = { timeout: 200_000, interval: 50 }
const said = async (text: string): Promise<void> => {
  await expect.poll(() => server?.printed(), PATIENT).toContain(text)
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
const health = async (): Promise<{ health: string; troubles: readonly string[] }> =>
  (await fetch(`${server?.url}/healthz`)).json()
const file = join(folders.eventsDir, 'afpicon2026.yaml')

test('a FIFO among the event files blocks neither the next change nor the shutdown', async () => {
  server = await operateHere(folders)
  const fifo = join(folders.eventsDir, 'pipe2026.yaml')
  execFileSync('mkfifo', [fifo])
  await said('pipe2026.yaml is not a regular file and is not read')
  expect((await health()).troubles).toEqual([expect.stringContaining(fifo)])
  const changed = readFileSync(file, 'utf8')
  writeFileSync(file, changed.replace(/^(\s+title: ).*$/m, '$1Changed beside a pipe'))
  await expect
    .poll(async () => (await fetch(`${server?.url}/afpicon`)).text(), PATIENT)
    .toContain('Changed beside a pipe')
  writeFileSync(file, changed)
  rmSync(fifo)
  const doctor = await runHere(['validate', file])
  expect(doctor.status).toBe(0)
  expect(await server.stop()).toBe(0)
  expect(server.printed()).not.toContain('the shutdown got stuck')
})

const command = async (...args: readonly string[]): Promise<string> => {
  const { stdout } = await runHere(args, {
    DATA_DIR: folders.dataDir,
    EVENTS_DIR: folders.eventsDir,
    CLOCK: '2025-10-10',
    PORT: String(server?.port),
  })
  return stdout
}

test('removing an event file closes registration while the server runs, as a restart does; log, health, rollcall event reload and rollcall doctor say it in the same words', async () => {
  // A process of its own, which the command tells to read its files again.
  server = await operate(folders)
  expect(await register()).toBe(201)
  const text = readFileSync(file, 'utf8')
  rmSync(file)
  const why = 'The file afpicon2026.yaml no longer exists: registration is closed'
  await said(why)
  await expect.poll(register, PATIENT).toBe('registration_closed')
  await expect
    .poll(async () => (await health()).troubles, PATIENT)
    .toEqual([expect.stringContaining(why)])
  expect(await command('event', 'reload')).toContain(`\n${why}`)
  expect(await command('doctor')).toContain(`\nlook   The server reports: ${why}`)
  await server.stop()
  expect(await command('doctor')).toContain(`\nwrong  ${why}`)
  server = await operateHere(folders)
  expect(await register()).toBe('registration_closed')
  expect((await health()).troubles).toEqual([expect.stringContaining(why)])
  writeFileSync(file, text)
  await expect.poll(register, PATIENT).toBe(201)
})

test('the folder of event files is missing: the server is degraded and serves on, also after a restart; a first start is refused', async () => {
  const away = `${folders.eventsDir}-away`
  server = await operateHere(folders)
  renameSync(folders.eventsDir, away)
  await expect
    .poll(async () => (await health()).troubles, PATIENT)
    .toEqual([expect.stringContaining(`EVENTS_DIR is ${folders.eventsDir}, which does not exist`)])
  expect(await register()).toBe(201)
  await server.stop()
  server = await operateHere(folders)
  expect(await health()).toMatchObject({ health: 'degraded' })
  expect(await register()).toBe(201)
  await server.stop()
  mkdirSync(folders.eventsDir)
  server = await operateHere(folders)
  expect(await register()).toBe(201)
  expect((await health()).troubles).toEqual([expect.stringContaining('There is no event file')])
  await server.stop()
  rmSync(folders.eventsDir, { recursive: true })
  const anew = { ...folders, dataDir: join(folders.folder, 'anew') }
  expect(await attemptHere(anew)).toMatchObject({
    status: 2,
    printed: expect.stringContaining('which does not exist'),
  })
  renameSync(away, folders.eventsDir)
})

test('the log said EV103 "the file is empty" of shared files that were not there', async () => {
  const process = await operateHere(folders)
  server = process
  const shared = join(folders.eventsDir, '_shared')
  renameSync(join(shared, 'texts.yaml'), join(shared, 'texts.away'))
  await expect
    .poll(async () => (await health()).troubles, PATIENT)
    .toContainEqual('There is no texts.yaml in _shared. Put it back.')
  renameSync(join(shared, 'texts.away'), join(shared, 'texts.yaml'))
  await expect.poll(async () => (await health()).troubles, PATIENT).toEqual([])
  const away = `${folders.eventsDir}-away`
  renameSync(folders.eventsDir, away)
  await expect
    .poll(async () => (await health()).troubles.join(' '), PATIENT)
    .toContain('which does not exist')
  renameSync(away, folders.eventsDir)
  await expect.poll(async () => (await health()).troubles, PATIENT).toEqual([])
  expect(await process.stop()).toBe(0)
  expect(process.printed()).not.toMatch(/EV103|the file is empty|_shared have findings/)
})
