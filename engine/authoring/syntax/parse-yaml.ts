/**
 * Parses YAML into plain values, records the place of every key and value, and reports YAML traps (EV0xx).
 *
 * The only module that depends on the YAML library.
 */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { Node, ScalarTag } from 'yaml'
import { createFinding } from '../finding.ts'
import type { Draft, Finding } from '../finding.ts'
import { findExcessiveNesting } from './nesting-depth.ts'
import { reportStrayCharacters } from './invisible-characters.ts'
import { syntaxFindings } from './syntax-findings.ts'
import type { SyntaxFindingName } from './syntax-findings.ts'
import { getNodeRange, reportTraps } from './yaml-traps.ts'
import type { TrapContext } from './yaml-traps.ts'
import { explainParserError } from './unreadable-yaml.ts'
import { join } from './source.ts'
import type { Part, Place, Source, Span, Written } from './source.ts'
import type { SourceText } from '../../event/source-files.ts'

/**
 * An event file has a few hundred lines and about 500 keys and entries. A file many times larger is
 * not an event file, and checking it would take minutes.
 */
const MAX_FILE_CHARACTERS = 300_000
const MAX_VALUES = 8_000
/**
 * No email is longer than this. The limit is needed because the search for days and amounts reads each string several
 * times.
 */
const MAX_TEXT_CHARACTERS = 5_000
/** No event file needs more levels, and every stack is large enough for this many. */
const MAX_NESTING_DEPTH = 60
const TOO_DEEP_MESSAGE = 'the text is nested too deeply'

/**
 * A value that starts with a letter and is not null, true or false is a string. Nine out of ten values and keys are
 * such strings. Because this tag is tested first, they skip the tests for null and eight kinds of numbers.
 */
const WORD_TAG: ScalarTag = {
  tag: 'tag:yaml.org,2002:str',
  default: true,
  test: /^(?!(?:[Nn]ull|NULL|[Tt]rue|TRUE|[Ff]alse|FALSE)$)[A-Za-z]/,
  resolve: (text) => text,
}

/**
 * The renamed keys and values of a format. Each function returns the current name, or its argument if it was not
 * renamed.
 */
export type Renames = {
  currentKey(block: string, key: string): string
  currentValue(path: string, value: string): string
}
const NO_RENAMES: Renames = {
  currentKey: (_block, key) => key,
  currentValue: (_path, value) => value,
}

type NodeSpans = { readonly key: Span | null; readonly value: Span; readonly node: Node | null }

/**
 * Parses a file. Never throws. If `value` is null, at least one finding is an error. Values and paths use the current
 * names from `renames`; an old name is reported at its position.
 */
