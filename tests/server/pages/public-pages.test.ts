/** Pages that are the same for every visitor: their bytes, ETags and security policy, and when changes apply. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { AvailabilityResponse } from '../../../engine/api.ts'
import { chooseRuns } from '../../runs.ts'
import { eventWithQuotas } from '../event-with-quotas.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import { fixtureDelegate, buildFixtureEvent } from '../small-event.ts'
import { hasPostgres, startPostgres } from '../storage/postgres-server.ts'

const EVENT_FILE_NAME = 'sample2026.yaml'
const FORM_PATH = '/sample2026'
const BROWSER_HEADERS = { 'accept-encoding': 'gzip, deflate, br, zstd' }
const PUBLIC_PATHS = [
  '/',
  '/organisers',
  '/afpicon2026',
  '/pulmocon2025',
  '/api/events/',
  '/api/events/afpicon2026/',
]
const PRIVATE_PATHS = [
  '/payment/failed',
  '/my',
  '/admin/login',
  '/nothing',
  '/?message=unknown-payment',
]

const TEST_EVENTS_DIR = join(import.meta.dirname, '..', '..', 'events')
const INLINE_PART_PATTERN = /<(script|style)\b([^>]*)>(.*?)<\/\1>/gs

const getPage = (
  app: TestApp,
  url: string,
  headers: Readonly<Record<string, string>> = BROWSER_HEADERS,
) => app.app.inject({ url, headers })
const readEtag = async (app: TestApp, url: string): Promise<string> =>
  String((await getPage(app, url)).headers['etag'])
const readText = async (app: TestApp, url: string): Promise<string> =>
  brotliDecompressSync((await getPage(app, url)).rawPayload).toString()
const readConditionalStatus = async (app: TestApp, url: string, etag: string): Promise<number> =>
  (await getPage(app, url, { ...BROWSER_HEADERS, 'if-none-match': etag })).statusCode

/**
 * Waits for the complete page. A busy server sends a page before its form is rendered, and caches the page only once it
 * is complete.
 */
const waitForText = (
  app: TestApp,
  path: string,
  isReady: (text: string) => boolean = (text) => text.includes('"drawn":true'),
): Promise<void> =>
  vi.waitFor(async () => expect(isReady(await readText(app, path)), path).toBe(true), {
    timeout: 200_000,
  })

const MINUTE_COUNT = chooseRuns(100)

describe('pages of the sample events', () => {
  let server: TestApp
  beforeAll(async () => {
    server = await startTestApp({ clock: '2025-10-10' })
    await waitForText(server, '/', (text) => !text.includes('rel="stylesheet"'))
    await waitForText(server, '/afpicon2026')
  })
  afterAll(() => server.close())

  test.each(PUBLIC_PATHS)(
    `%s has the same bytes in each of ${MINUTE_COUNT} minutes`,
    async (path) => {
      const distinctResponses = new Set<string>()
      for (let elapsedMinutes = 0; elapsedMinutes < MINUTE_COUNT; elapsedMinutes += 1) {
        const [hour, minute] = [
          12 + Math.floor(elapsedMinutes / 60),
          String(elapsedMinutes % 60).padStart(2, '0'),
        ]
        server.setTime(`2025-10-10T${hour}:${minute}:00+05:30`)
        const { statusCode, headers, rawPayload } = await getPage(server, path)
        const { date: _, ...otherHeaders } = headers
        distinctResponses.add(
          JSON.stringify([
            statusCode,
            otherHeaders,
            createHash('sha256').update(rawPayload).digest('hex'),
          ]),
        )
      }
      expect([...distinctResponses]).toEqual([expect.stringMatching(/^\[200,.*"etag"/)])
    },
  )

  test.each(PUBLIC_PATHS)('a browser that has %s gets 304 without a body', async (path) => {
    const firstResponse = await getPage(server, path)
    const etag = String(firstResponse.headers['etag'])
    expect(etag).toMatch(/^"[\w-]{22}-br"$/)
    expect(firstResponse.headers['cache-control']).toBe('no-cache')
    for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const conditionalResponse = await getPage(server, path, {
        ...BROWSER_HEADERS,
        'if-none-match': ifNoneMatch,
      })
      expect([ifNoneMatch, conditionalResponse.statusCode, conditionalResponse.body]).toEqual([
        ifNoneMatch,
        304,
        '',
      ])
      expect(conditionalResponse.headers).toMatchObject({ etag, vary: 'accept-encoding' })
    }
    expect(await readConditionalStatus(server, path, '"other"')).toBe(200)
  })

  test('every encoding has its own ETag, and HEAD returns the same headers as GET', async () => {
    const etags = new Set<unknown>()
    for (const encoding of ['br', 'gzip', 'identity']) {
      const { headers, rawPayload } = await getPage(server, '/afpicon2026', {
        'accept-encoding': encoding,
      })
      etags.add(headers['etag'])
      expect(headers['content-length']).toBe(String(rawPayload.length))
      const headResponse = await server.app.inject({
        method: 'HEAD',
        url: '/afpicon2026',
        headers: { 'accept-encoding': encoding },
      })
      const { date: _, ...expected } = headers
      expect([headResponse.headers, headResponse.body]).toMatchObject([expected, ''])
    }
    expect(etags.size).toBe(3)
  })

  test('a cached page is logged and counted like any other response', async () => {
    const countRequests = async (): Promise<number> => {
      const { body } = await server.app.inject('/metrics')
      return Number(
        /rollcall_requests_total\{method="GET",status="304"\} (\d+)/.exec(body)?.[1] ?? 0,
      )
    }
    const etag = await readEtag(server, '/afpicon2026')
    const countBefore = await countRequests()
    server.log.length = 0
    expect(await readConditionalStatus(server, '/afpicon2026', etag)).toBe(304)
    expect(server.log).toMatchObject([{ message: 'request', path: '/afpicon2026', status: 304 }])
    expect(await countRequests()).toBe(countBefore + 1)
  })

  test('a validator module is compressed and can be cached without expiry', async () => {
    const { validator_url: path } = (await server.app.inject('/api/events/afpicon2026/')).json<{
      validator_url: string
    }>()
    const { headers, rawPayload } = await getPage(server, path)
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(brotliDecompressSync(rawPayload).toString()).toContain('export default exports')
    expect(await readConditionalStatus(server, path, String(headers['etag']))).toBe(304)
  })
})

