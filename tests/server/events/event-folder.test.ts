/** The server serves a folder if and only if `rollcall validate` accepts it. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { err, instant } from '../../../engine/index.ts'
import { findClashes, findEventsWithDeadButtons } from '../../../engine/authoring.ts'
import { validateCommand } from '../../../server/cli/event/validate.ts'
import { checkFolderInThisThread } from '../../../server/events/files/event-folder.ts'
import type { FolderCheck } from '../../../server/events/files/event-folder.ts'
import { checkFolderInWorker } from '../../../server/events/files/check-files-in-worker.ts'
import { openRegistry } from '../../../server/events/event-registry.ts'
import type { Store } from '../../../server/storage/index.ts'
import { buildFixtureEvent } from '../small-event.ts'
import { openStoreInProcess } from '../store-without-threads.ts'

const sharedFolder = join(import.meta.dirname, '..', '..', '..', 'events', '_shared')
let temporaryFolder = ''
let store: Store
beforeAll(async () => {
  temporaryFolder = mkdtempSync(join(tmpdir(), 'rollcall-folders-'))
  store = await openStoreInProcess({ dataDir: join(temporaryFolder, 'data') })
})
afterAll(async () => {
  await store.close()
  rmSync(temporaryFolder, { recursive: true, force: true })
})

const SAMPLE_FILE = buildFixtureEvent()
const OTHER_FILE = buildFixtureEvent({ id: 'other2026', prefix: 'OTHR', title: 'Other 2026' })
/**
 * Replaces text. Throws if the fixture does not contain the text: otherwise a case could stop testing anything when
 * the fixture changes.
 */
const replaceText = (text: string, oldText: string, newText: string): string => {
  if (!text.includes(oldText)) throw new Error(`the fixture does not contain "${oldText}"`)
  return text.replace(oldText, newText)
}
const changeApi = (text: string, changes: Readonly<Record<string, string>>): string => {
  const id = /^ {2}id: (\w+)$/m.exec(text)?.[1] ?? ''
  const apiPaths = {
    register: `/api/${id}/register/`,
    registration: `/api/${id}/registrations/{reg_no}/`,
    ...changes,
  }
  const lines = Object.entries(apiPaths).map(([name, path]) => `  ${name}: ${path}\n`)
  return replaceText(text, '\npayment: {', `\napi:\n${lines.join('')}\npayment: {`)
}
const addAdmin = (text: string, lines: string): string =>
  replaceText(text, '\nexamples:', `\nadmin:\n  ${lines}\n\nexamples:`)
const addLink = (text: string, target: string): string =>
  replaceText(
    text,
    'details: [order_id, amount]',
    `details: [order_id, amount]\n    buttons: [{label: Elsewhere, go: ${target}}]`,
  )

