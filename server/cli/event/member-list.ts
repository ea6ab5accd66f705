/** `rollcall event members`: replaces one of an event's member lists from a CSV file. */
import { err } from '../../../engine/index.ts'
import type { MemberListReplaced } from '../../storage/index.ts'
import { parseArguments } from '../options.ts'
import { withContext, findEvent } from '../command-context.ts'
import type { Command } from '../command.ts'
import { LIST_LIMITS, formatProblem } from '../../office/spreadsheets/parse-csv.ts'
import { readSheetFile } from '../../office/spreadsheets/read-spreadsheet.ts'
import { readMemberList } from './member-list-csv.ts'

const help = `Usage: rollcall event members EVENT LIST FILE.csv

Replaces a member list of an event with the rows of a CSV file, and shows what is new and what was removed. The
first line contains the list's column names from the event file; other columns are ignored. Case and spaces in keys
are ignored. Write dates as 2027-03-31 or 31/03/2027. A row is valid until the date in valid_to; a row without that
date does not expire.

If a row has an error, nothing is stored, and each error is listed with its line. Registrations keep the values
that the list had when they were created.

You can run this command while the server is running.

Exit status: 0 done; 1 rows with errors; 2 invalid usage; 3 internal error.`

/** Further errors usually have the same cause. */
const MAX_SHOWN_PROBLEMS = 100
const AUDIT_USER = 'command line'

export const membersCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, {}, [3, 3], help, terminal)
    if (parsed === null) return 2
    const [eventId = '', listId = '', file = ''] = parsed.positionals
    const sheet = await readSheetFile(file, LIST_LIMITS)
    if (sheet === null) {
      terminal.printError(`The file ${file} cannot be read.`)
      return 2
    }
    return withContext(terminal, async (deps) => {
      const event = findEvent(deps, eventId, terminal)
      if (event === null) return 2
      const memberList = event.memberLists.find(({ id }) => id === listId)
      if (memberList === undefined) {
        const listIds = event.memberLists.map(({ id }) => id)
        terminal.printError(
          listIds.length === 0
            ? `The event file of ${event.title} has no member lists.`
            : `There is no member list "${listId}". Member lists: ${listIds.join(', ')}.`,
        )
        return 2
      }
      const parsedList = sheet.ok
        ? readMemberList(memberList, sheet.value.lines)
        : err([sheet.error])
      if (!parsedList.ok) {
        const shownErrors = parsedList.error.slice(0, MAX_SHOWN_PROBLEMS)
        for (const problem of shownErrors) terminal.printError(formatProblem(file, problem))
        if (parsedList.error.length > shownErrors.length)
          terminal.printError(`… and ${parsedList.error.length - shownErrors.length} more.`)
        terminal.printError('Nothing was changed.')
        return 1
      }
      const { rows, ignoredColumns } = parsedList.value
      const result = await deps.store.replaceMemberList(
        event.id,
        memberList.id,
        rows,
        AUDIT_USER,
        deps.clock(),
      )
      terminal.print(
        [formatResult(memberList.id, result), ...formatIgnoredColumns(ignoredColumns)].join('\n'),
      )
      return 0
    })
  },
}

function formatResult(listId: string, { rows, changed, added, gone }: MemberListReplaced): string {
  const formatKeys = ({ count, first }: MemberListReplaced['added'], label: string): string =>
    count === 0
      ? `0 ${label}`
      : `${count} ${label} (${[...first, ...(count > first.length ? ['…'] : [])].join(', ')})`
  return `The member list ${listId} has ${rows} ${rows === 1 ? 'row' : 'rows'}: ${formatKeys(added, 'new')}, ${changed} changed, ${formatKeys(gone, 'removed')}.`
}

function formatIgnoredColumns(columns: readonly string[]): readonly string[] {
  return columns.length === 0 ? [] : [`Ignored columns: ${columns.join(', ')}.`]
}
