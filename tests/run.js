#!/usr/bin/env node
/**
 * `npm test`: the web build, then every vitest project, and beside them types, lint, format and event files. Plain JavaScript that
 * an old Node can read: `npm test` puts node_modules/.bin first, so the lockfile's Node 24 runs
 * this file; started by hand with another Node, it hands over to that one.
 *
 * `npm test -- tests/engine` runs only those tests; everything after `--` goes to vitest.
 * `HEADED=1 npm test -- tests/browser/paid.test.ts` shows the browser, slowed down.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const top = join(dirname(fileURLToPath(import.meta.url)), '..')
const bin = join(top, 'node_modules', '.bin')
const env = Object.assign({}, process.env, {
  PATH: bin + delimiter + (process.env.PATH || ''),
  FORCE_COLOR: process.stdout.isTTY ? '1' : '0',
})

/** @param {string} sentence @param {number} status @returns {never} */
function stop(sentence, status) {
  console.error(sentence)
  process.exit(status)
}

// ── The right Node ─────────────────────────────────────────────────────────────

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  const own = join(bin, 'node')
  if (process.env.ROLLCALL_HANDED_OVER || !existsSync(own))
    stop(
      `Node ${process.versions.node} is too old to run the tests: install Node 22.18 or newer, or run "npm ci" on Linux, which brings one.`,
      2,
    )
  const again = spawnSync(own, process.argv.slice(1), {
    stdio: 'inherit',
    env: Object.assign({}, env, { ROLLCALL_HANDED_OVER: '1' }),
  })
  process.exit(again.status === null ? 1 : again.status)
}

// ── A browser ──────────────────────────────────────────────────────────────────

/** The shell is the same engine without a window around it: a fresh visitor costs a third. */
const SHELL = 'chromium-headless-shell'
const KNOWN_BROWSERS = [
  SHELL,
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
]

/** Path of a Chromium, or null. `CHROMIUM` names one; a wrong one is said, not passed over. @param {string[]} names */
function findBrowser(names) {
  if (process.env.CHROMIUM) {
    if (!existsSync(process.env.CHROMIUM))
      stop(`CHROMIUM is "${process.env.CHROMIUM}", and there is no such file.`, 2)
    return process.env.CHROMIUM
  }
  const folders = (process.env.PATH || '')
    .split(delimiter)
    .concat('/usr/bin', '/usr/local/bin', '/snap/bin')
  for (const name of names)
    for (const folder of folders) if (existsSync(join(folder, name))) return join(folder, name)
  return null
}

/** Installs Debian's headless shell where that is possible: as root, with apt. The lists of packages are fetched only when they are missing. */
function installShell() {
  if (!process.getuid || process.getuid() !== 0 || !existsSync('/usr/bin/apt-get')) return
  console.log(`· no ${SHELL} here: installing Debian's package`)
  const apt = {
    stdio: 'ignore',
    env: Object.assign({}, env, { DEBIAN_FRONTEND: 'noninteractive' }),
  }
  const install = () =>
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', SHELL], apt).status ===
    0
  if (!install() && spawnSync('apt-get', ['update', '-qq'], apt).status === 0) install()
}

/** Finds a browser or, as root on a Debian, installs its package; else says what to do. */
function needBrowser() {
  // The shell has no window to show.
  if (process.env.HEADED === '1')
    return (
      findBrowser(KNOWN_BROWSERS.filter((name) => name !== SHELL)) ||
      stop(
        'HEADED=1 shows a window, for which the tests need a whole Chromium: install it ("sudo apt-get install chromium") or set CHROMIUM to its path.',
        1,
      )
    )
  if (!findBrowser([SHELL])) installShell()
  return (
    findBrowser(KNOWN_BROWSERS) ||
    stop(
      'The browser tests need Chromium: install it ("sudo apt-get install chromium") or set CHROMIUM to its path, then run npm test again.',
      1,
    )
  )
}

// ── A folder for what is thrown away ───────────────────────────────────────────

const MEMORY = '/dev/shm'
/** Several times what all tests together have there. */
const MEMORY_BYTES_MIN = 8 * 1024 ** 3

/**
 * Hundreds of servers are given a folder of their own, and each is thrown away: where memory has room for them, and what
 * lies there may be run, no disk is written. Whoever sets TMPDIR has chosen.
 */
