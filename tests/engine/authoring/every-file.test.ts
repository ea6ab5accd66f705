/** Properties that hold for every event file, whatever its content. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  compileEvent,
  compileEvents,
  formatFindings,
  runExamples,
  type SharedFiles,
} from '../../../engine/authoring.ts'
import { findNearest } from '../../../engine/authoring/suggestions/nearest-name.ts'
import { readYaml } from '../../../engine/authoring/syntax/parse-yaml.ts'
import { anyText, breakFiles } from './broken-files.ts'
import { sampleFile, readGolden, shared } from './goldens.ts'
import { chooseRuns } from '../../runs.ts'

const REPOSITORY_ROOT = join(import.meta.dirname, '..', '..', '..')
const readSource = (path: string) => ({
  path,
  text: readFileSync(join(REPOSITORY_ROOT, path), 'utf8'),
})
const sharedFiles: SharedFiles = {
  lists: readSource('events/_shared/lists.yaml'),
  gateways: readSource('events/_shared/gateways.yaml'),
  texts: readSource('events/_shared/texts.yaml'),
}
const events = readdirSync(join(REPOSITORY_ROOT, 'events'))
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => readSource(`events/${name}`))

describe('the event files in the repository', () => {
  test('have no findings, whether checked alone or together', () => {
    const { files, shared: sharedFindings } = compileEvents(events, sharedFiles)
    expect(files.length).toBeGreaterThan(3)
    expect([...sharedFindings, ...files.flatMap(({ findings }) => findings)]).toEqual([])
  })

  test('are rejected with --production while they contain placeholders', () => {
    const { files } = compileEvents(events, sharedFiles, { production: true })
    expect(
      files.map(({ event, findings }) => [
        event,
        findings.map(({ code, severity }) => `${code} ${severity}`),
      ]),
    ).toEqual(files.map(() => [null, ['EV991 error']]))
  })

  test.each(events.map(({ path, text }) => [path, text] as const))(
    '%s has more than three examples, and all of them pass',
    (path, text) => {
      const { event } = compileEvent(text, sharedFiles, { path })
      const results = event === null ? [] : runExamples(event)
      expect(results.length).toBeGreaterThan(3)
      expect(
        results.flatMap(({ name, failures }) => failures.map((failure) => `${name}: ${failure}`)),
      ).toEqual([])
    },
  )
})

describe('several mistakes in one file', () => {
  test('are all reported, in the order of their lines', () => {
    const text = sampleFile
      .replace('period:  [early, late]', 'period:  [early, lat]')
      .replace('then: member}', 'then: membr}')
      .replace('[reg_no, total]', '[reg_no, totl]')
      .replace('/sample2026/failed', '/admin/failed')
    const { event, findings } = compileEvent(text, shared, { path: 'sample2026.yaml' })
    expect(event).toBeNull()
    expect(findings.map(({ code, at }) => `${code} ${at.start.line}`)).toEqual([
      'EV801 10',
      'EV203 16',
      'EV204 24',
      'EV207 39',
    ])
  })

  test('errors that only follow from another are not reported: a misspelt field does not make the rules incomplete', () => {
    expect(
      compileEvent(
        sampleFile
          .replace('{is_member: true}', '{is_membr: true}')
          .replace('    - {otherwise: visitor}\n', ''),
        shared,
        { path: 'sample2026.yaml' },
      ).findings.map(({ code }) => code),
    ).toEqual(['EV310', 'EV201'])
  })

  test('a mistake in a shared file is reported at its position in that file', () => {
    const brokenShared: SharedFiles = {
      ...shared,
      lists: { ...shared.lists, text: shared.lists.text.replace('lists:', 'list:') },
    }
    const { event, findings } = compileEvent(sampleFile, brokenShared, { path: 'sample2026.yaml' })
    expect(event).toBeNull()
    expect(findings.map(({ code, at }) => `${at.path}:${at.start.line} ${code}`)).toEqual([
      '_shared/lists.yaml:2 EV101',
    ])
  })
})

describe('an entry of `allow`', () => {
  const fileWithFinding = sampleFile.replace('from: 2026-02-01}', 'from: 2026-02-05}')
  const withAllow = (entry: string): string => `${fileWithFinding}allow:\n  - ${entry}\n`
  const listCodes = (text: string): readonly string[] =>
    compileEvent(text, shared, { path: 'sample2026.yaml' }).findings.map(({ code }) => code)

  test.each([
    ['silences a warning', withAllow('{code: EV405, because: The office is on holiday.}'), []],
    [
      'with a path silences a finding at that path',
      withAllow('{code: EV405, at: fees.periods, because: The office is on holiday.}'),
      [],
    ],
    [
      'with another path does not silence the finding',
      withAllow('{code: EV405, at: form, because: The office is on holiday.}'),
      ['EV405', 'EV990'],
    ],
    [
      'never silences an error',
      `${sampleFile.replace('then: member}', 'then: membr}')}allow:\n  - {code: EV203, because: We like it so.}\n`,
      ['EV203'],
    ],
    [
      'is reported if its code is unknown',
      withAllow('{code: EV444, because: It was agreed.}'),
      ['EV405', 'EV990'],
    ],
  ])('%s', (_name, text, expected) => {
    expect(listCodes(text)).toEqual(expected)
  })

  test('accepts an item that is sold out for some delegates, as the help of the finding says', () => {
    const text = readFileSync(join(import.meta.dirname, 'goldens', 'EV463.yaml'), 'utf8')
    const { findings } = compileEvent(text, shared, { path: 'sample2026.yaml' })
    expect(findings.map(({ code }) => code)).toEqual(['EV463'])
    const entry = /allow: \[\{code: EV463, because: …\}\]/.exec(findings[0]?.help ?? '')?.[0] ?? ''
    expect(entry).not.toBe('')
    expect(listCodes(`${text}${entry.replace('…', 'Sold out since 1 February.')}\n`)).toEqual([])
  })
})

describe('an unquoted word', () => {
  test.each([
    'null',
    'Null',
    'NULL',
    'nUll',
    'nullable',
    'true',
    'True',
    'TRUE',
    'tRue',
    'truest',
    'false',
    'False',
    'FALSE',
    'falsehood',
    'yes',
    'No',
    'NaN',
    'Infinity',
    'e5',
    'x1F',
    'o17',
    '~',
    '.nan',
    '.inf',
    '-.INF',
    '1e3',
    '0x1F',
    '0o17',
    '+7',
    '.5',
    '_',
    'über',
    'Ω',
  ])('%s has the same type as in YAML', (word) => {
    expect(readYaml({ path: 'event', text: `key: ${word}` }).source.value).toStrictEqual({
      key: parse(word, { version: '1.2', schema: 'core' }),
    })
  })
})

describe('any text', () => {
  const sources = [...events.map(({ text }) => text), sampleFile, readGolden('EV301.yaml')]
  const expectConsistentFindings = (text: string): void => {
    const { event, findings } = compileEvent(text, sharedFiles, { path: 'sample2026.yaml' })
    expect(event === null).toBe(findings.some(({ severity }) => severity === 'error'))
    formatFindings(
      findings,
      new Map([
        ['sample2026.yaml', text],
        [sharedFiles.lists.path, sharedFiles.lists.text],
        [sharedFiles.texts.path, sharedFiles.texts.text],
      ]),
    )
    for (const { at } of findings)
      expect(
        at.start.offset <= at.end.offset &&
          at.end.offset <= Math.max(text.length, sharedFiles.texts.text.length),
      ).toBe(true)
  }

  test('is checked without an exception: randomly broken files', { tags: ['slow'] }, () => {
    fc.assert(fc.property(breakFiles(sources), expectConsistentFindings), {
      seed: 20261121,
      numRuns: chooseRuns(600),
    })
  })
  test('is checked without an exception: texts that are not event files', () => {
    fc.assert(fc.property(anyText, expectConsistentFindings), {
      seed: 20261121,
      numRuns: chooseRuns(400),
    })
  })

  test.each([
    ['nothing', ''],
    ['a comment', '# x'],
    ['deeply nested lists', '['.repeat(5000)],
    ['deeply nested maps', '{a: '.repeat(3000)],
    [
      'deeply indented lines',
      Array.from({ length: 400 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
    ],
    ['a million aliases', 'a: &a [x]\nb: &b [*a,*a]\nc: [*b,*b]'],
    ['a very long line', `format: ${'x'.repeat(900_000)}`],
    ['a text that is too long', 'x'.repeat(2_000_000)],
  ])('is rejected with a finding: %s', (_name, text) => {
    const { event, findings } = compileEvent(text, sharedFiles, { path: 'sample2026.yaml' })
    expect(event).toBeNull()
    expect(findings.length).toBeGreaterThan(0)
  })
})

describe('the same files give the same findings', () => {
  const secondFile = sampleFile
    .replace('id: sample2026', 'id: second2026')
    .replaceAll('SMPL', 'SMPL2')
  const files = [
    { path: 'events/sample2026.yaml', text: sampleFile },
    { path: 'events/second2026.yaml', text: secondFile },
    { path: 'events/EV404.yaml', text: readGolden('EV404.yaml') },
  ]
  const listAllFindings = (orderedFiles: readonly (typeof files)[number][]): string =>
    JSON.stringify(
      [...compileEvents(orderedFiles, shared).files]
        .sort((a, b) => (a.path < b.path ? -1 : 1))
        .map(({ findings }) => findings),
    )

  test('in any order of the files', () => {
    expect(listAllFindings([...files].reverse())).toBe(listAllFindings(files))
    expect(listAllFindings(files)).toContain('EV802')
  })

  test('in any time zone and at any time', { tags: ['slow'] }, () => {
    const compileInProcess = (zone: string, clock: string): string =>
      execFileSync(
        process.execPath,
        [
          '--input-type=module',
          '-e',
          `
        const real = Date; globalThis.Date = class extends real { constructor(...given) { given.length === 0 ? super(${JSON.stringify(clock)}) : super(...given) } static now() { return real.parse(${JSON.stringify(clock)}) } }
        const { compileEvents } = await import(${JSON.stringify(join(REPOSITORY_ROOT, 'engine/authoring.ts'))})
        const [files, shared] = JSON.parse(process.argv[1])
        process.stdout.write(JSON.stringify(compileEvents(files, shared)))`,
          JSON.stringify([files, shared]),
        ],
        {
          env: { ...process.env, TZ: zone },
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      )
    expect(compileInProcess('Pacific/Kiritimati', '2031-02-28T23:59:59Z')).toBe(
      compileInProcess('America/Los_Angeles', '2020-01-01T00:00:00Z'),
    )
  })
})

describe('suggestions', () => {
  test.each<[string, readonly string[], string | null]>([
    ['asi_membr', ['asi_member', 'designation'], 'asi_member'],
    ['fulL_name', ['full_name'], 'full_name'],
    ['emial', ['email', 'mail_id'], 'email'],
    ['gp', ['pg'], 'pg'],
    ['hospital', ['pg', 'email'], null],
  ])('%s', (word, allowed, expected) => {
    expect(findNearest(word, allowed)?.name ?? null).toBe(expected)
  })
})