type FolderCase = {
  readonly what: string
  /** The files of the folder; null removes a shared file. */
  readonly files: Readonly<Record<string, string | Buffer | null>>
  readonly prepare?: (folder: string) => void
  readonly production?: boolean
  /** The message that the command and the server print when they reject the folder. Undefined if they accept it. */
  readonly refusal?: RegExp
}
const FOLDER_CASES: readonly FolderCase[] = [
  { what: 'one event', files: { 'sample2026.yaml': SAMPLE_FILE } },
  { what: 'two events', files: { 'sample2026.yaml': SAMPLE_FILE, 'other2026.yaml': OTHER_FILE } },
  { what: 'a file that ends in .yml', files: { 'sample2026.yml': SAMPLE_FILE } },
  {
    what: 'lines with Windows line endings',
    files: { 'sample2026.yaml': SAMPLE_FILE.replaceAll('\n', '\r\n') },
  },
  {
    what: 'a button to the page of another event',
    files: { 'sample2026.yaml': addLink(SAMPLE_FILE, '/other2026'), 'other2026.yaml': OTHER_FILE },
  },
  {
    what: 'two events whose buttons link to each other',
    files: {
      'sample2026.yaml': addLink(SAMPLE_FILE, '/other2026'),
      'other2026.yaml': addLink(OTHER_FILE, '/sample2026'),
    },
  },
  {
    what: 'a hidden file with any content',
    files: { 'sample2026.yaml': SAMPLE_FILE, '.sample2026.yaml': 'event: [' },
  },
  {
    what: 'files with other extensions and any content',
    files: {
      'sample2026.yaml': SAMPLE_FILE,
      'notes.txt': 'event: [',
      'sample2026.yaml.bak': 'event: [',
    },
  },
  {
    what: 'a folder inside the folder',
    files: { 'sample2026.yaml': SAMPLE_FILE },
    prepare: (folder) => {
      mkdirSync(join(folder, 'old'))
      writeFileSync(join(folder, 'old', 'sample2026.yaml'), 'event: [')
    },
  },
  {
    what: 'a link to an event file',
    files: {},
    prepare: (folder) => {
      writeFileSync(join(folder, 'kept.txt'), SAMPLE_FILE)
      symlinkSync('kept.txt', join(folder, 'sample2026.yaml'))
    },
  },
  {
    what: 'no shared files, so that those of Rollcall apply',
    files: { 'sample2026.yaml': SAMPLE_FILE, _shared: null },
  },
  {
    what: 'no texts for the landing page',
    files: { 'sample2026.yaml': SAMPLE_FILE, '_shared/site.yaml': null },
  },
  {
    what: 'demo values, outside production',
    files: { 'sample2026.yaml': `${SAMPLE_FILE}\ndemo: [payment.account]\n` },
  },
  {
    what: 'two dashboard keys',
    files: {
      'sample2026.yaml': addAdmin(
        SAMPLE_FILE,
        'dashboard: {key: sample, label: Sample, cards: [total]}',
      ),
      'other2026.yaml': addAdmin(
        OTHER_FILE,
        'dashboard: {key: other, label: Other, cards: [total]}',
      ),
    },
  },
  { what: 'nothing', files: {}, refusal: /no event file/ },
  {
    what: 'hidden files only',
    files: { '.sample2026.yaml': SAMPLE_FILE },
    refusal: /no event file/,
  },
  {
    what: 'an empty file',
    files: { 'sample2026.yaml': SAMPLE_FILE, 'other2026.yaml': '' },
    refusal: /EV103.*the file is empty/,
  },
  { what: 'a file that is not YAML', files: { 'sample2026.yaml': 'event: [' }, refusal: /EV001/ },
  {
    what: 'a file with a different name',
    files: { 'sample.yaml': SAMPLE_FILE },
    refusal: /EV807.*must be named sample2026\.yaml/,
  },
  {
    what: 'a copy with a different name',
    files: { 'sample2026.yaml': SAMPLE_FILE, 'sample2026-copy.yaml': SAMPLE_FILE },
    refusal: /EV807[^]*EV804|EV804[^]*EV807/,
  },
  {
    what: 'an id in capitals',
    files: { 'Sample2026.yaml': replaceText(SAMPLE_FILE, 'id: sample2026', 'id: Sample2026') },
    refusal: /EV105/,
  },
  {
    what: 'a file name in capitals',
    files: { 'Sample2026.yaml': SAMPLE_FILE },
    refusal: /EV807/,
  },
  {
    what: 'one event in two files',
    files: { 'sample2026.yaml': SAMPLE_FILE, 'sample2026.yml': SAMPLE_FILE },
    refusal: /EV804.*`sample2026` is already used/,
  },
  {
    what: 'two events with the same page address',
    files: {
      'sample2026.yaml': SAMPLE_FILE,
      'other2026.yaml': replaceText(OTHER_FILE, 'form: /other2026', 'form: /sample2026'),
    },
    refusal: /EV801.*\/sample2026 already belongs to (sample|other)2026/,
  },
  {
    what: 'an old address that is a result page of another event',
    files: {
      'sample2026.yaml': SAMPLE_FILE,
      'other2026.yaml': replaceText(
        OTHER_FILE,
        'form: /other2026',
        'form: /other2026\n  also: [/sample2026/payment/success]',
      ),
    },
    refusal: /EV801/,
  },
  {
    what: 'order ids that could belong to either event',
    files: {
      'sample2026.yaml': SAMPLE_FILE,
      'other2026.yaml': replaceText(OTHER_FILE, 'prefix: OTHR', 'prefix: SMPL2'),
    },
    refusal: /EV802.*could belong to/,
  },
  {
    what: 'two endpoints with the same path',
    files: {
      'sample2026.yaml': SAMPLE_FILE,
      'other2026.yaml': changeApi(OTHER_FILE, { register: '/api/sample2026/register/' }),
    },
    refusal: /EV803/,
  },
  {
    what: "an endpoint whose parameter matches another event's endpoint",
    files: {
      'sample2026.yaml': SAMPLE_FILE,
      'other2026.yaml': changeApi(OTHER_FILE, { registration: '/api/sample2026/{reg_no}/' }),
    },
    refusal: /EV803.*also matches/,
  },
  {
    what: 'an endpoint with the path of another event’s page',
    files: {
      'sample2026.yaml': SAMPLE_FILE,
      'other2026.yaml': changeApi(OTHER_FILE, { tariff: '/sample2026' }),
    },
    refusal: /EV80[13].*address of (a page|an API endpoint) of/,
  },
  {
    what: 'an endpoint with the path of the event’s own page',
    files: { 'sample2026.yaml': changeApi(SAMPLE_FILE, { tariff: '/sample2026/' }) },
    refusal: /EV803.*is the address of a page/,
  },
  {
    what: 'the same dashboard key in two events',
    files: {
      'sample2026.yaml': addAdmin(
        SAMPLE_FILE,
        'dashboard: {key: same, label: Sample, cards: [total]}',
      ),
      'other2026.yaml': addAdmin(
        OTHER_FILE,
        'dashboard: {key: same, label: Other, cards: [total]}',
      ),
    },
    refusal: /EV806/,
  },
  {
    what: 'the dashboard key of an event that uses its id as the key',
    files: {
      'sample2026.yaml': SAMPLE_FILE,
      'other2026.yaml': addAdmin(
        OTHER_FILE,
        'dashboard: {key: sample2026, label: Other, cards: [total]}',
      ),
    },
    refusal: /EV806/,
  },
  ...['/healthz/', '/metrics/', '/api/payment/webhook/', '/api/admin/session/'].map((path) => ({
    what: `a call at ${path}`,
    files: { 'sample2026.yaml': changeApi(SAMPLE_FILE, { tariff: path }) },
    refusal: /EV803.*already belongs to the site/,
  })),
  {
    what: 'a page at /metrics',
    files: { 'sample2026.yaml': replaceText(SAMPLE_FILE, 'form: /sample2026', 'form: /metrics') },
    refusal: /EV801.*already belongs to the site/,
  },
  {
    what: 'a button to an unknown page',
    files: { 'sample2026.yaml': addLink(SAMPLE_FILE, '/other2026') },
    refusal: /no page has the address \/other2026/,
  },
  {
    what: 'a button to the page of an event whose file cannot be read',
    files: { 'sample2026.yaml': addLink(SAMPLE_FILE, '/other2026'), 'other2026.yaml': 'event: [' },
    refusal: /EV001/,
  },
  {
    what: 'an error in the texts of the landing page',
    files: { 'sample2026.yaml': SAMPLE_FILE, '_shared/site.yaml': 'format: 1\n' },
    refusal: /site\.yaml.*\n?.*EV1|EV1[^]*site\.yaml/,
  },
  {
    what: 'an error in a shared file',
    files: { 'sample2026.yaml': SAMPLE_FILE, '_shared/lists.yaml': 'lists: [' },
    refusal: /EV001/,
  },
  {
    what: 'a shared file that is missing',
    files: { 'sample2026.yaml': SAMPLE_FILE, '_shared/gateways.yaml': null },
    refusal: /Missing from _shared: gateways\.yaml\. Restore it\.|EV103.*the file is empty/,
  },
  {
    what: 'demo values in production',
    files: { 'sample2026.yaml': `${SAMPLE_FILE}\ndemo: [payment.account]\n` },
    production: true,
    refusal: /EV991/,
  },
  {
    what: 'a file in an encoding used by old Windows programs',
    files: {
      'sample2026.yaml': Buffer.from(replaceText(SAMPLE_FILE, 'Town Hall', 'Café'), 'latin1'),
    },
    refusal: /EV01\d/,
  },
  {
    what: 'a folder with the name of an event file',
    files: { 'sample2026.yaml': SAMPLE_FILE },
    prepare: (folder) => mkdirSync(join(folder, 'other2026.yaml')),
    refusal: /other2026\.yaml is not a regular file/,
  },
  {
    what: 'a broken link',
    files: { 'sample2026.yaml': SAMPLE_FILE },
    prepare: (folder) => symlinkSync('gone.yaml', join(folder, 'other2026.yaml')),
    refusal: /other2026\.yaml cannot be read/,
  },
]

