/** Creates mutants (event files that each contain one realistic mistake) and checks them. */
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

export type Mutant = { readonly operation: string; readonly line: number; readonly text: string }
export type CheckedMutant = Mutant & {
  /**
   * True if the mutant differs in meaning from the original or does not compile. The checker must report every
   * harmful mutant.
   */
  readonly isHarmful: boolean
  readonly findings: readonly Finding[]
  readonly changes: readonly string[]
}

/** Creates every mutant of a text, in line order. */
export function createMutants(text: string): readonly Mutant[] {
  const document = parseDocument(text)
  const mutants: Mutant[] = []
  const countLines = (offset: number): number => text.slice(0, offset).split('\n').length
  const addMutant = (operation: string, start: number, end: number, replacement: string): void => {
    const changedText = text.slice(0, start) + replacement + text.slice(end)
    if (changedText !== text)
      mutants.push({ operation, line: countLines(start), text: changedText })
  }
  const ids = findIds(document)
  visit(document, {
    Scalar(key, node) {
      if (!node.range || typeof node.type !== 'string' || node.type.startsWith('BLOCK')) return
      const [start, end] = node.range
      const original = text.slice(start, end)
      if (key === 'key') return addMutant('a misspelt key', start, end, misspellWord(original))
      createScalarMutants(node, original, ids).forEach(([operation, replacement]) =>
        addMutant(operation, start, end, replacement),
      )
    },
    Pair(_key, pair) {
      // Removes a block entry together with its lines.
      if (!isScalar(pair.key) || !pair.key.range) return
      const start = text.lastIndexOf('\n', pair.key.range[0]) + 1
      const value = pair.value as { range?: readonly number[] | null } | null
      const end = value?.range?.[1]
      if (end === undefined || text.slice(start, pair.key.range[0]).trim() !== '') return
      const lineEnd = text.indexOf('\n', end - 1)
      addMutant('a dropped entry', start, lineEnd === -1 ? text.length : lineEnd + 1, '')
    },
    Seq(_key, seq) {
      seq.items.forEach((item, index) => {
        const itemRange = findRange(item)
        const nextRange = findRange(seq.items[index + 1])
        if (itemRange === null) return
        const lineStart = text.lastIndexOf('\n', itemRange[0]) + 1
        const isBlockItem = /^\s*- $/.test(text.slice(lineStart, itemRange[0]))
        if (isBlockItem && seq.flow !== true) {
          const lineEnd = text.indexOf('\n', itemRange[1] - 1)
          const end = lineEnd === -1 ? text.length : lineEnd + 1
          addMutant('a dropped item', lineStart, end, '')
          addMutant('a duplicated item', end, end, text.slice(lineStart, end))
        } else if (nextRange !== null) addMutant('a dropped item', itemRange[0], nextRange[0], '')
        if (nextRange !== null) {
          const separator = text.slice(itemRange[1], nextRange[0])
          addMutant(
            'two adjacent entries swapped',
            itemRange[0],
            nextRange[1],
            text.slice(nextRange[0], nextRange[1]) +
              separator +
              text.slice(itemRange[0], itemRange[1]),
          )
        }
      })
    },
  })
  return mutants.sort((a, b) => a.line - b.line)
}

function findRange(node: unknown): readonly [number, number] | null {
  if (!(isScalar(node) || isMap(node) || isSeq(node)) || !node.range) return null
  return [node.range[0], node.range[1]]
}

/** Maps each declared id to another id of the same kind. */
function findIds(document: Document.Parsed): ReadonlyMap<string, string> {
  const otherIdById = new Map<string, string>()
  visit(document, {
    Seq(_key, seq) {
      const ids = seq.items.flatMap((item) =>
        isMap(item) && typeof item.get('id') === 'string' ? [String(item.get('id'))] : [],
      )
      ids.forEach((id, index) => {
        const otherId = ids[(index + 1) % ids.length]
        if (otherId !== undefined && otherId !== id && !otherIdById.has(id))
          otherIdById.set(id, otherId)
      })
    },
  })
  return otherIdById
}

/**
 * Swaps two letters in the middle, or removes one of them if they are equal. A word of one or two letters is doubled.
 */
export function misspellWord(word: string): string {
  const middle = Math.floor(word.length / 2)
  const swappedWord =
    word.slice(0, middle - 1) +
    (word[middle] ?? '') +
    (word[middle - 1] ?? '') +
    word.slice(middle + 1)
  return word.length < 3
    ? `${word}${word}`
    : swappedWord === word
      ? word.slice(0, middle) + word.slice(middle + 1)
      : swappedWord
}

function createScalarMutants(
  node: Scalar,
  source: string,
  ids: ReadonlyMap<string, string>,
): readonly (readonly [string, string])[] {
  const { value } = node
  if (typeof value === 'number')
    return [
      ['an extra digit', `${source}0`],
      ['a missing digit', source.slice(0, -1) || '""'],
      ['another digit', source.replace(/\d/, (digit) => String((Number(digit) + 1) % 10))],
      ['a number in quotes', `"${source}"`],
    ]
  if (typeof value === 'boolean')
    return [
      ['yes and no exchanged', String(!value)],
      ['a word for yes or no', value ? 'yes' : 'no'],
    ]
  if (typeof value !== 'string') return []
  const isDate = /^\d{4}-\d\d-\d\d$/.test(value)
  if (isDate)
    return [
      ['a day later', shiftDay(value, 1)],
      ['a day earlier', shiftDay(value, -1)],
      ['a wrong year', `${Number(value.slice(0, 4)) + 1}${value.slice(4)}`],
      ['a date in words', '31 January 2026'],
    ]
  const otherId = ids.get(value)
  const isQuoted = /^["']/.test(source)
  return [
    ['misspelt', misspellWord(source)],
    ...(otherId === undefined ? [] : [['another declared id', otherId] as const]),
    ...(/^[a-z]/.test(value)
      ? [['different case', source.replace(/[a-z]/, (letter) => letter.toUpperCase())] as const]
      : []),
    ...(isQuoted
      ? [
          ['a missing quote', source.slice(1)] as const,
          ['missing quotes', source.slice(1, -1)] as const,
        ]
      : []),
  ]
}

function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

/**
 * Compares the meaning of a mutant with that of the original. Changes that have no effect outside the file are
 * ignored.
 */
export function checkMutant(
  mutant: Mutant,
  original: EventConfig,
  shared: SharedFiles,
  path: string,
): CheckedMutant {
  const { event: mutatedEvent, findings } = compileEvent(mutant.text, shared, { path })
  const reportedFindings = findings.filter(({ severity }) => severity !== 'note')
  if (mutatedEvent === null)
    return { ...mutant, isHarmful: true, findings: reportedFindings, changes: ['it is not served'] }
  const diff = diffEvents(original, mutatedEvent)
  const changes = [
    ...diff.prices.map((change) => `price of ${change.category}`),
    ...diff.rules.map(({ answers }) => `category of ${answers}`),
    ...diff.values.map(({ kind, path }) => `${kind} ${path}`),
  ]
  return { ...mutant, isHarmful: !isEmptyDiff(diff), findings: reportedFindings, changes }
}
