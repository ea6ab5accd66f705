/** What a restart serves where an event file has an error, was cut off, or has gone. */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import type { StatsAnswer } from '../../../engine/api.ts'
import { openRegistry } from '../../../server/events/event-registry.ts'
import { isTruncated } from '../../../server/events/files/truncated-file.ts'
import { checkFolderHere } from '../../../server/events/files/event-folder.ts'
import { fixtureDelegate, fixtureEvent } from '../small-event.ts'
import { signIn } from '../office/office.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { openStoreHere } from '../store-without-threads.ts'

const other = fixtureEvent({ id: 'other2026', prefix: 'OTHR', title: 'Other 2026' })
const vneue = (text: string): string => text.replace('venue:', 'vneue:')

const texts = join('_shared', 'texts.yaml')
let app: TestApp
let again: string
beforeAll(async () => {
  app = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': fixtureEvent(), 'other2026.yaml': other },
  })
  cpSync(join(app.eventsDir, texts), join(app.dir, 'texts.yaml'))
})
afterAll(() => app.close())
beforeEach(() => {
  again = mkdtempSync(join(tmpdir(), 'rollcall-again-'))
})
afterEach(async () => {
  rmSync(again, { recursive: true, force: true })
  for (const name of readdirSync(app.eventsDir))
    if (name.endsWith('.yaml')) rmSync(join(app.eventsDir, name))
  app.writeEvent('sample2026.yaml', fixtureEvent())
  app.writeEvent('other2026.yaml', other)
  cpSync(join(app.dir, 'texts.yaml'), join(app.eventsDir, texts))
})

/** The next start on what is stored: what it serves and says. */
async function restarted({ production = false, isAgain = false } = {}) {
  for (const name of ['rollcall.db', 'rollcall.db-wal'])
    if (!isAgain) copyFileSync(join(app.dir, name), join(again, name))
  const store = await openStoreHere({ dataDir: again })
  const said: string[] = []
  const opened = await openRegistry({
    folder: app.eventsDir,
    cacheFolder: join(app.dir, 'cache', 'events'),
    store,
    clock: () => instant(Date.UTC(2026, 0, 10)),
    log: {
      info: () => {},
      warn: (_, text) => void said.push(`warn ${text}`),
      error: (entry, text) => void said.push(`error ${JSON.stringify(entry)} ${text}`),
    },
    print: (text) => void said.push(text),
    production,
    isWatching: false,
    checkFolder: checkFolderHere,
  })
  return {
    opened,
    said: () => said.join('\n'),
    close: async () => {
      if (opened.ok) await opened.value.close()
      await store.close()
    },
  }
}

