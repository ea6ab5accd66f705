/** The events that a restarted server serves if an event file is invalid, truncated or missing. */
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
import type { EventConfig } from '../../../engine/index.ts'
import type { StatsResponse } from '../../../engine/api.ts'
import { openRegistry } from '../../../server/events/event-registry.ts'
import { isTruncated } from '../../../server/events/files/truncated-file.ts'
import { checkFolderInThisThread } from '../../../server/events/files/event-folder.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { signIn } from '../office/office.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { openStoreInProcess } from '../store-without-threads.ts'

const otherEventText = buildFixtureEvent({ id: 'other2026', prefix: 'OTHR', title: 'Other 2026' })
const misspellVenue = (text: string): string => text.replace('venue:', 'vneue:')

const textsFile = join('_shared', 'texts.yaml')
let app: TestApp
let restartFolder: string
beforeAll(async () => {
  app = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': buildFixtureEvent(), 'other2026.yaml': otherEventText },
  })
  cpSync(join(app.eventsDir, textsFile), join(app.dir, 'texts.yaml'))
})
afterAll(() => app.close())
beforeEach(() => {
  restartFolder = mkdtempSync(join(tmpdir(), 'rollcall-again-'))
})
afterEach(async () => {
  rmSync(restartFolder, { recursive: true, force: true })
  for (const name of readdirSync(app.eventsDir))
    if (name.endsWith('.yaml')) rmSync(join(app.eventsDir, name))
  app.writeEvent('sample2026.yaml', buildFixtureEvent())
  app.writeEvent('other2026.yaml', otherEventText)
  cpSync(join(app.dir, 'texts.yaml'), join(app.eventsDir, textsFile))
})

/** Runs the next startup with the stored data, and returns the events that it serves and its messages. */
async function restart({
  production = false,
  isSecondStart = false,
  explainUnservable = (_event: EventConfig): string | null => null,
} = {}) {
  for (const name of ['rollcall.db', 'rollcall.db-wal'])
    if (!isSecondStart) copyFileSync(join(app.dir, name), join(restartFolder, name))
  const store = await openStoreInProcess({ dataDir: restartFolder })
  const output: string[] = []
  const registry = await openRegistry({
    folder: app.eventsDir,
    cacheFolder: join(app.dir, 'cache', 'events'),
    store,
    clock: () => instant(Date.UTC(2026, 0, 10)),
    log: {
      info: () => {},
      warn: (_, text) => void output.push(`warn ${text}`),
      error: (entry, text) => void output.push(`error ${JSON.stringify(entry)} ${text}`),
    },
    print: (text) => void output.push(text),
    production,
    explainUnservable,
    isWatching: false,
    checkFolder: checkFolderInThisThread,
  })
  return {
    result: registry,
    readOutput: () => output.join('\n'),
    close: async () => {
      if (registry.ok) await registry.value.close()
      await store.close()
    },
  }
}

