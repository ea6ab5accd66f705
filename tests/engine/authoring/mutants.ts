/**
 * Event files changed systematically, in the ways people err. A mutant is harmful when it means
 * something else than the original, or nothing at all; then the checker has to find it.
 */
import { isMap, isScalar, isSeq, parseDocument, visit } from 'yaml'
import type { Document, Scalar } from 'yaml'
import { type EventConfig } from '../../../engine/index.ts'
import {
  compileEvent,
  diffEvents,
  isEmptyDiff,
  type Finding,
  type SharedFiles,
} from '../../../engine/authoring.ts'

export type Mutant = { readonly how: string; readonly line: number; readonly text: string }
export type Judged = Mutant & {
  readonly harmful: boolean
  readonly found: readonly Finding[]
  readonly changes: readonly string[]
}

/** Every mutant of a text, in the order of its lines. */
export function mutantsOf(text: string): readonly Mutant[] {
  const document = parseDocument(text)
  const mutants: Mutant[] = []
  const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length
  const put = (how: string, start: number, end: number, instead: string): void => {
    const changed = text.slice(0, start) + instead + text.slice(end)
    if (changed !== text) mutants.push({ how, line: lineOf(start), text: changed })
  }
  const ids = idsIn(document)
  visit(document, {
    Scalar(key, node) {
      if (!node.range || typeof node.type !== 'string' || node.type.startsWith('BLOCK')) return
      const [start, end] = node.range
      const written = text.slice(start, end)
      if (key === 'key') return put('a misspelt key', start, end, misspelt(written))
      scalarMutants(node, written, ids).forEach(([how, instead]) => put(how, start, end, instead))
    },
    Pair(_key, pair) {
      // A block entry on lines of its own: dropped.
      if (!isScalar(pair.key) || !pair.key.range) return
      const start = text.lastIndexOf('\n', pair.key.range[0]) + 1
      const value = pair.value as { range?: readonly number[] | null } | null
      const end = value?.range?.[1]
      if (end === undefined || text.slice(start, pair.key.range[0]).trim() !== '') return
      const stop = text.indexOf('\n', end - 1)
      put('a dropped entry', start, stop === -1 ? text.length : stop + 1, '')
    },
    Seq(_key, seq) {
      seq.items.forEach((item, at) => {
        const here = rangeOf(item)
        const next = rangeOf(seq.items[at + 1])
        if (here === null) return
        const lineStart = text.lastIndexOf('\n', here[0]) + 1
        const block = /^\s*- $/.test(text.slice(lineStart, here[0]))
        if (block && seq.flow !== true) {
          const stop = text.indexOf('\n', here[1] - 1)
          const end = stop === -1 ? text.length : stop + 1
          put('a dropped item', lineStart, end, '')
          put('a doubled item', end, end, text.slice(lineStart, end))
        } else if (next !== null) put('a dropped item', here[0], next[0], '')
        if (next !== null) {
          const between = text.slice(here[1], next[0])
          put(
            'two neighbours swapped',
            here[0],
            next[1],
            text.slice(next[0], next[1]) + between + text.slice(here[0], here[1]),
          )
        }
      })
    },
  })
  return mutants.sort((a, b) => a.line - b.line)
}

function rangeOf(node: unknown): readonly [number, number] | null {
  if (!(isScalar(node) || isMap(node) || isSeq(node)) || !node.range) return null
  return [node.range[0], node.range[1]]
}

/** Ids that are declared, each with one of its kind beside it. */
function idsIn(document: Document.Parsed): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  visit(document, {
    Seq(_key, seq) {
      const ids = seq.items.flatMap((item) =>
        isMap(item) && typeof item.get('id') === 'string' ? [String(item.get('id'))] : [],
      )
      ids.forEach((id, at) => {
        const other = ids[(at + 1) % ids.length]
        if (other !== undefined && other !== id && !found.has(id)) found.set(id, other)
      })
    },
  })
  return found
}

/** Two letters in the middle change places; a short word loses its last. */
export function misspelt(word: string): string {
  const at = Math.floor(word.length / 2)
  const swapped =
    word.slice(0, at - 1) + (word[at] ?? '') + (word[at - 1] ?? '') + word.slice(at + 1)
  return word.length < 3
    ? `${word}${word}`
    : swapped === word
      ? word.slice(0, at) + word.slice(at + 1)
      : swapped
}

function scalarMutants(
  node: Scalar,
  written: string,
  ids: ReadonlyMap<string, string>,
): readonly (readonly [string, string])[] {
  const { value } = node
  if (typeof value === 'number')
    return [
      ['a digit more', `${written}0`],
      ['a digit less', written.slice(0, -1) || '""'],
      ['another digit', written.replace(/\d/, (digit) => String((Number(digit) + 1) % 10))],
      ['a number in quotes', `"${written}"`],
    ]
  if (typeof value === 'boolean')
    return [
      ['yes for no', String(!value)],
      ['a word for yes or no', value ? 'yes' : 'no'],
    ]
  if (typeof value !== 'string') return []
  const date = /^\d{4}-\d\d-\d\d$/.test(value)
  if (date)
    return [
      ['a day later', shifted(value, 1)],
      ['a day earlier', shifted(value, -1)],
      ['a wrong year', `${Number(value.slice(0, 4)) + 1}${value.slice(4)}`],
      ['a date in words', '31 January 2026'],
    ]
  const other = ids.get(value)
  const quoted = /^["']/.test(written)
  return [
    ['misspelt', misspelt(written)],
    ...(other === undefined ? [] : [['another declared id', other] as const]),
    ...(/^[a-z]/.test(value)
      ? [['other case', written.replace(/[a-z]/, (letter) => letter.toUpperCase())] as const]
      : []),
    ...(quoted
      ? [
          ['a lost quote', written.slice(1)] as const,
          ['lost quotes', written.slice(1, -1)] as const,
        ]
      : []),
  ]
}

function shifted(day: string, by: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10)
}

/** Compares a mutant with what the original means. What nobody outside the file sees changes nothing. */
export function judge(
  mutant: Mutant,
  original: EventConfig,
  shared: SharedFiles,
  path: string,
): Judged {
  const { event: next, findings } = compileEvent(mutant.text, shared, { path })
  const found = findings.filter(({ severity }) => severity !== 'note')
  if (next === null) return { ...mutant, harmful: true, found, changes: ['it is not served'] }
  const diff = diffEvents(original, next)
  const changes = [
    ...diff.prices.map((change) => `price of ${change.category}`),
    ...diff.rules.map(({ answers }) => `category of ${answers}`),
    ...diff.values.map(({ kind, path }) => `${kind} ${path}`),
  ]
  return { ...mutant, harmful: !isEmptyDiff(diff), found, changes }
}
