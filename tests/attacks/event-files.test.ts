/** Hostile event files: the command and the organisers' page report findings and execute nothing. */
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, expect, test } from 'vitest'
import { HOSTILE_EVENT_FILES } from './hostile-events.ts'
import { startTestApp } from '../server/harness.ts'
import { BASE_ENV } from '../server/run-command.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const GOLDENS = join(ROOT, 'tests', 'engine', 'authoring', 'goldens')
const readGolden = (name: string): string => readFileSync(join(GOLDENS, name), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'rollcall-hostile-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const buildFileName = (index: number): string => `hostile${index}.yaml`

test('rollcall validate reports findings in each hostile file, without internal errors', async () => {
  const files = HOSTILE_EVENT_FILES.map(([, file], index) => {
    // Each file has its own folder, which avoids findings about conflicts between events.
    const ownFolder = join(folder, String(index))
    mkdirSync(ownFolder)
    cpSync(join(GOLDENS, '_shared'), join(ownFolder, '_shared'), { recursive: true })
    writeFileSync(join(ownFolder, buildFileName(index)), file)
    return join(ownFolder, buildFileName(index))
  })
  const child = spawn(process.execPath, [join(ROOT, 'bin', 'rollcall.js'), 'validate', ...files], {
    cwd: ROOT,
    env: { ...BASE_ENV, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 280_000,
  })
  let printedText = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printedText += text
    })
  const [status, signal] = (await once(child, 'close')) as [number | null, string | null]
  expect([status, signal]).toEqual([1, null])
  const unreportedFiles = HOSTILE_EVENT_FILES.filter(
    (_, index) => !printedText.includes(buildFileName(index)),
  ).map(([label]) => label)
  expect(unreportedFiles).toEqual([])
  expect(printedText).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m)
  expect(printedText).not.toMatch(/RangeError|TypeError|Maximum call stack|heap|ENOENT|root:/)
  // The output contains no terminal control characters.
  expect(printedText).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]/)
})

test('the page for organisers reports findings in each hostile file, and its worker keeps running', async () => {
  const sharedFiles = Object.fromEntries(
    ['lists', 'gateways', 'texts'].map((name) => {
      const path = `_shared/${name}.yaml`
      return [name, { path, text: readGolden(path) }]
    }),
  )
  const requests = HOSTILE_EVENT_FILES.map(([, file], number) => ({
    number,
    path: buildFileName(number),
    text: file.toString('utf8'),
    shared: sharedFiles,
    otherRoutes: [],
    published: null,
  }))
  const results: { number: number; codes: readonly string[]; isServed: boolean }[] = []
  const worker = new Worker(join(import.meta.dirname, 'checking.ts'), { workerData: requests })
  const timeout = setTimeout(() => void worker.terminate(), 100_000)
  worker.on('message', (result: (typeof results)[number]) => results.push(result))
  await once(worker, 'exit')
  clearTimeout(timeout)
  const failedFiles = HOSTILE_EVENT_FILES.filter((_, number) => {
    const result = results.find((candidate) => candidate.number === number)
    return result === undefined || result.codes.length === 0 || result.isServed
  }).map(([label]) => label)
  expect(failedFiles).toEqual([])
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
})

test('texts in an event file cannot close a script, a tag or an attribute in a page', async () => {
  const breakout = '</script><script>alert(1)</script>"><img src=x onerror=alert(2)>'
  const text = readFileSync(join(ROOT, 'events', 'afpicon2026.yaml'), 'utf8')
  const venue = /^ {2}venue: .*$/m.exec(text)?.[0]
  expect(venue).toBeDefined()
  const server = await startTestApp({
    events: { 'afpicon2026.yaml': text.replace(venue ?? '', `  venue: '${breakout}'`) },
  })
  try {
    const event = server.deps.events.all()[0]?.config
    expect(event?.venue).toBe(breakout)
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
