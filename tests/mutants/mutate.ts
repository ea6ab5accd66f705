/**
 * Introduces typical mistakes into an event file systematically: every scalar, row and list item is removed,
 * duplicated, swapped, misspelt, changed in case, replaced by another declared id, made a digit longer or shorter,
 * moved by a day or a year, unquoted, indented by a tab, given another type, or moved by a line. A mutant consists of
 * the whole text and the lines where an author would look.
 */
import {
  isMap,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  visit,
  type Node,
  type Pair,
  type Scalar,
} from 'yaml'

export type Mutant = {
  readonly mutation: string
  /** The mutation, for the report: `fees.prices.afpi-pg.2: 5250 → 525`. */
  readonly description: string
  readonly text: string
  /** The first and last changed line of the mutant, from 1. For a removed part: its former position. */
  readonly lines: readonly [number, number]
  /** Lines of the keys above the change. An error about a removed part is reported there. */
  readonly parentLines: readonly number[]
  /** Names that no longer exist. A line that uses such a name refers to the change. */
  readonly removedNames: readonly string[]
}

type Span = readonly [number, number]
type Edit = { readonly at: Span; readonly text: string }

/**
 * Calls `handle` for each mutant whose index satisfies `isSelected`, and returns its results in a fixed order. Handles
 * each text immediately, because all texts together would not fit in memory.
 */
