/** Signals to a server process, as sent by operators, npm or systemd. */
import { cpSync, existsSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { launcher, run, runHere, top } from '../run-command.ts'
import { sendHalf, makeFolders, startServerProcess } from './operator.ts'
import type { RunningServer } from './operator.ts'

const folders = makeFolders()
afterAll(() => folders.remove())
const waitForOutput = async (server: RunningServer, text: string): Promise<void> => {
  await expect.poll(server.readOutput, { timeout: 200_000, interval: 20 }).toContain(text)
}

test('a signal to the whole process group that npm also forwards counts once: requests in progress are completed', async () => {
  const server = await startServerProcess(folders, {}, ['npm', 'start'])
  const halfRequest = await sendHalf(server)
  process.kill(-server.pid, 'SIGTERM')
  // This signal differs, because the system may merge two signals of the same kind.
  process.kill(-server.pid, 'SIGINT')
  await waitForOutput(server, '"message":"stopping"')
  // A server that exits immediately may reset the connection.
  expect(await halfRequest.finish().catch(String)).toMatch(/^HTTP\/1\.1 201 /)
  await server.exitStatus
  await waitForOutput(server, '"message":"stopped"')
  expect(server.readOutput()).not.toContain('second stop signal')
})

test('npm start forwards a signal and leaves no server running; rollcall event reload makes a server read the event files again', async () => {
  const server = await startServerProcess(folders, {}, ['npm', 'start'])
  const reloadResult = await runHere(['event', 'reload'], { DATA_DIR: folders.dataDir })
  expect([reloadResult.status, reloadResult.stdout]).toEqual([
    0,
    expect.stringMatching(/^The server \(process \d+\) is reloading/),
  ])
  await waitForOutput(server, 'reloading the event files on request')
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  process.kill(server.pid, 'SIGTERM')
  await server.exitStatus
  await waitForOutput(server, '"message":"stopped"')
  const secondReload = await runHere(['event', 'reload'], { DATA_DIR: folders.dataDir })
  expect([secondReload.status, secondReload.stderr]).toEqual([
    1,
    `No server is running on ${folders.dataDir}.\n`,
  ])
})

test('a demo prints the path of its database, and deletes the database on a signal', async () => {
  // With a single event, the demo generates only a fraction of its usual delegates.
  const fewEvents = join(folders.folder, 'few')
  cpSync(join(folders.eventsDir, '_shared'), join(fewEvents, '_shared'), { recursive: true })
  cpSync(join(folders.eventsDir, 'afpicon2026.yaml'), join(fewEvents, 'afpicon2026.yaml'))
  const demo = await startServerProcess(folders, { EVENTS_DIR: fewEvents }, [
    process.execPath,
    launcher,
    'demo',
  ])
  const [, dataDir = ''] = /invented registrations .* stored in (\S+)/.exec(demo.readOutput()) ?? []
  expect(existsSync(join(dataDir, 'rollcall.db'))).toBe(true)
  expect(await demo.stop()).toBe(0)
  expect(existsSync(dataDir)).toBe(false)
})

test('a second signal ends the server immediately, and the log states the reason', async () => {
  const server = await startServerProcess(folders)
  await sendHalf(server)
  process.kill(server.pid, 'SIGTERM')
  await waitForOutput(server, '"message":"stopping"')
  const signalTimer = setInterval(() => process.kill(server.pid, 'SIGTERM'), 100)
  const status = await server.exitStatus
  clearInterval(signalTimer)
  expect(status).toBe(3)
  expect(server.readOutput()).toContain('second stop signal: exiting immediately')
  expect(server.readOutput()).not.toContain('the shutdown timed out')
})

test('a server that exits because of an internal error logs the error', async () => {
  const crashCode = "process.on('SIGUSR2', () => { throw new Error('made up for this test') })"
  const server = await startServerProcess(folders, {
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(crashCode)}`,
  })
  process.kill(server.pid, 'SIGUSR2')
  expect(await server.exitStatus).toBe(1)
  const line = server
    .readOutput()
    .split('\n')
    .find((line) => line.includes('is exiting because of an internal error'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    level: 'error',
    error: expect.stringContaining('made up for this test'),
  })
})

/** Copies the parts of the source tree that a server needs, without the built web app. */
function createUnbuiltTree(): string {
  const sourceTree = mkdtempSync(join(folders.folder, 'tree-'))
  for (const name of ['bin', 'engine', 'schemas', 'server', 'package.json', 'package-lock.json'])
    cpSync(join(top, name), join(sourceTree, name), { recursive: true })
  cpSync(join(top, 'web'), join(sourceTree, 'web'), {
    recursive: true,
    filter: (file) => file !== join(top, 'web', 'dist'),
  })
  symlinkSync(join(top, 'node_modules'), join(sourceTree, 'node_modules'))
  return sourceTree
}

test('a first start builds the web app in a separate process, so that the memory is released', () => {
  const sourceTree = createUnbuiltTree()
  // Replaces the slow build with a command that prints its process id.
  writeFileSync(
    join(sourceTree, 'server', 'cli', 'build.ts'),
    "export const buildCommand = { summary: '', help: '', run: async () => (console.log(`built by ${process.pid}`), 3) }",
  )
  const exitHook = "process.on('exit', () => console.log(`process ${process.pid}`))"
  const { status, stdout } = run(
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(exitHook)}`,
      join(sourceTree, 'bin', 'rollcall.js'),
      'start',
    ],
    { DATA_DIR: folders.dataDir, EVENTS_DIR: folders.eventsDir },
  )
  const [, builderPid] = /^built by (\d+)$/m.exec(stdout) ?? []
  const serverPid = [...stdout.matchAll(/^process (\d+)$/gm)].map(([, pid]) => pid).at(-1)
  expect(status).toBe(3)
  expect(Number(builderPid)).toBeGreaterThan(0)
  expect(builderPid).not.toBe(serverPid)
})

test('code is compiled once for all threads', () => {
  const exitHook =
    "process.on('exit', () => console.log(`kept in ${process.env.NODE_COMPILE_CACHE}`))"
  const { stdout } = run(
    [
      '--import',
      `data:text/javascript,${encodeURIComponent(exitHook)}`,
      launcher,
      'start',
      '--help',
    ],
    { NODE_COMPILE_CACHE: '' },
  )
  expect(stdout).toMatch(/^kept in .+node_modules\/\.cache\/rollcall$/m)
})

test('in production, a server without a built web app reports this and builds nothing', () => {
  const sourceTree = createUnbuiltTree()
  const { status, stderr } = run([join(sourceTree, 'bin', 'rollcall.js'), 'start'], {
    GATEWAY_MODE: 'live',
    PUBLIC_URL: 'https://register.example.org',
    DATA_DIR: folders.dataDir,
  })
  expect([status, stderr]).toEqual([
    2,
    'The web app is not built from these sources, and in production the server does not build it. Run "npm run build" first.\n',
  ])
  expect(existsSync(join(sourceTree, 'web', 'dist'))).toBe(false)
  const doctorResult = run([join(sourceTree, 'bin', 'rollcall.js'), 'doctor'], {
    GATEWAY_MODE: 'live',
    PUBLIC_URL: 'https://register.example.org',
    DATA_DIR: folders.dataDir,
    EVENTS_DIR: folders.folder,
  })
  expect([doctorResult.status, doctorResult.stdout]).toEqual([
    1,
    expect.stringContaining('wrong  The web app is not built: run "npm run build".'),
  ])
})
