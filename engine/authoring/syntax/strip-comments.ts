/** An event file without its authors' remarks, for everybody to read: every line stays where it was. */
import { Lexer } from 'yaml'

/** What the lexer gives before a scalar's own text. */
const SCALAR = '\u001f'
/** Marks of the lexer, which stand for nothing in the text: where a document begins and where a flow ends. */
const NOTHING = new Set(['\u0002', '\u0018', SCALAR])
/** A block of text that keeps the empty lines after it; a remark there leaves its sign, lest its line become text. */
const KEEPS_LINES = /[|>]\d?\+/

/**
 * The text with every comment taken out and every line kept, so that places in it stay right. What
 * looks like a comment inside a text (a hash in a block of prose, in quotes) is text and stays.
 */
export function withoutComments(text: string): string {
  const sign = KEEPS_LINES.test(text) ? '#' : ''
  let read = ''
  let before = ''
  for (const piece of new Lexer().lex(text)) {
    const isComment = piece.startsWith('#') && before !== SCALAR
    before = piece
    if (NOTHING.has(piece)) continue
    read = isComment ? read.replace(/[ \t]+$/, '') + sign : read + piece
  }
  return read
}