describe('after a restart', () => {
  test('without the credentials of a valid file, the start does not tell the operator to fix the file', async () => {
    const { readOutput, close } = await restart({
      explainUnservable: ({ id }) =>
        id === 'sample2026' ? 'AIRPAY_SAMPLE_KEY must be set.' : null,
    })
    expect(readOutput()).toBe('')
    await close()
  })

  test('if only the changed version lacks credentials, the last version is served and the message names them', async () => {
    app.writeEvent(
      'sample2026.yaml',
      buildFixtureEvent().replace('account: sample', 'account: elsewhere'),
    )
    const { result, readOutput, close } = await restart({
      explainUnservable: ({ payment }) =>
        payment?.account === 'elsewhere' ? 'AIRPAY_ELSEWHERE_KEY must be set.' : null,
    })
    expect(result.ok && result.value.findById('sample2026')?.config.payment?.account).toBe('sample')
    expect(readOutput()).toMatch(/is served instead\. AIRPAY_ELSEWHERE_KEY must be set\.$/m)
    expect(readOutput()).not.toContain('rollcall validate')
    await close()
  })

  test('an event without registrations is removed if its file is removed', async () => {
    rmSync(join(app.eventsDir, 'other2026.yaml'))
    const { result: registry, close } = await restart()
    expect(registry.ok && registry.value.all().map(({ config }) => config.id)).toEqual([
      'sample2026',
    ])
    await close()
  })

  test.each([
    ['a typo in a key', misspellVenue],
    ['invalid YAML', (text: string) => text.replace('event:', 'event: [')],
    ['no contents', () => ''],
  ])(
    'an event file with %s does not affect other events, and its last valid version is served, with a warning',
    async (_, damage) => {
      app.writeEvent('sample2026.yaml', damage(buildFixtureEvent({ title: 'Changed' })))
      app.writeEvent('third2026.yaml', 'event: [')
      const { result, readOutput, close } = await restart()
      if (!result.ok) throw new Error(result.error)
      const registry = result.value
      expect(registry.all().map(({ config }) => config.title)).toEqual([
        'Other 2026',
        'Sample 2026',
      ])
      expect(readOutput()).toMatch(/error \{"file":"sample2026\.yaml","version":"\w{12}"\}/)
      expect(readOutput()).toContain(
        'sample2026.yaml is not served in its current version; the last valid version',
      )
      expect(readOutput()).toContain(
        'third2026.yaml is not served and has no earlier version to serve',
      )
      expect(registry.refusedFiles().map(({ file }) => file)).toEqual([
        'sample2026.yaml',
        'third2026.yaml',
      ])
      app.writeEvent('sample2026.yaml', buildFixtureEvent({ title: 'Mended' }))
      rmSync(join(app.eventsDir, 'third2026.yaml'))
      await registry.reload()
      expect(registry.findById('sample2026')?.config.title).toBe('Mended')
      expect(registry.refusedFiles()).toEqual([])
      await close()
    },
  )

  test('unreadable shared texts do not prevent any event from being served', async () => {
    writeFileSync(join(app.eventsDir, '_shared', 'texts.yaml'), 'calls: [')
    const { result: registry, close } = await restart()
    if (!registry.ok) throw new Error(registry.error)
    expect(registry.value.all().map(({ config }) => config.id)).toEqual(['other2026', 'sample2026'])
    expect(registry.value.refusedFiles()[0]).toMatchObject({ file: '_shared' })
    await close()
  })

  test.each([
    ['is missing', () => renameSync(app.eventsDir, `${app.eventsDir}-away`)],
    ['is empty, as if a disk were not mounted', () => {}],
  ])(
    'if the events folder %s, events that were served before are still served, and events that were removed before are not',
    async (_, removeFolder) => {
      rmSync(join(app.eventsDir, 'other2026.yaml'))
      const resultWithoutFile = await restart()
      if (!resultWithoutFile.result.ok) throw new Error(resultWithoutFile.result.error)
      await resultWithoutFile.close()
      rmSync(join(app.eventsDir, 'sample2026.yaml'))
      removeFolder()
      const { result: registry, readOutput, close } = await restart({ isSecondStart: true })
      if (existsSync(`${app.eventsDir}-away`)) renameSync(`${app.eventsDir}-away`, app.eventsDir)
      if (!registry.ok) throw new Error(registry.error)
      expect(registry.value.all().map(({ config }) => [config.id, config.status])).toEqual([
        ['sample2026', 'open'],
      ])
      expect(registry.value.refusedFiles()).toMatchObject([
        { file: '_shared', why: expect.any(String) },
      ])
      expect(readOutput()).toContain('These events are served in their last version: sample2026.')
      // The folder exists again.
      app.writeEvent('sample2026.yaml', buildFixtureEvent({ title: 'Changed' }))
      await registry.value.reload()
      expect(registry.value.findById('sample2026')?.config.title).toBe('Changed')
      expect(registry.value.refusedFiles()).toEqual([])
      await close()
    },
  )

  test('an events folder without a valid event is rejected', async () => {
    for (const file of ['sample2026.yaml', 'other2026.yaml']) rmSync(join(app.eventsDir, file))
    app.writeEvent('third2026.yaml', 'event: [')
    const result = await restart()
    expect(result.result).toEqual({
      ok: false,
      error: 'third2026.yaml is not served: it has errors. rollcall validate shows them.',
    })
    await result.close()
  })

  test('removing a file closes registration, and existing registrations are still served', async () => {
    const answer = await app.post('/api/other2026/register/', fixtureDelegate)
    expect(answer.statusCode).toBe(201)
    rmSync(join(app.eventsDir, 'other2026.yaml'))
    const { result, readOutput, close } = await restart()
    if (!result.ok) throw new Error(result.error)
    const registry = result.value
    expect(registry.findById('other2026')?.config.status).toBe('closed')
    expect(registry.findByOrderId('OTHR123')?.config.id).toBe('other2026')
    expect(registry.cards(instant(Date.UTC(2026, 0, 10))).map(({ id }) => id)).toEqual([
      'sample2026',
    ])
    expect(readOutput()).toContain('The file other2026.yaml no longer exists')
    expect(registry.refusedFiles()).toEqual([])
    // The file is restored unchanged.
    app.writeEvent('other2026.yaml', otherEventText)
    await registry.reload()
    expect(registry.findById('other2026')?.config.status).toBe('open')
    expect(registry.cards(instant(Date.UTC(2026, 0, 10)))).toHaveLength(2)
    await close()
  })

  test('a renamed event still handles orders with its earlier prefix', async () => {
    await app.post('/api/other2026/register/', fixtureDelegate)
    rmSync(join(app.eventsDir, 'other2026.yaml'))
    app.writeEvent('renamed2026.yaml', otherEventText.replace('id: other2026', 'id: renamed2026'))
    const { result: registry, close } = await restart()
    if (!registry.ok) throw new Error(registry.error)
    expect(registry.value.findByOrderId('OTHR123')?.config.id).toBe('renamed2026')
    expect(registry.value.findById('other2026')).toBeNull()
    await close()
  })

  test('a version with demo values is not served in production', async () => {
    app.writeEvent('sample2026.yaml', `${buildFixtureEvent()}\ndemo: [payment.account]\n`)
    await app.deps.events.reload()
    const { result: registry, close } = await restart({ production: true })
    if (!registry.ok) throw new Error(registry.error)
    expect(registry.value.all().map(({ config }) => config.id)).toEqual(['other2026'])
    await close()
  })
})

