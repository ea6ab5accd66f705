#!/usr/bin/env node
/**
 * `npm run dev`: runs the server, restarting it when engine/, server/ or schemas/ change, behind Vite's
 * development server, which hot-reloads web/. Ctrl-C ends both.
 *
 * `npm run dev -- --inspect` starts the server with Node's debugger, which also lists its worker threads.
 * Node's --watch does not work here: with it, worker threads send messages that only Node understands.
 */
import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const rootDir = join(dirname(fileURLToPath(import.meta.url)), '..')
const port = Number(process.env.PORT || 3000)
const webPort = String(port + 2173)
const webUrl = `http://127.0.0.1:${webPort}`
const flags = process.argv.slice(2).filter((flag) => flag.startsWith('--inspect'))

/** Delay between the last change and the restart, because editors write a file in several steps. */
const RESTART_DELAY_MS = 200

/** @param {string[]} args @param {Record<string, string>} extraEnv */
const run = (args, extraEnv) =>
  spawn(process.execPath, args, {
    cwd: rootDir,
    stdio: 'inherit',
    env: { ...process.env, ...extraEnv },
  })

const startServer = () =>
  run([...flags, join('bin', 'rollcall.js'), 'start'], {
    PORT: String(port),
    PUBLIC_URL: webUrl,
    // Runs the sources even if there is a build, so that a debugger shows them.
    ROLLCALL_SOURCES: '1',
  })
let server = startServer()
const vite = run(
  [
    join('node_modules', 'vite', 'bin', 'vite.js'),
    'web',
    '--port',
    webPort,
    '--strictPort',
    '--host',
    '127.0.0.1',
  ],
  { ROLLCALL_SERVER: `http://127.0.0.1:${port}` },
)
console.log(`Development: ${webUrl} (proxy for the server on port ${port})`)

let isShuttingDown = false
/** @type {NodeJS.Timeout | undefined} */
let restartTimer
const scheduleRestart = () => {
  clearTimeout(restartTimer)
  restartTimer = setTimeout(() => {
    const oldServer = server
    const restart = () => {
      if (!isShuttingDown) server = startServer()
    }
    if (oldServer.exitCode === null && oldServer.signalCode === null)
      oldServer.once('exit', restart).kill('SIGTERM')
    else restart()
  }, RESTART_DELAY_MS)
}
for (const folder of ['engine', 'server', 'schemas'])
  watch(join(rootDir, folder), { recursive: true }, scheduleRestart)

const shutDown = () => {
  if (isShuttingDown) return
  isShuttingDown = true
  server.kill('SIGTERM')
  vite.kill('SIGTERM')
  const runningChildren = [server, vite].filter((child) => child.exitCode === null)
  void Promise.all(
    runningChildren.map((child) => new Promise((resolve) => child.once('exit', resolve))),
  ).then(() => process.exit(0))
}
process.on('SIGINT', shutDown)
process.on('SIGTERM', shutDown)
vite.on('exit', shutDown)
