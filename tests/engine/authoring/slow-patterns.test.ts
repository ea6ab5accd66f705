/** Whether a pattern counts as too slow agrees with a backtracking matcher whose steps are counted. */
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  findPatternFault,
  readPattern,
  anchorPattern,
  MAX_READINGS,
  type Node,
} from '../../../engine/authoring/schema/answer-pattern.ts'
import { FORMATS } from '../../../engine/event/identifier-patterns.ts'
import { chooseRuns } from '../../runs.ts'
import { anyCharacter } from '../../any-character.ts'

const matchCharacter = (source: string): RegExp => {
  const cached = characterPatterns.get(source) ?? new RegExp(`^${source}$`, 'u')
  characterPatterns.set(source, cached)
  return cached
}
const characterPatterns = new Map<string, RegExp>()

/**
 * Matches the text in every possible way, like a backtracking matcher that fails at the end. Returns whether the whole
 * text matches, and how often each character is tried.
 */
function countSteps(
  pattern: Node,
  text: string,
): { readonly isMatch: boolean; readonly tryCounts: number[] } {
  const characters = [...text]
  const tryCounts = characters.map(() => 0).concat(0)
  let isMatch = false
  const match = (node: Node, position: number, onMatch: (at: number) => void): void => {
    switch (node.is) {
      case 'sign':
        tryCounts[position] = (tryCounts[position] ?? 0) + 1
        if (matchCharacter(node.source).test(characters[position] ?? '')) onMatch(position + 1)
        return
      case 'all': {
        const [first, ...rest] = node.parts
        if (first === undefined) return onMatch(position)
        return match(first, position, (next) => match({ is: 'all', parts: rest }, next, onMatch))
      }
      case 'any':
        for (const part of node.parts) match(part, position, onMatch)
        return
      case 'repeat': {
        const { part, min, max } = node
        const remaining = { ...node, min: Math.max(0, min - 1), max: max - 1 }
        if (max > 0) match(part, position, (next) => match(remaining, next, onMatch))
        if (min === 0) onMatch(position)
      }
    }
  }
  match(pattern, 0, (position) => {
    tryCounts[position] = (tryCounts[position] ?? 0) + 1
    if (position === characters.length) isMatch = true
  })
  return { isMatch, tryCounts }
}

const { source } = fc.letrec<{ source: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('a', 'b', '[ab]', '\\d', '[^a]', '.', ' ', '[a-c1]'),
    fc
      .tuple(tie('part'), fc.constantFrom('?', '*', '+', '{2}', '{1,3}', '{2,}', '*?'))
      .map((both) => `(${both[0]})${both[1]}`),
    fc.tuple(tie('source'), tie('source')).map((both) => `(?:${both.join('|')})`),
  ),
  source: fc.array(tie('part'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
}))
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', ' '), maxLength: 30 })

