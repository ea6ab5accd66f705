/**
 * Finds the line with the wrong indentation.
 *
 * A YAML parser reports an error only where the text becomes invalid, possibly a page later. The
 * author needs the line that was moved.
 */
import type { Span } from './source.ts'

type Level = { readonly indent: number; readonly kind: 'map' | 'list'; readonly line: number }
type Line = {
  readonly at: number
  readonly indent: number
  readonly text: string
  readonly isListItem: boolean
  readonly opensBlock: boolean
}
type IndentationMistake = {
  readonly at: Span
  readonly related: readonly { readonly span: Span; readonly message: string }[]
}

/**
 * Returns the first line that fits no block above it, and the lines that may be the misplaced ones instead. Returns
 * null if all lines fit.
 */
export function findIndentationMistake(text: string): IndentationMistake | null {
  const rows = text.split('\n')
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  const findSpan = (line: number): Span => {
    const row = rows[line] ?? ''
    const start = (starts[line] ?? 0) + row.length - row.trimStart().length
    return [start, start + row.trim().length]
  }
  let levels: readonly Level[] = []
  let previousLine: Line | null = null
  /** The blocks that the previous line ended. */
  let endedLevels: readonly Level[] = []
  /** The last line that opens a block but has no lines under it. */
  let emptyBlockLine: Line | null = null
  for (const line of listReadableLines(rows)) {
    const closedLevels = levels.filter(({ indent }) => indent > line.indent)
    levels = levels.filter(({ indent }) => indent <= line.indent)
    if (
      previousLine?.opensBlock === true &&
      line.indent <= previousLine.indent &&
      !(line.isListItem && line.indent === previousLine.indent)
    )
      emptyBlockLine = previousLine
    const innermostLevel = levels.at(-1)
    const kind = line.isListItem ? 'list' : 'map'
    const isConsistent =
      innermostLevel === undefined
        ? previousLine === null && line.indent === 0
        : innermostLevel.indent < line.indent
          ? previousLine !== null && previousLine.opensBlock && previousLine.indent < line.indent
          : innermostLevel.kind === kind ||
            (kind === 'list' && previousLine?.opensBlock === true) ||
            (kind === 'map' && levels.at(-2)?.indent === line.indent)
    const continuedLevel = endedLevels.find(
      (level) => level.indent === line.indent && level.kind === kind,
    )
    if (!isConsistent && previousLine !== null && continuedLevel !== undefined)
      return {
        at: findSpan(previousLine.at),
        related: [
          { span: findSpan(continuedLevel.line), message: 'the block above begins here' },
          { span: findSpan(line.at), message: 'and continues here' },
        ],
      }
    if (!isConsistent) {
      const relatedLines = [
        closedLevels[0]?.line,
        emptyBlockLine === null || emptyBlockLine.at === closedLevels[0]?.line
          ? undefined
          : emptyBlockLine.at,
        emptyBlockLine === null ? undefined : emptyBlockLine.at + 1,
        previousLine?.at,
      ]
      const messages = [
        'the block above begins here',
        'nothing is indented under this',
        'this line may belong under the line above',
        'after this line',
      ]
      return {
        at: findSpan(line.at),
        related: relatedLines
          .flatMap((at, i) =>
            at === undefined || at === line.at
              ? []
              : [{ span: findSpan(at), message: messages[i] ?? '' }],
          )
          .filter(({ span }, i, all) => all.findIndex((other) => other.span[0] === span[0]) === i),
      }
    }
    if (innermostLevel === undefined || innermostLevel.indent < line.indent)
      levels = [...levels, { indent: line.indent, kind, line: line.at }]
    else if (kind === 'list' && innermostLevel.kind === 'map')
      levels = [...levels, { indent: line.indent, kind, line: line.at }]
    else if (kind === 'map' && innermostLevel.kind === 'list') levels = levels.slice(0, -1)
    if (line.isListItem && /^- +[^\s{["'#]/.test(line.text) && /^- +[\w.-]+:( |$)/.test(line.text))
      levels = [
        ...levels,
        {
          indent: line.indent + (/^- +/.exec(line.text)?.[0].length ?? 2),
          kind: 'map',
          line: line.at,
        },
      ]
    previousLine = line
    endedLevels = closedLevels
  }
  return null
}

/**
 * Returns the lines of the block structure: no comments, and no lines inside long text or
 * brackets.
 */
function listReadableLines(rows: readonly string[]): readonly Line[] {
  const lines: Line[] = []
  let longTextIndent = -1
  let bracketDepth = 0
  rows.forEach((row, index) => {
    const indent = row.length - row.trimStart().length
    const text = row.trim()
    if (text === '' || (text.startsWith('#') && longTextIndent === -1)) return
    if (longTextIndent !== -1 && indent > longTextIndent) return
    longTextIndent = -1
    const withoutQuoted = removeTexts(text)
    const isNested = bracketDepth > 0
    bracketDepth = Math.max(
      0,
      bracketDepth +
        (withoutQuoted.match(/[[{]/g)?.length ?? 0) -
        (withoutQuoted.match(/[\]}]/g)?.length ?? 0),
    )
    if (isNested || text.startsWith('#')) return
    if (/(^|\s)[|>][+-]?$/.test(withoutQuoted)) longTextIndent = indent
    lines.push({
      at: index,
      indent,
      text,
      isListItem: /^-( |$)/.test(text),
      opensBlock: /:$|^-$/.test(withoutQuoted),
    })
  })
  return lines
}

/** Removes quoted texts and the comment from a line. */
function removeTexts(text: string): string {
  return text
    .replace(/"(?:[^"\\]|\\.)*"|(?<=^|[\s,[{:])'[^']*'/g, '""')
    .replace(/(^|\s)#.*$/, '')
    .trimEnd()
}
