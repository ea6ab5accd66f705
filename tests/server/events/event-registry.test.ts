/** Event files that change while the server runs: a valid version is served, an invalid version is not. */
import { mkdirSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import type {
  EventResponse,
  RegisterResponse,
  RegistrationResponse,
  TariffResponse,
} from '../../../engine/api.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

const file = 'sample2026.yaml'
const OTHER_FILE = buildFixtureEvent({ id: 'other2026', prefix: 'OTHR', title: 'Other 2026' })
let server: TestApp | null = null
const start = async (
  text = buildFixtureEvent(),
  options: Parameters<typeof startTestApp>[0] = {},
): Promise<TestApp> => {
  server = await startTestApp({ clock: '2026-01-10', events: { [file]: text }, ...options })
  return server
}
afterEach(async () => {
  await server?.close()
  server = null
})

const readTariff = async ({ app }: TestApp): Promise<TariffResponse> =>
  (await app.inject('/api/sample2026/tariff-info/')).json()
const register = ({ post }: TestApp, fields: Readonly<Record<string, string>> = {}) =>
  post('/api/sample2026/register/', { ...fixtureDelegate, ...fields })

test('after a price and its example change, the form and the server use the new price, an open form gets 409, and a pending registration keeps the old total', async () => {
  const app = await start()
  const pendingRegistration = (
    await register(app, { total_amount: '1180' })
  ).json<RegisterResponse>()
  const eventBefore = (await app.app.inject('/api/events/sample2026/')).json<EventResponse>()

  app.writeEvent(file, buildFixtureEvent({ price: 1500, total: 1770 }))
  await app.deps.events.reload()

  expect((await readTariff(app)).pricing['member']).toEqual({ base: 1500, gst: 270, total: 1770 })
  const page = await app.app.inject('/sample2026')
  expect(page.body).toContain('"member":{"early":150000')
  expect((await app.app.inject('/api/events/sample2026/')).json<EventResponse>().hash).not.toBe(
    eventBefore.hash,
  )

  const staleFormResponse = await register(app, { total_amount: '1180' })
  expect(staleFormResponse.statusCode).toBe(409)
  expect(staleFormResponse.json()).toMatchObject({
    status: 'error',
    code: 'price_changed',
    quote: { category: 'member', period: 'early', base: 1500, gst: 270, total: 1770 },
  })
  expect((await register(app, { total_amount: '1770' })).statusCode).toBe(201)

  const { registration } = (
    await app.app.inject(`/api/sample2026/registrations/${pendingRegistration.reg_no}/`)
  ).json<RegistrationResponse>()
  expect(registration).toMatchObject({
    base: 1000,
    gst: 180,
    total: 1180,
    payment_status: 'pending',
  })
  expect(
    app.rows(
      'SELECT p.amount, r.event_hash FROM payments p JOIN registrations r ON r.id = p.registration_id ORDER BY p.id',
    ),
  ).toEqual([
    { amount: 118_000, event_hash: eventBefore.hash },
    { amount: 177_000, event_hash: app.deps.events.findById('sample2026')?.hash },
  ])
  expect(app.rows('SELECT count(*) AS n FROM event_files')).toEqual([{ n: 2 }])
})

test('a price that contradicts its example is not served, and the finding is printed', async () => {
  const app = await start()
  app.writeEvent(file, buildFixtureEvent({ price: 1500, total: 1180 }))
  await app.deps.events.reload()
  expect((await readTariff(app)).pricing['member']).toEqual({ base: 1000, gst: 180, total: 1180 })
  expect((await register(app, { total_amount: '1180' })).statusCode).toBe(201)
  expect(app.output.join('\n')).toMatch(/EV9\d\d/)
  expect(app.rows('SELECT count(*) AS n FROM event_files')).toEqual([{ n: 1 }])
})

test.each([
  ['a typo in a key', (text: string) => text.replace('venue:', 'vneue:')],
  ['invalid YAML', (text: string) => text.replace('event:', 'event: [')],
  ['an empty file', () => ''],
])(
  'after %s, the old version is still served, and the position of the error is printed',
  async (_what, spoil) => {
    const app = await start()
    app.writeEvent(file, spoil(buildFixtureEvent({ title: 'Sample changed' })))
    await app.deps.events.reload()
    expect(app.deps.events.findById('sample2026')?.config.title).toBe('Sample 2026')
    expect(app.output.join('\n')).toContain(file)
    app.writeEvent(file, buildFixtureEvent({ title: 'Sample changed' }))
    await app.deps.events.reload()
    expect(app.deps.events.findById('sample2026')?.config.title).toBe('Sample changed')
  },
)

test('the server does not start on a file with an error, and prints the finding', async () => {
  await expect(start(buildFixtureEvent().replace('venue:', 'vneue:'))).rejects.toThrow(
    /sample2026\.yaml is not served/,
  )
})

test('the server does not start without an event file', async () => {
  await expect(startTestApp({ events: {} })).rejects.toThrow(/There is no event file to serve/)
})

test('serves a new file, and closes registration a few seconds after a file is removed', async () => {
  const app = await start()
  app.writeEvent('other2026.yaml', OTHER_FILE)
  await app.deps.events.reload()
  expect((await app.app.inject('/other2026')).statusCode).toBe(200)
  expect((await app.post('/api/other2026/register/', fixtureDelegate)).statusCode).toBe(201)
  rmSync(join(app.eventsDir, 'other2026.yaml'))
  await app.deps.events.reload()
  expect(app.deps.events.findById('other2026')?.config.status).toBe('open')
  app.setTime('2026-01-10T12:00:04+05:30')
  await app.deps.events.reload()
  expect(app.deps.events.findById('other2026')?.config.status).toBe('open')
  app.setTime('2026-01-10T12:00:05+05:30')
  await app.deps.events.reload()
  expect(app.deps.events.findById('other2026')).toMatchObject({
    isGone: true,
    config: { status: 'closed' },
  })
  const response = await app.post('/api/other2026/register/', fixtureDelegate)
  expect([response.statusCode, response.json()]).toMatchObject([
    409,
    { code: 'registration_closed' },
  ])
  expect((await app.app.inject('/other2026')).statusCode).toBe(200)
  // The health check and the log report the missing file until it is restored.
  const readHealth = async (): Promise<unknown> =>
    (await app.app.inject('/healthz')).json().troubles
  const reason = expect.stringMatching(
    /^The file other2026\.yaml no longer exists: registration is closed/,
  )
  expect(await readHealth()).toEqual([reason])
  expect(app.log.map(({ message }) => message)).toContainEqual(reason)
  app.writeEvent('other2026.yaml', OTHER_FILE)
  await app.deps.events.reload()
  expect(app.deps.events.findById('other2026')?.config.status).toBe('open')
  app.setTime('2026-01-10T12:00:20+05:30')
  expect(await readHealth()).toEqual([])
})

test('renaming or rewriting an event file does not close registration', async () => {
  const app = await start()
  app.writeEvent('other2026.yaml', OTHER_FILE)
  await app.deps.events.reload()
  await app.post('/api/other2026/register/', fixtureDelegate)
  rmSync(join(app.eventsDir, 'other2026.yaml'))
  await app.deps.events.reload()
  app.writeEvent('other2026.yaml', OTHER_FILE)
  await app.deps.events.reload()
  app.setTime('2026-01-10T13:00:00+05:30')
  await app.deps.events.reload()
  expect(app.deps.events.findById('other2026')?.config.status).toBe('open')
  // The event in a renamed file keeps its addresses.
  rmSync(join(app.eventsDir, 'other2026.yaml'))
  app.writeEvent('renamed2026.yaml', OTHER_FILE.replace('id: other2026', 'id: renamed2026'))
  await app.deps.events.reload()
  expect(app.deps.events.findById('renamed2026')).toBeNull()
  app.setTime('2026-01-10T13:00:05+05:30')
  await app.deps.events.reload()
  expect(app.deps.events.findByOrderId('OTHR123')?.config.id).toBe('renamed2026')
})

test('if the events folder is missing, registration stays open, and the health check reports the folder', async () => {
  const app = await start()
  renameSync(app.eventsDir, `${app.eventsDir}-away`)
  await app.deps.events.reload()
  app.setTime('2026-01-10T13:00:00+05:30')
  await app.deps.events.reload()
  expect(app.deps.events.findById('sample2026')?.config.status).toBe('open')
  const readHealth = async (): Promise<unknown> => (await app.app.inject('/healthz')).json()
  expect(await readHealth()).toMatchObject({
    health: 'degraded',
    troubles: [expect.stringMatching(/^EVENTS_DIR is .*, which does not exist\./)],
  })
  renameSync(`${app.eventsDir}-away`, app.eventsDir)
  await app.deps.events.reload()
  app.setTime('2026-01-10T13:00:10+05:30')
  expect(await readHealth()).toMatchObject({ health: 'good' })
})

test.each([
  ['event', 'sample2026.yml', buildFixtureEvent({ title: 'An impostor' })],
  [
    'order ids',
    'third2026.yaml',
    buildFixtureEvent({ id: 'third2026', title: 'The same numbers' }),
  ],
  [
    'page',
    'third2026.yaml',
    buildFixtureEvent({ id: 'third2026', prefix: 'THRD', title: 'The same page' }).replace(
      'form: /third2026',
      'form: /sample2026',
    ),
  ],
])('a new file that uses the %s of a served event is not served', async (_what, name, text) => {
  const app = await start()
  app.writeEvent(name, text)
  await app.deps.events.reload()
  expect(app.deps.events.all().map(({ config }) => config.title)).toEqual(['Sample 2026'])
  expect(app.output.join('\n')).toMatch(/EV80[124]/)
})

test('two events can exchange an address in one reload', async () => {
  const app = await start(buildFixtureEvent(), {
    events: {
      [file]: buildFixtureEvent(),
      'third2026.yaml': buildFixtureEvent({ id: 'third2026', prefix: 'THRD' }),
    },
  })
  const readFormPath = (id: string) => app.deps.events.findById(id)?.config.routes.form
  app.writeEvent(
    'third2026.yaml',
    app.readEvent('third2026.yaml').replace('form: /third2026', 'form: /sample2026'),
  )
  app.writeEvent(file, buildFixtureEvent().replace('form: /sample2026', 'form: /third2026'))
  await app.deps.events.reload()
  expect([readFormPath('sample2026'), readFormPath('third2026')]).toEqual([
    '/third2026',
    '/sample2026',
  ])
  // One event is changed back, but the other event's file is invalid, so neither event changes.
  app.writeEvent(file, buildFixtureEvent())
  app.writeEvent('third2026.yaml', 'event: [')
  await app.deps.events.reload()
  expect([readFormPath('sample2026'), readFormPath('third2026')]).toEqual([
    '/third2026',
    '/sample2026',
  ])
  expect(app.output.join('\n')).toContain('The previous one is served')
  expect(app.deps.events.refusedFiles()).toContainEqual({
    file,
    why: expect.stringContaining('The previous one is served'),
  })
})

test('shared files that are briefly missing do not change the events', async () => {
  const app = await start()
  const hashBefore = app.deps.events.findById('sample2026')?.hash
  rmSync(join(app.eventsDir, '_shared', 'texts.yaml'))
  await app.deps.events.reload()
  expect(app.deps.events.findById('sample2026')?.hash).toBe(hashBefore)
  expect(app.deps.events.refusedFiles()).toContainEqual({
    file: '_shared',
    why: 'Missing from _shared: texts.yaml. Restore it.',
  })
  expect(app.output.join('\n')).not.toContain('the file is empty')
})

test('starts even if compiled events cannot be cached', async () => {
  const app = await start()
  const { compileFolder, readFolder } = await import('../../../server/events/files/event-folder.ts')
  writeFileSync(join(app.dir, 'no-folder'), '')
  const result = await compileFolder(await readFolder(app.eventsDir), {
    cacheFolder: join(app.dir, 'no-folder'),
    production: false,
  })
  expect(result.served.map(({ hash }) => hash)).toEqual([
    app.deps.events.findById('sample2026')?.hash,
  ])
})

test('deletes old cache entries from another engine version, and keeps recent ones', async () => {
  const app = await start()
  const { openCache } = await import('../../../server/events/files/compiled-event-cache.ts')
  const cacheFolder = join(app.dir, 'compiled')
  for (const name of ['lately', 'long-ago']) mkdirSync(join(cacheFolder, name), { recursive: true })
  utimesSync(join(cacheFolder, 'long-ago'), 0, 0)
  await openCache(cacheFolder)
  expect(readdirSync(cacheFolder).filter((name) => name.startsWith('l'))).toEqual(['lately'])
})

test('sends the validator compressed to browsers that support compression, with the same content', async () => {
  const app = await start()
  const url =
    (await app.app.inject('/api/events/sample2026/')).json<EventResponse>().validator_url ?? ''
  const uncompressedResponse = await app.app.inject(url)
  const compressedResponse = await app.app.inject({ url, headers: { 'accept-encoding': 'gzip' } })
  expect([
    uncompressedResponse.headers['content-encoding'],
    compressedResponse.headers['content-encoding'],
  ]).toEqual([undefined, 'gzip'])
  expect(gunzipSync(compressedResponse.rawPayload).toString()).toBe(uncompressedResponse.payload)
})

test('a page that was open before a reload can still load its validator', async () => {
  const app = await start()
  const oldUrl =
    (await app.app.inject('/api/events/sample2026/')).json<EventResponse>().validator_url ?? ''
  app.writeEvent(file, buildFixtureEvent().replace('accept: [pdf]', 'accept: [pdf, png]'))
  await app.deps.events.reload()
  const currentUrl =
    (await app.app.inject('/api/events/sample2026/')).json<EventResponse>().validator_url ?? ''
  expect(currentUrl).not.toBe(oldUrl)
  for (const url of [oldUrl, currentUrl]) {
    const response = await app.app.inject(url)
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(response.body).toMatch(/^const exports=\{\};[^]*export default exports;\n$/)
    expect(response.body).not.toMatch(/\brequire\(|\beval\(|new Function/)
  }
})

test('compiles validators for open events in advance, and logs an event for which this fails', async () => {
  const app = await start()
  const { warmValidators } = await import('../../../server/events/answer-validators.ts')
  const errors: string[] = []
  const servedEvent = app.deps.events.findById('sample2026')
  if (servedEvent === null) throw new Error('the event must be served')
  const [firstField, ...otherFields] = servedEvent.config.fields
  if (firstField === undefined) throw new Error('it must have a field')
  const config = {
    ...servedEvent.config,
    id: 'other2026',
    fields: [{ ...firstField, type: 'text' as const, pattern: '^(unclosed$' }, ...otherFields],
  }
  // The checker rejects such an event, so a registry cannot contain one.
  const events = { ...app.deps.events, all: () => [{ ...servedEvent, config }, servedEvent] }
  const warmUp = warmValidators(events, app.now, {
    ...app.deps.log,
    error: (entry) => void errors.push(JSON.stringify(entry)),
  })
  await warmUp.done()
  warmUp.stop()
  expect(errors).toHaveLength(1)
  expect(errors[0]).toMatch(/other2026.*[Ii]nvalid regular expression/)
})

test('notices a changed file automatically', async () => {
  const app = await start(buildFixtureEvent(), { isWatching: true })
  const eventsChanged = new Promise<void>((resolve) => app.deps.events.onChange(resolve))
  writeFileSync(join(app.eventsDir, file), buildFixtureEvent({ title: 'Sample changed' }))
  await eventsChanged
  expect(app.deps.events.findById('sample2026')?.config.title).toBe('Sample changed')
})

test('a changed shared file creates a new version of every event', async () => {
  const app = await start()
  const hashBefore = app.deps.events.findById('sample2026')?.hash
  const textsFile = app.readEvent('_shared/texts.yaml')
  app.writeEvent(
    '_shared/texts.yaml',
    textsFile.replace(
      'Registration failed. Please try again.',
      'That did not work. Please try again.',
    ),
  )
  await app.deps.events.reload()
  expect(app.deps.events.findById('sample2026')?.config.form.failure).toBe(
    'That did not work. Please try again.',
  )
  expect(app.deps.events.findById('sample2026')?.hash).not.toBe(hashBefore)
})

test('compiles an event once and returns the same result', async () => {
  const app = await start(buildFixtureEvent(), { isCompiling: true })
  const config = app.deps.events.findById('sample2026')?.config
  const { compileFolder, readFolder } = await import('../../../server/events/files/event-folder.ts')
  const secondCompilation = await compileFolder(await readFolder(app.eventsDir), {
    cacheFolder: join(app.dir, 'cache', 'events'),
    production: false,
  })
  expect(secondCompilation.served[0]?.config).toEqual(config)
})

test('reports at startup a file that looks like an event file but is not read', async () => {
  const { compileFolder, readFolder } = await import('../../../server/events/files/event-folder.ts')
  const app = await start()
  writeFileSync(join(app.eventsDir, 'ortho2027.yaml.txt'), buildFixtureEvent())
  const result = await compileFolder(await readFolder(app.eventsDir), {
    cacheFolder: join(app.dir, 'cache', 'events'),
    production: false,
  })
  expect(result.findings).toBe(
    `${join(app.eventsDir, 'ortho2027.yaml.txt')} is not read: its name ends in .txt, not in .yaml. Rename it to ortho2027.yaml.`,
  )
  expect(result.served.length).toBe(1)
})

test('rejects an event with demo values in production, and says why', async () => {
  const { compileFolder, readFolder } = await import('../../../server/events/files/event-folder.ts')
  const app = await start(`${buildFixtureEvent()}\ndemo: [payment.account]\n`)
  const result = await compileFolder(await readFolder(app.eventsDir), {
    cacheFolder: join(app.dir, 'cache', 'events'),
    production: true,
  })
  expect(result.served).toEqual([])
  expect([...result.refused.values()]).toEqual([
    'sample2026.yaml is not served in production (NODE_ENV=production or GATEWAY_MODE=live): it contains demo values (payment.account).',
  ])
})
