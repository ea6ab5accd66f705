/** Every sentence in the specification has a test that cites its number. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const TESTS = join(import.meta.dirname, '..')
const sentences = [
  ...readFileSync(join(import.meta.dirname, 'sentences.md'), 'utf8').matchAll(
    /^- \*\*(S\d{3})\*\* /gm,
  ),
].map((found) => found[1] ?? '')

/** All test files. Because of tidy.test.ts and vitest.config.ts, every test in them runs. */
const testFiles = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.test.ts') && !path.endsWith('coverage.test.ts'),
)
/** The numbers in test titles, and in table rows that become titles. Comments do not count. */
const citedNumbers = new Set(
  testFiles.flatMap((path) => {
    const code = readFileSync(join(TESTS, path), 'utf8').replaceAll(/^\s*(\/\*\*|\*|\/\/).*$/gm, '')
    return code.match(/\bS\d{3}\b/g) ?? []
  }),
)

test('the sentences are numbered without gaps', () => {
  expect(sentences).toEqual(sentences.map((_, index) => `S${String(index + 1).padStart(3, '0')}`))
  expect(sentences.length).toBe(194)
})

test('every sentence has a test that cites it', () => {
  expect(sentences.filter((number) => !citedNumbers.has(number))).toEqual([])
})

test('docs/specification.md cites only existing sentences and decisions', () => {
  const page = readFileSync(join(TESTS, '..', 'docs', 'specification.md'), 'utf8')
  const decisions = readFileSync(join(TESTS, '..', 'docs', 'decisions.md'), 'utf8')
  const numbers = page.match(/\bS\d{3}\b/g) ?? []
  expect(numbers.length).toBeGreaterThan(50)
  expect(numbers.filter((number) => !sentences.includes(number))).toEqual([])
  const subjects = [...decisions.matchAll(/^## (.+)$/gm)].map(([, subject = '']) => subject)
  const citedSubjects = [...page.matchAll(/docs\/decisions\.md, ([^)|]+)\)/g)].map(
    ([, subject = '']) => subject,
  )
  expect(citedSubjects.length).toBeGreaterThan(10)
  expect(citedSubjects.filter((subject) => !subjects.includes(subject))).toEqual([])
})

test('no test cites a sentence that does not exist', () => {
  expect([...citedNumbers].filter((number) => !sentences.includes(number))).toEqual([])
})