let folderCount = 0
function createFolder({ files, prepare }: Pick<FolderCase, 'files' | 'prepare'>): string {
  const folder = join(temporaryFolder, `folder-${(folderCount += 1)}`)
  cpSync(sharedFolder, join(folder, '_shared'), { recursive: true })
  writeFolder(folder, { files, ...(prepare === undefined ? {} : { prepare }) })
  return folder
}
function writeFolder(
  folder: string,
  { files, prepare }: Pick<FolderCase, 'files' | 'prepare'>,
): void {
  for (const [name, content] of Object.entries(files))
    if (content === null) rmSync(join(folder, name), { recursive: true })
    else writeFileSync(join(folder, name), content)
  prepare?.(folder)
}

/** Runs `rollcall validate`. Returns whether it succeeds, and its output. */
async function runValidate(folder: string, isProduction: boolean): Promise<[boolean, string]> {
  const output: string[] = []
  const status = await validateCommand.run([folder, ...(isProduction ? ['--production'] : [])], {
    print: (text) => void output.push(text),
    printError: (text) => void output.push(text),
    environment: () => null,
  })
  return [status === 0, output.join('\n')]
}

/**
 * Opens the events as a server does. Returns the output and the registry, or null if the server does not start. The
 * check runs in this thread, because starting a thread takes longer than most checks.
 */
