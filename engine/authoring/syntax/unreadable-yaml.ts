/** Explains why text is not valid YAML, at the line that must be fixed. */
import { findIndentationMistake } from './indentation.ts'
import type { SyntaxFindingName } from './syntax-findings.ts'
import { findTypingMistake } from './typing-slips.ts'
import type { Span } from './source.ts'

type SyntaxDraft = {
  readonly span: Span
  readonly message: string
  readonly help?: string
  readonly related?: readonly {
    readonly span: Span
    readonly message: string
    readonly at: string
  }[]
}

/** Reports wrong indentation at the line that causes it, not where the text becomes invalid. */
function moveToMistake(text: string, parserDraft: SyntaxDraft): SyntaxDraft {
  const slip = findIndentationMistake(text)
  if (slip === null) return parserDraft
  const getLineNumber = (offset: number): number => text.lastIndexOf('\n', offset - 1)
  const namedLines = [slip.at, ...slip.related.map(({ span }) => span)].map(([at]) =>
    getLineNumber(at),
  )
  const parserPosition = namedLines.includes(getLineNumber(parserDraft.span[0]))
    ? []
    : [{ span: parserDraft.span, message: 'reading the file stopped here' }]
  return {
    span: slip.at,
    message: 'the indentation does not match the lines around it',
    help: 'start the line in the same column as its neighbours',
    related: [...slip.related, ...parserPosition].map((entry) => ({ ...entry, at: '' })),
  }
}

/** Explains a parser error in plain words, at the location that the author must fix. */
export function explainParserError(
  text: string,
  error: {
    readonly code: string
    readonly message: string
    readonly pos: readonly [number, number]
  },
): SyntaxDraft & { readonly code: SyntaxFindingName } {
  const conflictMarker = /^(?:<{7}|={7}|>{7}|\|{7})(?: .*)?$/m.exec(text)
  if (conflictMarker !== null && /^<{7} /m.test(text))
    return {
      code: 'EV001',
      span: [conflictMarker.index, conflictMarker.index + conflictMarker[0].length],
      message: 'this is an unresolved merge conflict between two versions of the file',
      help: 'keep one of the two, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>',
    }
  const { code, ...translatedError } = explainSyntaxError(text, error)
  if (code !== 'EV001' && code !== 'EV005' && code !== 'EV003') return { code, ...translatedError }
  const slip = findTypingMistake(text, findLastOffset(text, error.pos[0]))
  const longTextMistake = slip === null ? findLongTextMistake(text) : null
  if (longTextMistake !== null) return { code: 'EV001', ...longTextMistake }
  if (slip === null)
    return { code, ...(code === 'EV001' ? moveToMistake(text, translatedError) : translatedError) }
  const { isBraces, isGuess: _guess, related = [], ...draft } = slip
  return {
    code: isBraces === true ? 'EV005' : 'EV001',
    ...draft,
    related: related.map((entry) => ({ ...entry, at: '' })),
  }
}

/** Finds a line that ends long text (|) because it is indented less than the text, although it is not a key. */
function findLongTextMistake(text: string): SyntaxDraft | null {
  let start = 0
  let openerIndent = -1
  let blockIndent = -1
  for (const line of text.split('\n')) {
    const indent = line.length - line.trimStart().length
    if (line.trim() !== '') {
      if (openerIndent !== -1 && indent <= openerIndent) openerIndent = -1
      if (openerIndent !== -1 && blockIndent === -1) blockIndent = indent
      else if (openerIndent !== -1 && indent < blockIndent)
        return {
          span: [start + indent, start + line.trimEnd().length],
          message: 'this line is indented less than the text it belongs to',
          help: `start it in column ${blockIndent + 1}, like the lines above`,
        }
      if (openerIndent === -1 && /:\s+[|>][-+]?\s*$/.test(line))
        [openerIndent, blockIndent] = [indent, -1]
    }
    start += line.length + 1
  }
  return null
}

