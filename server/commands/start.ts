/** `rollcall start`: serves everything until it is told to stop. */
import type { Command, Status, Terminal } from './command.ts'
import type { Environment } from '../deps.ts'

export const start: Command = {
  summary: 'Serve landing page, forms and office, and the sandbox gateway',
  help: `Usage: rollcall start

Builds the web app when it is missing or older than its sources, then serves everything until it is
told to stop (SIGTERM or Ctrl-C). The first time it prints a password for the office.

Where and how is said by environment variables: PORT, HOST, PUBLIC_URL, DATA_DIR, EVENTS_DIR,
ADMIN_USERNAME, ADMIN_PASSWORD, SMTP_URL, MAIL_FROM, GATEWAY_MODE, AIRPAY_<ACCOUNT>_…, RATE_LIMITS,
CLOCK, TRUST_PROXY, SANDBOX_PORT.

Exit status: 0 stopped as told, 1 an event file has errors, 2 a variable is wrong, 3 our fault.`,
  run: async (args, terminal) => {
    if (args.length > 0) {
      terminal.complain(
        'rollcall start takes no arguments; it is told everything by environment variables.',
      )
      return 2
    }
    const environment = terminal.environment()
    if (environment === null) return 2
    return serveUntilStopped(environment, terminal)
  },
}

/** Builds the web app where it is missing or old, serves until a signal stops it, and answers the exit status. */
export async function serveUntilStopped(
  environment: Environment,
  terminal: Terminal,
): Promise<Status> {
  const [{ buildWeb }, { boot }] = await Promise.all([
    import('./web-build.ts'),
    import('../serve.ts'),
  ])
  await buildWeb({ force: false, say: terminal.print })
  const booted = await boot(environment, terminal)
  if (!booted.ok) {
    terminal.complain(booted.error.text)
    return booted.error.status
  }
  await booted.value.stopped
  return 0
}
