/** A real server process of its own for a test file: free ports, a folder that is thrown away, the sandbox gateway. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { closeSync, cpSync, mkdtempSync, openSync, readFileSync, rmSync, watch } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const TOP = join(import.meta.dirname, '..', '..')
export const ADMIN = { username: 'office', password: 'a long password for tests' } as const

export type Served = {
  /** `http://127.0.0.1:PORT`, no trailing slash. */
  readonly url: string
  readonly dataDir: string
  /** A copy of the event files that a test may change. */
  readonly eventsDir: string
  /** Everything the process has printed. */
  readonly printed: () => string
  readonly process: ChildProcess
  readonly stop: () => Promise<void>
}

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() =>
        typeof address === 'object' && address
          ? resolve(address.port)
          : reject(new Error('no port')),
      )
    })
  })

/**
 * Starts the server and answers when it says that it listens. `variables` are laid over the usual
 * ones; `prepare` may change the event files or fill the data folder before; `tree` is another checkout;
 * the command `demo` fills a database of its own.
 */
export async function serve(
  variables: Readonly<Record<string, string>> = {},
  prepare: (folders: { readonly dataDir: string; readonly eventsDir: string }) => void = () => {},
  tree: string = TOP,
  command: 'start' | 'demo' = 'start',
): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-browser-'))
  const dataDir = join(folder, 'var')
  const eventsDir = join(folder, 'events')
  cpSync(join(tree, 'events'), eventsDir, { recursive: true })
  prepare({ dataDir, eventsDir })
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}`
  // What it prints goes to a file: a pipe would make the load generator of the bench read every line.
  const printedTo = join(folder, 'printed.txt')
  const output = openSync(printedTo, 'a')
  const printed = (): string => readFileSync(printedTo, 'utf8')
  const child = spawn(process.execPath, [join(tree, 'bin', 'rollcall.js'), command], {
    cwd: tree,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PORT: port,
      SANDBOX_PORT: String(await freePort()),
      DATA_DIR: dataDir,
      EVENTS_DIR: eventsDir,
      ADMIN_USERNAME: ADMIN.username,
      ADMIN_PASSWORD: ADMIN.password,
      RATE_LIMITS: 'off',
      ...variables,
    },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  await new Promise<void>((resolve, reject) => {
    const watcher = watch(printedTo, () => look())
    const look = (): void => {
      if (!printed().includes(url)) return
      watcher.close()
      resolve()
    }
    child.on('exit', (status) => {
      watcher.close()
      reject(new Error(`the server ended with ${status}:\n${printed()}`))
    })
    look()
  })
  return {
    url,
    dataDir,
    eventsDir,
    process: child,
    printed,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = new Promise((resolve) => child.once('exit', resolve))
        child.kill('SIGTERM')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
