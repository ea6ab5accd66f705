/** Two servers that share a PostgreSQL database serve the same version of an event, even if one's disk is outdated. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { instant } from '../../../engine/index.ts'
import type { OrderId } from '../../../engine/index.ts'
import type { EventResponse, RegisterResponse } from '../../../engine/api.ts'
import { createJpg, createPdf } from '../sample-uploads.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { runHere } from '../run-command.ts'
import { hasPostgres, startPostgres } from '../storage/postgres-server.ts'
import type { PostgresServer } from '../storage/postgres-server.ts'

const FILE = 'sample2026.yaml'
const DAY_MS = 24 * 60 * 60_000
const FORM = '/api/events/sample2026'
const allowPictures = (text: string): string => text.replace('accept: [pdf]', 'accept: [pdf, jpg]')
const originalFile = allowPictures(buildFixtureEvent({ extra: '' }))
const fileWithHigherPrice = allowPictures(buildFixtureEvent({ price: 1500, total: 1770 }))
/** Creates a photo whose metadata contain the location. */
const createPhotoWithLocation = (): Buffer =>
  Buffer.concat([
    createJpg().subarray(0, -2),
    Buffer.from('\xff\xe1\0\x20Exif\0\0 10.0271N 76.3080E, here'.padEnd(34), 'latin1'),
    createJpg().subarray(-2),
  ])