async function openEvents(
  folder: string,
  isProduction = false,
  check: FolderCheck | null = checkFolderInThisThread,
  isWatching = false,
) {
  const output: string[] = []
  const registry = await openRegistry({
    folder,
    cacheFolder: join(temporaryFolder, 'cache'),
    // Each folder is opened as on a first start, when no events from other folders are served.
    store: { ...store, eventsServed: () => Promise.resolve([]) },
    clock: () => instant(Date.UTC(2026, 0, 10)),
    log: {
      info: () => {},
      warn: () => {},
      error: (entry) => void output.push(JSON.stringify(entry)),
    },
    print: (text) => void output.push(text),
    production: isProduction,
    isWatching,
    ...(check === null ? {} : { checkFolder: check }),
  })
  if (!registry.ok) output.push(registry.error)
  return { registry: registry.ok ? registry.value : null, output }
}

test('the table has accepted and rejected folders with unique names', () => {
  expect(FOLDER_CASES.length).toBeGreaterThanOrEqual(30)
  expect(FOLDER_CASES.filter(({ refusal }) => refusal === undefined).length).toBeGreaterThan(10)
  expect(new Set(FOLDER_CASES.map(({ what }) => what)).size).toBe(FOLDER_CASES.length)
})

describe.each(FOLDER_CASES)('$what', ({ files, prepare, production = false, refusal }) => {
  test(`is ${refusal === undefined ? 'accepted and served' : 'rejected and not served'}`, async () => {
    const folder = createFolder({ files, ...(prepare === undefined ? {} : { prepare }) })
    const [isAccepted, text] = await runValidate(folder, production)
    // The server starts twice, because the second start uses the events that the first one compiled.
    for (const start of ['first', 'second']) {
      const { registry, output } = await openEvents(folder, production)
      await registry?.close()
      expect([start, registry !== null], output.join('\n')).toEqual([start, refusal === undefined])
      if (refusal !== undefined) expect(output.join('\n')).toMatch(refusal)
    }
    expect(isAccepted, text).toBe(refusal === undefined)
    if (refusal !== undefined) expect(text).toMatch(refusal)
  })
})

