/** `rollcall db unknown-files`: sets aside uploaded files that no record in the database refers to. */
import { SET_ASIDE_FOLDER } from '../../registration/uploads/unreferenced-files.ts'
import { withContext } from '../command-context.ts'
import { parseArguments } from '../options.ts'
import type { Command } from '../command.ts'

const help = `Usage: rollcall db unknown-files --set-aside

Sets aside every uploaded file that is older than a day and that the database does not refer to. The server does
this every hour for a few files. If there are many, the database may be the wrong one, so the server does not move
them: run rollcall doctor first. The files stay in DATA_DIR/${SET_ASIDE_FOLDER} for 30 days. A file is moved back
if a registration refers to it again.

Exit status: 0 done; 2 a variable or argument is invalid.`

export const unknownFilesCommand: Command = {
  help,
  run: async (args, terminal) => {
    const options = { 'set-aside': { type: 'boolean' } } as const
    const parsed = parseArguments(args, options, [0, 0], help, terminal)
    if (parsed === null) return 2
    if (parsed.values['set-aside'] !== true) {
      terminal.printError(help)
      return 2
    }
    return withContext(terminal, async ({ uploads }) => {
      const { setAside, asideCount } = await uploads.sweep(true)
      terminal.print(
        `${setAside === 1 ? '1 file was' : `${setAside} files were`} set aside. The folder now contains ${asideCount}.`,
      )
      return 0
    })
  },
}
