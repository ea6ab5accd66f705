/** `rollcall event repeat`: creates next year's event file from this year's, and lists the changes. */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  compileEvents,
  eventIdFrom,
  formatFindings,
  findPrefix,
  readEvent,
  repeatEvent,
} from '../../../engine/authoring.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { readFolder } from '../../events/files/event-folder.ts'
import { readArguments } from '../options.ts'
import type { Command } from '../command.ts'
import { openEvent } from './open-event-file.ts'

const WEEKS = 52
/** Ten years; a larger number is a typing error. */
const WEEKS_MAX = 522

const help = `Usage: rollcall event repeat <old event> <new event id> [options]

Writes next year's event file: rollcall event repeat surgeons2026 surgeons2027. Dates move by whole weeks, so
weekdays stay the same, also in texts, comments and examples. The id, the addresses, the prefix of registration
numbers, the merchant account and the year in the title become the new event's. Prices stay and are marked for
review. Comments and layout are kept. The command lists its changes and what to check.

  --weeks <number>    how many weeks later; default 52
  --out <folder>      where to write it; default: the folder of the old file

Exit status: 0 written; 1 the old or the new file has errors; 2 invalid usage, or the file exists; 3 internal error.`

export const repeating: Command = {
  help,
  run: async (args, terminal) => {
    const text = { type: 'string' } as const
    const given = readArguments(args, { weeks: text, out: text }, [2, 2], help, terminal)
    if (given === null) return 2
    const [oldName = '', newName = ''] = given.positionals
    const weeks = Number(given.values.weeks ?? WEEKS)
    if (!Number.isInteger(weeks) || weeks < 1 || weeks > WEEKS_MAX) {
      terminal.complain(
        `--weeks takes a whole number from 1 to ${WEEKS_MAX}, such as 52, not "${given.values.weeks}".`,
      )
      return 2
    }
    const id = eventIdFrom(newName)
    if (id === null || id !== newName) {
      terminal.complain(
        `An event id is small letters and digits, such as surgeons2027; "${newName}" is not${id === null ? '' : `, ${id} would be`}.`,
      )
      return 2
    }
    const opened = await openEvent(oldName, terminal)
    if (!opened.ok) return opened.status
    const { file, event, shared, status } = opened.value
    if (status !== 0) {
      terminal.complain('Correct the old file first: what is wrong in it would be repeated.')
      return 1
    }
    const folder = given.values.out ?? path.dirname(file.path)
    const target = path.join(folder, `${id}.yaml`)
    if (existsSync(target)) {
      terminal.complain(`${target} already exists.`)
      return 2
    }
    const beside = existsSync(folder) ? (await readFolder(folder)).files : []
    const others = beside.flatMap((one): readonly EventConfig[] => {
      const other = readEvent(one.text, shared, one)
      return other === null ? [] : [other]
    })
    const prefix = findPrefix(
      id,
      [event, ...others].map(({ orderId }) => orderId.prefix),
    )
    if (prefix === null) {
      terminal.complain('No prefix for registration numbers is left for this id. Choose another.')
      return 2
    }
    const next = repeatEvent(file.text, event, { id, prefix, weeks, others })
    const written = { path: target, text: next.text }
    const { files } = compileEvents([...beside, written], shared)
    const findings = (files.at(-1)?.findings ?? []).filter(({ severity }) => severity !== 'note')
    if (findings.length > 0)
      terminal.complain(formatFindings(findings, new Map([[target, next.text]])))
    if (findings.some(({ severity }) => severity === 'error')) return 1
    await mkdir(folder, { recursive: true })
    await writeFile(target, next.text, { flag: 'wx' })
    const list = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n')
    terminal.print(
      [
        `${target} is written, ${weeks} weeks after ${file.path}.\n${list(next.changes)}`,
        ...(next.look.length === 0 ? [] : [`Look at these yourself:\n${list(next.look)}`]),
        `Then:\n  rollcall validate ${target}\n  rollcall event diff ${file.path} ${target}`,
      ].join('\n\n'),
    )
    return 0
  },
}
