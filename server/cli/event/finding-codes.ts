/** `rollcall event finding`: explains a finding code, with a wrong and a right example. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { catalogue, formatList, findNearest } from '../../../engine/authoring.ts'
import type { Command } from '../command.ts'
import { readArguments } from '../options.ts'

const help = `Usage: rollcall event finding [<code>]

Explains a finding of rollcall validate by its code (EV301) or name (rule-incomplete): the reason, a wrong and a
right example, and the message. Without a code it lists every finding.

Exit status: 0 done; 2 there is no such finding; 3 internal error.`

/** A page per subject, with a section per code; a test keeps them up to date. */
const folder = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'findings')

export const codes: Command = {
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
      terminal.complain(
        `There is no code "${asked}".${meantBy(asked)} rollcall event finding lists them.`,
      )
      return 2
    }
    const names = (await readdir(folder)).filter((name) => name.endsWith('.md'))
    const pages = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))
    terminal.print(
      pages.map((page) => sectionOf(page, found[0])).find((section) => section !== null) ??
        `${found[0]} ${found[1].slug} (${found[1].severity})\n\n${found[1].why}`,
    )
    return 0
  },
}

/** EV31 is the start of EV310 and EV311; `unknown-feild` is one typing error away from a name. */
export function meantBy(asked: string): string {
  const code = asked
    .toUpperCase()
    .replace(/^(?:EV)?[-_ ]*(?=\d)/, 'EV')
    .replace(/O/g, '0')
  const slug = asked.toLowerCase().replace(/[ _]/g, '-')
  const codes = Object.keys(catalogue).sort((a, b) => Number(a.slice(2)) - Number(b.slice(2)))
  const slugs = Object.values(catalogue).map((meta) => meta.slug)
  const begun = /^EV\d+$/.test(code)
    ? codes.filter((one) => one === code || one.startsWith(code))
    : []
  const shorter = /^EV\d{4,}$/.test(code) ? codes.filter((one) => code.startsWith(one)) : []
  const named = slug.length > 2 ? slugs.filter((one) => one.includes(slug)) : []
  const near = findNearest(slug, slugs)?.name
  const meant =
    begun.length > 0
      ? begun
      : shorter.length > 0
        ? shorter
        : near !== undefined && (named.length === 0 || named.length > 5)
          ? [near]
          : named
  return meant.length === 0 ? '' : ` Did you mean ${formatList(meant, 12)}?`
}

/** Formats a section for a terminal: code fences become indentation. */
function sectionOf(text: string, code: string): string | null {
  const start = text.indexOf(`\n## ${code} `)
  if (start === -1) return null
  const lines = text.slice(start + '\n## '.length).split('\n')
  const end = lines.findIndex((line, at) => at > 0 && line.startsWith('## '))
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