export function readYaml(
  file: SourceText,
  renames: Renames = NO_RENAMES,
): {
  readonly source: Source
  readonly findings: readonly Finding[]
} {
  const lines = new LineCounter()
  const spansByPath = new Map<string, NodeSpans>()
  const drafts: (Draft & { code: SyntaxFindingName })[] = []
  const trappedPaths = new Set<string>()
  const getPosition = (offset: number) => {
    const at = Math.max(0, Math.min(offset, file.text.length))
    const { line, col } = lines.linePos(at)
    return { line: Math.max(1, line), column: Math.max(1, col), offset: at }
  }
  const locate = ([start, end]: Span, path: string): Place => ({
    path: file.path,
    start: getPosition(start),
    end: getPosition(Math.max(start, end)),
    keyPath: path,
  })
  const findNearestSpans = (path: string): { spot: NodeSpans | null; path: string } => {
    for (let at = path; ; at = at.includes('.') ? at.slice(0, at.lastIndexOf('.')) : '') {
      const spot = spansByPath.get(at)
      if (spot !== undefined) return { spot, path: at }
      if (at === '') return { spot: null, path: '' }
    }
  }
  const getSpanAt = (path: string, part: Part = 'value'): Span => {
    const nearest = findNearestSpans(path)
    if (nearest.spot === null) return [0, 0]
    // A missing child is reported at its parent's key, not at the whole block.
    const requestedPart = nearest.path === path ? part : 'key'
    const { key, value } = nearest.spot
    const span =
      requestedPart === 'value' || key === null
        ? requestedPart === 'key'
          ? getFirstLine(value)
          : value
        : requestedPart === 'key'
          ? key
          : ([key[0], value[1]] as const)
    return trimSpan(span)
  }
  const getPlace = (path: string, part?: Part): Place => locate(getSpanAt(path, part), path)
  const getFirstLine = ([start, end]: Span): Span => {
    const stop = file.text.indexOf('\n', start)
    return [start, stop === -1 ? end : Math.min(end, stop)]
  }
  const trimSpan = ([start, end]: Span): Span => {
    let stop = end
    while (stop > start && /\s/.test(file.text[stop - 1] ?? '')) stop -= 1
    return [start, stop]
  }
  const getScalar = (path: string): Written | null => {
    const node = spansByPath.get(path)?.node
    if (!isScalar(node) || !node.range) return null
    return {
      text: file.text.slice(node.range[0], node.range[1]),
      isUnquoted: node.type === 'PLAIN',
      span: [node.range[0], node.range[1]],
    }
  }
  const getSource = (value: unknown): Source => ({
    ...file,
    value,
    place: getPlace,
    span: getSpanAt,
    placeOf: locate,
    getScalar,
    has: (path) => spansByPath.has(path),
    trappedPaths,
  })
  const report = (
    code: SyntaxFindingName,
    span: Span,
    path: string,
    draft: Omit<Draft, 'at' | 'span'>,
  ): void => void drafts.push({ code, at: path, span, ...draft })
  const finish = (value: unknown) => {
    const parsed = getSource(value)
    const findings = drafts.map(({ code, ...draft }) =>
      createFinding(code, syntaxFindings[code], draft, parsed),
    )
    return { source: parsed, findings: removeConsequences(findings, findings) }
  }

  if (file.text.length > MAX_FILE_CHARACTERS) {
    report('EV001', [0, 0], '', {
      message: `the file is longer than ${MAX_FILE_CHARACTERS} characters; this is not an event file`,
    })
    return finish(null)
  }
  const excessiveNesting = findExcessiveNesting(file.text)
  if (excessiveNesting !== null) {
    report('EV001', excessiveNesting, '', { message: TOO_DEEP_MESSAGE })
    return finish(null)
  }
  reportStrayCharacters(file.text, report)
  let document
  try {
    document = parseDocument(file.text, {
      lineCounter: lines,
      strict: true,
      // Duplicate keys are reported below, with both places.
      uniqueKeys: false,
      version: '1.2',
      schema: 'core',
      customTags: (tags) => [WORD_TAG, ...tags],
      logLevel: 'error',
      prettyErrors: false,
    })
  } catch {
    report('EV001', [0, 0], '', { message: TOO_DEEP_MESSAGE })
    return finish(null)
  }
  const firstError = document.errors[0]
  if (firstError !== undefined) {
    const { code, ...draft } = explainParserError(file.text, firstError)
    // An unreadable file is reported once, at the first error; later errors may be consequences.
    return drafts.some((draft) => draft.code === 'EV011')
      ? finish(null)
      : (report(code, draft.span, '', draft), finish(null))
  }
  const excessiveSize = findExcessiveSize(document.contents)
  if (excessiveSize !== null) {
    report('EV001', excessiveSize.span, '', { message: excessiveSize.message })
    return finish(null)
  }
  const traps: TrapContext = {
    text: file.text,
    report,
    trap: (path) => void trappedPaths.add(path),
  }
  const value = toPlain(document.contents, '', null, 0)
  return finish(value.tooDeep ? null : value.value)

  function reportRename(
    [start, end]: Span,
    path: string,
    oldName: string,
    currentName: string,
  ): void {
    const written = file.text.slice(start, end)
    report('EV019', [start, end], path, {
      message: `\`${oldName}\` is now called \`${currentName}\``,
      help: `write ${currentName}; rollcall validate --fix renames it`,
      fix: {
        start,
        end,
        text: written.includes(oldName) ? written.replace(oldName, currentName) : currentName,
      },
    })
  }

  function renameScalar(value: unknown, path: string, span: Span | null): unknown {
    if (typeof value !== 'string') return value
    const currentValue = renames.currentValue(path, value)
    if (currentValue !== value && span !== null) reportRename(span, path, value, currentValue)
    return currentValue
  }

  function toPlain(
    node: unknown,
    path: string,
    key: Span | null,
    depth: number,
  ): { value: unknown; tooDeep?: boolean } {
    const range = getNodeRange(node)
    spansByPath.set(path, {
      key,
      value: range ?? (key === null ? [0, file.text.length] : [key[1], key[1]]),
      node: (node ?? null) as Node | null,
    })
    if (depth > MAX_NESTING_DEPTH) {
      if (!drafts.some(({ code }) => code === 'EV001'))
        report('EV001', range ?? [0, 0], path, { message: TOO_DEEP_MESSAGE })
      return { value: null, tooDeep: true }
    }
    reportTraps(node, path, traps)
    if (isAlias(node)) return { value: null }
    if (isScalar(node)) return { value: renameScalar(node.value, path, range) }
    let tooDeep = false
    const convertChild = (child: unknown, at: string, keySpan: Span | null): unknown => {
      const converted = toPlain(child, at, keySpan, depth + 1)
      tooDeep ||= converted.tooDeep === true
      return converted.value
    }
    if (isSeq(node)) {
      const value = node.items.map((item, index) => convertChild(item, join(path, index), null))
      return { value, tooDeep }
    }
    if (!isMap(node)) return { value: null }
    const seen = new Map<string, Span>()
    const pairs = node.items.flatMap((pair): [string, unknown][] => {
      const key = isScalar(pair.key) ? String(pair.key.value) : ''
      const name = renames.currentKey(path, key)
      const span = getNodeRange(pair.key) ?? range ?? [0, 0]
      const firstSpan = seen.get(name)
      if (firstSpan !== undefined) {
        if (!trappedPaths.has(path))
          report('EV002', span, join(path, name), {
            message:
              name === key
                ? `\`${name}\` is written twice in the same block`
                : `\`${key}\` is the old name of \`${name}\`, which is in the same block`,
            related: [{ span: firstSpan, message: 'first written here' }],
            help: /(?:^|\.)(?:when|show_when)(?:\.\d+)?$/.test(path)
              ? `keep one of the two; for either answer write a list, ${name}: [pg, faculty]`
              : 'keep one of the two',
          })
        return []
      }
      seen.set(name, span)
      if (name !== key) reportRename(span, join(path, name), key, name)
      return [[name, convertChild(pair.value, join(path, name), span)]]
    })
    return { value: Object.fromEntries(pairs), tooDeep }
  }
}

