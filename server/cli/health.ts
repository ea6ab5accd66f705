/** `rollcall health`: queries the health of the local server, for containers and scripts. */
import type { Environment } from '../dependencies.ts'
import type { Command } from './command.ts'
import { parseArguments } from './options.ts'

/** A server that does not respond within this time does not respond to delegates either. */
const RESPONSE_TIMEOUT_MS = 10_000

const help = `Usage: rollcall health

Queries the state of the server at HOST and PORT, and prints what needs attention.

Exit status: 0 the server works, although it may need attention; 1 the server does not work; 2 a variable is invalid.`

export const healthCommand: Command = {
  help,
  run: async (args, terminal) => {
    if (parseArguments(args, {}, [0, 0], help, terminal) === null) return 2
    const environment = terminal.environment()
    if (environment === null) return 2
    const report = await fetchHealth(environment)
    if (report === null) {
      terminal.printError(`No server responds at ${buildHealthUrl(environment)}.`)
      return 1
    }
    const { isServing, status, health, troubles = [], notes = [], message } = report
    if (!isServing) {
      terminal.printError(
        message ?? `The server at ${buildHealthUrl(environment)} responds with ${status}.`,
      )
      return 1
    }
    terminal.print(
      health === 'good' ? 'The server is healthy.' : 'The server is running, but needs attention:',
    )
    for (const text of [...troubles, ...notes]) terminal.print(`  ${text}`)
    return 0
  },
}

type Health = {
  readonly isServing: boolean
  readonly status: number
  readonly health?: string
  readonly message?: string
  /** Problems that need attention, and the process id: sent only to requests from this machine or with the token. */
  readonly troubles?: readonly string[]
  readonly process?: number
  readonly mail?: { readonly waiting: number }
  /** Information that needs no action. */
  readonly notes?: readonly string[]
}
type ServerAddress = Pick<Environment, 'host' | 'port' | 'metricsToken'>

/** Returns the health URL of this environment's server for local requests. */
export function buildHealthUrl({ host, port }: ServerAddress): string {
  const hostname =
    host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${hostname}:${port}/healthz`
}

/**
 * Returns the health report of the server at HOST and PORT. Null if nothing responds there, or the response is not
 * JSON.
 */
export async function fetchHealth(environment: ServerAddress): Promise<Health | null> {
  const { metricsToken } = environment
  try {
    const response = await fetch(buildHealthUrl(environment), {
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      headers: metricsToken === null ? {} : { authorization: `Bearer ${metricsToken}` },
    })
    const body = (await response.json()) as Partial<Health>
    return { ...body, isServing: response.ok, status: response.status }
  } catch {
    return null
  }
}
