/** `rollcall build`: builds the web app and the server. */
import type { Command } from './command.ts'
import { parseArguments } from './options.ts'

const help = `Usage: rollcall build [--force]

Builds web/ into web/dist, and server/ into build, if they are missing or older than their sources. --force
builds both in any case. The server also runs without its build, but takes twice as long to start.`

export const buildCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, { force: { type: 'boolean' } }, [0, 0], help, terminal)
    if (parsed === null) return 2
    const { buildWeb } = await import('./build/web-app.ts')
    const { buildServer } = await import('./build/server.ts')
    const options = { force: parsed.values.force === true, print: terminal.print }
    if (!(await buildWeb(options))) terminal.print('The web app is up to date.')
    if (!(await buildServer(options))) terminal.print('The server is up to date.')
    return 0
  },
}