if (!hasPostgres) test('skipped: PostgreSQL is not installed', () => {})
else {
  let postgres: PostgresServer
  let url: string
  let firstServer: TestApp
  let secondServer: TestApp
  const startedApps: TestApp[] = []
  const start = async (
    events: Readonly<Record<string, string>>,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<TestApp> => {
    const app = await startTestApp({
      clock: '2026-01-20',
      events,
      activatesVersions: true,
      variables: { DATABASE_URL: url, ...variables },
    })
    startedApps.push(app)
    return app
  }
  const register = (app: TestApp, expectedTotal: string) =>
    app.post('/api/sample2026/register/', { ...fixtureDelegate, total_amount: expectedTotal })
  const readForm = async (app: TestApp): Promise<EventResponse> =>
    (await app.app.inject({ url: FORM })).json<EventResponse>()
  const readPageStatus = async (app: TestApp, address: string): Promise<number> =>
    (await app.app.inject({ url: address })).statusCode

  /** Restores the original version on both servers, so that every test starts in the same state. */
  const restoreVersions = async (): Promise<void> => {
    for (const app of startedApps.splice(2)) await app.close()
    firstServer.writeEvent(FILE, originalFile)
    await firstServer.deps.events.reload()
    await secondServer.deps.events.refresh()
  }

  beforeAll(async () => {
    postgres = await startPostgres()
    url = await postgres.database('several')
    firstServer = await start({ [FILE]: originalFile })
    secondServer = await start({ [FILE]: originalFile })
  })
  afterEach(restoreVersions)
  afterAll(async () => {
    for (const app of startedApps) await app.close()
    await postgres.stop()
  })

  test('a price activated by one server applies on the other immediately', async () => {
    firstServer.writeEvent(FILE, fileWithHigherPrice)
    await firstServer.deps.events.reload()
    expect((await readForm(secondServer)).hash).not.toBe((await readForm(firstServer)).hash)
    const rejection = await register(secondServer, '1180')
    expect([rejection.statusCode, rejection.json()]).toMatchObject([
      409,
      { code: 'price_changed', quote: { total: 1770 } },
    ])
    const { statusCode, body } = await register(secondServer, '1770')
    expect([statusCode, body]).toEqual([201, expect.anything()])
    const client = await postgres.shell(url)
    const { rows } = await client.query(
      'SELECT total, event_hash FROM registrations ORDER BY id DESC LIMIT 1',
    )
    await client.end()
    expect(rows).toEqual([{ total: '177000', event_hash: (await readForm(firstServer)).hash }])
  })

  test('a registration sent with the previous version is validated against the active one', async () => {
    firstServer.writeEvent(FILE, fileWithHigherPrice)
    await firstServer.deps.events.reload()
    // If the form sends no price, the current price applies, never the previous one.
    const response = await secondServer.post('/api/sample2026/register/', fixtureDelegate)
    expect(response.json()).toMatchObject({ payment_data: { amount: '1770.00' } })
  })

  test('a document uploaded to one server can be used on the other', async () => {
    const bytes = createPdf('a letter')
    const firstResponse = await firstServer.post(
      '/api/sample2026/register/',
      { ...fixtureDelegate, total_amount: '1180' },
      { letter: { name: 'letter.pdf', bytes } },
    )
    const { reg_no: regNo } = firstResponse.json<{ reg_no: string }>()
    const [keptUpload] = (await secondServer.deps.store.registration(regNo))?.uploads ?? []
    const content = await secondServer.deps.uploads.read(String(keptUpload?.sha256))
    if (content === null) throw new Error('the other server does not have the file')
    expect(await buffer(content.content)).toEqual(bytes)
    // The document is uploaded before the form is submitted to the other server.
    const uploadResponse = await firstServer.post(
      '/api/events/sample2026/proofs/',
      {},
      { letter: { name: 'letter.pdf', bytes: createPdf('another letter') } },
    )
    expect([uploadResponse.statusCode, uploadResponse.body]).toEqual([201, expect.anything()])
    const { token } = uploadResponse.json<{ token: string }>()
    const registerResponse = await secondServer.post('/api/sample2026/register/', {
      ...fixtureDelegate,
      letter: token,
      total_amount: '1180',
    })
    expect([registerResponse.statusCode, registerResponse.body]).toEqual([201, expect.anything()])
  })

  test('a document sent with a form from the previous version is stored', async () => {
    firstServer.writeEvent(FILE, fileWithHigherPrice)
    await firstServer.deps.events.reload()
    const photo = createPhotoWithLocation()
    const { statusCode, body } = await secondServer.post(
      '/api/sample2026/register/',
      fixtureDelegate,
      {
        letter: { name: 'letter.jpg', bytes: photo },
      },
    )
    expect([statusCode, body]).toEqual([201, expect.anything()])
    const [keptUpload] =
      (await secondServer.deps.store.registration((JSON.parse(body) as { reg_no: string }).reg_no))
        ?.uploads ?? []
    const content = await firstServer.deps.uploads.read(String(keptUpload?.sha256))
    if (content === null) throw new Error('the file was not stored')
    const bytes = await buffer(content.content)
    expect(bytes.includes('10.0271N')).toBe(false)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(keptUpload?.sha256)
  })

  test('an unreferenced file is set aside after a day, can still be read, and is deleted after 30 days; too many at once are not set aside', async () => {
    const files = { kept: createPdf('referred to'), unused: createPdf('of no registration') }
    await firstServer.post('/api/sample2026/register/', fixtureDelegate, {
      letter: { name: 'letter.pdf', bytes: files.kept },
    })
    const unusedFile = await firstServer.deps.uploads.receive(Readable.from([files.unused]), 10_000)
    if (!unusedFile.ok) throw new Error(unusedFile.error)
    await firstServer.deps.uploads.storeFile(unusedFile.value)
    await firstServer.deps.uploads.discard(unusedFile.value)
    const isReadable = async (bytes: Buffer): Promise<boolean> => {
      const file = await secondServer.deps.uploads.read(
        createHash('sha256').update(bytes).digest('hex'),
      )
      file?.content.destroy()
      return file !== null
    }
    const sweepOn = async (day: string) => {
      for (const app of [firstServer, secondServer]) app.setTime(day)
      const { setAside, removed, asideCount, held } = await secondServer.deps.uploads.sweep()
      return { setAside, removed, asideCount, held }
    }
    const NOTHING_SWEPT = { setAside: 0, removed: 0, asideCount: 0, held: null }
    expect(await sweepOn('2026-01-20')).toEqual(NOTHING_SWEPT)
    // The database is not yet a week old.
    expect(await sweepOn('2026-01-22')).toEqual({
      ...NOTHING_SWEPT,
      held: { count: 1, why: 'recent' },
    })
    for (const app of [firstServer, secondServer]) app.setTime('2026-01-28')
    // A delegate submits the unused file again.
    await firstServer.deps.uploads.protectFile(unusedFile.value.sha256)
    expect(await sweepOn('2026-01-28')).toEqual(NOTHING_SWEPT)
    expect(await sweepOn('2026-01-30')).toEqual({ ...NOTHING_SWEPT, setAside: 1, asideCount: 1 })
    expect([await isReadable(files.kept), await isReadable(files.unused)]).toEqual([true, true])
    await firstServer.deps.uploads.protectFile(unusedFile.value.sha256)
    expect(await sweepOn('2026-01-30')).toEqual(NOTHING_SWEPT)
    expect(await sweepOn('2026-02-01')).toEqual({ ...NOTHING_SWEPT, setAside: 1, asideCount: 1 })
    const client = await postgres.shell(url)
    await client.query(
      "INSERT INTO proof_files (sha256, bytes, kept_at) SELECT 'unknown ' || n, 0, 0 FROM generate_series(1, 21) n",
    )
    expect(await sweepOn('2026-02-02')).toEqual({
      ...NOTHING_SWEPT,
      asideCount: 1,
      held: { count: 21, why: 'many' },
    })
    await client.query("DELETE FROM proof_files WHERE sha256 LIKE 'unknown %'")
    await client.end()
    expect(await sweepOn('2026-03-02')).toEqual({ ...NOTHING_SWEPT, asideCount: 1 })
    expect(await sweepOn('2026-03-04')).toEqual({ ...NOTHING_SWEPT, removed: 1 })
    expect([await isReadable(files.kept), await isReadable(files.unused)]).toEqual([true, false])
    // An erased person's files are deleted immediately, unless a registration still refers to them.
    await secondServer.deps.uploads.removeFiles([
      createHash('sha256').update(files.kept).digest('hex'),
    ])
    expect(await isReadable(files.kept)).toBe(true)
    for (const app of [firstServer, secondServer]) app.setTime('2026-01-20')
  })

  test('a server does not query a payment that another server is querying, until that server dies', async () => {
    const { payment_data: paymentData } = (
      await register(firstServer, '1180')
    ).json<RegisterResponse>()
    const order = paymentData?.orderid as OrderId
    const readQueryCount = async (): Promise<number> => {
      const duePayments = await secondServer.deps.store.pendingPayments(
        instant(secondServer.now() + DAY_MS),
        1_000,
      )
      return duePayments.find(({ orderId }) => orderId === order)?.attempts ?? 0
    }
    for (const app of [firstServer, secondServer]) app.setTime('2026-01-20T12:05:00+05:30')
    expect(
      await secondServer.deps.store.claimStatusQuery(order, secondServer.now(), secondServer.now()),
    ).toBe(true)
    await firstServer.deps.payments.queryDue()
    expect(await readQueryCount()).toBe(0)
    // The second server has not sent a heartbeat since then.
    firstServer.setTime('2026-01-20T12:05:31+05:30')
    await firstServer.deps.payments.queryDue()
    expect(await readQueryCount()).toBe(1)
    for (const app of [firstServer, secondServer]) app.setTime('2026-01-20')
  })

  test('rate limits count requests to both servers together, including concurrent ones', async () => {
    const limitedServers = await Promise.all(
      [1, 2].map(() => start({ [FILE]: originalFile }, { RATE_LIMITS: 'on' })),
    )
    const [firstLimited, secondLimited] = limitedServers
    if (firstLimited === undefined || secondLimited === undefined)
      throw new Error('expected two servers')
    const registerStatus = async (app: TestApp): Promise<number> =>
      (await app.post('/api/sample2026/register/', fixtureDelegate)).statusCode
    const statuses = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        registerStatus(n % 2 === 0 ? firstLimited : secondLimited),
      ),
    )
    expect(statuses.filter((status) => status === 201).length).toBe(30)
    expect(statuses.filter((status) => status === 429).length).toBe(10)
    for (const app of limitedServers) app.setTime('2026-01-20T12:01:01+05:30')
    expect(await registerStatus(secondLimited)).toBe(201)
  })

  test.each([
    ['registration numbers', (n: number) => ({ url: `/api/sample2026/registrations/SMPL${n}/` })],
    [
      'discount codes',
      (n: number) => ({
        method: 'POST' as const,
        url: '/api/events/sample2026/code',
        payload: { code: `GUESS-${n}` },
      }),
    ],
  ])(
    'a client who guesses %s learns of twenty results only, even if all requests are concurrent',
    async (_, buildRequest) => {
      const limitedServers = await Promise.all(
        [1, 2].map(() => start({ [FILE]: originalFile }, { RATE_LIMITS: 'on' })),
      )
      const statuses = await Promise.all(
        Array.from({ length: 60 }, async (_unused, n) => {
          const response = await limitedServers[n % 2]?.app.inject({
            ...buildRequest(n),
            remoteAddress: '192.0.2.60',
          })
          return response?.statusCode
        }),
      )
      expect(statuses.filter((status) => status === 404).length).toBe(20)
      expect(statuses.filter((status) => status === 429).length).toBe(40)
    },
  )

  test('a client who guesses numbers on one server is blocked on the other too', async () => {
    const limitedServers = await Promise.all(
      [1, 2].map(() => start({ [FILE]: originalFile }, { RATE_LIMITS: 'on' })),
    )
    const [firstLimited, secondLimited] = limitedServers
    if (firstLimited === undefined || secondLimited === undefined)
      throw new Error('expected two servers')
    const readStatus = async (app: TestApp, number: string): Promise<number> =>
      (await app.app.inject({ url: `/api/sample2026/registrations/${number}/` })).statusCode
    for (let n = 0; n < 20; n += 1)
      expect(await readStatus(firstLimited, `SMPL99999999000${n}`)).toBe(404)
    expect([
      await readStatus(firstLimited, 'SMPL1'),
      await readStatus(secondLimited, 'SMPL1'),
    ]).toEqual([429, 429])
    for (const app of limitedServers) app.setTime('2026-01-20T12:11:00+05:30')
    expect(await readStatus(secondLimited, 'SMPL1')).toBe(404)
  })

  test.each<
    [string, number, number, (n: number) => { url: string; payload?: Record<string, string> }]
  >([
    ['wrong numbers', 20, 100, (n) => ({ url: `/api/sample2026/registrations/SMPL${n}/` })],
    [
      'wrong passwords',
      10,
      // The account has a hundred attempts, and the first address used ten.
      90,
      () => ({
        url: '/admin/login/',
        payload: { username: 'office', password: 'guess' },
      }),
    ],
    [
      'requests for a delegate’s lost link',
      10,
      100,
      (n) => ({ url: '/api/my/', payload: { email: `delegate${n % 100}@sample.example` } }),
    ],
  ])(
    'an address that sends four hundred %s at once does not use up the limit that all addresses share',
    { tags: ['slow'] },
    async (_, responseCount, laterCount, buildRequest) => {
      const limitedServers = await Promise.all(
        [1, 2].map(() => start({ [FILE]: originalFile }, { RATE_LIMITS: 'on' })),
      )
      for (const app of limitedServers) app.setTime('2026-01-20T13:00:00+05:30')
      const send = async (n: number, remoteAddress: string): Promise<number | undefined> => {
        const request = buildRequest(n)
        const method = request.payload === undefined ? 'GET' : 'POST'
        return (await limitedServers[n % 2]?.app.inject({ method, remoteAddress, ...request }))
          ?.statusCode
      }
      const statuses = await Promise.all(
        Array.from({ length: 400 }, (_unused, n) => send(n, '192.0.2.70')),
      )
      expect(statuses.filter((status) => status !== 429)).toHaveLength(responseCount)
      const laterStatuses = await Promise.all(
        Array.from({ length: 100 }, (_unused, n) => send(n, `203.0.113.${n}`)),
      )
      expect(laterStatuses.filter((status) => status !== 429)).toHaveLength(laterCount)
    },
  )

  test('when one server activates an event, its pages and API are available on the other immediately', async () => {
    firstServer.writeEvent('other2026.yaml', buildFixtureEvent({ id: 'other2026', prefix: 'OTHR' }))
    await firstServer.deps.events.reload()
    expect(await readPageStatus(secondServer, '/other2026')).toBe(200)
    const thirdServer = await start({ [FILE]: originalFile })
    firstServer.writeEvent('third2026.yaml', buildFixtureEvent({ id: 'third2026', prefix: 'THRD' }))
    await firstServer.deps.events.reload()
    const { statusCode } = await thirdServer.post('/api/third2026/register/', fixtureDelegate)
    expect(statusCode).toBe(201)
    expect(await readPageStatus(secondServer, '/api/events/third2026')).toBe(200)
  })

  test('outdated files on one server restore an old version only on a reload, which then affects all servers', async () => {
    firstServer.writeEvent(FILE, fileWithHigherPrice)
    await firstServer.deps.events.reload()
    const thirdServer = await start({ [FILE]: originalFile })
    const { hash } = await readForm(firstServer)
    expect((await readForm(thirdServer)).hash).toBe(hash)
    expect(thirdServer.output.join('\n')).toContain(
      'To serve it again on all servers, run rollcall event reload',
    )
    expect(thirdServer.deps.events.refusedFiles()).toMatchObject([{ file: FILE }])
    await secondServer.deps.events.refresh()
    expect((await readForm(secondServer)).hash).toBe(hash)
    await thirdServer.deps.events.reload()
    await firstServer.deps.events.refresh()
    expect((await readForm(firstServer)).hash).not.toBe(hash)
    expect((await register(firstServer, '1180')).statusCode).toBe(201)
  })

  test(
    'rollcall doctor reports outdated files, missing files and free space',
    { tags: ['slow'] },
    async () => {
      firstServer.writeEvent(FILE, fileWithHigherPrice)
      await firstServer.deps.events.reload()
      const runDoctor = (app: TestApp) =>
        runHere(['doctor'], {
          DATABASE_URL: url,
          EVENTS_DIR: app.eventsDir,
          DATA_DIR: join(app.dir, 'not', 'there'),
        })
      const outdatedMessage =
        'sample2026.yaml in EVENTS_DIR is not the version that the servers serve'
      expect((await runDoctor(firstServer)).stdout).not.toContain(outdatedMessage)
      const { stdout } = await runDoctor(secondServer)
      expect(stdout).toContain(`check  ${outdatedMessage}`)
      expect(stdout).toContain('good   No file that a registration refers to is missing.')
      expect(stdout).toMatch(/good {3}\d+ MB is free/)
      const client = await postgres.shell(url)
      await client.query('DELETE FROM proof_files')
      await client.end()
      const missingReport = await runDoctor(secondServer)
      expect([missingReport.status, missingReport.stdout]).toEqual([
        1,
        expect.stringMatching(/wrong {2}\d+ files that registrations refer to are missing/),
      ])
    },
  )

  test('removing an event file closes registration on every server and keeps registrations', async () => {
    const otherFile = buildFixtureEvent({ id: 'other2026', prefix: 'OTHR' })
    firstServer.writeEvent('other2026.yaml', otherFile)
    await firstServer.deps.events.reload()
    await secondServer.deps.events.refresh()
    const secondResponse = await secondServer.post('/api/other2026/register/', fixtureDelegate)
    const { reg_no: regNo } = secondResponse.json<{ reg_no: string }>()
    // The second server's disk has no file for this event, and a reload applies the files on the disk.
    await secondServer.deps.events.reload()
    // The first server has not polled yet, but the store has the current state.
    const firstResponse = await firstServer.post('/api/other2026/register/', fixtureDelegate)
    expect(firstResponse.json()).toMatchObject({ code: 'registration_closed' })
    const knownRegistration = await firstServer.app.inject({
      url: `/api/other2026/registrations/${regNo}/`,
    })
    expect(knownRegistration.statusCode).toBe(200)
  })

  test('a server that cannot serve the active version accepts no registrations, and reports it', async () => {
    const account = { USERNAME: 'u', PASSWORD: 'p', SECRET: 's', MERCHANT_ID: '1' }
    const createVariables = (name: string): Record<string, string> => ({
      GATEWAY_MODE: 'airpay-test',
      ...Object.fromEntries(
        Object.entries(account).map(([part, value]) => [`AIRPAY_${name}_${part}`, value]),
      ),
    })
    const [originalText, changedText] = [originalFile, fileWithHigherPrice].map((text) =>
      text.replaceAll('sample2026', 'poor2026').replace('prefix: SMPL', 'prefix: POOR'),
    )
    const file = 'poor2026.yaml'
    firstServer.writeEvent(file, String(originalText))
    await firstServer.deps.events.reload()
    const serverWithoutAccount = await start(
      { [file]: String(originalText) },
      createVariables('SAMPLE'),
    )
    const registerWithoutAccount = () =>
      serverWithoutAccount.post('/api/poor2026/register/', {
        ...fixtureDelegate,
        total_amount: '1180',
      })
    firstServer.writeEvent(file, String(changedText).replace('account: sample', 'account: another'))
    await firstServer.deps.events.reload()
    expect((await registerWithoutAccount()).statusCode).toBe(503)
    expect(serverWithoutAccount.deps.events.refusedFiles().map(({ why }) => why)).toContainEqual(
      expect.stringContaining('poor2026 is active in a version that this server cannot serve'),
    )
  })
}