describe('after a restart', () => {
  test('an event without registrations is removed with its file', async () => {
    rmSync(join(app.eventsDir, 'other2026.yaml'))
    const { opened, close } = await restarted()
    expect(opened.ok && opened.value.all().map(({ config }) => config.id)).toEqual(['sample2026'])
    await close()
  })

  test.each([
    ['a typo in a key', vneue],
    ['YAML that is not YAML', (text: string) => text.replace('event:', 'event: [')],
    ['nothing in it', () => ''],
  ])(
    'an event file with %s takes nobody down: its last good version is served, loudly',
    async (_, spoil) => {
      app.writeEvent('sample2026.yaml', spoil(fixtureEvent({ title: 'Changed' })))
      app.writeEvent('third2026.yaml', 'event: [')
      const { opened, said, close } = await restarted()
      if (!opened.ok) throw new Error(opened.error)
      const registry = opened.value
      expect(registry.all().map(({ config }) => config.title)).toEqual([
        'Other 2026',
        'Sample 2026',
      ])
      expect(said()).toMatch(/error \{"file":"sample2026\.yaml","version":"\w{12}"\}/)
      expect(said()).toContain(
        'sample2026.yaml is not served in its current version; the last valid version',
      )
      expect(said()).toContain('third2026.yaml was never served and is not served now')
      expect(registry.refusedFiles().map(({ file }) => file)).toEqual([
        'sample2026.yaml',
        'third2026.yaml',
      ])
      app.writeEvent('sample2026.yaml', fixtureEvent({ title: 'Mended' }))
      rmSync(join(app.eventsDir, 'third2026.yaml'))
      await registry.reload()
      expect(registry.byId('sample2026')?.config.title).toBe('Mended')
      expect(registry.refusedFiles()).toEqual([])
      await close()
    },
  )

  test('unreadable shared texts stop no event', async () => {
    writeFileSync(join(app.eventsDir, '_shared', 'texts.yaml'), 'calls: [')
    const { opened, close } = await restarted()
    if (!opened.ok) throw new Error(opened.error)
    expect(opened.value.all().map(({ config }) => config.id)).toEqual(['other2026', 'sample2026'])
    expect(opened.value.refusedFiles()[0]).toMatchObject({ file: '_shared' })
    await close()
  })

  test.each([
    ['is missing', () => renameSync(app.eventsDir, `${app.eventsDir}-away`)],
    ['is empty, like a disk that was not mounted', () => {}],
  ])(
    'a folder of event files that %s: what was served before is served, and what was removed before is not',
    async (_, take) => {
      rmSync(join(app.eventsDir, 'other2026.yaml'))
      const without = await restarted()
      if (!without.opened.ok) throw new Error(without.opened.error)
      await without.close()
      rmSync(join(app.eventsDir, 'sample2026.yaml'))
      take()
      const { opened, said, close } = await restarted({ isAgain: true })
      if (existsSync(`${app.eventsDir}-away`)) renameSync(`${app.eventsDir}-away`, app.eventsDir)
      if (!opened.ok) throw new Error(opened.error)
      expect(opened.value.all().map(({ config }) => [config.id, config.status])).toEqual([
        ['sample2026', 'open'],
      ])
      expect(opened.value.refusedFiles()).toMatchObject([
        { file: '_shared', why: expect.any(String) },
      ])
      expect(said()).toContain('These events are served in their last version: sample2026.')
      // The folder is there again.
      app.writeEvent('sample2026.yaml', fixtureEvent({ title: 'Changed' }))
      await opened.value.reload()
      expect(opened.value.byId('sample2026')?.config.title).toBe('Changed')
      expect(opened.value.refusedFiles()).toEqual([])
      await close()
    },
  )

  test('a folder without a valid event is rejected', async () => {
    for (const file of ['sample2026.yaml', 'other2026.yaml']) rmSync(join(app.eventsDir, file))
    app.writeEvent('third2026.yaml', 'event: [')
    const broken = await restarted()
    expect(broken.opened).toEqual({
      ok: false,
      error: 'third2026.yaml is not served: it has findings.',
    })
    await broken.close()
  })

  test('a removed file closes registration, and existing registrations are served', async () => {
    const answer = await app.post('/api/other2026/register/', fixtureDelegate)
    expect(answer.statusCode).toBe(201)
    rmSync(join(app.eventsDir, 'other2026.yaml'))
    const { opened, said, close } = await restarted()
    if (!opened.ok) throw new Error(opened.error)
    const registry = opened.value
    expect(registry.byId('other2026')?.config.status).toBe('closed')
    expect(registry.byOrderId('OTHR123')?.config.id).toBe('other2026')
    expect(registry.cards(instant(Date.UTC(2026, 0, 10))).map(({ id }) => id)).toEqual([
      'sample2026',
    ])
    expect(said()).toContain('The file other2026.yaml no longer exists')
    expect(registry.refusedFiles()).toEqual([])
    // And back, as it was.
    app.writeEvent('other2026.yaml', other)
    await registry.reload()
    expect(registry.byId('other2026')?.config.status).toBe('open')
    expect(registry.cards(instant(Date.UTC(2026, 0, 10)))).toHaveLength(2)
    await close()
  })

  test('a renamed event keeps its addresses', async () => {
    await app.post('/api/other2026/register/', fixtureDelegate)
    rmSync(join(app.eventsDir, 'other2026.yaml'))
    app.writeEvent('renamed2026.yaml', other.replace('id: other2026', 'id: renamed2026'))
    const { opened, close } = await restarted()
    if (!opened.ok) throw new Error(opened.error)
    expect(opened.value.byOrderId('OTHR123')?.config.id).toBe('renamed2026')
    expect(opened.value.byId('other2026')).toBeNull()
    await close()
  })

  test('a version with demo values is not served in production', async () => {
    app.writeEvent('sample2026.yaml', `${fixtureEvent()}\ndemo: [payment.account]\n`)
    await app.deps.events.reload()
    const { opened, close } = await restarted({ production: true })
    if (!opened.ok) throw new Error(opened.error)
    expect(opened.value.all().map(({ config }) => config.id)).toEqual(['other2026'])
    await close()
  })
})

test('of "Copy of sample2026.yaml" and sample2026.yaml the correctly named one is served, with its later changes', async () => {
  cpSync(join(app.eventsDir, 'sample2026.yaml'), join(app.eventsDir, 'Copy of sample2026.yaml'))
  app.writeEvent('sample2026.yaml', fixtureEvent({ title: 'Changed' }))
  await app.deps.events.reload()
  expect(app.deps.events.byId('sample2026')?.config.title).toBe('Changed')
  expect(app.deps.events.refusedFiles().map(({ file }) => file)).toEqual([
    'Copy of sample2026.yaml',
  ])
})

