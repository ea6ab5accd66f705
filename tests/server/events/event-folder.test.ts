/** One result per folder: the server serves a folder if and only if `rollcall validate` accepts it. */
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
import { checkFolderHere } from '../../../server/events/files/event-folder.ts'
import type { FolderCheck } from '../../../server/events/files/event-folder.ts'
import { checkFolderInWorker } from '../../../server/events/files/check-files-in-worker.ts'
import { openRegistry } from '../../../server/events/event-registry.ts'
import type { Store } from '../../../server/storage/index.ts'
import { fixtureEvent } from '../small-event.ts'
import { openStoreHere } from '../store-without-threads.ts'

const ownShared = join(import.meta.dirname, '..', '..', '..', 'events', '_shared')
let temporaryFolder = ''
let store: Store
beforeAll(async () => {
  temporaryFolder = mkdtempSync(join(tmpdir(), 'rollcall-folders-'))
  store = await openStoreHere({ dataDir: join(temporaryFolder, 'data') })
})
afterAll(async () => {
  await store.close()
  rmSync(temporaryFolder, { recursive: true, force: true })
})

const SAMPLE_FILE = fixtureEvent()
const OTHER_FILE = fixtureEvent({ id: 'other2026', prefix: 'OTHR', title: 'Other 2026' })
/**
 * Replaces text. Throws if the fixture does not contain the text, so that no row becomes
 * ineffective when the fixture changes.
 */
