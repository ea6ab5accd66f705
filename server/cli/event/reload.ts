/** `rollcall event reload`: makes the running server read its event files again. */
import { existsSync } from 'node:fs'
import { requireParentFolder } from '../../ops/file-permissions.ts'
import { findServingPid } from '../../storage/database/single-server-lock.ts'
import { findRemovedFiles } from '../doctor/next-start.ts'
import { parseArguments } from '../options.ts'
import type { Command } from '../command.ts'

const help = `Usage: rollcall event reload

Makes the running server of DATA_DIR read its event files again, like SIGHUP. The server notices changed files
within two seconds. Use this command to apply a change immediately, or to log the findings again.

Exit status: 0 done; 1 no server is running there; 2 a variable is invalid.`

export const reloadCommand: Command = {
  help,
  run: async (args, terminal) => {
    if (parseArguments(args, {}, [0, 0], help, terminal) === null) return 2
    const environment = terminal.environment()
    if (environment === null) return 2
    const { dataDir } = environment
    requireParentFolder(dataDir)
    const pid = existsSync(dataDir) ? findServingPid(dataDir) : null
    if (pid === null) {
      terminal.printError(`No server is running on ${dataDir}.`)
      return 1
    }
    process.kill(pid, 'SIGHUP')
    terminal.print(
      `The server (process ${pid}) is reloading its event files. Its log shows the result.`,
    )
    for (const sentence of await findRemovedFiles(environment)) terminal.print(sentence)
    return 0
  },
}
