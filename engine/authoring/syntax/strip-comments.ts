/** Removes the authors' comments and the empty lines that they leave from a published event file. */
import { Lexer } from 'yaml'

/** The lexer's token before a scalar's own text. */
const SCALAR_TOKEN = '\u001f'
/** Tokens of the lexer without text: the beginning of a document and the end of a flow. */
const EMPTY_TOKENS = new Set(['\u0002', '\u0018', SCALAR_TOKEN])
/**
 * A block of text that keeps the empty lines after it; a comment there keeps its hash, so that its
 * line does not become text.
 */
const KEEPS_LINES = /[|>]\d?\+/

/**
 * Returns the text without comments, with every line kept, so that places in it stay valid. A hash
 * inside a text (in a block or in quotes) is text and stays.
 */
export function removeComments(text: string): string {
  const sign = KEEPS_LINES.test(text) ? '#' : ''
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

/** An empty line at the end of a text, with the indentation of the next line. */
const ENDS_WITH_EMPTY_LINE = /(?:^|\n)[ \t]*\r?\n[ \t]*$/

/** Reduces runs of empty lines to one, and removes those at the beginning. Texts of several lines stay as they are. */
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
