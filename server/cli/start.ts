/** `rollcall start`: runs the server until it is stopped. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { isUpToDate, WEB_BUILD } from './build/stamp.ts'
import { parseArguments } from './options.ts'
import type { Command, Status, Terminal } from './command.ts'
import type { Environment } from '../dependencies.ts'
import { setLibrariesToProduction } from '../ops/environment.ts'
import { explainTooFewDescriptors } from '../ops/file-descriptors.ts'

export const startCommand: Command = {
  help: `Usage: rollcall start [--new]

Serves the forms, the office and the pages until it is stopped (SIGTERM or Ctrl-C). It first builds the web app if
it is missing or older than its sources (in production it only reports this). The first start prints a password
for the office.

  --new   starts with an empty database if the previous one is missing from DATA_DIR; without --new, the server
          does not start in that case

Environment variables configure the server: PORT, HOST, PUBLIC_URL, DATA_DIR, DATABASE_URL, UPLOADS_URL, EVENTS_DIR,
ADMIN_USERNAME, ADMIN_PASSWORD, SMTP_URL, MAIL_FROM, GATEWAY_MODE, AIRPAY_<ACCOUNT>_…, RATE_LIMITS, TRUST_PROXY and
more; docs/settings.md lists all of them. Secrets can also come from files: ADMIN_PASSWORD_FILE and so on.

Exit status: 0 stopped; 1 an event file has errors; 2 a variable is invalid, or the database cannot be used; 3 internal
error; 75 a temporary problem, such as a full disk, too few file descriptors or an unreachable PostgreSQL: start
again.`,
  run: async (args, terminal) => {
    const parsed = parseArguments(
      args,
      { new: { type: 'boolean' } },
      [0, 0],
      startCommand.help,
      terminal,
    )
    if (parsed === null) return 2
    const environment = terminal.environment()
    if (environment === null) return 2
    return serveUntilStopped(environment, terminal, { isNew: parsed.values['new'] === true })
  },
}

/** Runs the build in a separate process, because its memory would otherwise stay allocated in the server. */
async function buildInSeparateProcess(): Promise<Status> {
  const launcher = path.join(import.meta.dirname, '..', '..', 'bin', 'rollcall.js')
  const child = spawn(process.execPath, [launcher, 'build'], { stdio: 'inherit' })
  const [status] = (await once(child, 'exit')) as [number | null]
  return status === 0 ? 0 : 3
}

/**
 * Builds the web app if it is missing or outdated (never in production), serves until a signal stops it, and
 * returns the exit status.
 */
export async function serveUntilStopped(
  environment: Environment,
  terminal: Terminal,
  options: { readonly isNew?: boolean } = {},
): Promise<Status> {
  // Checked before anything is opened, because later errors due to too few descriptors would report another cause.
  const descriptorProblem = explainTooFewDescriptors()
  if (descriptorProblem !== null) {
    terminal.printError(`The server does not start. ${descriptorProblem}`)
    return 75
  }
  if (!isUpToDate(WEB_BUILD)) {
    if (environment.production) {
      terminal.printError(
        'The web app is not built from these sources, and in production the server does not build it. Run "npm run build" first.',
      )
      return 2
    }
    const buildStatus = await buildInSeparateProcess()
    if (buildStatus !== 0) return buildStatus
  }
  // Set after the build, which reads the environment again and needs the operator's settings.
  setLibrariesToProduction()
  const { bootServer } = await import('../main.ts')
  const bootResult = await bootServer(environment, terminal, undefined, options)
  if (!bootResult.ok) {
    terminal.printError(bootResult.error.text)
    return bootResult.error.status
  }
  return bootResult.value.stopped
}