const replaceText = (text: string, from: string, to: string): string => {
  if (!text.includes(from)) throw new Error(`the fixture does not contain "${from}"`)
  return text.replace(from, to)
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

type Row = {
  readonly what: string
  /** The files of the folder; null removes a shared file. */
  readonly files: Readonly<Record<string, string | Buffer | null>>
  readonly make?: (folder: string) => void
  readonly production?: boolean
  /** The message expected from command and server. Folders without a message are accepted. */
  readonly refused?: RegExp
}
const FOLDERS: readonly Row[] = [
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
    what: 'two events whose buttons lead to each other',
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
    what: 'a folder in the folder',
    files: { 'sample2026.yaml': SAMPLE_FILE },
    make: (folder) => {
      mkdirSync(join(folder, 'old'))
      writeFileSync(join(folder, 'old', 'sample2026.yaml'), 'event: [')
    },
  },
  {
    what: 'a link to an event file',
    files: {},
    make: (folder) => {
      writeFileSync(join(folder, 'kept.txt'), SAMPLE_FILE)
      symlinkSync('kept.txt', join(folder, 'sample2026.yaml'))
    },
  },
  {
    what: 'no shared files: those of Rollcall apply',
    files: { 'sample2026.yaml': SAMPLE_FILE, _shared: null },
  },
  {
    what: 'no words for the landing page',
    files: { 'sample2026.yaml': SAMPLE_FILE, '_shared/site.yaml': null },
  },
  {
    what: 'demo values, to try them out',
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
  { what: 'nothing', files: {}, refused: /no event file/ },
  {
    what: 'hidden files only',
    files: { '.sample2026.yaml': SAMPLE_FILE },
    refused: /no event file/,
  },
  {
    what: 'an empty file',
    files: { 'sample2026.yaml': SAMPLE_FILE, 'other2026.yaml': '' },
    refused: /EV103.*the file is empty/,
  },
  { what: 'a file that is not YAML', files: { 'sample2026.yaml': 'event: [' }, refused: /EV001/ },
  {
    what: 'a file under another name',
    files: { 'sample.yaml': SAMPLE_FILE },
    refused: /EV807.*must be called sample2026\.yaml/,
  },
  {
    what: 'a copy under another name',
    files: { 'sample2026.yaml': SAMPLE_FILE, 'sample2026-copy.yaml': SAMPLE_FILE },
    refused: /EV807[^]*EV804|EV804[^]*EV807/,
  },
  {
    what: 'an id in capitals',
    files: { 'Sample2026.yaml': replaceText(SAMPLE_FILE, 'id: sample2026', 'id: Sample2026') },
    refused: /EV105/,
  },
  {
    what: 'a file name in capitals',
    files: { 'Sample2026.yaml': SAMPLE_FILE },
    refused: /EV807/,
  },
  {
    what: 'one event in two files',
    files: { 'sample2026.yaml': SAMPLE_FILE, 'sample2026.yml': SAMPLE_FILE },
    refused: /EV804.*`sample2026` is already used/,
  },
  {
    what: 'two events at one page',
    files: {
      'sample2026.yaml': SAMPLE_FILE,
      'other2026.yaml': replaceText(OTHER_FILE, 'form: /other2026', 'form: /sample2026'),
    },
    refused: /EV801.*\/sample2026 already belongs to (sample|other)2026/,
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
    refused: /EV801/,
  },
  {
    what: 'order ids that could belong to either event',
    files: {
      'sample2026.yaml': SAMPLE_FILE,
      'other2026.yaml': replaceText(OTHER_FILE, 'prefix: OTHR', 'prefix: SMPL2'),
    },
    refused: /EV802.*could belong to/,
  },
  {
    what: 'two endpoints at one path',
    files: {
      'sample2026.yaml': SAMPLE_FILE,
      'other2026.yaml': changeApi(OTHER_FILE, { register: '/api/sample2026/register/' }),
    },
    refused: /EV803/,
  },
  {
    what: "an endpoint whose parameter matches another event's endpoint",
    files: {
      'sample2026.yaml': SAMPLE_FILE,
      'other2026.yaml': changeApi(OTHER_FILE, { registration: '/api/sample2026/{reg_no}/' }),
    },
    refused: /EV803.*also matches/,
  },
  {
    what: 'an endpoint at the page of another event',
    files: {
      'sample2026.yaml': SAMPLE_FILE,
      'other2026.yaml': changeApi(OTHER_FILE, { tariff: '/sample2026' }),
    },
    refused: /EV80[13].*address of a (page|call) of/,
  },
  {
    what: 'an endpoint at its own page',
    files: { 'sample2026.yaml': changeApi(SAMPLE_FILE, { tariff: '/sample2026/' }) },
    refused: /EV803.*is the address of a page/,
  },
  {
    what: 'one dashboard key twice',
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
    refused: /EV806/,
  },
  {
    what: 'the dashboard key of an event whose key is its id',
    files: {
      'sample2026.yaml': SAMPLE_FILE,
      'other2026.yaml': addAdmin(
        OTHER_FILE,
        'dashboard: {key: sample2026, label: Other, cards: [total]}',
      ),
    },
    refused: /EV806/,
  },
  ...['/healthz/', '/metrics/', '/api/payment/webhook/', '/api/admin/session/'].map((path) => ({
    what: `a call at ${path}`,
    files: { 'sample2026.yaml': changeApi(SAMPLE_FILE, { tariff: path }) },
    refused: /EV803.*already belongs to the site/,
  })),
  {
    what: 'a page at /metrics',
    files: { 'sample2026.yaml': replaceText(SAMPLE_FILE, 'form: /sample2026', 'form: /metrics') },
    refused: /EV801.*already belongs to the site/,
  },
  {
    what: 'a button to an unknown page',
    files: { 'sample2026.yaml': addLink(SAMPLE_FILE, '/other2026') },
    refused: /no page has the address \/other2026/,
  },
  {
    what: 'a button to the page of an event that cannot be read',
    files: { 'sample2026.yaml': addLink(SAMPLE_FILE, '/other2026'), 'other2026.yaml': 'event: [' },
    refused: /EV001/,
  },
  {
    what: 'a mistake in the words of the landing page',
    files: { 'sample2026.yaml': SAMPLE_FILE, '_shared/site.yaml': 'format: 1\n' },
    refused: /site\.yaml.*\n?.*EV1|EV1[^]*site\.yaml/,
  },
  {
    what: 'a mistake in a shared file',
    files: { 'sample2026.yaml': SAMPLE_FILE, '_shared/lists.yaml': 'lists: [' },
    refused: /EV001/,
  },
  {
    what: 'a shared file that is missing',
    files: { 'sample2026.yaml': SAMPLE_FILE, '_shared/gateways.yaml': null },
    refused: /There is no gateways\.yaml in _shared\. Restore it\.|EV103.*the file is empty/,
  },
  {
    what: 'demo values in production',
    files: { 'sample2026.yaml': `${SAMPLE_FILE}\ndemo: [payment.account]\n` },
    production: true,
    refused: /EV991/,
  },
  {
    what: 'a file in the encoding of old Windows programs',
    files: {
      'sample2026.yaml': Buffer.from(replaceText(SAMPLE_FILE, 'Town Hall', 'Café'), 'latin1'),
    },
    refused: /EV01\d/,
  },
  {
    what: 'a folder with the name of an event file',
    files: { 'sample2026.yaml': SAMPLE_FILE },
    make: (folder) => mkdirSync(join(folder, 'other2026.yaml')),
    refused: /other2026\.yaml is not a regular file/,
  },
  {
    what: 'a broken link',
    files: { 'sample2026.yaml': SAMPLE_FILE },
    make: (folder) => symlinkSync('gone.yaml', join(folder, 'other2026.yaml')),
    refused: /other2026\.yaml cannot be read/,
  },
]

let folderCount = 0
function createFolder({ files, make }: Pick<Row, 'files' | 'make'>): string {
  const folder = join(temporaryFolder, `folder-${(folderCount += 1)}`)
  cpSync(ownShared, join(folder, '_shared'), { recursive: true })
  writeFolder(folder, { files, ...(make === undefined ? {} : { make }) })
  return folder
}
function writeFolder(folder: string, { files, make }: Pick<Row, 'files' | 'make'>): void {
  for (const [name, content] of Object.entries(files))
    if (content === null) rmSync(join(folder, name), { recursive: true })
    else writeFileSync(join(folder, name), content)
  make?.(folder)
}

/** Runs the command. Returns its output and whether it succeeds. */
async function runValidate(folder: string, production: boolean): Promise<[boolean, string]> {
  const output: string[] = []
  const status = await validateCommand.run([folder, ...(production ? ['--production'] : [])], {
    print: (text) => void output.push(text),
    printError: (text) => void output.push(text),
    environment: () => null,
  })
  return [status === 0, output.join('\n')]
}

/**
 * Opens the events as a server does. Returns the served events, or null if it does not start, and
 * the output. The check runs in this thread, because starting a thread takes longer than most
 * checks.
 */
async function openEvents(
  folder: string,
  production = false,
  check: FolderCheck | null = checkFolderHere,
  isWatching = false,
) {
  const logged: string[] = []
  const registry = await openRegistry({
    folder,
    cacheFolder: join(temporaryFolder, 'cache'),
    // Each folder is opened as at a first start, without events served from other folders.
    store: { ...store, eventsServed: () => Promise.resolve([]) },
    clock: () => instant(Date.UTC(2026, 0, 10)),
    log: {
      info: () => {},
      warn: () => {},
      error: (entry) => void logged.push(JSON.stringify(entry)),
    },
    print: (text) => void logged.push(text),
    production,
    isWatching,
    ...(check === null ? {} : { checkFolder: check }),
  })
  if (!registry.ok) logged.push(registry.error)
  return { registry: registry.ok ? registry.value : null, said: logged }
}

test('the table has accepted and rejected rows with unique names', () => {
  expect(FOLDERS.length).toBeGreaterThanOrEqual(30)
  expect(FOLDERS.filter(({ refused }) => refused === undefined).length).toBeGreaterThan(10)
  expect(new Set(FOLDERS.map(({ what }) => what)).size).toBe(FOLDERS.length)
})

describe.each(FOLDERS)('$what', ({ files, make, production = false, refused }) => {
  test(`is ${refused === undefined ? 'accepted and served' : 'rejected and not served'}`, async () => {
    const folder = createFolder({ files, ...(make === undefined ? {} : { make }) })
    const [isAccepted, text] = await runValidate(folder, production)
    // Twice: the second start uses the first one's compiled events.
    for (const start of ['first', 'second']) {
      const { registry, said: output } = await openEvents(folder, production)
      await registry?.close()
      expect([start, registry !== null], output.join('\n')).toEqual([start, refused === undefined])
      if (refused !== undefined) expect(output.join('\n')).toMatch(refused)
    }
    expect(isAccepted, text).toBe(refused === undefined)
    if (refused !== undefined) expect(text).toMatch(refused)
  })
})

describe.each(FOLDERS.filter(({ refused, production }) => refused && !production))(
  'a running server whose folder becomes: $what',
  ({ files, make }) => {
    test('continues to serve its events without a conflict', async () => {
      const folder = createFolder({
        files: { 'sample2026.yaml': SAMPLE_FILE, 'other2026.yaml': OTHER_FILE },
      })
      const { registry } = await openEvents(folder)
      if (registry === null) throw new Error('the valid folder must be served')
      rmSync(join(folder, 'sample2026.yaml'))
      rmSync(join(folder, 'other2026.yaml'))
      writeFolder(folder, { files, ...(make === undefined ? {} : { make }) })
      await registry.reload()
      const configs = registry.all().map(({ config }) => config)
      expect(configs.map(({ id }) => id)).toEqual(['other2026', 'sample2026'])
      expect(findClashes(configs)).toEqual([])
      expect(findEventsWithDeadButtons(configs)).toEqual([])
      await registry.close()
    })
  },
)

test('a changed file that takes too long to check is not served: the previous version stays, with the reason', async () => {
  const folder = createFolder({ files: { 'sample2026.yaml': SAMPLE_FILE } })
  const { registry, said: output } = await openEvents(folder, false, (input) =>
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
  // The files are checked together even if each is unchanged.
  writeFileSync(file, readFileSync(file, 'utf8').replace('\n# changed\n', ''))
  writeFileSync(
    join(folder, '_shared', 'site.yaml'),
    `${readFileSync(join(ownShared, 'site.yaml'), 'utf8')}\n`,
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
  const check: FolderCheck = async (input) => (isBusy ? err('stopped') : checkFolderHere(input))
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
