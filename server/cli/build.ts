/** `rollcall build`: builds the web app and the server. */
import type { Command } from './command.ts'

export const buildCommand: Command = {
  help: `Usage: rollcall build [--force]

Builds web/ into web/dist, and server/ into build, if these are missing or older than their sources; with --force
always. The server also runs without its build, but takes twice as long to start.`,
  run: async (args, terminal) => {
    const unknownArg = args.find((arg) => arg !== '--force')
    if (unknownArg !== undefined) {
      terminal.printError(`Unknown argument "${unknownArg}" for rollcall build.`)
      return 2
    }
    const { buildWeb } = await import('./build/web-app.ts')
    const { buildServer } = await import('./build/server.ts')
    const options = { force: args.includes('--force'), print: terminal.print }
    if (!(await buildWeb(options))) terminal.print('The web app is up to date.')
    if (!(await buildServer(options))) terminal.print('The server is up to date.')
    return 0
  },
}