/** Returns the reason why a file is too large to check, with the location. Returns null if it is not too large. */
function findExcessiveSize(
  contents: unknown,
): { readonly span: Span; readonly message: string } | null {
  const remainingNodes: unknown[] = [contents]
  for (let values = 0; remainingNodes.length > 0; values += 1) {
    const node = remainingNodes.pop()
    const span = getNodeRange(node) ?? [0, 0]
    if (values >= MAX_VALUES)
      return {
        span: [0, 0],
        message: `the file has more than ${MAX_VALUES} keys and entries; it is too large to be checked`,
      }
    if (isScalar(node) && span[1] - span[0] > MAX_TEXT_CHARACTERS)
      return {
        span: [span[0], span[0]],
        message: `this text has more than ${MAX_TEXT_CHARACTERS} characters; it is too long for a page or an email`,
      }
    if (isMap(node)) remainingNodes.push(...node.items.map(({ value }) => value))
    else if (isSeq(node)) remainingNodes.push(...node.items)
  }
  return null
}

/** Removes errors on lines with a stray character, because that character causes them. */
export function removeConsequences(
  findings: readonly Finding[],
  syntaxErrors: readonly Finding[],
): readonly Finding[] {
  const strayCharacterErrors = syntaxErrors.filter(
    ({ code }) => code === 'EV011' || code === 'EV013',
  )
  return findings.filter(
    (finding) =>
      strayCharacterErrors.includes(finding) ||
      !strayCharacterErrors.some(
        ({ at }) => at.path === finding.at.path && at.start.line === finding.at.start.line,
      ),
  )
}