describe.each(FOLDER_CASES.filter(({ refusal, production }) => refusal && !production))(
  'a running server whose folder changes to $what',
  { tags: ['slow'] },
  ({ files, prepare }) => {
    test('continues to serve its events without a conflict', async () => {
      const folder = createFolder({
        files: { 'sample2026.yaml': SAMPLE_FILE, 'other2026.yaml': OTHER_FILE },
      })
      const { registry } = await openEvents(folder)
      if (registry === null) throw new Error('the valid folder must be served')
      rmSync(join(folder, 'sample2026.yaml'))
      rmSync(join(folder, 'other2026.yaml'))
      writeFolder(folder, { files, ...(prepare === undefined ? {} : { prepare }) })
      await registry.reload()
      const configs = registry.all().map(({ config }) => config)
      expect(configs.map(({ id }) => id)).toEqual(['other2026', 'sample2026'])
      expect(findClashes(configs)).toEqual([])
      expect(findEventsWithDeadButtons(configs)).toEqual([])
      await registry.close()
    })
  },
)

test('a changed file that takes too long to check is not served; the previous version stays in use, and the reason is reported', async () => {
  const folder = createFolder({ files: { 'sample2026.yaml': SAMPLE_FILE } })
  const { registry, output } = await openEvents(folder, false, (input) =>
    checkFolderInWorker(input, 1),
  )
  const file = join(folder, 'sample2026.yaml')
  const hashBefore = registry?.findById('sample2026')?.hash
  expect(hashBefore).toBeDefined()
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n# changed\n`)
  await registry?.reload()
  expect(registry?.findById('sample2026')?.hash).toBe(hashBefore)
  expect(output.join('\n')).toMatch(
    /^Checking \S*sample2026\.yaml took longer than 0\.001 seconds and was stopped: .* The previous versions stay/m,
  )
  // All files are checked together, even if only a shared file has changed.
  writeFileSync(file, readFileSync(file, 'utf8').replace('\n# changed\n', ''))
  writeFileSync(
    join(folder, '_shared', 'site.yaml'),
    `${readFileSync(join(sharedFolder, 'site.yaml'), 'utf8')}\n`,
  )
  await registry?.reload()
  expect(output.at(-1)).toMatch(/^Checking the event files took longer than 0\.001 seconds/)
  await registry?.close()

  const secondServer = await openEvents(folder, false, null)
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n# once more\n`)
  const hashBeforeReload = secondServer.registry?.findById('sample2026')?.hash
  let threadCount = 0
  const countThread = (): void => void (threadCount += 1)
  process.on('worker', countThread)
  await secondServer.registry?.reload()
  process.removeListener('worker', countThread)
  expect(threadCount).toBe(1)
  expect(secondServer.registry?.findById('sample2026')?.hash).not.toBe(hashBeforeReload)
  await secondServer.registry?.close()
})

test('a changed file whose check was stopped on a busy machine is served two minutes later, without another change', async () => {
  const folder = createFolder({ files: { 'sample2026.yaml': SAMPLE_FILE } })
  let isBusy = true
  const check: FolderCheck = async (input) =>
    isBusy ? err('stopped') : checkFolderInThisThread(input)
  const { registry } = await openEvents(folder, false, check, true)
  const readHash = (): string | undefined => registry?.findById('sample2026')?.hash
  const hashBefore = readHash()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    writeFileSync(join(folder, 'sample2026.yaml'), `${SAMPLE_FILE}\n# changed\n`)
    await registry?.reload()
    // Waits for the file system's notification of the change.
    await vi.advanceTimersByTimeAsync(1000)
    await registry?.reload()
    expect(readHash()).toBe(hashBefore)
    isBusy = false
    await vi.advanceTimersByTimeAsync(120_000)
    await vi.waitFor(() => expect(readHash()).not.toBe(hashBefore), 30_000)
  } finally {
    vi.useRealTimers()
    await registry?.close()
  }
})
