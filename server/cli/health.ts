/** `rollcall health`: queries the health of the local server, for containers and scripts. */
import type { Environment } from '../dependencies.ts'
import type { Command } from './command.ts'
import { readArguments } from './options.ts'

/** A server that does not answer within this time does not answer delegates either. */
const ANSWER_MS_MAX = 10_000

const help = `Usage: rollcall health

Asks the server at HOST and PORT for its state, and prints what needs attention.

Exit status: 0 the server works (anything printed can wait); 1 it does not; 2 a variable is invalid.`

export const asking: Command = {
  help,
  run: async (args, terminal) => {
    if (readArguments(args, {}, [0, 0], help, terminal) === null) return 2
    const environment = terminal.environment()
    if (environment === null) return 2
    const answer = await askHealth(environment)
    if (answer === null) {
      terminal.complain(`No server answers at ${addressOf(environment)}.`)
      return 1
    }
    const { isServing, status, health, troubles = [], notes = [], message } = answer
    if (!isServing) {
      terminal.complain(message ?? `The server at ${addressOf(environment)} answers ${status}.`)
      return 1
    }
    terminal.print(
      health === 'good' ? 'The server is well.' : 'The server serves, and somebody should look:',
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
  /** Problems that need attention, and the process id: sent only to the machine itself, or with the token. */
  readonly troubles?: readonly string[]
  readonly process?: number
  readonly mail?: { readonly waiting: number }
  /** Information that needs no action. */
  readonly notes?: readonly string[]
}
type Where = Pick<Environment, 'host' | 'port' | 'metricsToken'>

/** Returns the address at which this environment's server answers local requests. */
export function addressOf({ host, port }: Where): string {
  const name =
    host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}/healthz`
}

/**
 * Returns the health report of the server at HOST and PORT; null: nothing answers, or it is not a Rollcall
 * server.
 */
export async function askHealth(environment: Where): Promise<Health | null> {
  const { metricsToken } = environment
  try {
    const answer = await fetch(addressOf(environment), {
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
      headers: metricsToken === null ? {} : { authorization: `Bearer ${metricsToken}` },
    })
    const said = (await answer.json()) as Partial<Health>
    return { ...said, isServing: answer.ok, status: answer.status }
  } catch {
    return null
  }
}
