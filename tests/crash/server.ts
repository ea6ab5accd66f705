/** A server process that can be killed and restarted on the same data, and 64 clients that register. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createPdf } from '../server/sample-uploads.ts'
import { useCompiledEvents, useEmptyDatabase } from '../server/prepared-files.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const CLIENT_COUNT = 64

export type RunningServer = {
  readonly url: string
  readonly child: ChildProcess
  end(signal: NodeJS.Signals): Promise<void>
}

/**
 * Returns the command that an operator uses: `rollcall start`. An up-to-date build starts in half the CPU time that
 * the sources need.
 */
export const getServerCommand = (...nodeArgs: readonly string[]): readonly string[] => [
  process.execPath,
  ...nodeArgs,
  join(ROOT, 'bin', 'rollcall.js'),
  'start',
]
export const getServerVariables = (dataDir: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  // A restarted server uses the test run's compile cache.
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  DATA_DIR: dataDir,
  EVENTS_DIR: join(ROOT, 'events'),
  PORT: '0',
  SANDBOX_PORT: '0',
  RATE_LIMITS: 'off',
  ADMIN_PASSWORD: 'a long password for tests',
  CLOCK: '2025-07-15',
})

/** Resolves when the process prints its address. */
export async function waitForStart(child: ChildProcess): Promise<RunningServer> {
  let output = ''
  const exit = new Promise<void>((resolve) => {
    child.on('exit', () => resolve())
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const serverUrl = /Rollcall serves .* on (http:\S+)/.exec(output)?.[1]
      if (serverUrl !== undefined) resolve(serverUrl)
    })
    child.on('exit', (status) => reject(new Error(`the server ended with ${status}:\n${output}`)))
  })
  return {
    url,
    child,
    end: async (signal) => {
      child.kill(signal)
      await exit
    },
  }
}

export async function startServer(
  dataDir: string,
  options: { readonly nodeArgs?: readonly string[]; readonly variables?: NodeJS.ProcessEnv } = {},
): Promise<RunningServer> {
  useCompiledEvents(dataDir)
  await useEmptyDatabase(dataDir)
  const [node = '', ...args] = getServerCommand(...(options.nodeArgs ?? []))
  return waitForStart(
    spawn(node, args, {
      cwd: ROOT,
      env: { ...getServerVariables(dataDir), ...options.variables },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
}

/** The header that the web form sends. Without a cookie, each request counts as a new browser. */
export const WEB_FORM_HEADERS = { 'rollcall-form': '1' }

/**
 * Registers one delegate with a unique uploaded file. Returns the number, or null after a lost connection
 * or an error response.
 */
export async function register(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  const form = new FormData()
  const answers = {
    full_name: 'Asha Demo',
    email: 'asha@example.org',
    phone_number: '9876543210',
    state: 'Kerala',
    ticket_type: 'afpi-pg',
  }
  for (const [field, answer] of Object.entries(answers)) form.append(field, answer)
  form.append('pg_proof', new Blob([new Uint8Array(createPdf(randomUUID()))]), 'proof.pdf')
  try {
    const response = await fetch(`${url}/api/afpicon/register/`, {
      method: 'POST',
      body: form,
      headers,
    })
    const body = (await response.json()) as { reg_no?: string }
    return response.status === 201 ? (body.reg_no ?? null) : null
  } catch {
    return null
  }
}

/** Registers delegates with 64 clients until the server stops. `onRegistered` gets each confirmed number. */
export async function runClients(
  { url, child }: RunningServer,
  onRegistered: (regNo: string) => void,
): Promise<void> {
  await Promise.all(
    Array.from({ length: CLIENT_COUNT }, async () => {
      while (child.exitCode === null && child.signalCode === null) {
        const regNo = await register(url)
        if (regNo !== null) onRegistered(regNo)
      }
    }),
  )
}