function useMemory() {
  if (process.env.TMPDIR || !existsSync(MEMORY)) return
  const { bavail, bsize } = statfsSync(MEMORY)
  if (bavail * bsize < MEMORY_BYTES_MIN) return
  const folder = mkdtempSync(join(MEMORY, 'rollcall-tests-'))
  // Like any such folder: PostgreSQL, and a server that is tried as somebody else, are not who runs the tests.
  chmodSync(folder, 0o1777)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
  const probe = join(folder, 'probe')
  writeFileSync(probe, '', { mode: 0o700 })
  try {
    accessSync(probe, constants.X_OK)
    env.TMPDIR = folder
  } catch {
    // Mounted so that nothing there may be run.
  }
}

// ── Steps ──────────────────────────────────────────────────────────────────────

/** What went wrong, by step: said when it ends and once more at the very end, where one looks. @type {Map<string, string>} */
const failed = new Map()

/**
 * For the compiler and the type-aware lint, which are written in Go: a second thread learns the same types again, and
 * collecting their memory less often saves a fifth of their time. Near the limit it is collected as usual.
 */
const ONE_CHECKER = { GOMAXPROCS: '1', GOGC: 'off', GOMEMLIMIT: '2500MiB' }

/**
 * Runs one command and keeps what it prints until it ends, so that steps side by side do not mix.
 * @param {string} name @param {string} command @param {string[]} args @param {Record<string, string>} variables
 */
function quietly(name, command, args, variables = {}) {
  const begun = Date.now()
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: top,
      env: Object.assign({}, env, variables),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let printed = ''
    child.stdout.on('data', (chunk) => (printed += chunk))
    child.stderr.on('data', (chunk) => (printed += chunk))
    child.on('error', (error) => (printed += `${error.message}\n`))
    child.on('close', (status) => {
      const good = status === 0
      const said = `${good ? '✓' : '✗'} ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`
      console.log(said)
      if (!good) {
        failed.set(name, `${said}\n${printed.trimEnd() || `  ended with ${status}`}`)
        console.log(printed.trimEnd())
      }
      resolve(good)
    })
  })
}

/** A day of work with one version of a file after the other. */
const COMPILED_MS_MAX = 24 * 60 * 60 * 1000

/** Removes what was compiled long ago: each version of a file, and each run of a test, is kept under a name of its own. @param {string} folder */
function forgetOldOf(folder) {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile() && Date.now() - statSync(file).mtimeMs > COMPILED_MS_MAX) rmSync(file)
  }
}

/** Prints as it goes. @param {string[]} args */
function vitest(args) {
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [join(top, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...args],
      { cwd: top, env, stdio: 'inherit' },
    )
    child.on('error', (error) => failed.set('tests', error.message))
    child.on('close', (status) => {
      if (status !== 0 && !failed.has('tests')) failed.set('tests', '')
      resolve(status === 0)
    })
  })
}

const asked = process.argv.slice(2)
mkdirSync(join(top, 'tests', '.cache'), { recursive: true })
env.CHROMIUM = needBrowser()
useMemory()
// Each server, worker thread and command of the tests reads the same TypeScript; kept as compiled it opens in half the time.
env.NODE_COMPILE_CACHE = join(top, 'tests', '.cache', 'compiled')
forgetOldOf(env.NODE_COMPILE_CACHE)
// What one worker's browser has checked, the others need not check again (tests/browser/browser.ts).
const checkedStyles = join(top, 'tests', '.cache', `checked-styles-${process.pid}`)
env.CHECKED_STYLES = checkedStyles
process.on('exit', () => rmSync(checkedStyles, { force: true }))

const rollcall = join(top, 'bin', 'rollcall.js')
// The tests wait for the web app only; what else is judged is judged beside it and beside them.
const built = quietly('web build', process.execPath, [rollcall, 'build'])
const judged =
  asked.length > 0
    ? []
    : [
        quietly('types', 'tsc', ['--checkers', '1'], ONE_CHECKER),
        quietly(
          'lint',
          'oxlint',
          ['--deny-warnings', 'engine', 'server', 'web', 'schemas', 'tests', 'bin'],
          ONE_CHECKER,
        ),
        quietly('format', 'oxfmt', ['--check']),
        quietly('event files', process.execPath, [rollcall, 'validate']),
      ]
await built
await vitest(asked)
await Promise.all(judged)

if (failed.size > 0) {
  for (const printed of failed.values()) if (printed !== '') console.log(`\n${printed}`)
  stop(`\nnpm test: failed in ${[...failed.keys()].join(', ')}.`, 1)
}
console.log('\nnpm test: everything passed.')
