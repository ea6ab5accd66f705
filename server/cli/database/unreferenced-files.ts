/** `rollcall db unknown-files`: uploaded files that no record in the database refers to. */
import { SET_ASIDE_FOLDER } from '../../registration/uploads/unreferenced-files.ts'
import { atWork } from '../command-context.ts'
import { readArguments } from '../options.ts'
import type { Command } from '../command.ts'

const help = `Usage: rollcall db unknown-files --set-aside

Sets aside every uploaded file that is older than a day and that the database does not refer to. The server does
this every hour for a few files; many at once may mean that the database is the wrong one, so it leaves them. Run
rollcall doctor first. The files stay in DATA_DIR/${SET_ASIDE_FOLDER} for 30 days and return when a registration
refers to them.

Exit status: 0 done; 2 a variable or argument is invalid.`

export const unknownFiles: Command = {
  help,
  run: async (args, terminal) => {
    const options = { 'set-aside': { type: 'boolean' } } as const
    const given = readArguments(args, options, [0, 0], help, terminal)
    if (given === null) return 2
    if (given.values['set-aside'] !== true) {
      terminal.complain(help)
      return 2
    }
    return atWork(terminal, async ({ uploads }) => {
      const { setAside, aside } = await uploads.sweep(true)
      terminal.print(`${setAside} files were set aside, ${aside} lie there now.`)
      return 0
    })
  },
}
