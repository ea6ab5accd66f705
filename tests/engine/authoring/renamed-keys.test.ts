/** Old keys have the same effect as the new keys, are reported on their lines, and can be renamed automatically. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { applyFixes, compileEvent, readEvent, renameKeys } from '../../../engine/authoring.ts'
import { RENAMED_KEYS, RENAMED_VALUES } from '../../../engine/authoring/schema/renamed-keys.ts'
import { sampleFile, checkGolden, readGolden, shared as sampleShared } from './goldens.ts'

const REPOSITORY_ROOT = join(import.meta.dirname, '..', '..', '..')
const OLD_KEYS_FOLDER = join(import.meta.dirname, 'old-keys')
const readSharedFile = (name: string) => ({
  path: `_shared/${name}.yaml`,
  text: readFileSync(join(REPOSITORY_ROOT, 'events', '_shared', `${name}.yaml`), 'utf8'),
})
const shared = {
  lists: readSharedFile('lists'),
  gateways: readSharedFile('gateways'),
  texts: readSharedFile('texts'),
}
const files = readdirSync(OLD_KEYS_FOLDER).map((name) => [
  name,
  readFileSync(join(OLD_KEYS_FOLDER, name), 'utf8').replaceAll('\r\n', '\n'),
])
const EVERY_KEY_GOLDEN = 'EV019-every-key'

test('every old key is reported on its line with the new key', () => {
  const text = readGolden(`${EVERY_KEY_GOLDEN}.yaml`)
  const reportedKeys = checkGolden(EVERY_KEY_GOLDEN).findings.map(({ at, message, fix }) => [
    at.keyPath,
    message,
    text.slice(fix?.start, fix?.end),
  ])
  const expected = [
    ...RENAMED_KEYS.map(([block, oldKey, newKey]) => [
      block === '' ? newKey : `${block}.${newKey}`,
      oldKey,
      newKey,
    ]),
    ...RENAMED_VALUES.filter(([, old]) => old === 'credited'),
  ]
  const describeKey = (path: string, old: string, newName: string) => [
    path.replaceAll(/\.\d+(?=\.|$)/g, '.*').replace('lists.members', 'lists.*'),
    `\`${old}\` is now called \`${newName}\``.replaceAll(/\bmembers\b/g, '*'),
  ]
  const reportedRenames = reportedKeys.map(([path = '', message = '', fixText = '']) => {
    const [, old = '', now = ''] = /^`(.*)` is now called `(.*)`$/.exec(message) ?? []
    expect(fixText).toContain(old)
    return describeKey(path, old, now)
  })
  for (const [path = '', old = '', now = ''] of expected)
    expect(reportedRenames).toContainEqual(describeKey(path, old, now))
  expect(new Set(reportedRenames.map(String)).size).toBe(expected.length)
})

test('an old key is only a warning: the file compiles to the same event as with the new key', () => {
  const text = readGolden(`${EVERY_KEY_GOLDEN}.yaml`)
  const { event, findings } = compileEvent(text, sampleShared)
  expect(event).not.toBeNull()
  const fixResult = applyFixes(text, findings)
  expect(fixResult.text).toBe(renameKeys(text))
  expect(compileEvent(fixResult.text, sampleShared)).toMatchObject({ event, findings: [] })
})

describe.each(files)('%s in the old spelling', (_name, text = '') => {
  const renamedText = renameKeys(text)

  test('is the same event with the same prices after its keys are renamed', () => {
    const originalEvent = readEvent(text, shared)
    expect(originalEvent).not.toBeNull()
    expect(readEvent(renamedText, shared)).toEqual(originalEvent)
    expect(
      compileEvent(renamedText, shared).findings.filter(({ code }) => code === 'EV019'),
    ).toEqual([])
  })

  test('keeps its comments, its order and its lines', () => {
    const findComments = (source: string) => source.match(/#.*$/gm)
    const removeKeys = (source: string) =>
      source
        .split('\n')
        .map((line) => line.replaceAll(/[a-z_.]+(?= *:)|\b(?:credit|registration)(?:ed)?\b/g, ''))
    expect(findComments(renamedText)).toEqual(findComments(text))
    expect(removeKeys(renamedText)).toEqual(removeKeys(text))
    expect(renameKeys(renamedText)).toBe(renamedText)
  })
})

test('`to` is unchanged in the event, a period, a field and a condition', () => {
  const text = `${sampleFile}edit: {to: 2026-02-28, fields: [phone_number]}\n`
  expect(renameKeys(text)).toBe(text.replace('edit: {to:', 'edit: {until:'))
})

test('keys in the paths under demo and allow are renamed too', () => {
  const text = `${sampleFile}keep: {answers: 3 years}
demo: [keep.answers, event.to, "edit.to"]
allow: [{code: EV489, at: keep.files, because: It is meant}]
edit: {to: 2026-02-28, fields: [phone_number]}
`
  expect(readEvent(text, sampleShared)?.demo).toEqual([
    'retention.answers',
    'event.to',
    'edit.until',
  ])
  expect(renameKeys(text)).toContain('demo: [retention.answers, event.to, "edit.until"]')
  expect(renameKeys(text)).toContain('at: retention.files,')
})

test('if a block has both the old and the new key, the old key is reported', () => {
  const text = `${sampleFile}keep: {answers: 3 years}\nretention: {answers: 6 months}\n`
  const { event, findings } = compileEvent(text, sampleShared)
  expect(event).toBeNull()
  expect(findings.map(({ code, message }) => [code, message])).toEqual([
    ['EV019', '`keep` is now called `retention`'],
    ['EV002', '`retention` is written twice in the same block'],
  ])
  const conflictingText = `${sampleFile}retention: {answers: 6 months}\nkeep: {answers: 3 years}\n`
  expect(compileEvent(conflictingText, sampleShared).findings).toMatchObject([
    {
      code: 'EV002',
      message: '`keep` is the old name of `retention`, which is in the same block',
    },
  ])
})
