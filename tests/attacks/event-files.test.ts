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
import { HOSTILE } from './hostile-events.ts'
import { startTestApp } from '../server/harness.ts'
import { BASE_ENV } from '../server/run-command.ts'

const TOP = join(import.meta.dirname, '..', '..')
const GOLDENS = join(TOP, 'tests', 'engine', 'authoring', 'goldens')
const read = (name: string): string => readFileSync(join(GOLDENS, name), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'rollcall-hostile-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const fileOf = (at: number): string => `hostile${at}.yaml`

test('rollcall validate returns findings for each, without internal errors', async () => {
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
    env: { ...BASE_ENV, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 280_000,
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

test('the page for organisers returns findings for each, and its worker continues', async () => {
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

test('texts of an event file cannot end a script, a tag or an attribute of a page', async () => {
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