export function mapMutants<Result>(
  text: string,
  isSelected: (index: number) => boolean,
  handle: (mutant: Mutant) => Result,
): Result[] {
  const document = parseDocument(text)
  const lineAt = createLineFinder(text)
  const idGroups = findDeclaredIds(document.toJS() as Record<string, unknown>)
  const seenTexts = new Set<string>()
  const results: Result[] = []
  let parentLines: readonly number[] = []
  const setParentLines = (ancestors: readonly unknown[]): void =>
    void (parentLines = ancestors.flatMap((node) =>
      isPair(node) && isScalar(node.key) && node.key.range
        ? [lineAt(node.key.range[0])]
        : isMap(node) && node.range
          ? [lineAt(node.range[0])]
          : [],
    ))
  const addMutant = (mutation: string, change: string, edits: readonly Edit[]): void => {
    const changedText = [...edits]
      .sort((a, b) => b.at[0] - a.at[0])
      .reduce(
        (currentText, { at, text: replacement }) =>
          currentText.slice(0, at[0]) + replacement + currentText.slice(at[1]),
        text,
      )
    if (changedText === text) return
    const key = buildMutantKey(text, changedText, edits)
    if (seenTexts.has(key)) return
    seenTexts.add(key)
    if (!isSelected(seenTexts.size - 1)) return
    const start = Math.min(...edits.map(({ at }) => at[0]))
    const firstLine = lineAt(start)
    // The end of the last change in the mutant, which earlier replacements have moved.
    const end = Math.max(
      ...edits.map(
        (edit) =>
          edit.at[0] +
          edit.text.trimEnd().length +
          edits
            .filter(({ at }) => at[0] < edit.at[0])
            .reduce(
              (shift, { at, text: replacement }) => shift + replacement.length - (at[1] - at[0]),
              0,
            ),
      ),
    )
    const findWords = (part: string): readonly string[] => part.match(/[A-Za-z][\w-]{2,}/g) ?? []
    const insertedWords = new Set(edits.flatMap((edit) => findWords(edit.text)))
    const removedNames = [
      ...new Set(edits.flatMap(({ at }) => findWords(text.slice(...at)))),
    ].filter((name) => !insertedWords.has(name))
    results.push(
      handle({
        mutation,
        description: change,
        text: changedText,
        lines: [firstLine, firstLine + changedText.slice(start, end).split('\n').length - 1],
        parentLines,
        removedNames,
      }),
    )
  }

  visit(document, {
    Pair(_, pair, ancestors) {
      const path = buildPath([...ancestors, pair])
      setParentLines(ancestors)
      const span = findPairSpan(pair)
      if (span === null || !isScalar(pair.key)) return undefined
      const key = pair.key as Scalar
      const keySpan = findScalarSpan(key)
      if (keySpan !== null) {
        addMutant('misspell key', `${path}: key ${misspellWord(String(key.value))}`, [
          { at: keySpan, text: misspellWord(String(key.value)) },
        ])
        addMutant('key in different case', `${path}: key ${changeCase(String(key.value))}`, [
          { at: keySpan, text: changeCase(String(key.value)) },
        ])
      }
      const itemSpan = expandToItem(text, span)
      addMutant('drop', `${path} dropped`, [{ at: itemSpan, text: '' }])
      addMutant('double', `${path} twice`, [
        { at: itemSpan, text: text.slice(...itemSpan) + text.slice(...itemSpan) },
      ])
      return undefined
    },
    Seq(_, seq, ancestors) {
      const path = buildPath([...ancestors, seq])
      setParentLines(ancestors)
      seq.items.forEach((item, i) => {
        const span = findNodeSpan(item as Node)
        if (span === null) return
        const itemSpan = expandToItem(text, span)
        addMutant('drop', `${path}.${i} dropped`, [{ at: itemSpan, text: '' }])
        addMutant('double', `${path}.${i} twice`, [
          { at: itemSpan, text: text.slice(...itemSpan) + text.slice(...itemSpan) },
        ])
        const nextSpan = findNodeSpan(seq.items[i + 1] as Node | undefined)
        if (nextSpan !== null)
          addMutant('swap', `${path}.${i} and ${i + 1} swapped`, [
            { at: span, text: text.slice(...nextSpan) },
            { at: nextSpan, text: text.slice(...span) },
          ])
      })
    },
    Scalar(key, scalar, ancestors) {
      if (key === 'key') return
      const span = findScalarSpan(scalar)
      if (span === null) return
      const path = buildPath(
        [...ancestors, ...(typeof key === 'number' ? [scalar] : [])],
        typeof key === 'number' ? key : null,
      )
      setParentLines(ancestors)
      const source = text.slice(...span)
      const addScalarMutant = (mutation: string, replacement: string): void =>
        addMutant(mutation, `${path}: ${source} → ${replacement}`, [
          { at: span, text: replacement },
        ])
      const value: unknown = scalar.value
      const isQuoted = /^["']/.test(source)
      if (isQuoted) addScalarMutant('removed quote', source.slice(1))
      if (isQuoted) addScalarMutant('removed quotes', source.slice(1, -1))
      if (typeof value === 'number') {
        addScalarMutant('extra digit', `${source}0`)
        addScalarMutant('missing digit', source.length > 1 ? source.slice(0, -1) : '0')
        addScalarMutant('digits swapped', source.replace(/^(\d)(\d)/, '$2$1'))
        addScalarMutant(
          'another digit',
          source.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
        )
        addScalarMutant('wrong type', `"${source}"`)
        addScalarMutant('wrong type', `${source},00`)
      } else if (typeof value === 'boolean') {
        addScalarMutant('other value', String(!value))
        addScalarMutant('wrong type', value ? 'yes' : 'no')
      } else if (typeof value === 'string') {
        const dayMatch = /^(\d{4})-(\d{2})-(\d{2})/.exec(value)
        if (dayMatch !== null) {
          addScalarMutant('a day earlier', source.replace(dayMatch[0], shiftDay(dayMatch[0], -1)))
          addScalarMutant('a day later', source.replace(dayMatch[0], shiftDay(dayMatch[0], 1)))
          addScalarMutant(
            'wrong year',
            source.replace(dayMatch[0], `${Number(dayMatch[1]) + 1}${dayMatch[0].slice(4)}`),
          )
          addScalarMutant(
            'wrong order',
            source.replace(dayMatch[0], `${dayMatch[3]}-${dayMatch[2]}-${dayMatch[1]}`),
          )
        } else {
          addScalarMutant('misspell', source.replace(value, misspellWord(value)))
          addScalarMutant('different case', source.replace(value, changeCase(value)))
        }
        for (const group of idGroups) {
          if (!group.includes(value)) continue
          const otherId: string | undefined = group[(group.indexOf(value) + 1) % group.length]
          if (otherId !== undefined && otherId !== value)
            addScalarMutant('another id', source.replace(value, otherId))
        }
        addScalarMutant('wrong type', `[${source}]`)
        addScalarMutant('wrong type', '7')
      }
    },
  })

  const lines = text.split('\n')
  let offset = 0
  lines.forEach((line, i) => {
    const span: Span = [offset, offset + line.length]
    offset += line.length + 1
    if (/^\s*(#|$)/.test(line)) return
    const indent = findIndent(line)
    parentLines = findParentLines(lines, i)
    if (indent > 0)
      addMutant('tab', `line ${i + 1} indented by a tab`, [
        { at: [span[0], span[0] + indent], text: '\t' },
      ])
    addMutant('moved right', `line ${i + 1} moved right`, [{ at: [span[0], span[0]], text: '  ' }])
    if (indent >= 2)
      addMutant('moved left', `line ${i + 1} moved left`, [
        { at: [span[0], span[0] + 2], text: '' },
      ])
    const nextLine = lines[i + 1]
    if (nextLine !== undefined && !/^\s*(#|$)/.test(nextLine))
      addMutant('moved line', `line ${i + 1} below line ${i + 2}`, [
        { at: [span[0], span[1] + 1 + nextLine.length], text: `${nextLine}\n${line}` },
      ])
  })
  return results
}

const findIndent = (line: string): number => /^ */.exec(line)?.[0].length ?? 0

/** Returns the first lines of the blocks that contain a line, outermost first. */
function findParentLines(lines: readonly string[], lineIndex: number): readonly number[] {
  const lineNumbers: number[] = []
  let indent = findIndent(lines[lineIndex] ?? '')
  for (let i = lineIndex - 1; i >= 0 && indent > 0; i--) {
    const line = lines[i] ?? ''
    if (/^\s*(#|$)/.test(line) || findIndent(line) >= indent) continue
    indent = findIndent(line)
    lineNumbers.unshift(i + 1)
  }
  return lineNumbers
}

/** Returns a key that identifies the mutant: the smallest part of `text` that must be replaced, and its replacement. */
function buildMutantKey(text: string, changedText: string, edits: readonly Edit[]): string {
  let start = Math.min(...edits.map(({ at }) => at[0]))
  while (start < text.length && text[start] === changedText[start]) start += 1
  const maxCommonLength = Math.min(text.length, changedText.length) - start
  let commonSuffixLength = Math.min(
    maxCommonLength,
    text.length - Math.max(...edits.map(({ at }) => at[1])),
  )
  while (
    commonSuffixLength < maxCommonLength &&
    text.at(-1 - commonSuffixLength) === changedText.at(-1 - commonSuffixLength)
  )
    commonSuffixLength += 1
  return `${start} ${text.length - commonSuffixLength} ${changedText.slice(start, changedText.length - commonSuffixLength)}`
}

/** Misspells a word as a typo would: swaps two letters, or omits one. */
function misspellWord(word: string): string {
  const wordMatch = /[A-Za-z]{4,}/.exec(word)
  if (wordMatch === null) return `${word}x`
  const position = wordMatch.index + 1
  const [a = '', b = ''] = [word[position], word[position + 1]]
  return a === b
    ? word.slice(0, position) + word.slice(position + 1)
    : word.slice(0, position) + b + a + word.slice(position + 2)
}

function changeCase(word: string): string {
  const upperCase = word.toUpperCase()
  return upperCase === word ? word.toLowerCase() : upperCase
}

function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

/**
 * Returns groups of interchangeable ids: categories, periods, items, quotas, fields, the options of each
 * field, and the fields asked for each person of a people field.
 */
function findDeclaredIds(file: Record<string, unknown>): readonly (readonly string[])[] {
  const findIds = (value: unknown): string[] =>
    Array.isArray(value)
      ? value.flatMap((item) =>
          typeof item === 'string'
            ? [item]
            : typeof item === 'object' && item !== null && 'id' in item
              ? [String(item.id)]
              : [],
        )
      : []
  const getValue = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)[key]
      : undefined
  const sections = getValue(file.form, 'sections')
  const fields = Array.isArray(sections)
    ? sections.flatMap((section: unknown) => {
        const innerFields = getValue(section, 'fields')
        return Array.isArray(innerFields) ? innerFields : []
      })
    : []
  return [
    findIds(file.categories),
    findIds(getValue(file.fees, 'periods')),
    findIds(fields),
    ...(['items', 'adjustments'] as const).map((key) => findIds(getValue(file.fees, key))),
    findIds(file.quotas),
    findIds(getValue(file.codes, 'kinds')),
    Object.keys((file.member_lists ?? {}) as object),
    ...fields.map((field: unknown) => findIds(getValue(field, 'options'))),
    ...fields.map((field: unknown) => findIds(getValue(field, 'fields'))),
  ].filter((group) => group.length > 1)
}

function createLineFinder(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map((found) => found.index + 1)]
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1
}

function findNodeSpan(node: Node | undefined): Span | null {
  const range = node === undefined ? undefined : node.range
  return range === undefined || range === null ? null : [range[0], range[1]]
}
const findScalarSpan = (scalar: Scalar): Span | null =>
  scalar.range === undefined || scalar.range === null || scalar.range[0] === scalar.range[1]
    ? null
    : [scalar.range[0], scalar.range[1]]
function findPairSpan(pair: Pair): Span | null {
  const key = findNodeSpan(pair.key as Node)
  const value = findNodeSpan((pair.value ?? undefined) as Node | undefined)
  return key === null ? null : [key[0], (value ?? key)[1]]
}

/** Expands a span to the item and its separator: whole lines in block style, the item and a comma in flow style. */
function expandToItem(text: string, [start, end]: Span): Span {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const textBefore = text.slice(lineStart, start)
  const lineEnd = text.indexOf('\n', end)
  const restOfLine = text.slice(end, lineEnd === -1 ? text.length : lineEnd)
  if (/^ *(- )?$/.test(textBefore) && /^\s*(#.*)?$/.test(restOfLine)) {
    const trimmedEnd = text.slice(start, end).trimEnd().length + start
    const stop = text.indexOf('\n', trimmedEnd)
    return [lineStart, stop === -1 ? text.length : stop + 1]
  }
  const separator = /^\s*,\s*/.exec(text.slice(end))
  if (separator !== null) return [start, end + separator[0].length]
  const commaBefore = /,\s*$/.exec(text.slice(0, start))
  return commaBefore === null ? [start, end] : [start - commaBefore[0].length, end]
}

function buildPath(ancestors: readonly unknown[], lastIndex: number | null = null): string {
  const parts: string[] = []
  ancestors.forEach((node, i) => {
    if (isPair(node) && isScalar(node.key)) parts.push(String(node.key.value))
    else if (isSeq(ancestors[i - 1]) && (isMap(node) || isScalar(node) || isSeq(node)))
      parts.push(String((ancestors[i - 1] as { items: unknown[] }).items.indexOf(node)))
  })
  if (lastIndex !== null && parts.at(-1) !== String(lastIndex)) parts.push(String(lastIndex))
  return parts.join('.')
}