/** Returns the end of the line on which the parser stopped. */
function findLastOffset(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

/** Translates a parser error into plain words. */
function explainSyntaxError(
  text: string,
  { code, message, pos }: { code: string; message: string; pos: readonly [number, number] },
): { code: SyntaxFindingName; span: Span; message: string; help?: string } {
  const span: Span = [pos[0], pos[1]]
  const lineStart = text.lastIndexOf('\n', pos[0] - 1) + 1
  const lineEnd = text.indexOf('\n', pos[0]) === -1 ? text.length : text.indexOf('\n', pos[0])
  const line = text.slice(lineStart, lineEnd)
  if (code === 'MULTIPLE_DOCS')
    return {
      code: 'EV010',
      span: [pos[0], pos[0] + 3],
      message: '`---` starts a second document; a file describes one event',
    }
  if (code === 'TAB_AS_INDENT' || /^ *\t/.test(line)) {
    const tab = lineStart + line.indexOf('\t')
    return {
      code: 'EV009',
      span: tab >= lineStart ? [tab, tab + 1] : span,
      message: 'a tab is used for indenting',
      help: 'use spaces',
    }
  }
  const from = lineStart + (/^\s*(?:- +)?(?:[\w-]+:\s+)?/.exec(line)?.[0].length ?? 0)
  // Text that contains {…} after its first character is valid: the mistake is then in another line.
  const value = text.slice(from, lineEnd)
  if (/^[[{]/.test(value) && /\{[A-Za-z_][\w.]*\}/.test(value) && !/^[^{]*["']/.test(line))
    return {
      code: 'EV005',
      span: [from, lineStart + line.trimEnd().length],
      message: 'YAML reads text with {…} as a block of keys',
      help: `write ${JSON.stringify(value.trimEnd())}`,
    }
  const explanations: Readonly<Record<string, readonly [string, (string | undefined)?]>> = {
    BLOCK_AS_IMPLICIT_KEY: ['a colon inside text starts a new key', 'put the text in quotes'],
    BAD_INDENT: [
      'the indentation does not match the lines around it',
      'start the line in the same column as its neighbours',
    ],
    BLOCK_IN_FLOW: [
      'a block of lines cannot be inside {…} or […]',
      'close the bracket, or write every entry on its own line',
    ],
    MISSING_CHAR: [
      /quote/i.test(message)
        ? 'text in quotes is not closed'
        : /[\]}]/.test(message)
          ? 'a bracket is opened and not closed, or a comma is missing'
          : 'a character is missing here',
      /quote/i.test(message) ? 'add the quote at the end of the text' : undefined,
    ],
    UNEXPECTED_TOKEN: [
      'this does not belong here',
      'look for a missing quote, colon, comma or bracket just before it',
    ],
    BAD_SCALAR_START: ['text cannot begin with this character', 'put the text in quotes'],
    BAD_DQ_ESCAPE: [
      'in double quotes a backslash begins a special character',
      'write \\\\ for a backslash, or use single quotes',
    ],
    MULTILINE_IMPLICIT_KEY: [
      'a key and its colon must be on one line',
      'look for a missing colon, or a missing quote on the line before',
    ],
    KEY_OVER_1024_CHARS: ['a key is too long', 'look for a missing quote'],
    BAD_COLLECTION_TYPE: ['this list or block is not valid here'],
    TAG_RESOLVE_FAILED: ['tags (!…) are not part of this format', 'put the text in quotes'],
    BAD_ALIAS: [
      'anchors and aliases (& and *) are not part of this format',
      'put the text in quotes',
    ],
  }
  if (
    code === 'BAD_ALIAS' ||
    code === 'TAG_RESOLVE_FAILED' ||
    (code === 'BAD_SCALAR_START' && /^\s*(?:- |[\w-]+: )?[%]/.test(line))
  ) {
    const [text = message, help] = explanations[code] ?? []
    return {
      code: code === 'BAD_SCALAR_START' ? 'EV001' : 'EV003',
      span,
      message: text,
      ...(help === undefined ? {} : { help }),
    }
  }
  const colon = /nested mappings|compact mapping/i.test(message)
    ? explanations.BLOCK_AS_IMPLICIT_KEY
    : undefined
  const [explanation, help] = colon ?? explanations[code] ?? [message.split('\n')[0] ?? message]
  return { code: 'EV001', span, message: explanation, ...(help === undefined ? {} : { help }) }
}
