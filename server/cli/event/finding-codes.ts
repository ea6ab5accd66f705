/** `rollcall event finding`: explains a finding code, with a wrong and a right example. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { catalogue, formatList, findNearest } from '../../../engine/authoring.ts'
import type { Command } from '../command.ts'
import { parseArguments } from '../options.ts'

const help = `Usage: rollcall event finding [<code>]

Explains a finding of rollcall validate by its code (EV301) or name (rule-incomplete): the reason, a wrong and a
right example, and the message. Without a code it lists every finding.

Exit status: 0 done; 2 unknown finding; 3 internal error.`

/** One page per subject, with one section per code. A test keeps them up to date. */
const folder = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'findings')

export const findingCommand: Command = {
  help,
  run: async (args, terminal) => {
    const parsed = parseArguments(args, {}, [0, 1], help, terminal)
    if (parsed === null) return 2
    const [codeOrName] = parsed.positionals
    const entries = Object.entries(catalogue).sort(
      ([a], [b]) => Number(a.slice(2)) - Number(b.slice(2)),
    )
    if (codeOrName === undefined) {
      terminal.print(
        entries
          .map(
            ([code, { slug, severity, why: reason }]) =>
              `${code.padEnd(6)} ${severity.padEnd(7)} ${slug.padEnd(22)} ${reason}`,
          )
          .join('\n'),
      )
      return 0
    }
    const match = entries.find(
      ([code, { slug }]) => code === codeOrName.toUpperCase() || slug === codeOrName.toLowerCase(),
    )
    if (match === undefined) {
      terminal.printError(
        `Unknown finding "${codeOrName}".${suggestCodes(codeOrName)} rollcall event finding lists them.`,
      )
      return 2
    }
    const names = (await readdir(folder)).filter((name) => name.endsWith('.md'))
    const pages = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))
    terminal.print(
      pages.map((page) => findSection(page, match[0])).find((section) => section !== null) ??
        `${match[0]} ${match[1].slug} (${match[1].severity})\n\n${match[1].why}`,
    )
    return 0
  },
}

/** Suggests codes with the same prefix as the given one (EV31: EV310, EV311), and corrects typos in names. */
export function suggestCodes(requestedCode: string): string {
  const code = requestedCode
    .toUpperCase()
    .replace(/^(?:EV)?[-_ ]*(?=\d)/, 'EV')
    .replace(/O/g, '0')
  const slug = requestedCode.toLowerCase().replace(/[ _]/g, '-')
  const codes = Object.keys(catalogue).sort((a, b) => Number(a.slice(2)) - Number(b.slice(2)))
  const slugs = Object.values(catalogue).map((meta) => meta.slug)
  const codesWithPrefix = /^EV\d+$/.test(code)
    ? codes.filter((candidate) => candidate === code || candidate.startsWith(code))
    : []
  const prefixes = /^EV\d{4,}$/.test(code)
    ? codes.filter((candidate) => code.startsWith(candidate))
    : []
  const slugsWithText = slug.length > 2 ? slugs.filter((candidate) => candidate.includes(slug)) : []
  const nearestSlug = findNearest(slug, slugs)?.name
  const suggestions =
    codesWithPrefix.length > 0
      ? codesWithPrefix
      : prefixes.length > 0
        ? prefixes
        : nearestSlug !== undefined && (slugsWithText.length === 0 || slugsWithText.length > 5)
          ? [nearestSlug]
          : slugsWithText
  return suggestions.length === 0 ? '' : ` Did you mean ${formatList(suggestions, 12)}?`
}

/** Returns the section of a code, formatted for a terminal: code fences become indentation. Null if there is none. */
function findSection(text: string, code: string): string | null {
  const start = text.indexOf(`\n## ${code} `)
  if (start === -1) return null
  const lines = text.slice(start + '\n## '.length).split('\n')
  const end = lines.findIndex((line, index) => index > 0 && line.startsWith('## '))
  let isInCode = false
  return lines
    .slice(0, end === -1 ? undefined : end)
    .flatMap((line) => {
      if (line.startsWith('````')) {
        isInCode = !isInCode
        return []
      }
      return [isInCode && line !== '' ? `    ${line}` : line]
    })
    .join('\n')
    .trimEnd()
}
