#!/usr/bin/env node
/** `npm test`: runs the web build, then every vitest project, and in parallel all other checks. */
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

// The other checks are types, lint, format and event files. `npm test` puts node_modules/.bin first,
// so the lockfile's Node 24 runs this file. An older Node can parse this plain JavaScript, and then starts Node 24.
//
// `npm test -- tests/engine` runs only those tests; everything after `--` goes to vitest.
// `HEADED=1 npm test -- tests/browser/paid.test.ts` shows the browser, slowed down.

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
  const ownNode = join(bin, 'node')
  if (process.env.ROLLCALL_HANDED_OVER || !existsSync(ownNode))
    stop(
      `Node ${process.versions.node} is too old to run the tests: install Node 22.18 or newer, or run "npm ci" on Linux, which brings one.`,
      2,
    )
  const child = spawnSync(ownNode, process.argv.slice(1), {
    stdio: 'inherit',
    env: Object.assign({}, env, { ROLLCALL_HANDED_OVER: '1' }),
  })
  process.exit(child.status === null ? 1 : child.status)
}

// ── A browser ──────────────────────────────────────────────────────────────────

/** The headless shell is the same browser engine without a window; it opens a context in a third of the time. */
const SHELL = 'chromium-headless-shell'
const KNOWN_BROWSERS = [
  SHELL,
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
]

/** Returns the path of a Chromium, or null. `CHROMIUM` sets the path; if that file is missing, the run stops. @param {string[]} names */
function findBrowser(names) {
  if (process.env.CHROMIUM) {
    if (!existsSync(process.env.CHROMIUM))
      stop(`CHROMIUM is set to "${process.env.CHROMIUM}", but that file does not exist.`, 2)
    return process.env.CHROMIUM
  }
  const folders = (process.env.PATH || '')
    .split(delimiter)
    .concat('/usr/bin', '/usr/local/bin', '/snap/bin')
  for (const name of names)
    for (const folder of folders) if (existsSync(join(folder, name))) return join(folder, name)
  return null
}

/**
 * Installs Debian's headless shell if possible: as root, with apt. Package lists are fetched only if the installation
 * fails.
 */
function installShell() {
  if (!process.getuid || process.getuid() !== 0 || !existsSync('/usr/bin/apt-get')) return
  console.log(`· ${SHELL} is not installed: installing the Debian package`)
  const apt = {
    stdio: 'ignore',
    env: Object.assign({}, env, { DEBIAN_FRONTEND: 'noninteractive' }),
  }
  const install = () =>
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', SHELL], apt).status ===
    0
  if (!install() && spawnSync('apt-get', ['update', '-qq'], apt).status === 0) install()
}

/** Returns the path of a browser. As root on Debian, installs it if necessary. Otherwise stops with instructions. */
function needBrowser() {
  // The headless shell cannot show a window.
  if (process.env.HEADED === '1')
    return (
      findBrowser(KNOWN_BROWSERS.filter((name) => name !== SHELL)) ||
      stop(
        'HEADED=1 shows a window, which needs the full Chromium browser: install it ("sudo apt-get install chromium") or set CHROMIUM to its path.',
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

// ── A temporary folder ───────────────────────────────────────────

const MEMORY_FOLDER = '/dev/shm'
/** Several times the total size of the tests' temporary files. */
const MEMORY_BYTES_MIN = 8 * 1024 ** 3

/**
 * Puts the hundreds of server folders that the tests create and delete in memory instead of on disk, if there is
 * enough memory and files there can be executed. Does not change a TMPDIR that is already set.
 */
function useMemory() {
  if (process.env.TMPDIR || !existsSync(MEMORY_FOLDER)) return
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
  if (bavail * bsize < MEMORY_BYTES_MIN) return
  const folder = mkdtempSync(join(MEMORY_FOLDER, 'rollcall-tests-'))
  // Writable for all, like any temporary folder: PostgreSQL and some servers run as other users.
  chmodSync(folder, 0o1777)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
  const probe = join(folder, 'probe')
  writeFileSync(probe, '', { mode: 0o700 })
  try {
    accessSync(probe, constants.X_OK)
    env.TMPDIR = folder
  } catch {
    // The mount does not allow execution.
  }
}

// ── Steps ──────────────────────────────────────────────────────────────────────

/** The output of failed steps, keyed by name: printed when the step ends, and again at the end of the run. @type {Map<string, string>} */
const failedSteps = new Map()

/**
 * For the compiler and the type-aware linter, which are written in Go. A second thread would compute the same types
 * again, and less garbage collection saves a fifth of the time. Near the memory limit, garbage is collected as usual.
 */
const ONE_CHECKER = { GOMAXPROCS: '1', GOGC: 'off', GOMEMLIMIT: '2500MiB' }

/**
 * Runs one command and prints its output only if it fails, so that the output of parallel steps does not mix.
 * @param {string} name @param {string} command @param {string[]} args @param {Record<string, string>} variables
 */
function runStep(name, command, args, variables = {}) {
  const startedAt = Date.now()
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: top,
      env: Object.assign({}, env, variables),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    child.on('error', (error) => (output += `${error.message}\n`))
    child.on('close', (status) => {
      const hasPassed = status === 0
      const resultLine = `${hasPassed ? '✓' : '✗'} ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`
      console.log(resultLine)
      if (!hasPassed) {
        failedSteps.set(name, `${resultLine}\n${output.trimEnd() || `  ended with ${status}`}`)
        console.log(output.trimEnd())
      }
      resolve(hasPassed)
    })
  })
}

/** One day, in which many versions of a file may be compiled. */
const MAX_COMPILED_MS = 24 * 60 * 60 * 1000

/** Removes old compiled files: each version of a file, and each run of a test, is stored under its own name. @param {string} folder */
function removeOldFiles(folder) {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile() && Date.now() - statSync(file).mtimeMs > MAX_COMPILED_MS) rmSync(file)
  }
}

