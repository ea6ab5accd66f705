/** Event files made to break whoever reads them: the parser, the checker, the page, a terminal, a disk. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const base = readFileSync(
  join(import.meta.dirname, '..', 'engine', 'authoring', 'goldens', '_base.yaml'),
  'utf8',
)
const VENUE = 'venue: Town Hall'
const PRICE = 'member:  [1000, 1500]'
const FIELD = '{id: is_member, type: yes-no, label: Member, default: false}'
const instead = (there: string, what: string): string => {
  if (!base.includes(there)) throw new Error(`the base holds no "${there}"`)
  return base.replace(there, () => what)
}
/** A list of lists of lists: 3 billion words in 300 bytes. */
const laughs = `laughs:\n  a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n${[...'bcdefghij']
  .map(
    (name, at) =>
      `  ${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefghij'[at]}`).join(', ')}]\n`,
  )
  .join('')}`

/** What stands in the file, and the file; each is refused. */
export const HOSTILE: readonly (readonly [what: string, file: string | Buffer])[] = [
  ['three billion words by aliases', base + laughs],
  ['an alias of itself', `${base}own: &own [*own]\n`],
  ['a map merged into itself', `${base}own: &own\n  <<: *own\n`],
  ['an alias of a field', instead(FIELD, `&f ${FIELD}\n        - *f`)],
  ['a tag that makes a function', `${base}x: !!js/function 'function () { process.exit(7) }'\n`],
  ['a tag that makes an object', `${base}x: !!python/object/apply:os.system ['exit 7']\n`],
  ['a tag of its own', instead(VENUE, 'venue: !evil Town Hall')],
  ['bytes by a tag', instead(VENUE, 'venue: !!binary aGVsbG8=')],
  ['a directive', `%YAML 9.9\n%TAG ! tag:evil.example,2000:\n---\n${base}`],
  ['the prototype as a key', `${base}__proto__: {polluted: true}\n`],
  ['the prototype as a field', instead('id: is_member', 'id: __proto__')],
  ['a constructor as a field', instead('id: is_member', 'id: constructor')],
  ['a prototype as a category', instead(PRICE, `${PRICE}\n    __proto__: [1, 1]`)],
  ['a key that is a map', `${base}? {a: b}\n: c\n`],
  ['a key twice a thousand times', base + 'format: 1\n'.repeat(1000)],
  ['ten thousand documents', base + '---\na: 1\n'.repeat(10_000)],
  ['fifty thousand open brackets', `${base}x: ${'['.repeat(50_000)}`],
  ['ten thousand maps in each other', `${base}x: ${'{a: '.repeat(10_000)}1${'}'.repeat(10_000)}\n`],
  [
    'three thousand levels of lines',
    base + Array.from({ length: 700 }, (_, at) => `${' '.repeat(at)}a:\n`).join(''),
  ],
  ['two hundred thousand dashes', `${base}x:\n  ${'- '.repeat(100_000)}a\n`],
  ['a line of a quarter of a megabyte', instead(VENUE, `venue: ${'x'.repeat(250_000)}`)],
  ['a hundred thousand empty lines and a mistake', `${base}${'\n'.repeat(100_000)}x: 1\n`],
  ['fifty thousand placeholders', instead(VENUE, `venue: "${'{a}'.repeat(50_000)}"`)],
  ['braces without end', instead(VENUE, `venue: "${'{'.repeat(100_000)}"`)],
  ['a quote without end', instead(VENUE, `venue: "${'a\\'.repeat(50_000)}`)],
  ['a pattern that takes for ever', instead(FIELD, FIELD.replace('}', ", pattern: '^(a+)+$'}"))],
  ['a price of infinity', instead(PRICE, 'member:  [.inf, 1500]')],
  ['a price that is no number', instead(PRICE, 'member:  [.nan, 1500]')],
  ['a price below nothing', instead(PRICE, 'member:  [-1000, 1500]')],
  ['a price of thirty digits', instead(PRICE, `member:  [${'9'.repeat(30)}, 1500]`)],
  ['a price in hexadecimal', instead(PRICE, 'member:  [0x10, 1500]')],
  ['a price of a tenth of a paisa', instead(PRICE, 'member:  [1000.001, 1500]')],
  ['a tax of minus a hundred', instead('percent: 18', 'percent: -100')],
  ['a day that is none', instead('from: 2026-03-07', 'from: 2026-13-45')],
  ['a year of six digits', instead('from: 2026-03-07', 'from: 275760-09-14')],
  ['an address of another site', instead('form: /sample2026', 'form: //evil.example/')],
  ['an address that runs', instead('form: /sample2026', "form: 'javascript:alert(1)'")],
  ['an address upwards', instead('form: /sample2026', 'form: /../../etc/passwd')],
  ['an address of the office', instead('form: /sample2026', 'form: /admin/login')],
  ['a gateway of its own', instead('gateway: card-gateway', 'gateway: https://evil.example/')],
  ['an account that is a path', instead('account: sample', 'account: ../../etc/passwd')],
  ['an event whose name is a path', instead('id: sample2026', 'id: ../../evil')],
  [
    'a file of another folder for a list',
    instead(FIELD, '{id: is_member, type: select, label: M, options: ../../../etc/passwd}'),
  ],
  ['a prefix that is a formula', instead('prefix: SMPL', "prefix: '=1+1'")],
  [
    'a line break in an address for mail',
    instead('help@sample.example', '"help@sample.example\\r\\nBcc: x@evil.example"'),
  ],
  ['a sign that nobody sees', instead('title: Sample 2026', 'title: "Sample\\u202e 2026"')],
  ['NUL', instead(VENUE, 'venue: "Town\\0Hall"')],
  ['a real NUL', instead(VENUE, 'venue: Town\u0000Hall')],
  ['half a character', instead(VENUE, 'venue: "\\uD800"')],
  [
    'bytes that are no text',
    Buffer.concat([Buffer.from(base), Buffer.from([0xff, 0xfe, 0xc0, 0xaf])]),
  ],
  ['UTF-16', Buffer.from(base, 'utf16le')],
  ['a program', Buffer.concat([Buffer.from('\x7fELF', 'latin1'), Buffer.alloc(2000, 7)])],
  ['nothing', ''],
  ['only a comment', `# ${'x'.repeat(100_000)}\n`],
  ['a list', '- a\n- b\n'],
]