describe('a pattern', () => {
  it('that is accepted matches every prefix of a text in few ways, and matches the same texts as JavaScript does', () => {
    let acceptedCount = 0
    fc.assert(
      fc.property(source, fc.array(text, { minLength: 5, maxLength: 5 }), (pattern, texts) => {
        if (findPatternFault(pattern) !== null) return
        acceptedCount += 1
        const patternResult = readPattern(pattern)
        if (!patternResult.ok) throw new Error('an accepted pattern cannot be parsed')
        for (const candidate of texts) {
          const { isMatch, tryCounts } = countSteps(patternResult.value, candidate)
          expect([pattern, candidate, isMatch]).toEqual([
            pattern,
            candidate,
            new RegExp(anchorPattern(pattern), 'u').test(candidate),
          ])
          expect([pattern, candidate, Math.max(...tryCounts) <= MAX_READINGS]).toEqual([
            pattern,
            candidate,
            true,
          ])
        }
      }),
      { seed: 20261121, numRuns: chooseRuns(500) },
    )
    expect(acceptedCount).toBeGreaterThan(chooseRuns(150))
  })

  it('that is too slow can match the reported text in too many ways', () => {
    let slowCount = 0
    fc.assert(
      fc.property(source, (pattern) => {
        const patternFault = findPatternFault(pattern)
        const reportedText =
          patternFault?.is === 'slow' ? /“(.*)”/s.exec(patternFault.message)?.[1] : undefined
        const patternResult = readPattern(pattern)
        if (reportedText === undefined || !patternResult.ok) return
        slowCount += 1
        const { tryCounts } = countSteps(patternResult.value, reportedText)
        expect([pattern, reportedText, (tryCounts.at(-1) ?? 0) > MAX_READINGS]).toEqual([
          pattern,
          reportedText,
          true,
        ])
      }),
      { seed: 20261121, numRuns: chooseRuns(400) },
    )
    expect(slowCount).toBeGreaterThan(chooseRuns(50))
  })

  it('is checked without an exception', () => {
    const fragments = fc.constantFrom(
      '(',
      ')',
      '[',
      ']',
      '{2',
      '}',
      '*',
      '+',
      '?',
      '|',
      '^',
      '$',
      '\\',
      'a',
      '(?=',
      '\\1',
      '\\p{L}',
      '-',
      ',',
      '😀',
    )
    const anyPattern = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 40 }),
      fc.array(fragments, { maxLength: 12 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(anyPattern, (pattern) => {
        if (findPatternFault(pattern) === null) new RegExp(anchorPattern(pattern), 'u').test('a')
      }),
      { seed: 20261121, numRuns: chooseRuns(150) },
    )
  })
})

describe('patterns that organisers typically write', () => {
  test.each([
    ...Object.values(FORMATS),
    '[A-Z]{2}[0-9]{5}',
    '^[A-Za-z]{3}-?\\d{4,6}$',
    'MCI-\\d+|KMC/\\d+',
    '[a-z]+( [a-z]+)*',
    '[\\w.+-]+@[\\w-]+(\\.[\\w-]+)+',
    '(\\d{1,3}\\.){3}\\d{1,3}',
    "\\p{L}+([ .'-]\\p{L}+)*",
    '[അ-ഹ]+',
    '\\D*\\d.*',
    '.{3,}',
    '(?<year>20\\d\\d)/\\d+',
  ])('%s is accepted', (pattern) => expect(findPatternFault(pattern)).toBeNull())
  test.each([
    ['(a+)+', 'slow'],
    ['([A-Z]+[ .]?)+', 'slow'],
    ['(\\w|\\d)*', 'slow'],
    ['.*\\d.*', 'slow'],
    ['(.+)@(.+)', 'slow'],
    ['(a|aa){30}', 'slow'],
    ['\\p{L}+[\\p{L}\\p{N}]*', 'slow'],
    ['(a?){30}a{30}', 'not-read'],
    ['(a*)*', 'not-read'],
    ['a{5000}', 'not-read'],
    ['(?=.*\\d).+', 'not-read'],
    ['(?<!a)b', 'not-read'],
    ['(a)\\1', 'not-read'],
    ['\\bKMC', 'not-read'],
    ['(?i:kmc)', 'not-read'],
    ['/[A-Z]+/i', 'not-read'],
    ['[A-Z{2}[0-9]{5}', 'not-read'],
    ['[[:alpha:]]+', 'not-read'],
    ['[A-z]+', 'not-read'],
    ['\\\\d{5}', 'not-read'],
    ['a^b', 'not-read'],
    ['[A-Z', 'broken'],
    ['a{3,2}', 'broken'],
    ['*a', 'broken'],
  ])('%s is rejected: %s', (pattern, expected) =>
    expect(findPatternFault(pattern)?.is).toBe(expected),
  )

  it('patterns that would make the checker itself hang are rejected', () => {
    const forks = Array.from(
      { length: 60 },
      (_, index) => `[${String.fromCodePoint(0x41 + (index % 26))}a]{0,9}`,
    )
    for (const pattern of [
      forks.join(''),
      '(((a|b)(c|d))*|x){40}',
      '[^a]*[^b]*[^c]*[^d]*'.repeat(12),
    ])
      expect([pattern, findPatternFault(pattern)?.is === undefined]).toEqual([pattern, false])
  })
})
