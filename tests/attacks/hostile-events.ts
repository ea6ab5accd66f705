/** Hostile event files: attacks on the parser, the validator, the page, terminals and disks. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const base = readFileSync(
  join(import.meta.dirname, '..', 'engine', 'authoring', 'goldens', '_base.yaml'),
  'utf8',
)
const VENUE = 'venue: Town Hall'
const PRICE = 'member:  [1000, 1500]'
const FIELD = '{id: is_member, type: yes-no, label: Member, default: false}'
const replaceInBase = (original: string, replacement: string): string => {
  if (!base.includes(original)) throw new Error(`the base file does not contain "${original}"`)
  return base.replace(original, () => replacement)
}
/** Nested aliases: 3 billion words in 300 bytes. */
const nestedAliases = `laughs:\n  a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n${[
  ...'bcdefghij',
]
  .map(
    (name, index) =>
      `  ${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefghij'[index]}`).join(', ')}]\n`,
  )
  .join('')}`

/** A description and the file; each file is rejected. */
export const HOSTILE: readonly (readonly [label: string, file: string | Buffer])[] = [
  ['three billion words by aliases', base + nestedAliases],
  ['an alias that refers to itself', `${base}own: &own [*own]\n`],
  ['a map merged into itself', `${base}own: &own\n  <<: *own\n`],
  ['an alias of a field', replaceInBase(FIELD, `&f ${FIELD}\n        - *f`)],
  ['a tag that creates a function', `${base}x: !!js/function 'function () { process.exit(7) }'\n`],
  ['a tag that creates an object', `${base}x: !!python/object/apply:os.system ['exit 7']\n`],
  ['a custom tag', replaceInBase(VENUE, 'venue: !evil Town Hall')],
  ['a binary tag', replaceInBase(VENUE, 'venue: !!binary aGVsbG8=')],
  ['a directive', `%YAML 9.9\n%TAG ! tag:evil.example,2000:\n---\n${base}`],
  ['the prototype as a key', `${base}__proto__: {polluted: true}\n`],
  ['the prototype as a field', replaceInBase('id: is_member', 'id: __proto__')],
  ['a constructor as a field', replaceInBase('id: is_member', 'id: constructor')],
  ['a prototype as a category', replaceInBase(PRICE, `${PRICE}\n    __proto__: [1, 1]`)],
  ['a key that is a map', `${base}? {a: b}\n: c\n`],
  ['a thousand duplicate keys', base + 'format: 1\n'.repeat(1000)],
  ['ten thousand documents', base + '---\na: 1\n'.repeat(10_000)],
  ['fifty thousand open brackets', `${base}x: ${'['.repeat(50_000)}`],
  ['ten thousand nested maps', `${base}x: ${'{a: '.repeat(10_000)}1${'}'.repeat(10_000)}\n`],
  [
    'three thousand levels of indentation',
    base + Array.from({ length: 700 }, (_, index) => `${' '.repeat(index)}a:\n`).join(''),
  ],
  ['two hundred thousand dashes', `${base}x:\n  ${'- '.repeat(100_000)}a\n`],
  ['a line of a quarter of a megabyte', replaceInBase(VENUE, `venue: ${'x'.repeat(250_000)}`)],
  ['a hundred thousand empty lines and an error', `${base}${'\n'.repeat(100_000)}x: 1\n`],
  ['fifty thousand placeholders', replaceInBase(VENUE, `venue: "${'{a}'.repeat(50_000)}"`)],
  ['unclosed braces', replaceInBase(VENUE, `venue: "${'{'.repeat(100_000)}"`)],
  ['an unclosed quote', replaceInBase(VENUE, `venue: "${'a\\'.repeat(50_000)}`)],
  [
    'a pattern with catastrophic backtracking',
    replaceInBase(FIELD, FIELD.replace('}', ", pattern: '^(a+)+$'}")),
  ],
  ['an infinite price', replaceInBase(PRICE, 'member:  [.inf, 1500]')],
  ['a price that is not a number', replaceInBase(PRICE, 'member:  [.nan, 1500]')],
  ['a negative price', replaceInBase(PRICE, 'member:  [-1000, 1500]')],
  ['a price of thirty digits', replaceInBase(PRICE, `member:  [${'9'.repeat(30)}, 1500]`)],
  ['a price in hexadecimal', replaceInBase(PRICE, 'member:  [0x10, 1500]')],
  ['a price with tenths of a paisa', replaceInBase(PRICE, 'member:  [1000.001, 1500]')],
  ['a tax of minus a hundred', replaceInBase('percent: 18', 'percent: -100')],
  ['an invalid day', replaceInBase('from: 2026-03-07', 'from: 2026-13-45')],
  ['a year of six digits', replaceInBase('from: 2026-03-07', 'from: 275760-09-14')],
  ['a URL of another site', replaceInBase('form: /sample2026', 'form: //evil.example/')],
  ['a javascript URL', replaceInBase('form: /sample2026', "form: 'javascript:alert(1)'")],
  ['a path to a parent folder', replaceInBase('form: /sample2026', 'form: /../../etc/passwd')],
  ['an address of the office', replaceInBase('form: /sample2026', 'form: /admin/login')],
  ['an unknown gateway', replaceInBase('gateway: card-gateway', 'gateway: https://evil.example/')],
  ['an account that is a path', replaceInBase('account: sample', 'account: ../../etc/passwd')],
  ['an event whose name is a path', replaceInBase('id: sample2026', 'id: ../../evil')],
  [
    'a list stored in another folder',
    replaceInBase(FIELD, '{id: is_member, type: select, label: M, options: ../../../etc/passwd}'),
  ],
  ['a prefix that is a formula', replaceInBase('prefix: SMPL', "prefix: '=1+1'")],
  [
    'a line break in an email address',
    replaceInBase('help@sample.example', '"help@sample.example\\r\\nBcc: x@evil.example"'),
  ],
  ['an invisible character', replaceInBase('title: Sample 2026', 'title: "Sample\\u202e 2026"')],
  ['NUL', replaceInBase(VENUE, 'venue: "Town\\0Hall"')],
  ['a NUL character', replaceInBase(VENUE, 'venue: Town\u0000Hall')],
  ['an unpaired surrogate', replaceInBase(VENUE, 'venue: "\\uD800"')],
  [
    'bytes that are not text',
    Buffer.concat([Buffer.from(base), Buffer.from([0xff, 0xfe, 0xc0, 0xaf])]),
  ],
  ['UTF-16', Buffer.from(base, 'utf16le')],
  ['a program', Buffer.concat([Buffer.from('\x7fELF', 'latin1'), Buffer.alloc(2000, 7)])],
  ['nothing', ''],
  ['only a comment', `# ${'x'.repeat(100_000)}\n`],
  ['a list', '- a\n- b\n'],
]
