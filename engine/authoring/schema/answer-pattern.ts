/**
 * Parses patterns of text fields and proves that they match every answer quickly.
 *
 * Matching backtracks where a string can be matched in several ways. A pattern is safe if no
 * prefix of any string can be matched in more than a few ways.
 */
import { assertNever, err, ok, type Result } from '../../lib/result.ts'

/** An error in a pattern; `span` is the part that causes it. */
export type PatternFault = {
  readonly is: 'broken' | 'not-read' | 'slow'
  readonly span: readonly [number, number]
  readonly message: string
  readonly help?: string
}

/**
 * The maximum number of ways to match one prefix of a string. Safe patterns rarely need five. A number that grows with
 * the text soon exceeds this limit.
 */
export const MAX_READINGS = 50
/** The maximum length of a pattern with its counts expanded: longer than any identifier. */
const MAX_EXPANDED_CHARACTERS = 1000
/** The maximum number of steps in the proof: a few hundredths of a second, and 100 times what real patterns need. */
const MAX_STEPS = 100_000

/** Returns the pattern anchored to the whole answer. */
export function anchorPattern(pattern: string): string {
  return `^(?:${pattern})$`
}

/** Returns the error in a pattern. Null if the pattern may be used. */
export function findPatternFault(pattern: string): PatternFault | null {
  const wholeSpan = [0, pattern.length] as const
  const slashes = /^\/(.+)\/([a-z]*)$/s.exec(pattern)
  if (slashes !== null)
    return {
      is: 'not-read',
      span: wholeSpan,
      message: 'the slashes around the pattern would be required in the answer',
      help: `write ${slashes[1] ?? ''}${slashes[2]?.includes('i') ? ', with both cases where both are possible: [A-Za-z]' : ''}`,
    }
  for (const [mistakePattern, message, help] of PATTERN_MISTAKES) {
    const match = mistakePattern.exec(pattern)
    if (match !== null)
      return {
        is: 'not-read',
        span: [match.index, match.index + match[0].length],
        message,
        help: help(match[0]),
      }
  }
  const fault = explainBrokenPattern(pattern)
  if (fault !== null)
    return {
      is: 'broken',
      span: wholeSpan,
      message: `this is not a valid pattern: ${fault}`,
      ...(/escape/.test(fault)
        ? { help: 'only ^ $ \\ . * + ? ( ) [ ] { } | and / need a backslash before them' }
        : {}),
    }
  const patternResult = readPattern(pattern)
  if (!patternResult.ok) return patternResult.error
  const states = buildStates(patternResult.value)
  if (states === null)
    return {
      is: 'not-read',
      span: wholeSpan,
      message: 'the pattern is longer than any real answer',
    }
  const slow = findTextWithManyMatches(states)
  if (slow === null) return null
  return {
    is: 'slow',
    span: wholeSpan,
    message:
      slow === ''
        ? 'the pattern can match in too many ways, so a long answer might block the form'
        : `a long answer can match in too many ways, such as “${slow}”, and would block the form`,
    help: 'start each part with a character that the part before it cannot contain, such as [a-z]+( [a-z]+)*',
  }
}

