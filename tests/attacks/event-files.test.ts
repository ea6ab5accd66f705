/**
 * Event files made to break whoever reads them, read by the command and by the page for organisers, which check the
 * same way: each is refused with findings, in the time of any other file, and nothing of it runs anywhere.
 */
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, expect, test } from 'vitest'
import { startTestApp } from '../server/harness.ts'

const TOP = join(import.meta.dirname, '..', '..')
const GOLDENS = join(TOP, 'tests', 'checker', 'goldens')
const read = (name: string): string => readFileSync(join(GOLDENS, name), 'utf8')
const base = read('_base.yaml')
const folder = mkdtempSync(join(tmpdir(), 'rollcall-hostile-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

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
const HOSTILE: readonly (readonly [what: string, file: string | Buffer])[] = [
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
const fileOf = (at: number): string => `hostile${at}.yaml`

test('the command answers each of them with findings, none with what happened inside', async () => {
  const files = HOSTILE.map(([, file], at) => {
    // A folder of its own each: what two of them claim is no finding of either.
    const own = join(folder, String(at))
    mkdirSync(own)
    cpSync(join(GOLDENS, '_shared'), join(own, '_shared'), { recursive: true })
    writeFileSync(join(own, fileOf(at)), file)
    return join(own, fileOf(at))
  })
  const child = spawn(process.execPath, [join(TOP, 'bin', 'rollcall.js'), 'validate', ...files], {
    cwd: TOP,
    env: { PATH: process.env['PATH'], NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 100_000,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  const [status, signal] = (await once(child, 'close')) as [number | null, string | null]
  expect([status, signal]).toEqual([1, null])
  const untold = HOSTILE.filter((_, at) => !said.includes(fileOf(at))).map(([what]) => what)
  expect(untold).toEqual([])
  expect(said).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m)
  expect(said).not.toMatch(/RangeError|TypeError|Maximum call stack|heap|ENOENT|root:/)
  // A terminal is told nothing that it would obey.
  // eslint-disable-next-line no-control-regex
  expect(said).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/)
})

test('the page for organisers answers each of them with findings, in a thread that goes on', async () => {
  const shared = Object.fromEntries(
    ['lists', 'gateways', 'texts'].map((name) => {
      const path = `_shared/${name}.yaml`
      return [name, { path, text: read(path) }]
    }),
  )
  const questions = HOSTILE.map(([, file], number) => ({
    number,
    path: fileOf(number),
    text: file.toString('utf8'),
    shared,
    otherRoutes: [],
  }))
  const told: { number: number; codes: readonly string[]; isServed: boolean }[] = []
  const worker = new Worker(join(import.meta.dirname, 'checking.ts'), { workerData: questions })
  const patience = setTimeout(() => void worker.terminate(), 100_000)
  worker.on('message', (answer: (typeof told)[number]) => told.push(answer))
  await once(worker, 'exit')
  clearTimeout(patience)
  const failed = HOSTILE.filter((_, number) => {
    const answer = told.find((one) => one.number === number)
    return answer === undefined || answer.codes.length === 0 || answer.isServed
  }).map(([what]) => what)
  expect(failed).toEqual([])
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
})

test('texts of an event file that end a script, a tag or an attribute end none of a page', async () => {
  const ends = '</script><script>alert(1)</script>"><img src=x onerror=alert(2)>'
  const text = readFileSync(join(TOP, 'events', 'afpicon2026.yaml'), 'utf8')
  const venue = /^ {2}venue: .*$/m.exec(text)?.[0]
  expect(venue).toBeDefined()
  const server = await startTestApp({
    events: { 'afpicon2026.yaml': text.replace(venue ?? '', `  venue: '${ends}'`) },
  })
  try {
    const event = server.deps.events.all()[0]?.config
    expect(event?.venue).toBe(ends)
    for (const url of [
      '/',
      '/organisers',
      event?.routes.form ?? '',
      event?.routes.success ?? '',
      '/admin/dashboard',
      '/nowhere',
    ]) {
      const { body, statusCode } = await server.app.inject(url)
      expect([url, statusCode < 500]).toEqual([url, true])
      expect([url, body.includes('<script>alert(1)'), body.includes('<img src=x')]).toEqual([
        url,
        false,
        false,
      ])
    }
  } finally {
    await server.close()
  }
})
