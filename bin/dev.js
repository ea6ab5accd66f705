#!/usr/bin/env node
/**
 * `npm run dev`: the server, started again when engine/, server/ or schemas/ change, and vite's
 * development server in front of it, which shows a change in web/ without a reload. Ctrl-C ends both.
 *
 * `npm run dev -- --inspect` opens Node's debugger for the server; its threads appear beside it.
 * (Node's own --watch would do, but its threads then send messages that only Node understands.)
 */
import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const top = join(dirname(fileURLToPath(import.meta.url)), '..')
const port = Number(process.env.PORT || 3000)
const webPort = String(port + 2173)
const web = `http://127.0.0.1:${webPort}`
const flags = process.argv.slice(2).filter((flag) => flag.startsWith('--inspect'))

/** An editor writes a file in several steps; this long after the last one the server starts again. */
const SETTLE_MS = 200

/** @param {string[]} args @param {Record<string, string>} more */
const run = (args, more) =>
  spawn(process.execPath, args, { cwd: top, stdio: 'inherit', env: { ...process.env, ...more } })

const startServer = () =>
  run([...flags, join('bin', 'rollcall.js'), 'start'], {
    PORT: String(port),
    PUBLIC_URL: web,
    // A debugger shows the sources.
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
console.log(`Development: ${web} (the server behind it listens on ${port})`)

let ending = false
/** @type {NodeJS.Timeout | undefined} */
let settling
const changed = () => {
  clearTimeout(settling)
  settling = setTimeout(() => {
    const old = server
    const begin = () => {
      if (!ending) server = startServer()
    }
    if (old.exitCode === null && old.signalCode === null) old.once('exit', begin).kill('SIGTERM')
    else begin()
  }, SETTLE_MS)
}
for (const folder of ['engine', 'server', 'schemas'])
  watch(join(top, folder), { recursive: true }, changed)

const end = () => {
  if (ending) return
  ending = true
  server.kill('SIGTERM')
  vite.kill('SIGTERM')
  const alive = [server, vite].filter((child) => child.exitCode === null)
  void Promise.all(alive.map((child) => new Promise((gone) => child.once('exit', gone)))).then(() =>
    process.exit(0),
  )
}
process.on('SIGINT', end)
process.on('SIGTERM', end)
vite.on('exit', end)