/** Syntax that is valid but never intended. */
const PATTERN_MISTAKES: readonly (readonly [RegExp, string, (found: string) => string])[] = [
  [
    /\[\[:\w+:\]/u,
    'character classes such as [:alpha:] are not supported',
    () => 'write the characters, such as A-Za-z or 0-9',
  ],
  [
    /(?<!\\)\[(?:[^\]\\[]|\\.)*\[/su,
    'there is a bracket inside brackets that are not closed',
    (found) => `close the first one; for the character itself write ${found.slice(0, -1)}\\[`,
  ],
  [/A-z/u, 'the range also contains six characters between Z and a', () => 'write A-Za-z'],
  [
    /\\\\[dDwWsS.]/u,
    'two backslashes require a backslash in the answer',
    (found) => `write ${found.slice(1)}`,
  ],
]

/** Returns the regular expression engine's error; null if it accepts the pattern. */
function explainBrokenPattern(pattern: string): string | null {
  try {
    return RegExp(anchorPattern(pattern), 'u') instanceof RegExp ? null : ''
  } catch (error) {
    const errorText = String(error instanceof Error ? error.message : error).replace(
      /^.*\/u?: /s,
      '',
    )
    return errorText.charAt(0).toLowerCase() + errorText.slice(1)
  }
}

/** One character of a string (its pattern), a sequence, alternatives, or a repetition. */
export type Node =
  | { readonly is: 'sign'; readonly source: string }
  | { readonly is: 'all' | 'any'; readonly parts: readonly Node[] }
  | { readonly is: 'repeat'; readonly part: Node; readonly min: number; readonly max: number }

const ESCAPE_TOKEN =
  /\\(?:u\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[pP]\{[^}]*\}|[dDwWsStnrfv]|[\\^$.*+?()[\]{}|/-])/uy
const CLASS_TOKEN = /\[(?:\\[^]|[^\]\\])*\]/uy
const QUANTIFIER_TOKEN = /(?:[*+?]|\{(\d+)(,(\d*))?\})\??/uy
const GROUP_TOKEN = /\((?:\?:|\?<[A-Za-z_]\w*>|(?!\?))/uy
const UNSUPPORTED_SYNTAX: readonly (readonly [RegExp, string, string?])[] = [
  [
    /\(\?<?[=!]/uy,
    'lookahead and lookbehind are not supported',
    'describe the characters directly',
  ],
  [/\\(?:[1-9]|k<)/uy, 'backreferences are not supported'],
  [
    /\\[bB]/uy,
    'word boundaries are not supported',
    'a pattern always matches the whole answer: remove it',
  ],
  [
    /\(\?[a-z-]+:/uy,
    'flags are not supported',
    'write both cases where both are possible: [A-Za-z]',
  ],
  [
    /[\^$]/uy,
    '^ and $ in the middle of a pattern never match',
    'remove it: a pattern always matches the whole answer',
  ],
]

/** Parses a pattern that the regular expression engine accepts; unsupported syntax is an error. */
export function readPattern(pattern: string): Result<Node, PatternFault> {
  let index = 0
  let fault: PatternFault | null = null
  const accept = (token: RegExp): RegExpExecArray | null => {
    token.lastIndex = index
    const found = token.exec(pattern)
    if (found !== null) index += found[0].length
    return found
  }
  const reject = (span: readonly [number, number], message: string, help?: string): Node => {
    fault ??= { is: 'not-read', span, message, ...(help === undefined ? {} : { help }) }
    index = pattern.length
    return { is: 'all', parts: [] }
  }
  const readAlternatives = (depth: number): Node => {
    const parts = [readSequence(depth)]
    while (pattern[index] === '|') {
      index += 1
      parts.push(readSequence(depth))
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { is: 'any', parts }
  }
  const readSequence = (depth: number): Node => {
    const parts: Node[] = []
    // A pattern always matches the whole answer, so its anchors are ignored.
    if (depth === 0 && pattern[index] === '^') index += 1
    while (index < pattern.length && pattern[index] !== '|' && pattern[index] !== ')') {
      if (depth === 0 && pattern[index] === '$' && /^(?:$|\|)/.test(pattern.slice(index + 1)))
        index += 1
      else parts.push(readQuantified(depth))
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { is: 'all', parts }
  }
  const readQuantified = (depth: number): Node => {
    const start = index
    const part = parseAtom(depth)
    const quantifier = accept(QUANTIFIER_TOKEN)
    if (quantifier === null || fault !== null) return part
    const sign = quantifier[0].charAt(0)
    const min = sign === '{' ? Number(quantifier[1]) : sign === '+' ? 1 : 0
    const max =
      sign === '?'
        ? 1
        : sign !== '{' || quantifier[3] === ''
          ? Infinity
          : Number(quantifier[2] === undefined ? quantifier[1] : quantifier[3])
    if (max > 1 && canBeEmpty(part))
      return reject(
        [start, index],
        'the repeated part can be empty, so it can match in any number of ways',
      )
    return { is: 'repeat', part, min, max }
  }
  const parseAtom = (depth: number): Node => {
    const start = index
    for (const [token, message, help] of UNSUPPORTED_SYNTAX)
      if (accept(token) !== null) return reject([start, index], message, help)
    if (accept(GROUP_TOKEN) !== null) {
      const group = readAlternatives(depth + 1)
      index += 1
      return group
    }
    const sign = accept(CLASS_TOKEN) ?? accept(ESCAPE_TOKEN) ?? accept(/[^\\[\](){}*+?|^$]/uy)
    return sign === null
      ? reject([start, start + 1], 'this character is not supported here')
      : { is: 'sign', source: sign[0] }
  }
  const root = readAlternatives(0)
  return fault === null ? ok(root) : err(fault)
}

function canBeEmpty(node: Node): boolean {
  switch (node.is) {
    case 'sign':
      return false
    case 'all':
      return node.parts.every(canBeEmpty)
    case 'any':
      return node.parts.some(canBeEmpty)
    case 'repeat':
      return node.min === 0 || canBeEmpty(node.part)
    default:
      return assertNever(node)
  }
}

/** A state of the matcher: before a character, at a branch, or at the end. */
type State = { readonly character: string; readonly then: number } | { readonly branches: number[] }

/** Converts the pattern to states, the last of which is the start; null if it is too long. */
function buildStates(pattern: Node): readonly State[] | null {
  const states: State[] = [{ branches: [] }]
  const add = (state: State): number => states.push(state) - 1
  const build = (node: Node, next: number): number => {
    if (states.length > MAX_EXPANDED_CHARACTERS) return next
    switch (node.is) {
      case 'sign':
        return add({ character: node.source, then: next })
      case 'all':
        return node.parts.reduceRight((after, part) => build(part, after), next)
      case 'any':
        return add({ branches: node.parts.map((part) => build(part, next)) })
      case 'repeat': {
        const { part, min, max } = node
        let start = next
        if (max === Infinity) {
          const branches = [next]
          start = add({ branches })
          branches.push(build(part, start))
        } else
          for (let count = Math.min(max - min, MAX_EXPANDED_CHARACTERS); count > 0; count -= 1)
            start = add({ branches: [build(part, start), next] })
        for (let left = Math.min(min, MAX_EXPANDED_CHARACTERS); left > 0; left -= 1)
          start = build(part, start)
        return start
      }
      default:
        return assertNever(node)
    }
  }
  add({ branches: [build(pattern, 0)] })
  return states.length > MAX_EXPANDED_CHARACTERS ? null : states
}

/** The number of ways to reach the end, and each state that needs a character. */
type PathCounts = ReadonlyMap<number, number>

/**
 * Returns a prefix of a string that can be matched in more than `MAX_READINGS` ways; '' if there are
 * too many sets of states to check; null if there is no such text.
 */
function findTextWithManyMatches(states: readonly State[]): string | null {
  const characters = listDistinctCharacters(
    new Set(states.flatMap((state) => ('character' in state ? [state.character] : []))),
  )
  const countsByState = new Map<number, PathCounts>()
  // A repeated part is never empty, so branches form no cycle.
  const continueFrom = (at: number): PathCounts => {
    const knownCounts = countsByState.get(at)
    if (knownCounts !== undefined) return knownCounts
    const state = states[at]
    const counts =
      state !== undefined && 'branches' in state && state.branches.length > 0
        ? sumCounts(state.branches.map((next) => [continueFrom(next), 1] as const))
        : new Map([[at, 1]])
    countsByState.set(at, counts)
    return counts
  }
  const buildKey = (ways: PathCounts): string =>
    [...ways]
      .map(([at, count]) => `${at}:${count}`)
      .sort()
      .join()
  const start = continueFrom(states.length - 1)
  const seen = new Set([buildKey(start)])
  const pending: { readonly ways: PathCounts; readonly text: string }[] = [
    { ways: start, text: '' },
  ]
  let remainingSteps = MAX_STEPS
  for (;;) {
    const current = pending.pop()
    if (current === undefined) return null
    if ([...current.ways.values()].reduce((sum, count) => sum + count, 0) > MAX_READINGS)
      return current.text
    if (remainingSteps < 0) return ''
    for (const { sign, acceptedBy } of characters) {
      remainingSteps -= current.ways.size
      const nextCounts = sumCounts(
        [...current.ways].flatMap(([at, count]) => {
          const state = states[at]
          return state !== undefined && 'character' in state && acceptedBy.has(state.character)
            ? [[continueFrom(state.then), count] as const]
            : []
        }),
      )
      const key = buildKey(nextCounts)
      if (nextCounts.size === 0 || seen.has(key)) continue
      seen.add(key)
      pending.push({ ways: nextCounts, text: current.text + sign })
    }
  }
}

function sumCounts(weightedCounts: readonly (readonly [PathCounts, number])[]): PathCounts {
  const sum = new Map<number, number>()
  for (const [ways, times] of weightedCounts)
    for (const [at, count] of ways) sum.set(at, (sum.get(at) ?? 0) + times * count)
  return sum
}

/** Returns one character from each class of equivalent characters, with the parts of the pattern that accept it. */
function listDistinctCharacters(
  expected: ReadonlySet<string>,
): readonly { readonly sign: string; readonly acceptedBy: ReadonlySet<string> }[] {
  // Literal characters are compared directly, which is much faster for thousands of characters.
  const literals = new Set([...expected].filter((source) => /^[^.\\[]$/u.test(source)))
  const characterClasses = [...expected]
    .filter((source) => !literals.has(source))
    .map((source) => [source, new RegExp(`^${source}$`, 'u')] as const)
  const samplesByKey = new Map<string, { sign: string; acceptedBy: ReadonlySet<string> }>()
  for (const code of listSampleCodes([...expected].join(''))) {
    const sign = String.fromCodePoint(code)
    const matchingKinds = new Set(
      characterClasses.flatMap(([source, kind]) => (kind.test(sign) ? [source] : [])),
    )
    if (literals.has(sign)) matchingKinds.add(sign)
    const key = [...matchingKinds].join('\u0000')
    if (matchingKinds.size > 0 && !samplesByKey.has(key))
      samplesByKey.set(key, { sign, acceptedBy: matchingKinds })
  }
  return [...samplesByKey.values()]
}

/** Returns one character of each class that a pattern can distinguish; readable ones first. */
function listSampleCodes(source: string): readonly number[] {
  const listRange = (from: number, to: number, step = 1): readonly number[] =>
    Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step)
  const plain = [
    ...listRange(0x61, 0x7b),
    ...listRange(0x30, 0x3a),
    ...listRange(0x20, 0x7f),
    ...listRange(0, 0x20),
  ]
  // Without letters of other scripts, a pattern distinguishes only spaces, line ends and all other characters.
  if (/^[ -~]*$/.test(source) && !/\\[uxpP]/.test(source))
    return [...plain, 0x7f, 0xe9, 0xa0, 0x2028, 0x1f600]
  // For long ranges of similar letters (Chinese, Korean, unassigned), a few samples are enough.
  return [
    ...plain,
    ...[...source].flatMap(listAdjacentCodes),
    ...listRange(0x7f, 0x3400),
    ...listRange(0x3400, 0xd800, 64),
    ...listRange(0xe000, 0xf900, 64),
    ...listRange(0xf900, 0x10000),
    ...listRange(0x10000, 0x20000, 64),
  ]
}

/** Returns a character of the pattern and its neighbours, because the result changes at the ends of a range. */
function listAdjacentCodes(sign: string): readonly number[] {
  const code = sign.codePointAt(0) ?? 0
  return [code - 1, code, code + 1].filter((candidate) => candidate >= 0 && candidate <= 0x10ffff)
}
