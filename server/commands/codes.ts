import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { catalogue } from '../../engine/index.ts'
import type { Command } from './command.ts'
import { readArguments } from './arguments.ts'

const help = `Usage: rollcall codes [<code>]

Explains a code of rollcall validate, EV301 or its name rule-incomplete: why it is worth finding, a wrong
and a right example, and what validate says. Without one it lists every code.

Exit status: 0 done, 2 there is no such code, 3 our fault.`

/** A section for each code; a test keeps it fresh. */
const page = path.join(import.meta.dirname, '..', '..', 'docs', 'codes.md')

export const codes: Command = {
  summary: 'What a code of validate means, with examples',
  help,
  run: async (args, terminal) => {
    const given = readArguments(args, {}, [0, 1], help, terminal)
    if (given === null) return 2
    const [asked] = given.positionals
    const all = Object.entries(catalogue).sort(
      ([a], [b]) => Number(a.slice(2)) - Number(b.slice(2)),
    )
    if (asked === undefined) {
      terminal.print(
        all
          .map(
            ([code, { slug, severity, why }]) =>
              `${code.padEnd(6)} ${severity.padEnd(7)} ${slug.padEnd(22)} ${why}`,
          )
          .join('\n'),
      )
      return 0
    }
    const found = all.find(
      ([code, { slug }]) => code === asked.toUpperCase() || slug === asked.toLowerCase(),
    )
    if (found === undefined) {
      terminal.complain(`There is no code "${asked}". rollcall codes lists them.`)
      return 2
    }
    const text = await readFile(page, 'utf8')
    terminal.print(
      sectionOf(text, found[0]) ??
        `${found[0]} ${found[1].slug} (${found[1].severity})\n\n${found[1].why}`,
    )
    return 0
  },
}

/** For a terminal: fences become indentation. */
function sectionOf(text: string, code: string): string | null {
  const start = text.indexOf(`### ${code} `)
  if (start === -1) return null
  const lines = text.slice(start + '### '.length).split('\n')
  const end = lines.findIndex((line, at) => at > 0 && /^##+ /.test(line))
  let isInside = false
  return lines
    .slice(0, end === -1 ? undefined : end)
    .flatMap((line) => {
      if (line.startsWith('````')) {
        isInside = !isInside
        return []
      }
      return [isInside && line !== '' ? `    ${line}` : line]
    })
    .join('\n')
    .trimEnd()
}
