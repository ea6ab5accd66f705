/** `rollcall event members`: replaces a member list of an event from a CSV file. */
import { err } from '../../../engine/index.ts'
import type { MemberListReplaced } from '../../storage/index.ts'
import { readArguments } from '../options.ts'
import { atWork, eventAt } from '../command-context.ts'
import type { Command } from '../command.ts'
import { LIST_LIMITS, formatProblem } from '../../office/spreadsheets/parse-csv.ts'
import { readSheetFile } from '../../office/spreadsheets/read-spreadsheet.ts'
import { readMemberList } from './member-list-csv.ts'

const help = `Usage: rollcall event members EVENT LIST FILE.csv

Replaces a member list of an event with the rows of a CSV file, and shows what is new and what was removed. The
first line names the columns of the list as the event file does; other columns are ignored. Keys are compared
without case and spaces. Write days as 2027-03-31 or 31/03/2027. A row is valid until its valid_to; without one it
does not expire.

If a row has an error, nothing is stored, and each error is listed with its line. Registrations keep the values
of the list from the time when they were made.

The server may be running.

Exit status: 0 done; 1 rows with errors; 2 invalid usage; 3 internal error.`

/** Further problems usually repeat the same mistake. */
const PROBLEMS_SHOWN_MAX = 100
const WHO = 'command line'

export const rolling: Command = {
  help,
  run: async (args, terminal) => {
    const given = readArguments(args, {}, [3, 3], help, terminal)
    if (given === null) return 2
    const [eventId = '', rollId = '', file = ''] = given.positionals
    const sheet = await readSheetFile(file, LIST_LIMITS)
    if (sheet === null) {
      terminal.complain(`The file ${file} cannot be read.`)
      return 2
    }
    return atWork(terminal, async (deps) => {
      const event = eventAt(deps, eventId, terminal)
      if (event === null) return 2
      const roll = event.memberLists.find(({ id }) => id === rollId)
      if (roll === undefined) {
        const known = event.memberLists.map(({ id }) => id)
        terminal.complain(
          known.length === 0
            ? `The event file of ${event.title} has no rolls.`
            : `There is no roll "${rollId}". There are ${known.join(', ')}.`,
        )
        return 2
      }
      const read = sheet.ok ? readMemberList(roll, sheet.value.lines) : err([sheet.error])
      if (!read.ok) {
        const shown = read.error.slice(0, PROBLEMS_SHOWN_MAX)
        for (const problem of shown) terminal.complain(formatProblem(file, problem))
        if (read.error.length > shown.length)
          terminal.complain(`… and ${read.error.length - shown.length} more.`)
        terminal.complain('Nothing was changed.')
        return 1
      }
      const { rows, leftOut } = read.value
      const done = await deps.store.replaceRoll(event.id, roll.id, rows, WHO, deps.clock())
      terminal.print([told(roll.id, done), ...leftOutOf(leftOut)].join('\n'))
      return 0
    })
  },
}

function told(roll: string, { rows, changed, added, gone }: MemberListReplaced): string {
  const named = ({ count, first }: MemberListReplaced['added'], word: string): string =>
    count === 0
      ? `0 ${word}`
      : `${count} ${word} (${[...first, ...(count > first.length ? ['…'] : [])].join(', ')})`
  return `The roll ${roll} holds ${rows} ${rows === 1 ? 'row' : 'rows'}: ${named(added, 'new')}, ${changed} changed, ${named(gone, 'gone')}.`
}

function leftOutOf(columns: readonly string[]): readonly string[] {
  return columns.length === 0 ? [] : [`Left out: ${columns.join(', ')}.`]
}