test('if "Copy of sample2026.yaml" is next to sample2026.yaml, the correctly named file is served, including later changes', async () => {
  cpSync(join(app.eventsDir, 'sample2026.yaml'), join(app.eventsDir, 'Copy of sample2026.yaml'))
  app.writeEvent('sample2026.yaml', buildFixtureEvent({ title: 'Changed' }))
  await app.deps.events.reload()
  expect(app.deps.events.findById('sample2026')?.config.title).toBe('Changed')
  expect(app.deps.events.refusedFiles().map(({ file }) => file)).toEqual([
    'Copy of sample2026.yaml',
  ])
})

describe('a truncated file', () => {
  test('is not served by a running server until it is complete, wherever it is truncated', async () => {
    const completeText = buildFixtureEvent({ title: 'Changed', extra: '' })
    const lines = completeText.split('\n')
    const hashBefore = app.deps.events.findById('sample2026')?.hash
    // The first truncated text is still a valid event, without its examples.
    const examplesLine = lines.indexOf('examples:')
    for (const lineCount of [examplesLine, lines.length - 4, lines.length - 3, lines.length - 2]) {
      app.writeEvent('sample2026.yaml', lines.slice(0, lineCount).join('\n'))
      await app.deps.events.reload()
      expect(app.deps.events.findById('sample2026')?.hash).toBe(hashBefore)
    }
    app.writeEvent('sample2026.yaml', completeText)
    await app.deps.events.reload()
    expect(app.deps.events.findById('sample2026')?.config.title).toBe('Changed')
  })

  const text = buildFixtureEvent()
  const lines = text.trimEnd().split('\n')
  test('is detected after every line and in the middle of each line', () => {
    const undetected = lines.flatMap((line, index) => {
      if (index === 0 || index === lines.length - 1 || line.trim() === '') return []
      const truncated = [...lines.slice(0, index), line]
      const truncatedMidLine = [...lines.slice(0, index), line.slice(0, Math.ceil(line.length / 2))]
      return [truncated, truncatedMidLine].flatMap((truncatedLines) =>
        isTruncated(truncatedLines.join('\n'), text) ? [] : [truncatedLines.at(-1)],
      )
    })
    expect(undetected).toEqual([])
  })
  test.each<[string, string, string, boolean]>([
    ['an unchanged file is complete', text, text, false],
    [
      'a file with a line changed at the top is complete',
      text.replace('Town Hall', 'City Hall'),
      text,
      false,
    ],
    [
      'a file with a changed last line is complete',
      text.replace('total: 1180}', 'total: 1770}'),
      text,
      false,
    ],
    [
      'a file with an additional line at the end is complete',
      `${text}demo: [payment.account]\n`,
      text,
      false,
    ],
    [
      'a file with a part removed in the middle is complete',
      text.replace(/closed:[^]*?\n\n/, ''),
      text,
      false,
    ],
    [
      'a file with fewer examples and an end mark is complete',
      `${lines.slice(0, -2).join('\n')}\n# end\n`,
      text,
      false,
    ],
    [
      'a file whose demo values were removed at the end is complete',
      text,
      `${text}demo:\n  - payment.account\n`,
      false,
    ],
    ['a file whose end mark was removed is truncated', text, `${text}# end\n`, true],
    [
      'a file changed at the top and cut off at the bottom is truncated',
      lines.slice(0, -1).join('\n').replace('Town Hall', 'City Hall'),
      text,
      true,
    ],
  ])('%s', (_, newText, previousText, isTruncatedText) => {
    expect(isTruncated(newText, previousText)).toBe(isTruncatedText)
  })
})

