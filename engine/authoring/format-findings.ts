/** Formats findings for a terminal: line, caret, related locations, notes and help. */
import type { Finding } from './finding.ts'
import type { Place } from './syntax/source.ts'

/** Longer lines are cut around the marked location, so that the caret stays on the screen. */
const MAX_LINE_WIDTH = 160

/** Formats all findings in the order given, separated by an empty line; "" if there are none. */
export function formatFindings(
  findings: readonly Finding[],
  sources: ReadonlyMap<string, string>,
): string {
  return findings.map((finding) => formatFinding(finding, sources)).join('\n')
}

/**
 * Formats one finding: `file:line:column`, excerpt and caret, then related locations, notes and help. Ends with a line
 * break.
 */
function formatFinding(finding: Finding, sources: ReadonlyMap<string, string>): string {
  const { at, related, notes, help } = finding
  const gutter = Math.max(
    ...[at, ...related.map((entry) => entry.at)].map(({ start }) => String(start.line).length),
  )
  const margin = ' '.repeat(gutter)
  const lines = [
    `${finding.severity}[${finding.code}]: ${finding.message}`,
    `${margin}--> ${at.path}:${at.start.line}:${at.start.column}`,
    `${margin} |`,
    ...formatExcerpt(at, sources.get(at.path), gutter, '^', ''),
    ...related.flatMap((entry) => [
      ...(entry.at.path === at.path
        ? [`${margin} :`]
        : [
            `${margin}::: ${entry.at.path}:${entry.at.start.line}:${entry.at.start.column}`,
            `${margin} |`,
          ]),
      ...formatExcerpt(entry.at, sources.get(entry.at.path), gutter, '-', entry.message),
    ]),
    ...notes.map((note) => `${margin} = ${note}`),
    ...(help === undefined ? [] : [`${margin} help: ${help}`]),
  ]
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

/** Counts findings as "2 errors and 1 warning in 3 files". */
export function countFindings(findings: readonly Finding[], files: number): string {
  const count = (severity: Finding['severity']): number =>
    findings.filter((finding) => finding.severity === severity).length
  const formatCount = (many: number, word: string): readonly string[] =>
    many === 0 ? [] : [`${many} ${word}${many === 1 ? '' : 's'}`]
  const parts = [
    ...formatCount(count('error'), 'error'),
    ...formatCount(count('warning'), 'warning'),
    ...formatCount(count('note'), 'note'),
  ]
  return `${parts.length === 0 ? 'no findings' : parts.join(', ')} in ${files} file${files === 1 ? '' : 's'}`
}

function formatExcerpt(
  at: Place,
  text: string | undefined,
  gutter: number,
  underlineCharacter: string,
  message: string,
): readonly string[] {
  if (text === undefined) return []
  const sourceLine = makeReadable(text.split('\n')[at.start.line - 1]?.replace(/\r$/, '') ?? '')
  const markStart = Math.min(at.start.column - 1, sourceLine.length)
  const isOneLine = at.end.line === at.start.line
  const markEnd = isOneLine
    ? Math.min(Math.max(at.end.column - 1, markStart), sourceLine.length)
    : sourceLine.trimEnd().length
  const cutStart = markStart > MAX_LINE_WIDTH - 40 ? markStart - 40 : 0
  const line = sourceLine.slice(cutStart, cutStart + MAX_LINE_WIDTH)
  const before = makePrintable(`${cutStart > 0 ? '…' : ''}${line.slice(0, markStart - cutStart)}`)
  const markedText = makePrintable(line.slice(markStart - cutStart, markEnd - cutStart))
  const after = makePrintable(
    `${line.slice(markEnd - cutStart)}${sourceLine.length > cutStart + MAX_LINE_WIDTH ? '…' : ''}`,
  )
  const number = String(at.start.line).padStart(gutter)
  return [
    `${number} | ${before}${markedText}${after}`,
    `${' '.repeat(gutter)} | ${' '.repeat(measureWidth(before))}${underlineCharacter.repeat(Math.max(1, measureWidth(markedText)))}${message === '' ? '' : ` ${message}`}`,
  ]
}

/** Removes the NUL characters that appear between letters when UTF-16 is read as UTF-8. */
function makeReadable(line: string): string {
  const visibleText = line.replaceAll('\u0000', '')
  return visibleText.length < line.length * 0.75 ? visibleText.replace(/^\ufffd+/, '') : line
}

/** Returns text that a terminal can print: tabs as one space, invisible characters by name. */
function makePrintable(text: string): string {
  return text
    .replaceAll('\t', ' ')
    .replace(
      /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g,
      (char) => `<U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`,
    )
}

/** Returns the display width: no column for combining marks, two for East Asian letters and most emoji. */
function measureWidth(text: string): number {
  return [...text].reduce(
    (width, char) =>
      width +
      (/[\p{Mn}\p{Me}\u200c\u200d\ufe0f]/u.test(char) ? 0 : WIDE_CHARACTERS.test(char) ? 2 : 1),
    0,
  )
}
const WIDE_CHARACTERS =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
