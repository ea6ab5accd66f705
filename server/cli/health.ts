/** `rollcall health`: asks the server that runs here how it is, for whoever watches it from a container or a script. */
import type { Environment } from '../dependencies.ts'
import type { Command } from './command.ts'
import { readArguments } from './options.ts'

/** A server that does not answer within this does not answer a delegate either. */
const ANSWER_MS_MAX = 10_000

const help = `Usage: rollcall health

Asks the server at HOST and PORT how it is, and prints what somebody should look after.

Exit status: 0 it serves (what is printed can wait for a person); 1 it does not; 2 a variable is wrong.`

export const asking: Command = {
  summary: 'Ask the running server how it is',
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
  /** What somebody should look after, and which process it is: said to the machine itself, or for the token. */
  readonly troubles?: readonly string[]
  readonly process?: number
  /** What needs nobody. */
  readonly notes?: readonly string[]
}
type Where = Pick<Environment, 'host' | 'port' | 'metricsToken'>

/** Where the server of this environment answers whoever is on its machine. */
export function addressOf({ host, port }: Where): string {
  const name =
    host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}/healthz`
}

/** What the server at HOST and PORT says of itself; null: nobody answers, or something that is no server of ours. */
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
