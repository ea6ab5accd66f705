/** Splits a file into the lines of its block structure, and recognises where long texts begin. */

/** `start` is the offset of the line's first column, `at` the line's index; `text` is trimmed. */
export type Row = {
  readonly at: number
  readonly start: number
  readonly indent: number
  readonly text: string
}

/** Returns all lines except empty lines, comments and lines inside long text (| or >). */
export function splitRows(text: string): readonly Row[] {
  const rows: Row[] = []
  let start = 0
  let longTextIndent = -1
  text.split('\n').forEach((line, index) => {
    const indent = line.length - line.trimStart().length
    const row: Row = { at: index, start, indent, text: line.trim() }
    start += line.length + 1
    if (row.text === '') return
    if (longTextIndent !== -1 && indent > longTextIndent) return
    longTextIndent = -1
    if (row.text.startsWith('#')) return
    if (OPENS_LONG_TEXT.test(row.text)) longTextIndent = indent
    rows.push(row)
  })
  return rows
}

/** Returns true for `text: |`: the more indented lines below it are one string. */
export const opensLongText = ({ text }: Row): boolean => OPENS_LONG_TEXT.test(text)

const OPENS_LONG_TEXT = /^(?:- +)*(?:[^\s"'#][^"'#]*:\s+)?[|>][-+0-9]{0,2}(?:\s+#.*)?$/
