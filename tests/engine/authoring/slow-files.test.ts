/** Files designed to slow the checker down are rejected quickly, with a message. Some of them used to take minutes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compileEvent } from '../../../engine/authoring.ts'

const GOLDENS = join(import.meta.dirname, 'goldens')
const readGoldenFile = (name: string) => ({
  path: name,
  text: readFileSync(join(GOLDENS, name), 'utf8'),
})
const shared = {
  lists: readGoldenFile('_shared/lists.yaml'),
  gateways: readGoldenFile('_shared/gateways.yaml'),
  texts: readGoldenFile('_shared/texts.yaml'),
}
const base = readGoldenFile('_base.yaml').text
const repeatLines = (count: number, createLine: (at: number) => string): string =>
  Array.from({ length: count }, (_, index) => createLine(index)).join('\n')
const replaceInFile = (original: string, replacement: string): string => {
  expect(base).toContain(original)
  return base.replace(original, () => replacement)
}
const FIELD = '        - {id: is_member, type: yes-no, label: Member, default: false}'
const RULE = '    - {when: {is_member: true}, then: member}'
const createFields = (count: number, extraProperties: (at: number) => string): string =>
  replaceInFile(
    FIELD,
    `${FIELD}\n${repeatLines(count, (index) => `        - {id: f${index}, type: yes-no, label: F ${index}, default: false${extraProperties(index)}}`)}`,
  )
const buildConditions = (names: readonly string[]): string =>
  `, show_when: {${names.map((name) => `${name}: true`).join(', ')}}`
const listIds = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `f${index}`)
const TOO_MANY = 'the file has more than 8000 keys and entries'

/** For each file: a description, the text, and part of the expected message. */
const SLOW_FILES: readonly (readonly [description: string, text: () => string, message: string])[] =
  [
    ['9,000 unknown keys', () => base + repeatLines(9000, (index) => `k${index}: 1`), TOO_MANY],
    [
      '7,900 unknown keys',
      () => base + repeatLines(7900, (index) => `k${index}: 1`),
      'is not a valid key',
    ],
    [
      '300 fields, each shown by the previous one',
      () =>
        createFields(300, (index) =>
          buildConditions([index === 0 ? 'is_member' : `f${index - 1}`]),
        ),
      'the conditions of this form add',
    ],
    [
      '60 fields, each shown by all previous ones',
      () =>
        createFields(60, (index) => buildConditions(index === 0 ? ['is_member'] : listIds(index))),
      'the conditions of this form add more than a million tests',
    ],
    [
      '60 fields in a cycle, each shown by the next',
      () => createFields(60, (index) => buildConditions([`f${(index + 1) % 60}`])),
      'whether `f0` is shown depends on itself',
    ],
    [
      '300 equal rules',
      () =>
        replaceInFile(
          RULE,
          repeatLines(299, () => RULE),
        ),
      'never reached',
    ],
    [
      '1,500 rules',
      () =>
        replaceInFile(
          RULE,
          repeatLines(1500, () => RULE),
        ),
      'more than 300 entries',
    ],
    [
      '1,500 periods',
      () =>
        replaceInFile(
          '    - {id: late, from: 2026-02-01}',
          repeatLines(1500, (index) => `    - {id: p${index}, from: 2026-02-01}`),
        ),
      'more than 60 entries',
    ],
    [
      'a venue of 200,000 characters that is full of days',
      () => replaceInFile('venue: Town Hall', `venue: ${'on 3 March 2026 '.repeat(12_500)}`),
      'this text has more than 5000 characters',
    ],
    ['a megabyte', () => base + '# '.repeat(500_000), 'longer than 300000 characters'],
  ]

test.each(SLOW_FILES)('a file with %s is rejected quickly', (_what, text, expected) => {
  const { event, findings } = compileEvent(text(), shared, { path: 'sample2026.yaml' })
  expect(findings.map(({ message }) => message).join('\n')).toContain(expected)
  expect(event).toBeNull()
})

test('for a cycle of conditions, the shortest cycle is reported', () => {
  const text = createFields(3, (index) => buildConditions([`f${(index + 1) % 3}`]))
  expect(
    compileEvent(text, shared, { path: 'sample2026.yaml' }).findings.flatMap(({ notes }) => notes),
  ).toEqual(['f0 → f1 → f2 → f0'])
})
