/** `rollcall health`: asks the server that runs here how it is, for whoever watches it from a container or a script. */
import type { Command } from './command.ts'
import { readArguments } from './arguments.ts'

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
    const { host, port, metricsToken } = environment
    const name =
      host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
    const url = `http://${name}:${port}/healthz`
    try {
      const answer = await fetch(url, {
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
        headers: metricsToken === null ? {} : { authorization: `Bearer ${metricsToken}` },
      })
      const {
        health,
        troubles = [],
        message,
      } = (await answer.json()) as {
        readonly health?: string
        readonly troubles?: readonly string[]
        readonly message?: string
      }
      if (!answer.ok) {
        terminal.complain(message ?? `The server at ${url} answers ${answer.status}.`)
        return 1
      }
      terminal.print(
        health === 'good' ? 'The server is well.' : 'The server serves, and somebody should look:',
      )
      for (const text of troubles) terminal.print(`  ${text}`)
      return 0
    } catch {
      terminal.complain(`No server answers at ${url}.`)
      return 1
    }
  },
}
