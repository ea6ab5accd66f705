/** `rollcall event repeat`: creates next year's event file from this year's, and lists the changes. */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  compileEvents,
  deriveEventId,
  formatFindings,
  findNextPrefix,
  readEvent,
  repeatEvent,
} from '../../../engine/authoring.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { readFolder } from '../../events/files/event-folder.ts'
import { parseArguments } from '../options.ts'
import type { Command } from '../command.ts'
import { openEvent } from './open-event-file.ts'

const DEFAULT_WEEKS = 52
/** Ten years. A larger number is a typo. */
const MAX_WEEKS = 522

const help = `Usage: rollcall event repeat <old event> <new event id> [options]

Writes next year's event file: rollcall event repeat surgeons2026 surgeons2027. Dates, including those in
texts, comments and examples, move by whole weeks, so weekdays stay the same. The id, the addresses, the prefix of registration
numbers, the merchant account and the year in the title are replaced by those of the new event. Prices stay the same and
are marked for review. Comments and layout are kept. The command lists its changes and what to check.

  --weeks <number>    how many weeks later; default 52
  --out <folder>      where to write the new file; default: the folder of the old file

Exit status: 0 written; 1 the old or the new file has errors; 2 invalid usage, or the file exists; 3 internal error.`

export const repeatCommand: Command = {
  help,
  run: async (args, terminal) => {
    const stringOption = { type: 'string' } as const
    const parsedArguments = parseArguments(
      args,
      { weeks: stringOption, out: stringOption },
      [2, 2],
      help,
      terminal,
    )
    if (parsedArguments === null) return 2
    const [oldName = '', newName = ''] = parsedArguments.positionals
    const weeks = Number(parsedArguments.values.weeks ?? DEFAULT_WEEKS)
    if (!Number.isInteger(weeks) || weeks < 1 || weeks > MAX_WEEKS) {
      terminal.printError(
        `--weeks takes a whole number from 1 to ${MAX_WEEKS}, such as 52, not "${parsedArguments.values.weeks}".`,
      )
      return 2
    }
    const id = deriveEventId(newName)
    if (id === null || id !== newName) {
      terminal.printError(
        `An event id can contain only lower-case letters and digits, such as surgeons2027, so "${newName}" is invalid${id === null ? '' : `. ${id} is valid`}.`,
      )
      return 2
    }
    const openResult = await openEvent(oldName, terminal)
    if (!openResult.ok) return openResult.status
    const { file, event, shared, status } = openResult.value
    if (status !== 0) {
      terminal.printError('Correct the old file first: the new file would contain the same errors.')
      return 1
    }
    const folder = parsedArguments.values.out ?? path.dirname(file.path)
    const target = path.join(folder, `${id}.yaml`)
    if (existsSync(target)) {
      terminal.printError(`${target} already exists.`)
      return 2
    }
    const existingFiles = existsSync(folder) ? (await readFolder(folder)).files : []
    const otherEvents = existingFiles.flatMap((otherFile): readonly EventConfig[] => {
      const otherEvent = readEvent(otherFile.text, shared, otherFile)
      return otherEvent === null ? [] : [otherEvent]
    })
    const prefix = findNextPrefix(
      { id: event.id, prefix: event.orderId.prefix },
      id,
      [event, ...otherEvents].map(({ orderId }) => orderId.prefix),
    )
    if (prefix === null) {
      terminal.printError(
        'All prefixes for registration numbers of this id are in use. Choose another id.',
      )
      return 2
    }
    const repeatedEvent = repeatEvent(file.text, event, { id, prefix, weeks, otherEvents })
    const newFile = { path: target, text: repeatedEvent.text }
    const { files } = compileEvents([...existingFiles, newFile], shared)
    const findings = (files.at(-1)?.findings ?? []).filter(({ severity }) => severity !== 'note')
    if (findings.length > 0)
      terminal.printError(formatFindings(findings, new Map([[target, repeatedEvent.text]])))
    if (findings.some(({ severity }) => severity === 'error')) return 1
    await mkdir(folder, { recursive: true })
    await writeFile(target, repeatedEvent.text, { flag: 'wx' })
    const indentLines = (lines: readonly string[]): string =>
      lines.map((line) => `  ${line}`).join('\n')
    terminal.print(
      [
        `${target} was written, ${weeks} weeks after ${file.path}.\n${indentLines(repeatedEvent.changes)}`,
        ...(repeatedEvent.checks.length === 0
          ? []
          : [`Check these yourself:\n${indentLines(repeatedEvent.checks)}`]),
        `Then:\n  rollcall validate ${target}\n  rollcall event diff ${file.path} ${target}`,
      ].join('\n\n'),
    )
    return 0
  },
}
