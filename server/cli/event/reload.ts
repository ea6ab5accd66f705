/** `rollcall event reload`: tells the running server to read its event files again. */
import { existsSync } from 'node:fs'
import { servingPid } from '../../storage/database/single-server-lock.ts'
import { removedFiles } from '../doctor/next-start.ts'
import { readArguments } from '../options.ts'
import type { Command } from '../command.ts'

const help = `Usage: rollcall event reload

Makes the running server of DATA_DIR read its event files again, like SIGHUP. The server notices changed files
within two seconds; use this to see the result at once, or to have the findings in the log again.

Exit status: 0 done; 1 no server is running there; 2 a variable is invalid.`

export const reloading: Command = {
  help,
  run: async (args, terminal) => {
    if (readArguments(args, {}, [0, 0], help, terminal) === null) return 2
    const environment = terminal.environment()
    if (environment === null) return 2
    const { dataDir } = environment
    const pid = existsSync(dataDir) ? servingPid(dataDir) : null
    if (pid === null) {
      terminal.complain(`No server is at work in ${dataDir}.`)
      return 1
    }
    process.kill(pid, 'SIGHUP')
    terminal.print(
      `Told the server (process ${pid}) to read its event files again. Its log says what it found.`,
    )
    for (const sentence of await removedFiles(environment)) terminal.print(sentence)
    return 0
  },
}
