/**
 * YAML text → plain values, with the place of every key and value kept from the syntax tree, and the
 * traps of YAML reported in words (EV0). The only module that knows what YAML is.
 */
import { isAlias, isMap, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { Node, YAMLMap } from 'yaml'
import { findingOf } from './finding.ts'
import type { Draft, Finding, Meta } from './finding.ts'
import { indentSlip } from './indent.ts'
import type { Part, Place, Source, SourceText, Span, Written } from './source.ts'

/** EV0: what goes wrong while the text is read. */
export const reading = {
  EV001: {
    slug: 'yaml-syntax',
    severity: 'error',
    why: 'What cannot be read has no meaning to check.',
  },
  EV002: {
    slug: 'duplicate-key',
    severity: 'error',
    why: 'Of two values under one name, one would be lost without a word.',
  },
  EV003: {
    slug: 'no-anchors-or-tags',
    severity: 'error',
    why: 'What this file says must be readable in this file, at one place.',
  },
  EV004: {
    slug: 'text-cut-by-hash',
    severity: 'warning',
    why: 'A hash after a space begins a comment, so the rest of the text is gone.',
  },
  EV005: {
    slug: 'braces-need-quotes',
    severity: 'error',
    why: 'YAML reads {…} as a block of keys; as a text it needs quotes.',
  },
  EV006: {
    slug: 'comma-in-braces',
    severity: 'error',
    why: 'Inside {…} a comma ends an entry, so half of the text becomes a key.',
  },
  EV009: {
    slug: 'tab',
    severity: 'error',
    why: 'YAML is indented with spaces; a tab has no agreed width.',
  },
  EV010: {
    slug: 'several-documents',
    severity: 'error',
    why: 'Everything after --- would be ignored.',
  },
  EV011: {
    slug: 'hidden-characters',
    severity: 'error',
    why: 'A character that nobody sees makes two names differ that look the same.',
  },
} as const satisfies Record<string, Meta>
type Reading = keyof typeof reading

/** An event file is a few hundred lines; what is a thousand times longer is not one. */
const LENGTH_MAX = 1_000_000
/** Deeper than any shape of ours, and shallow enough for every stack. */
const DEPTH_MAX = 60

type Spot = { readonly key: Span | null; readonly value: Span; readonly node: Node | null }

/** Never throws, whatever the text. Without `value` there is at least one finding of severity error. */
export function readYaml(file: SourceText): {
  readonly source: Source
  readonly findings: readonly Finding[]
} {
  const lines = new LineCounter()
  const spots = new Map<string, Spot>()
  const drafts: (Draft & { code: Reading })[] = []
  const trapped = new Set<string>()
  const position = (offset: number) => {
    const at = Math.max(0, Math.min(offset, file.text.length))
    const { line, col } = lines.linePos(at)
    return { line: Math.max(1, line), column: Math.max(1, col), offset: at }
  }
  const placeOf = ([start, end]: Span, path: string): Place => ({
    path: file.path,
    start: position(start),
    end: position(Math.max(start, end)),
    keyPath: path,
  })
  const spotOf = (path: string): { spot: Spot | null; path: string } => {
    for (let at = path; ; at = at.includes('.') ? at.slice(0, at.lastIndexOf('.')) : '') {
      const spot = spots.get(at)
      if (spot !== undefined) return { spot, path: at }
      if (at === '') return { spot: null, path: '' }
    }
  }
  const place = (path: string, part: Part = 'value'): Place => {
    const found = spotOf(path)
    if (found.spot === null) return placeOf([0, 0], path)
    // A missing child is shown at its parent's name, not at the parent's whole block.
    const wanted = found.path === path ? part : 'key'
    const { key, value } = found.spot
    const span =
      wanted === 'value' || key === null
        ? wanted === 'key'
          ? firstLine(value)
          : value
        : wanted === 'key'
          ? key
          : ([key[0], value[1]] as const)
    return placeOf(trimmed(span), path)
  }
  const firstLine = ([start, end]: Span): Span => {
    const stop = file.text.indexOf('\n', start)
    return [start, stop === -1 ? end : Math.min(end, stop)]
  }
  const trimmed = ([start, end]: Span): Span => {
    let stop = end
    while (stop > start && /\s/.test(file.text[stop - 1] ?? '')) stop -= 1
    return [start, stop]
  }
  const written = (path: string): Written | null => {
    const node = spots.get(path)?.node
    if (!isScalar(node) || !node.range) return null
    return {
      text: file.text.slice(node.range[0], node.range[1]),
      plain: node.type === 'PLAIN',
      span: [node.range[0], node.range[1]],
    }
  }
  const source = (value: unknown): Source => ({
    ...file,
    value,
    place,
    placeOf,
    written,
    has: (path) => spots.has(path),
    trapped,
  })
  const report = (
    code: Reading,
    span: Span,
    path: string,
    draft: Omit<Draft, 'at' | 'span'>,
  ): void => void drafts.push({ code, at: path, span, ...draft })
  const done = (value: unknown) => {
    const made = source(value)
    return {
      source: made,
      findings: drafts.map(({ code, ...draft }) => findingOf(code, reading[code], draft, made)),
    }
  }

  hiddenCharacters(file.text, report)
  if (file.text.length > LENGTH_MAX) {
    report('EV001', [0, 0], '', {
      message: `the file is longer than ${LENGTH_MAX} characters; this is not an event file`,
    })
    return done(null)
  }
  let document
  try {
    document = parseDocument(file.text, {
      lineCounter: lines,
      strict: true,
      uniqueKeys: true,
      version: '1.2',
      schema: 'core',
      logLevel: 'error',
      prettyErrors: false,
    })
  } catch {
    report('EV001', [0, 0], '', { message: 'the text cannot be read: it is nested too deeply' })
    return done(null)
  }
  const fatal = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY')
  if (fatal !== undefined) {
    const { code, ...said } = syntaxError(file.text, fatal)
    const draft = code === 'EV001' ? atSlip(file.text, said) : said
    // What cannot be read as a whole is said once, at the first place; a second mistake may only be its echo.
    return drafts.some((one) => one.code === 'EV011')
      ? done(null)
      : (report(code, draft.span, '', draft), done(null))
  }
  const traps: Traps = { text: file.text, report, trap: (path) => void trapped.add(path) }
  const value = plainOf(document.contents, '', null, 0)
  return done(value.tooDeep ? null : value.value)

  function plainOf(
    node: unknown,
    path: string,
    key: Span | null,
    depth: number,
  ): { value: unknown; tooDeep?: boolean } {
    const range = nodeRange(node)
    spots.set(path, {
      key,
      value: range ?? (key === null ? [0, file.text.length] : [key[1], key[1]]),
      node: (node ?? null) as Node | null,
    })
    if (depth > DEPTH_MAX) {
      if (!drafts.some(({ code }) => code === 'EV001'))
        report('EV001', range ?? [0, 0], path, { message: 'the text is nested too deeply' })
      return { value: null, tooDeep: true }
    }
    trapsOf(node, path, traps)
    if (isAlias(node)) return { value: null }
    if (isScalar(node)) return { value: node.value }
    let tooDeep = false
    const inner = (child: unknown, at: string, from: Span | null): unknown => {
      const made = plainOf(child, at, from, depth + 1)
      tooDeep ||= made.tooDeep === true
      return made.value
    }
    if (isSeq(node)) {
      const value = node.items.map((item, at) => inner(item, join(path, at), null))
      return { value, tooDeep }
    }
    if (!isMap(node)) return { value: null }
    const seen = new Map<string, Span>()
    const pairs = node.items.flatMap((pair): [string, unknown][] => {
      const name = isScalar(pair.key) ? String(pair.key.value) : ''
      const span = nodeRange(pair.key) ?? range ?? [0, 0]
      const first = seen.get(name)
      if (first !== undefined) {
        report('EV002', span, join(path, name), {
          message: `\`${name}\` is written twice in the same block`,
          related: [{ span: first, message: 'first here' }],
          help: 'keep one of the two',
        })
        return []
      }
      seen.set(name, span)
      return [[name, inner(pair.value, join(path, name), span)]]
    })
    return { value: Object.fromEntries(pairs), tooDeep }
  }
}

export function join(path: string, key: string | number): string {
  return path === '' ? String(key) : `${path}.${key}`
}

function nodeRange(node: unknown): Span | null {
  const range =
    (isScalar(node) || isMap(node) || isSeq(node) || isAlias(node)) && node.range
      ? node.range
      : null
  return range === null || range === undefined ? null : [range[0], range[1]]
}

type Report = (code: Reading, span: Span, path: string, draft: Omit<Draft, 'at' | 'span'>) => void
type Traps = { readonly text: string; readonly report: Report; trap(path: string): void }

function trapsOf(node: unknown, path: string, traps: Traps): void {
  const { text, report, trap } = traps
  const span = nodeRange(node) ?? [0, 0]
  const from = (mark: string): Span => {
    const start = text.lastIndexOf(mark, span[0])
    return start === -1 ? span : [start, span[1]]
  }
  if (isAlias(node)) {
    trap(path)
    return report('EV003', span, path, {
      message: `\`*${node.source}\` repeats another place: anchors and aliases (& and *) are not part of this format`,
      help: 'write the value out; a text that begins with * needs quotes',
    })
  }
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return
  if (node.anchor !== undefined) {
    trap(path)
    return report('EV003', from(`&${node.anchor}`), path, {
      message: `\`&${node.anchor}\` names this place: anchors and aliases (& and *) are not part of this format`,
      help: 'leave it out; a text that begins with & needs quotes',
    })
  }
  if (node.tag !== undefined) {
    trap(path)
    return report('EV003', from('!'), path, {
      message: `tags such as \`${node.tag}\` are not part of this format`,
      help: 'leave it out; a text that begins with ! needs quotes',
    })
  }
  if (isScalar(node) && node.type === 'PLAIN' && typeof node.value === 'string')
    cutByHash(node.value, span, path, traps)
  if (isMap(node)) mapTraps(node, span, path, traps)
}

/** `Hall #5`: a comment begins with a blank after its hash; one space before and none after was meant as text. */
function cutByHash(value: string, [start, end]: Span, path: string, { text, report }: Traps): void {
  const rest = /^ (#[^\s#][^\n]*)/.exec(text.slice(end, end + 400))
  if (rest === null) return
  const whole = `${value} ${(rest[1] ?? '').trimEnd()}`
  report('EV004', [end + 1, end + 1 + (rest[1] ?? '').trimEnd().length], path, {
    message: `the text ends before \`#\`: everything after it is a comment`,
    help: `to keep it, write ${JSON.stringify(whole)}; for a comment put a space after the #`,
    fix: { start, end: start + whole.length, text: JSON.stringify(whole) },
  })
}

function mapTraps(node: YAMLMap, span: Span, path: string, { text, report, trap }: Traps): void {
  for (const pair of node.items)
    if (isScalar(pair.key) && pair.key.value === '<<') {
      trap(join(path, '<<'))
      report('EV003', nodeRange(pair.key) ?? span, join(path, '<<'), {
        message: 'merging with `<<` is not part of this format',
        help: 'write the keys out',
      })
    }
  if (node.flow !== true) return
  const bare = node.items.filter((pair) => isPair(pair) && pair.value === null)
  if (bare.length === 0) return
  if (bare.length === node.items.length) {
    const inside = text.slice(span[0], span[1])
    trap(path)
    return report('EV005', span, path, {
      message: `\`${inside}\` is read as a block of keys: a text that begins with {…} must be in quotes`,
      help: `write "${inside}"`,
      fix: { start: span[0], end: span[1], text: JSON.stringify(inside) },
    })
  }
  for (const pair of bare) {
    const key = nodeRange(pair.key) ?? span
    trap(path)
    report('EV006', key, path, {
      message: `\`${text.slice(key[0], key[1])}\` looks like the rest of a text: inside {…} a comma starts a new key`,
      help: 'put the text with the comma in quotes',
    })
  }
}

const HIDDEN: readonly (readonly [RegExp, string])[] = [
  [/[\u200b\u2060\ufeff]/, 'an invisible space of no width'],
  [/[\u200c\u200d]/, 'an invisible joiner'],
  [/[\u200e\u200f\u061c]/, 'an invisible mark of writing direction'],
  [
    /[\u202a-\u202e\u2066-\u2069]/,
    'a character that turns the writing direction: the line is not what it looks like',
  ],
  [/\u00ad/, 'an invisible hyphen'],
  [/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/, 'a control character'],
  [/[\u2028\u2029]/, 'an invisible line break'],
]
/** Scripts of India, Arabic and emoji need joiners between their letters; anywhere else they are strays. */
const JOINED = /[\u0600-\u06ff\u0900-\u0dff\u{1f000}-\u{1ffff}\u2600-\u27bf\ufe0f]/u

function hiddenCharacters(text: string, report: Report): void {
  let told = 0
  for (const match of text.matchAll(
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/g,
  )) {
    const at = match.index
    if (match[0] === '\ufeff' && at === 0) continue
    if (/[\u200c\u200d]/.test(match[0]) && JOINED.test(text.slice(Math.max(0, at - 2), at)))
      continue
    if (++told > 10) return
    const name = HIDDEN.find(([pattern]) => pattern.test(match[0]))?.[1] ?? 'an invisible character'
    const code = `U+${(match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    report('EV011', [at, at + match[0].length], '', {
      message: `there is ${name} here (${code})`,
      help: 'delete it',
      fix: { start: at, end: at + match[0].length, text: '' },
    })
  }
}

type Told = {
  readonly span: Span
  readonly message: string
  readonly help?: string
  readonly related?: readonly {
    readonly span: Span
    readonly message: string
    readonly at: string
  }[]
}

/** A slip of the indentation is told where it is, not where the text stops making sense. */
function atSlip(text: string, told: Told): Told {
  const slip = indentSlip(text)
  if (slip === null) return told
  const lineOf = (offset: number): number => text.lastIndexOf('\n', offset - 1)
  const noticed =
    lineOf(told.span[0]) === lineOf(slip.at[0])
      ? []
      : [{ span: told.span, message: 'noticed here' }]
  return {
    span: slip.at,
    message: 'the indentation does not fit the lines around it',
    help: 'begin the line in the same column as its neighbours',
    related: [...slip.related, ...noticed].map((one) => ({ ...one, at: '' })),
  }
}

/** A parser's error in our words. */
function syntaxError(
  text: string,
  { code, message, pos }: { code: string; message: string; pos: readonly [number, number] },
): { code: Reading; span: Span; message: string; help?: string } {
  const span: Span = [pos[0], pos[1]]
  const lineStart = text.lastIndexOf('\n', pos[0] - 1) + 1
  const lineEnd = text.indexOf('\n', pos[0]) === -1 ? text.length : text.indexOf('\n', pos[0])
  const line = text.slice(lineStart, lineEnd)
  if (code === 'MULTIPLE_DOCS')
    return {
      code: 'EV010',
      span: [pos[0], pos[0] + 3],
      message: '`---` starts a second document; one file is one conference',
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
  const braces = /\{[A-Za-z_][\w.]*\}/.exec(line)
  if (braces !== null && !/^[^{]*["']/.test(line)) {
    const from = lineStart + (/^\s*(?:- +)?(?:[\w-]+:\s+)?/.exec(line)?.[0].length ?? 0)
    return {
      code: 'EV005',
      span: [from, lineStart + line.trimEnd().length],
      message: 'a text with {…} in it is read as a block of keys here',
      help: `write ${JSON.stringify(text.slice(from, lineEnd).trimEnd())}`,
    }
  }
  const known: Readonly<Record<string, readonly [string, (string | undefined)?]>> = {
    BLOCK_AS_IMPLICIT_KEY: ['a colon inside a text starts a new key', 'put the text in quotes'],
    BAD_INDENT: [
      'the indentation does not fit the lines around it',
      'begin the line in the same column as its neighbours',
    ],
    BLOCK_IN_FLOW: [
      'a block of lines cannot stand inside {…} or […]',
      'close the bracket, or write every entry on a line of its own',
    ],
    MISSING_CHAR: [
      /quote/i.test(message)
        ? 'a text in quotes is not closed'
        : /[\]}]/.test(message)
          ? 'a bracket is opened and not closed, or a comma is missing'
          : 'a character is missing here',
      /quote/i.test(message) ? 'add the quote at the end of the text' : undefined,
    ],
    UNEXPECTED_TOKEN: [
      'this does not belong here',
      'look for a missing quote, colon, comma or bracket just before it',
    ],
    BAD_SCALAR_START: ['a text cannot begin with this character', 'put the text in quotes'],
    BAD_DQ_ESCAPE: [
      'a backslash in a text in double quotes begins a special character',
      'write \\\\ for a backslash, or use single quotes',
    ],
    MULTILINE_IMPLICIT_KEY: [
      'a key and its colon must stand on one line',
      'look for a missing colon, or a missing quote on the line before',
    ],
    KEY_OVER_1024_CHARS: ['a key is too long', 'look for a missing quote'],
    BAD_COLLECTION_TYPE: ['this list or block does not fit here'],
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
    const [said = message, help] = known[code] ?? []
    return {
      code: code === 'BAD_SCALAR_START' ? 'EV001' : 'EV003',
      span,
      message: said,
      ...(help === undefined ? {} : { help }),
    }
  }
  const colon = /nested mappings|compact mapping/i.test(message)
    ? known.BLOCK_AS_IMPLICIT_KEY
    : undefined
  const [said, help] = colon ?? known[code] ?? [message.split('\n')[0] ?? message]
  return { code: 'EV001', span, message: said, ...(help === undefined ? {} : { help }) }
}
