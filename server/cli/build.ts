/** `rollcall build`: builds the web app. */
import type { Command } from './command.ts'

export const build: Command = {
  help: `Usage: rollcall build [--force]

Builds web/ into web/dist if that is missing or older than its sources; with --force always.`,
  run: async (args, terminal) => {
    const unknownArg = args.find((arg) => arg !== '--force')
    if (unknownArg !== undefined) {
      terminal.printError(`Unknown argument "${unknownArg}" for rollcall build.`)
      return 2
    }
    const { buildWeb } = await import('./web-app-build.ts')
    const built = await buildWeb({ force: args.includes('--force'), print: terminal.print })
    if (!built) terminal.print('The web app is up to date.')
    return 0
  },
}
