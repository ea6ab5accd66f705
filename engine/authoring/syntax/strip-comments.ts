/** Removes comments from a published event file, and the empty lines that they leave. */
import { Lexer } from 'yaml'

/** The lexer's token before the text of a scalar. */
const SCALAR_TOKEN = '\u001f'
/** Lexer tokens without text: the start of a document and the end of a flow collection. */
const EMPTY_TOKENS = new Set(['\u0002', '\u0018', SCALAR_TOKEN])
/**
 * Matches the header of a block text that keeps the empty lines after it (`|+`). A comment there keeps its #; without
 * it, its line would become part of the text.
 */
const KEEP_LINES_INDICATOR = /[|>]\d?\+/

/**
 * Returns the text without comments. Keeps all lines, so that positions remain valid. A # inside a block text or quotes
 * is text and stays unchanged.
 */
export function removeComments(text: string): string {
  const sign = KEEP_LINES_INDICATOR.test(text) ? '#' : ''
  let result = ''
  let previousChunk = ''
  for (const chunk of new Lexer().lex(text)) {
    const isComment = chunk.startsWith('#') && previousChunk !== SCALAR_TOKEN
    previousChunk = chunk
    if (EMPTY_TOKENS.has(chunk)) continue
    result = isComment ? result.replace(/[ \t]+$/, '') + sign : result + chunk
  }
  return result
}

/** Matches an empty line at the end of the text, with the indentation of the next line. */
const ENDS_WITH_EMPTY_LINE = /(?:^|\n)[ \t]*\r?\n[ \t]*$/

/** Reduces consecutive empty lines to one, and removes all empty lines at the start. Multiline texts stay unchanged. */
export function collapseEmptyLines(text: string): string {
  let collapsed = ''
  let lastChunk = ''
  for (const chunk of new Lexer().lex(text)) {
    const isLineEnd = /^\r?\n$/.test(chunk) && lastChunk !== SCALAR_TOKEN
    lastChunk = chunk
    if (EMPTY_TOKENS.has(chunk)) continue
    if (isLineEnd && (collapsed.trim() === '' || ENDS_WITH_EMPTY_LINE.test(collapsed)))
      collapsed = collapsed.replace(/[ \t]+$/, '')
    else collapsed += chunk
  }
  return collapsed
}