/** Runs the tests and prints their output immediately. @param {string[]} args */
function runVitest(args) {
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [join(top, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...args],
      { cwd: top, env, stdio: 'inherit' },
    )
    child.on('error', (error) => failedSteps.set('tests', error.message))
    child.on('close', (status) => {
      if (status !== 0 && !failedSteps.has('tests')) failedSteps.set('tests', '')
      resolve(status === 0)
    })
  })
}

const vitestArgs = process.argv.slice(2)
const runsEverything = vitestArgs.length === 0
if (runsEverything && !env.RUNS) {
  // Leaves out slow files (tests/runs.ts) and slow tests.
  env.RUNS = 'commit'
  vitestArgs.push('--tagsFilter', '!slow')
}
mkdirSync(join(top, 'tests', '.cache'), { recursive: true })
env.CHROMIUM = needBrowser()
useMemory()
// Each server, worker thread and command that the tests start loads the same TypeScript. A compile cache halves the
// time that this takes.
env.NODE_COMPILE_CACHE = join(top, 'tests', '.cache', 'compiled')
removeOldFiles(env.NODE_COMPILE_CACHE)
// Styles that one worker has checked are not checked again by the others (tests/browser/browser.ts).
const checkedStyles = join(top, 'tests', '.cache', `checked-styles-${process.pid}`)
env.CHECKED_STYLES = checkedStyles
process.on('exit', () => rmSync(checkedStyles, { force: true }))

const rollcall = join(top, 'bin', 'rollcall.js')
// The tests wait for the build only; all other checks run in parallel with both.
const build = runStep('build', process.execPath, [rollcall, 'build'])
const otherChecks = !runsEverything
  ? []
  : [
      runStep('types', 'tsc', ['--checkers', '1'], ONE_CHECKER),
      runStep(
        'lint',
        'oxlint',
        ['--deny-warnings', 'engine', 'server', 'web', 'schemas', 'tests', 'bin'],
        ONE_CHECKER,
      ),
      runStep('format', 'oxfmt', ['--check']),
      runStep('event files', process.execPath, [rollcall, 'validate']),
    ]
// Threads of servers in the tests load this build (tests/built-threads.ts).
if (await build) env.BUILT_THREADS = '1'
await runVitest(vitestArgs)
await Promise.all(otherChecks)

if (failedSteps.size > 0) {
  for (const output of failedSteps.values()) if (output !== '') console.log(`\n${output}`)
  stop(`\nnpm test: failed in ${[...failedSteps.keys()].join(', ')}.`, 1)
}
console.log(
  env.RUNS === 'commit'
    ? '\nnpm test: everything passed. Slow tests were left out: npm test -- tests'
    : '\nnpm test: everything passed.',
)
