/** A file line by line, as its author sees it: which lines say something about its blocks, and which lie inside a long text. */

/** `start` is the offset of the line's first column, `at` its number from 0; `text` has no blanks around it. */
export type Row = {
  readonly at: number
  readonly start: number
  readonly indent: number
  readonly text: string
}

/** The lines that are neither empty nor a comment nor inside a long text (| or >). */
export function rowsOf(text: string): readonly Row[] {
  const rows: Row[] = []
  let start = 0
  let textUnder = -1
  text.split('\n').forEach((line, at) => {
    const indent = line.length - line.trimStart().length
    const row: Row = { at, start, indent, text: line.trim() }
    start += line.length + 1
    if (row.text === '') return
    if (textUnder !== -1 && indent > textUnder) return
    textUnder = -1
    if (row.text.startsWith('#')) return
    if (OPENS_LONG_TEXT.test(row.text)) textUnder = indent
    rows.push(row)
  })
  return rows
}

/** `text: |`: the lines below, further to the right, are one text. */
export const opensLongText = ({ text }: Row): boolean => OPENS_LONG_TEXT.test(text)

const OPENS_LONG_TEXT = /^(?:- +)*(?:[^\s"'#][^"'#]*:\s+)?[|>][-+0-9]{0,2}(?:\s+#.*)?$/
