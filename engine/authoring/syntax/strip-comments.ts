/** Removes comments, and the empty lines that they leave, from a published event file. */
import { Lexer } from 'yaml'

/** The lexer's token before the text of a scalar. */
const SCALAR_TOKEN = '\u001f'
/** Lexer tokens without text: the start of a document and the end of a flow collection. */
const EMPTY_TOKENS = new Set(['\u0002', '\u0018', SCALAR_TOKEN])
/**
 * A block text that keeps the empty lines after it. A comment there keeps its #, so that its line
 * does not become text.
 */
const KEEP_LINES_INDICATOR = /[|>]\d?\+/

/**
 * Returns the text without comments. All lines are kept, so that positions stay valid. A # inside a
 * block text or quotes is text and is kept.
 */
export function removeComments(text: string): string {
  const sign = KEEP_LINES_INDICATOR.test(text) ? '#' : ''
  let read = ''
  let before = ''
  for (const chunk of new Lexer().lex(text)) {
    const isComment = chunk.startsWith('#') && before !== SCALAR_TOKEN
    before = chunk
    if (EMPTY_TOKENS.has(chunk)) continue
    read = isComment ? read.replace(/[ \t]+$/, '') + sign : read + chunk
  }
  return read
}

/** An empty line at the end of the text, and the indentation of the next line. */
const ENDS_WITH_EMPTY_LINE = /(?:^|\n)[ \t]*\r?\n[ \t]*$/

/**
 * Reduces runs of empty lines to one and removes those at the start. Multiline texts are unchanged.
 */
export function condenseEmptyLines(text: string): string {
  let condensed = ''
  let before = ''
  for (const chunk of new Lexer().lex(text)) {
    const isLineEnd = /^\r?\n$/.test(chunk) && before !== SCALAR_TOKEN
    before = chunk
    if (EMPTY_TOKENS.has(chunk)) continue
    if (isLineEnd && (condensed.trim() === '' || ENDS_WITH_EMPTY_LINE.test(condensed)))
      condensed = condensed.replace(/[ \t]+$/, '')
    else condensed += chunk
  }
  return condensed
}