describe('a truncated file', () => {
  test('is not served while the server runs, wherever it is cut, until it is complete', async () => {
    const whole = fixtureEvent({ title: 'Changed', extra: '' })
    const lines = whole.split('\n')
    const before = app.deps.events.byId('sample2026')?.hash
    // The first is an event without a mistake in it, but for what is missing.
    const examples = lines.indexOf('examples:')
    for (const at of [examples, lines.length - 4, lines.length - 3, lines.length - 2]) {
      app.writeEvent('sample2026.yaml', lines.slice(0, at).join('\n'))
      await app.deps.events.reload()
      expect(app.deps.events.byId('sample2026')?.hash).toBe(before)
    }
    app.writeEvent('sample2026.yaml', whole)
    await app.deps.events.reload()
    expect(app.deps.events.byId('sample2026')?.config.title).toBe('Changed')
  })

  const text = fixtureEvent()
  const lines = text.trimEnd().split('\n')
  test('is detected at every line and in the middle of each', () => {
    const uncaught = lines.flatMap((line, at) => {
      if (at === 0 || at === lines.length - 1 || line.trim() === '') return []
      const cut = [...lines.slice(0, at), line]
      const half = [...lines.slice(0, at), line.slice(0, Math.ceil(line.length / 2))]
      return [cut, half].flatMap((part) =>
        isTruncated(part.join('\n'), text) ? [] : [part.at(-1)],
      )
    })
    expect(uncaught).toEqual([])
  })
  test.each<[string, string, string, boolean]>([
    ['the same', text, text, false],
    ['a line changed at the top', text.replace('Town Hall', 'City Hall'), text, false],
    ['the last line changed', text.replace('total: 1180}', 'total: 1770}'), text, false],
    ['a line more at the end', `${text}demo: [payment.account]\n`, text, false],
    ['something taken out of the middle', text.replace(/closed:[^]*?\n\n/, ''), text, false],
    [
      'fewer examples, and the mark that this is the end',
      `${lines.slice(0, -2).join('\n')}\n# end\n`,
      text,
      false,
    ],
    ['the demo values taken out at the end', text, `${text}demo:\n  - payment.account\n`, false],
    ['no mark any more where there was one', text, `${text}# end\n`, true],
    [
      'changed above and cut below',
      lines.slice(0, -1).join('\n').replace('Town Hall', 'City Hall'),
      text,
      true,
    ],
  ])('%s', (_, next, before, isCut) => {
    expect(isTruncated(next, before)).toBe(isCut)
  })
})

test('a changed file with an account without credentials: the previous version stays, with the reason', async () => {
  const part = (name: string): string => `AIRPAY_SAMPLE_${name}`
  const other = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': fixtureEvent() },
    variables: {
      GATEWAY_MODE: 'airpay-test',
      [part('USERNAME')]: 'u',
      [part('PASSWORD')]: 'p',
      [part('SECRET')]: 's',
      [part('MERCHANT_ID')]: '1',
    },
  })
  other.writeEvent(
    'sample2026.yaml',
    fixtureEvent().replace('account: sample', 'account: elsewhere'),
  )
  await other.deps.events.reload()
  expect(other.deps.events.byId('sample2026')?.config.payment?.account).toBe('sample')
  expect(other.deps.events.refusedFiles()).toEqual([
    {
      file: 'sample2026.yaml',
      why: expect.stringContaining('AIRPAY_ELSEWHERE_MERCHANT_ID must be set'),
    },
  ])
  expect((await other.post('/api/sample2026/register/', fixtureDelegate)).statusCode).toBe(201)
  const health = await other.app.inject('/healthz')
  expect(health.json()).toMatchObject({
    health: 'degraded',
    troubles: [expect.stringContaining('AIRPAY_ELSEWHERE')],
  })
  // Owners see it in the office; whoever works for some events has nothing to do with it.
  const seen = async (name: string): Promise<unknown> => {
    const office = await signIn(other, name)
    return (await office.get('/admin/dashboard/stats/')).json<StatsAnswer>().data.event_files
  }
  expect(await seen('owner')).toEqual([expect.stringContaining('AIRPAY_ELSEWHERE')])
  await signIn(other, 'treasurer')
  await other.deps.store.setPermissions('treasurer', { role: 'treasurer', events: ['sample2026'] })
  expect(await seen('treasurer')).toBeUndefined()
  await other.close()
})
