/** Hostile event files: attacks on the parser, the validator, the page, terminals and disks. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const baseFile = readFileSync(
  join(import.meta.dirname, '..', 'engine', 'authoring', 'goldens', '_base.yaml'),
  'utf8',
)
const VENUE = 'venue: Town Hall'
const PRICE = 'member:  [1000, 1500]'
const FIELD = '{id: is_member, type: yes-no, label: Member, default: false}'
const replaceInSample = (original: string, replacement: string): string => {
  if (!baseFile.includes(original)) throw new Error(`the base file does not contain "${original}"`)
  return baseFile.replace(original, () => replacement)
}
/** Nested aliases that expand 300 bytes to 3 billion words. */
const nestedAliases = `laughs:\n  a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n${[
  ...'bcdefghij',
]
  .map(
    (name, index) =>
      `  ${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefghij'[index]}`).join(', ')}]\n`,
  )
  .join('')}`

/** Hostile event files with a description of each. The validator must reject all of them. */
export const HOSTILE_EVENT_FILES: readonly (readonly [label: string, file: string | Buffer])[] = [
  ['aliases that expand to three billion words', baseFile + nestedAliases],
  ['an alias that refers to itself', `${baseFile}own: &own [*own]\n`],
  ['a map merged into itself', `${baseFile}own: &own\n  <<: *own\n`],
  ['an alias of a field', replaceInSample(FIELD, `&f ${FIELD}\n        - *f`)],
  [
    'a tag that creates a function',
    `${baseFile}x: !!js/function 'function () { process.exit(7) }'\n`,
  ],
  ['a tag that creates an object', `${baseFile}x: !!python/object/apply:os.system ['exit 7']\n`],
  ['a custom tag', replaceInSample(VENUE, 'venue: !evil Town Hall')],
  ['a binary tag', replaceInSample(VENUE, 'venue: !!binary aGVsbG8=')],
  ['a directive', `%YAML 9.9\n%TAG ! tag:evil.example,2000:\n---\n${baseFile}`],
  ['the prototype as a key', `${baseFile}__proto__: {polluted: true}\n`],
  ['the prototype as a field', replaceInSample('id: is_member', 'id: __proto__')],
  ['a constructor as a field', replaceInSample('id: is_member', 'id: constructor')],
  ['the prototype as a category', replaceInSample(PRICE, `${PRICE}\n    __proto__: [1, 1]`)],
  ['a key that is a map', `${baseFile}? {a: b}\n: c\n`],
  ['a thousand duplicate keys', baseFile + 'format: 1\n'.repeat(1000)],
  ['ten thousand documents', baseFile + '---\na: 1\n'.repeat(10_000)],
  ['fifty thousand open brackets', `${baseFile}x: ${'['.repeat(50_000)}`],
  ['ten thousand nested maps', `${baseFile}x: ${'{a: '.repeat(10_000)}1${'}'.repeat(10_000)}\n`],
  [
    'three thousand levels of indentation',
    baseFile + Array.from({ length: 700 }, (_, index) => `${' '.repeat(index)}a:\n`).join(''),
  ],
  ['two hundred thousand dashes', `${baseFile}x:\n  ${'- '.repeat(100_000)}a\n`],
  ['a line of a quarter of a megabyte', replaceInSample(VENUE, `venue: ${'x'.repeat(250_000)}`)],
  ['a hundred thousand empty lines and an error', `${baseFile}${'\n'.repeat(100_000)}x: 1\n`],
  ['fifty thousand placeholders', replaceInSample(VENUE, `venue: "${'{a}'.repeat(50_000)}"`)],
  ['unclosed braces', replaceInSample(VENUE, `venue: "${'{'.repeat(100_000)}"`)],
  ['an unclosed quote', replaceInSample(VENUE, `venue: "${'a\\'.repeat(50_000)}`)],
  [
    'a pattern with catastrophic backtracking',
    replaceInSample(FIELD, FIELD.replace('}', ", pattern: '^(a+)+$'}")),
  ],
  ['an infinite price', replaceInSample(PRICE, 'member:  [.inf, 1500]')],
  ['a price that is not a number', replaceInSample(PRICE, 'member:  [.nan, 1500]')],
  ['a negative price', replaceInSample(PRICE, 'member:  [-1000, 1500]')],
  ['a price of thirty digits', replaceInSample(PRICE, `member:  [${'9'.repeat(30)}, 1500]`)],
  ['a price in hexadecimal', replaceInSample(PRICE, 'member:  [0x10, 1500]')],
  ['a price with tenths of a paisa', replaceInSample(PRICE, 'member:  [1000.001, 1500]')],
  ['a tax of minus 100 percent', replaceInSample('percent: 18', 'percent: -100')],
  ['an invalid date', replaceInSample('from: 2026-03-07', 'from: 2026-13-45')],
  ['a year of six digits', replaceInSample('from: 2026-03-07', 'from: 275760-09-14')],
  ['a URL on another site', replaceInSample('form: /sample2026', 'form: //evil.example/')],
  ['a javascript URL', replaceInSample('form: /sample2026', "form: 'javascript:alert(1)'")],
  ['a path to a parent folder', replaceInSample('form: /sample2026', 'form: /../../etc/passwd')],
  ['a URL of the office', replaceInSample('form: /sample2026', 'form: /admin/login')],
  [
    'an unknown gateway',
    replaceInSample('gateway: card-gateway', 'gateway: https://evil.example/'),
  ],
  ['an account that is a path', replaceInSample('account: sample', 'account: ../../etc/passwd')],
  ['an event whose id is a path', replaceInSample('id: sample2026', 'id: ../../evil')],
  [
    'a list stored in another folder',
    replaceInSample(FIELD, '{id: is_member, type: select, label: M, options: ../../../etc/passwd}'),
  ],
  ['a prefix that is a formula', replaceInSample('prefix: SMPL', "prefix: '=1+1'")],
  [
    'a line break in an email address',
    replaceInSample('help@sample.example', '"help@sample.example\\r\\nBcc: x@evil.example"'),
  ],
  ['an invisible character', replaceInSample('title: Sample 2026', 'title: "Sample\\u202e 2026"')],
  ['NUL', replaceInSample(VENUE, 'venue: "Town\\0Hall"')],
  ['a NUL character', replaceInSample(VENUE, 'venue: Town\u0000Hall')],
  ['an unpaired surrogate', replaceInSample(VENUE, 'venue: "\\uD800"')],
  [
    'bytes that are not text',
    Buffer.concat([Buffer.from(baseFile), Buffer.from([0xff, 0xfe, 0xc0, 0xaf])]),
  ],
  ['UTF-16', Buffer.from(baseFile, 'utf16le')],
  ['a program', Buffer.concat([Buffer.from('\x7fELF', 'latin1'), Buffer.alloc(2000, 7)])],
  ['nothing', ''],
  ['only a comment', `# ${'x'.repeat(100_000)}\n`],
  ['a list', '- a\n- b\n'],
]
