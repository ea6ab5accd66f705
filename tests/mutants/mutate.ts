/**
 * The ways people err in an event file, applied systematically: every scalar, row and list item is
 * dropped, doubled, swapped, misspelt, put in another case, replaced by another declared id, made a
 * digit longer or shorter, a day earlier or later, a year off, unquoted, indented by a tab, given
 * another type, or moved by a line. A mutant is the whole text and the lines a person would look at.
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
  readonly way: string
  /** What was done, for the report: `fees.prices.afpi-pg.2: 5250 → 525`. */
  readonly what: string
  readonly text: string
  /** First and last line of the mutant that the change touched; lines count from 1. Of what was dropped: where it stood. */
  readonly lines: readonly [number, number]
  /** Lines of the keys that what was touched stands under: there something missing is missed. */
  readonly parents: readonly number[]
  /** Names that were there before and are not any more: who uses one, refers to the touched place. */
  readonly names: readonly string[]
}

type Span = readonly [number, number]
type Edit = { readonly at: Span; readonly text: string }

/**
 * What becomes of each mutant, once and always in the same order, of those whose place in that order `keeps`
 * wants: all their texts at once would fill the memory.
 */
export function ofMutants<Told>(
  text: string,
  keeps: (at: number) => boolean,
  told: (mutant: Mutant) => Told,
): Told[] {
  const document = parseDocument(text)
  const lineAt = linesOf(text)
  const ids = declaredIds(document.toJS() as Record<string, unknown>)
  const seen = new Set<string>()
  const all: Told[] = []
  let parents: readonly number[] = []
  const under = (ancestors: readonly unknown[]): void =>
    void (parents = ancestors.flatMap((node) =>
      isPair(node) && isScalar(node.key) && node.key.range
        ? [lineAt(node.key.range[0])]
        : isMap(node) && node.range
          ? [lineAt(node.range[0])]
          : [],
    ))
  const add = (way: string, what: string, edits: readonly Edit[]): void => {
    const changed = [...edits]
      .sort((a, b) => b.at[0] - a.at[0])
      .reduce((now, { at, text: put }) => now.slice(0, at[0]) + put + now.slice(at[1]), text)
    if (changed === text) return
    const key = differenceOf(text, changed, edits)
    if (seen.has(key)) return
    seen.add(key)
    if (!keeps(seen.size - 1)) return
    const start = Math.min(...edits.map(({ at }) => at[0]))
    const first = lineAt(start)
    // Where the last change ends in the mutant: what was put before it has moved it.
    const end = Math.max(
      ...edits.map(
        (edit) =>
          edit.at[0] +
          edit.text.trimEnd().length +
          edits
            .filter(({ at }) => at[0] < edit.at[0])
            .reduce((moved, { at, text: put }) => moved + put.length - (at[1] - at[0]), 0),
      ),
    )
    const wordsIn = (part: string): readonly string[] => part.match(/[A-Za-z][\w-]{2,}/g) ?? []
    const put = new Set(edits.flatMap((edit) => wordsIn(edit.text)))
    const names = [...new Set(edits.flatMap(({ at }) => wordsIn(text.slice(...at))))].filter(
      (name) => !put.has(name),
    )
    all.push(
      told({
        way,
        what,
        text: changed,
        lines: [first, first + changed.slice(start, end).split('\n').length - 1],
        parents,
        names,
      }),
    )
  }

  visit(document, {
    Pair(_, pair, ancestors) {
      const path = pathOf([...ancestors, pair])
      under(ancestors)
      const span = pairSpan(pair)
      if (span === null || !isScalar(pair.key)) return undefined
      const key = pair.key as Scalar
      const keySpan = scalarSpan(key)
      if (keySpan !== null) {
        add('misspell key', `${path}: key ${misspelt(String(key.value))}`, [
          { at: keySpan, text: misspelt(String(key.value)) },
        ])
        add('other case key', `${path}: key ${otherCase(String(key.value))}`, [
          { at: keySpan, text: otherCase(String(key.value)) },
        ])
      }
      const whole = wholeItem(text, span)
      add('drop', `${path} dropped`, [{ at: whole, text: '' }])
      add('double', `${path} twice`, [
        { at: whole, text: text.slice(...whole) + text.slice(...whole) },
      ])
      return undefined
    },
    Seq(_, seq, ancestors) {
      const path = pathOf([...ancestors, seq])
      under(ancestors)
      seq.items.forEach((item, i) => {
        const span = nodeSpan(item as Node)
        if (span === null) return
        const whole = wholeItem(text, span)
        add('drop', `${path}.${i} dropped`, [{ at: whole, text: '' }])
        add('double', `${path}.${i} twice`, [
          { at: whole, text: text.slice(...whole) + text.slice(...whole) },
        ])
        const next = nodeSpan(seq.items[i + 1] as Node | undefined)
        if (next !== null)
          add('swap', `${path}.${i} and ${i + 1} swapped`, [
            { at: span, text: text.slice(...next) },
            { at: next, text: text.slice(...span) },
          ])
      })
    },
    Scalar(key, scalar, ancestors) {
      if (key === 'key') return
      const span = scalarSpan(scalar)
      if (span === null) return
      const path = pathOf(
        [...ancestors, ...(typeof key === 'number' ? [scalar] : [])],
        typeof key === 'number' ? key : null,
      )
      under(ancestors)
      const source = text.slice(...span)
      const put = (way: string, written: string): void =>
        add(way, `${path}: ${source} → ${written}`, [{ at: span, text: written }])
      const value: unknown = scalar.value
      const quoted = /^["']/.test(source)
      if (quoted) put('lost quote', source.slice(1))
      if (quoted) put('lost quotes', source.slice(1, -1))
      if (typeof value === 'number') {
        put('a digit more', `${source}0`)
        put('a digit less', source.length > 1 ? source.slice(0, -1) : '0')
        put('digits swapped', source.replace(/^(\d)(\d)/, '$2$1'))
        put(
          'another digit',
          source.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
        )
        put('wrong type', `"${source}"`)
        put('wrong type', `${source},00`)
      } else if (typeof value === 'boolean') {
        put('other value', String(!value))
        put('wrong type', value ? 'yes' : 'no')
      } else if (typeof value === 'string') {
        const day = /^(\d{4})-(\d{2})-(\d{2})/.exec(value)
        if (day !== null) {
          put('a day earlier', source.replace(day[0], shifted(day[0], -1)))
          put('a day later', source.replace(day[0], shifted(day[0], 1)))
          put('wrong year', source.replace(day[0], `${Number(day[1]) + 1}${day[0].slice(4)}`))
          put('wrong order', source.replace(day[0], `${day[3]}-${day[2]}-${day[1]}`))
        } else {
          put('misspell', source.replace(value, misspelt(value)))
          put('other case', source.replace(value, otherCase(value)))
        }
        for (const group of ids) {
          if (!group.includes(value)) continue
          const other: string | undefined = group[(group.indexOf(value) + 1) % group.length]
          if (other !== undefined && other !== value)
            put('another id', source.replace(value, other))
        }
        put('wrong type', `[${source}]`)
        put('wrong type', '7')
      }
    },
  })

  const lines = text.split('\n')
  let offset = 0
  lines.forEach((line, i) => {
    const at: Span = [offset, offset + line.length]
    offset += line.length + 1
    if (/^\s*(#|$)/.test(line)) return
    const indent = indentOf(line)
    parents = linesAround(lines, i)
    if (indent > 0)
      add('tab', `line ${i + 1} indented by a tab`, [{ at: [at[0], at[0] + indent], text: '\t' }])
    add('moved right', `line ${i + 1} moved right`, [{ at: [at[0], at[0]], text: '  ' }])
    if (indent >= 2)
      add('moved left', `line ${i + 1} moved left`, [{ at: [at[0], at[0] + 2], text: '' }])
    const next = lines[i + 1]
    if (next !== undefined && !/^\s*(#|$)/.test(next))
      add('moved line', `line ${i + 1} below line ${i + 2}`, [
        { at: [at[0], at[1] + 1 + next.length], text: `${next}\n${line}` },
      ])
  })
  return all
}

const indentOf = (line: string): number => /^ */.exec(line)?.[0].length ?? 0

/** The lines of the blocks in which a line stands, the outermost first: each begins further to the left. */
function linesAround(lines: readonly string[], at: number): readonly number[] {
  const around: number[] = []
  let indent = indentOf(lines[at] ?? '')
  for (let i = at - 1; i >= 0 && indent > 0; i--) {
    const line = lines[i] ?? ''
    if (/^\s*(#|$)/.test(line) || indentOf(line) >= indent) continue
    indent = indentOf(line)
    around.unshift(i + 1)
  }
  return around
}

/** The least that has to be replaced of `text` to make `changed`: the same for the same text, and far shorter. */
function differenceOf(text: string, changed: string, edits: readonly Edit[]): string {
  let start = Math.min(...edits.map(({ at }) => at[0]))
  while (start < text.length && text[start] === changed[start]) start += 1
  const same = Math.min(text.length, changed.length) - start
  let after = Math.min(same, text.length - Math.max(...edits.map(({ at }) => at[1])))
  while (after < same && text.at(-1 - after) === changed.at(-1 - after)) after += 1
  return `${start} ${text.length - after} ${changed.slice(start, changed.length - after)}`
}

/** Two letters changed places, or one lost: what fingers do. */
function misspelt(word: string): string {
  const letters = /[A-Za-z]{4,}/.exec(word)
  if (letters === null) return `${word}x`
  const at = letters.index + 1
  const [a = '', b = ''] = [word[at], word[at + 1]]
  return a === b
    ? word.slice(0, at) + word.slice(at + 1)
    : word.slice(0, at) + b + a + word.slice(at + 2)
}

function otherCase(word: string): string {
  const upper = word.toUpperCase()
  return upper === word ? word.toLowerCase() : upper
}

function shifted(day: string, by: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10)
}

/** Ids that stand for each other: categories, periods, items, limits, fields, the options of each field, what is asked of its people. */
function declaredIds(file: Record<string, unknown>): readonly (readonly string[])[] {
  const idsIn = (value: unknown): string[] =>
    Array.isArray(value)
      ? value.flatMap((item) =>
          typeof item === 'string'
            ? [item]
            : typeof item === 'object' && item !== null && 'id' in item
              ? [String(item.id)]
              : [],
        )
      : []
  const at = (value: unknown, key: string): unknown =>
    typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)[key]
      : undefined
  const sections = at(file.form, 'sections')
  const fields = Array.isArray(sections)
    ? sections.flatMap((section: unknown) => {
        const inner = at(section, 'fields')
        return Array.isArray(inner) ? inner : []
      })
    : []
  return [
    idsIn(file.categories),
    idsIn(at(file.fees, 'periods')),
    idsIn(fields),
    ...(['items', 'adjustments'] as const).map((key) => idsIn(at(file.fees, key))),
    idsIn(file.limits),
    idsIn(at(file.codes, 'kinds')),
    Object.keys((file.rolls ?? {}) as object),
    ...fields.map((field: unknown) => idsIn(at(field, 'options'))),
    ...fields.map((field: unknown) => idsIn(at(field, 'fields'))),
  ].filter((group) => group.length > 1)
}

function linesOf(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map((found) => found.index + 1)]
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1
}

function nodeSpan(node: Node | undefined): Span | null {
  const range = node === undefined ? undefined : node.range
  return range === undefined || range === null ? null : [range[0], range[1]]
}
const scalarSpan = (scalar: Scalar): Span | null =>
  scalar.range === undefined || scalar.range === null || scalar.range[0] === scalar.range[1]
    ? null
    : [scalar.range[0], scalar.range[1]]
function pairSpan(pair: Pair): Span | null {
  const key = nodeSpan(pair.key as Node)
  const value = nodeSpan((pair.value ?? undefined) as Node | undefined)
  return key === null ? null : [key[0], (value ?? key)[1]]
}

/** An item with what separates it: its lines in block style, itself and a comma in flow style. */
function wholeItem(text: string, [start, end]: Span): Span {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const before = text.slice(lineStart, start)
  const lineEnd = text.indexOf('\n', end)
  const rest = text.slice(end, lineEnd === -1 ? text.length : lineEnd)
  if (/^ *(- )?$/.test(before) && /^\s*(#.*)?$/.test(rest)) {
    // The first key of a list item keeps its dash company: only lines of its own are dropped whole.
    const dashed = before.includes('- ')
    const trimmed = text.slice(start, end).trimEnd().length + start
    const stop = text.indexOf('\n', trimmed)
    return [
      dashed && text.slice(start, end).includes('\n') ? lineStart : lineStart,
      stop === -1 ? text.length : stop + 1,
    ]
  }
  const comma = /^\s*,\s*/.exec(text.slice(end))
  if (comma !== null) return [start, end + comma[0].length]
  const commaBefore = /,\s*$/.exec(text.slice(0, start))
  return commaBefore === null ? [start, end] : [start - commaBefore[0].length, end]
}

function pathOf(ancestors: readonly unknown[], last: number | null = null): string {
  const parts: string[] = []
  ancestors.forEach((node, i) => {
    if (isPair(node) && isScalar(node.key)) parts.push(String(node.key.value))
    else if (isSeq(ancestors[i - 1]) && (isMap(node) || isScalar(node) || isSeq(node)))
      parts.push(String((ancestors[i - 1] as { items: unknown[] }).items.indexOf(node)))
  })
  if (last !== null && parts.at(-1) !== String(last)) parts.push(String(last))
  return parts.join('.')
}