test('a changed file whose account has no credentials is not served; the previous version is, and the reason is reported', async () => {
  const getVariableName = (name: string): string => `AIRPAY_SAMPLE_${name}`
  const otherApp = await startTestApp({
    clock: '2026-01-10',
    events: { 'sample2026.yaml': buildFixtureEvent() },
    variables: {
      GATEWAY_MODE: 'airpay-test',
      [getVariableName('USERNAME')]: 'u',
      [getVariableName('PASSWORD')]: 'p',
      [getVariableName('SECRET')]: 's',
      [getVariableName('MERCHANT_ID')]: '1',
    },
  })
  otherApp.writeEvent(
    'sample2026.yaml',
    buildFixtureEvent().replace('account: sample', 'account: elsewhere'),
  )
  await otherApp.deps.events.reload()
  expect(otherApp.deps.events.findById('sample2026')?.config.payment?.account).toBe('sample')
  expect(otherApp.deps.events.refusedFiles()).toEqual([
    {
      file: 'sample2026.yaml',
      why: expect.stringContaining('AIRPAY_ELSEWHERE_MERCHANT_ID must be set'),
    },
  ])
  expect((await otherApp.post('/api/sample2026/register/', fixtureDelegate)).statusCode).toBe(201)
  const health = await otherApp.app.inject('/healthz')
  expect(health.json()).toMatchObject({
    health: 'degraded',
    troubles: [expect.stringContaining('AIRPAY_ELSEWHERE')],
  })
  // Owners see the message in the office; users who are limited to some events do not.
  const readAs = async (name: string): Promise<unknown> => {
    const office = await signIn(otherApp, name)
    return (await office.get('/admin/dashboard/stats/')).json<StatsResponse>().data.event_files
  }
  expect(await readAs('owner')).toEqual([expect.stringContaining('AIRPAY_ELSEWHERE')])
  await signIn(otherApp, 'treasurer')
  await otherApp.deps.store.setPermissions('treasurer', {
    role: 'treasurer',
    events: ['sample2026'],
  })
  expect(await readAs('treasurer')).toBeUndefined()
  await otherApp.close()
})