/** Checks every form, and pages that are rendered for one visitor. */
describe.each([
  ['the sample events', '2025-10-10', []],
  [
    'events that sell items in addition to the registration',
    '2026-12-24',
    readdirSync(TEST_EVENTS_DIR),
  ],
] as const)('pages of %s', (_, clock, extraFileNames) => {
  let server: TestApp
  let pages: readonly { readonly path: string; readonly policy: string; readonly html: string }[]
  beforeAll(async () => {
    server = await startTestApp({ clock })
    for (const file of extraFileNames)
      server.writeEvent(file, readFileSync(join(TEST_EVENTS_DIR, file), 'utf8'))
    await server.deps.events.reload()
    const forms = server.deps.events.all().map(({ config }) => config.routes.form)
    pages = await Promise.all(
      [...forms, '/', '/organisers', ...PRIVATE_PATHS].map(async (path) => {
        const { headers, body } = await server.app.inject(path)
        return { path, policy: String(headers['content-security-policy']), html: body }
      }),
    )
  })
  afterAll(() => server.close())

  test("a page's content security policy contains the hash of each inline part, and neither a nonce nor unsafe-inline", () => {
    expect(pages).toHaveLength(4 + extraFileNames.length + 2 + PRIVATE_PATHS.length)
    for (const { path, policy, html } of pages) {
      expect([path, /nonce-|unsafe/.exec(policy), /\bnonce\b/i.exec(html)]).toEqual([
        path,
        null,
        null,
      ])
      for (const [, name = '', attributes = '', text = ''] of html.matchAll(INLINE_PART_PATTERN)) {
        if (/\bsrc=|type="application\/json"/.test(attributes)) continue
        const directive = policy
          .split(';')
          .find((directivePart) => directivePart.startsWith(`${name}-src`))
        const hash = createHash('sha256').update(text).digest('base64')
        const part = [path, text.slice(0, 80)]
        expect([...part, directive?.includes(`'sha256-${hash}'`)]).toEqual([...part, true])
      }
    }
  })

  test('no page has a style attribute, an event handler attribute or a javascript: URL', () => {
    for (const { path, html } of pages) {
      const htmlTags = html.replaceAll(INLINE_PART_PATTERN, '')
      const forbiddenPart = /<[^>]*\s(?:style|on\w+)=|=["']javascript:/i.exec(htmlTags)?.[0]
      expect([path, forbiddenPart]).toEqual([path, undefined])
    }
  })
})

describe('changes apply immediately', () => {
  test('when an event file changes', async () => {
    const server = await startTestApp({
      clock: '2026-01-20',
      events: {
        [EVENT_FILE_NAME]: buildFixtureEvent(),
        'other2026.yaml': buildFixtureEvent({ id: 'other2026', prefix: 'OTHR' }),
      },
    })
    const paths = [FORM_PATH, '/', '/api/events/', '/api/events/sample2026/']
    const etagsBefore = await Promise.all(paths.map((path) => readEtag(server, path)))
    await waitForText(server, '/other2026')
    const otherEtag = await readEtag(server, '/other2026')
    server.writeEvent(EVENT_FILE_NAME, buildFixtureEvent({ title: 'Renamed Conference' }))
    await server.deps.events.reload()
    for (const [index, path] of paths.entries()) {
      expect([path, await readConditionalStatus(server, path, etagsBefore[index] ?? '')]).toEqual([
        path,
        200,
      ])
      expect(await readText(server, path)).toContain('Renamed Conference')
    }
    // The form that did not change keeps its ETag.
    expect(await readConditionalStatus(server, '/other2026', otherEtag)).toBe(304)
    await server.close()
  })

  test('when a price changes at midnight in India, which is when registration starts to charge it', async () => {
    const server = await startTestApp({
      clock: '2026-01-31T23:59:59.999+05:30',
      events: { [EVENT_FILE_NAME]: buildFixtureEvent() },
    })
    await waitForText(server, FORM_PATH)
    const etagBefore = await readEtag(server, FORM_PATH)
    expect(await readText(server, FORM_PATH)).toContain('"total":1180')
    server.setTime('2026-02-01T00:00:00.000+05:30')
    expect(await readConditionalStatus(server, FORM_PATH, etagBefore)).toBe(200)
    await waitForText(server, FORM_PATH)
    const html = await readText(server, FORM_PATH)
    expect(html).toContain('"total":2360')
    expect(html).not.toContain('"total":1180')
    server.setTime('2026-01-31T23:59:59.999+05:30')
    expect(await readConditionalStatus(server, FORM_PATH, etagBefore)).toBe(304)
    await server.close()
  })

  test('when a workshop fills up, in a small response, while the page stays the same', async () => {
    const server = await startTestApp({
      clock: '2026-01-20',
      events: { [EVENT_FILE_NAME]: eventWithQuotas },
    })
    const readAvailability = () => getPage(server, '/api/events/sample2026/availability/')
    await waitForText(server, FORM_PATH)
    const pageEtag = await readEtag(server, FORM_PATH)
    const availabilityBefore = await readAvailability()
    expect(availabilityBefore.headers).toMatchObject({ 'cache-control': 'max-age=1' })
    expect(availabilityBefore.json<AvailabilityResponse>()).toEqual({ status: 'success', left: {} })
    expect(availabilityBefore.rawPayload.length).toBeLessThan(200)
    const conditionalHeaders = { 'if-none-match': String(availabilityBefore.headers['etag']) }
    const path = '/api/events/sample2026/availability'
    expect([
      (await getPage(server, path, conditionalHeaders)).statusCode,
      (await getPage(server, path, conditionalHeaders)).body,
    ]).toEqual([304, ''])
    const answers = { ...fixtureDelegate, is_member: 'false' }
    const registration = await server.post('/api/sample2026/register/', answers)
    expect([registration.statusCode, registration.body]).toEqual([201, expect.anything()])
    const changedResponse = await getPage(server, path, conditionalHeaders)
    expect([changedResponse.statusCode, changedResponse.json()]).toEqual([
      200,
      { status: 'success', left: { gallery: 0 } },
    ])
    expect(await readConditionalStatus(server, FORM_PATH, pageEtag)).toBe(304)
    const rejection = await server.post('/api/sample2026/register/', {
      ...answers,
      email: 'second@example.org',
      full_name: 'Someone Else',
    })
    expect(rejection.json()).toMatchObject({ code: 'full' })
    expect((await getPage(server, '/api/events/nothing/availability/')).statusCode).toBe(404)
    await server.close()
  })

  test.runIf(hasPostgres)(
    'on a second server with the same database',
    { tags: ['slow'] },
    async () => {
      const postgres = await startPostgres()
      onTestFinished(() => postgres.stop())
      const url = await postgres.database('pages')
      const startServer = (): Promise<TestApp> =>
        startTestApp({
          clock: '2026-01-20',
          events: { [EVENT_FILE_NAME]: eventWithQuotas },
          activatesVersions: true,
          variables: { DATABASE_URL: url },
        })
      const [firstServer, secondServer] = [await startServer(), await startServer()]
      // Registered after startPostgres, so that this runs before the database stops.
      onTestFinished(async () => {
        await firstServer.close()
        await secondServer.close()
      })
      for (const app of [firstServer, secondServer]) await waitForText(app, FORM_PATH)
      const etagBefore = await readEtag(secondServer, FORM_PATH)
      expect(await readText(secondServer, FORM_PATH)).toBe(await readText(firstServer, FORM_PATH))
      const answers = { ...fixtureDelegate, is_member: 'false' }
      await firstServer.post('/api/sample2026/register/', answers)
      expect(
        (await getPage(secondServer, '/api/events/sample2026/availability/')).json(),
      ).toMatchObject({
        left: { gallery: 0 },
      })
      firstServer.writeEvent(
        EVENT_FILE_NAME,
        eventWithQuotas.replaceAll('Sample 2026', 'Renamed Conference'),
      )
      await firstServer.deps.events.reload()
      await secondServer.deps.events.refresh()
      expect(await readConditionalStatus(secondServer, FORM_PATH, etagBefore)).toBe(200)
      expect(await readText(secondServer, FORM_PATH)).toContain('Renamed Conference')
    },
  )
})
