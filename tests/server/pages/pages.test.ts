/** Every page: status, head, policies, and content without JavaScript. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { PageData } from '../../../engine/api.ts'
import { redactPath } from '../../../server/http/request-log.ts'
import { escapeHtml } from '../../../engine/index.ts'
import { PNG } from 'pngjs'
import type { Log } from '../../../server/dependencies.ts'
import { openPrerenderer } from '../../../server/pages/render-forms.ts'
import type { Prerenderer } from '../../../server/pages/render-forms.ts'
import { fillTemplate } from '../../../server/pages/html-shell.ts'
import { buildFixtureEvent } from '../small-event.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'

let server: TestApp
beforeAll(async () => {
  server = await startTestApp({ clock: '2025-10-10' })
  // A busy server sends a page before its form is rendered.
  const renderedTextByPath = { '/': 'id="features"', '/afpicon2026': '"drawn":true' }
  for (const [path, text] of Object.entries(renderedTextByPath))
    await vi.waitUntil(async () => (await server.app.inject(path)).body.includes(text), {
      timeout: 200_000,
    })
})
afterAll(() => server.close())

const readData = (html: string): PageData =>
  JSON.parse(
    /<script type="application\/json" id="page">(.*?)<\/script>/s.exec(html)?.[1] ?? 'null',
  ) as PageData
const parsePolicy = (header: unknown): Record<string, string> =>
  Object.fromEntries(
    String(header)
      .split(';')
      .map((part) => [part.split(' ')[0] ?? '', part.split(' ').slice(1).join(' ')]),
  )

test('every route of every event returns 200 with and without a trailing slash', async () => {
  for (const { config } of server.deps.events.all()) {
    const { form, also: alias, success, failed } = config.routes
    for (const route of [form, ...alias, success, failed]) {
      for (const path of [route, `${route}/`])
        expect([path, (await server.app.inject(path)).statusCode]).toEqual([path, 200])
    }
  }
})

test.each([
  ['/', 'site'],
  ['/organisers', 'organisers'],
  ['/admin/login', 'office'],
  ['/admin/login/', 'office'],
  ['/admin/dashboard', 'office'],
  ['/admin/afpicon2026', 'office'],
])('%s serves the page "%s"', async (path, page) => {
  const response = await server.app.inject(path)
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
  expect(readData(response.body).page).toBe(page)
})

describe('the landing page', () => {
  test('is complete without JavaScript; a script is loaded only to announce a message', async () => {
    const { body } = await server.app.inject('/')
    for (const part of [
      'id="features"',
      'id="pricing"',
      'aria-label="5 out of 5 stars"',
      '</footer>',
    ])
      expect(body).toContain(part)
    expect(body).not.toMatch(/<script(?! type="application\/json")/)
    expect(body).not.toMatch(/ style="|rel="(stylesheet|modulepreload)"/)
    const symbols = new Set([...body.matchAll(/<symbol id="([\w-]+)"/g)].map(([, id]) => `#${id}`))
    expect(new Set([...body.matchAll(/<use href="([^"]+)"/g)].map(([, id]) => id))).toEqual(symbols)
    expect((await server.app.inject('/?message=unknown-payment')).body).toContain('type="module"')
  })
})

describe('the form page', () => {
  test('has its own title, description and preview, and the same canonical URL on every path', async () => {
    for (const path of ['/afpicon2026', '/afpicon/register/', '/afpicon2026?utm=x']) {
      const { body } = await server.app.inject(path)
      expect(body).toContain('<title>AFPICON 2026: registration</title>')
      expect(body).toContain(
        '<meta name="description" content="Annual conference of the family physicians association, 31 January – 1 February 2026, Resort, Changanassery, Kottayam">',
      )
      expect(body).toContain('<link rel="canonical" href="http://127.0.0.1:3199/afpicon2026">')
      for (const property of ['og:title', 'og:description', 'og:url', 'og:type', 'og:site_name'])
        expect(body).toContain(`<meta property="${property}"`)
    }
  })

  test('has a preview image with its own immutable URL; an unknown image URL returns 404', async () => {
    const { body } = await server.app.inject('/afpicon2026')
    const address = /<meta property="og:image" content="([^"]+)">/.exec(body)?.[1] ?? ''
    expect(address).toMatch(
      /^http:\/\/127\.0\.0\.1:3199\/api\/events\/afpicon2026\/picture\.[0-9a-f]{16}\.png$/,
    )
    const { pathname } = new URL(address)
    const picture = await server.app.inject(pathname)
    expect(picture.statusCode).toBe(200)
    expect(picture.headers['content-type']).toBe('image/png')
    expect(picture.headers['cache-control']).toContain('immutable')
    const { width, height } = PNG.sync.read(picture.rawPayload)
    expect([width, height]).toEqual([1200, 630])
    const unknownImageResponse = await server.app.inject(
      pathname.replace(/[0-9a-f]{16}/, '0'.repeat(16)),
    )
    expect(unknownImageResponse.statusCode).toBe(404)
  })

  test('offers its dates as a calendar file', async () => {
    const { headers, body } = await server.app.inject('/api/events/afpicon2026/calendar.ics')
    expect(headers['content-type']).toBe('text/calendar; charset=utf-8')
    expect(headers['content-disposition']).toBe('attachment; filename="afpicon2026.ics"')
    expect(body).toContain('DTSTART;VALUE=DATE:20260131\r\nDTEND;VALUE=DATE:20260202\r\n')
    expect((await server.app.inject('/api/events/nobody/calendar.ics')).statusCode).toBe(404)
  })

  test('can be indexed by search engines; office pages and pages opened from emailed links cannot', async () => {
    const { body } = await server.app.inject('/robots.txt')
    expect(body.split('\n')).toEqual(
      expect.arrayContaining(['User-agent: *', 'Disallow: /admin', 'Disallow: /pay/']),
    )
    expect(body).not.toContain('afpicon')
  })

  test('shows one heading, the theme, the dates and the venue without JavaScript', async () => {
    const { body } = await server.app.inject('/afpicon2026')
    expect(body.match(/<h1/g)).toHaveLength(1)
    for (const text of [
      'AFPICON 2026',
      'The Spice Route',
      '31 January – 1 February 2026',
      'Resort, Changanassery, Kottayam',
      '<noscript>',
    ])
      expect(body).toContain(text)
    // The file's last two periods both contain 25 January; the earlier period's price applies.
    expect(body).toContain('>1–25 January 2026</th><th scope="col">26–31 January 2026</th>')
  })

  test('contains the complete form with the current prices', async () => {
    const { body } = await server.app.inject('/afpicon2026')
    for (const text of [
      '<input',
      'for="root_full_name"',
      '<option value="Kerala">',
      '₹\u00a06,000',
    ])
      expect(body).toContain(text)
    expect(body).not.toMatch(/ style="/)
    const data = readData(body)
    expect(data.page === 'event' && data.drawn).toBe(true)
  })

  test('is compressed with an encoding that the browser accepts', async () => {
    const uncompressedResponse = await server.app.inject('/afpicon2026')
    const decompressors = { br: brotliDecompressSync, gzip: gunzipSync } as const
    for (const [acceptedEncoding, encoding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip;q=1, br;q=0', 'gzip'],
    ] as const) {
      const response = await server.app.inject({
        url: '/afpicon2026',
        headers: { 'accept-encoding': acceptedEncoding },
      })
      expect(response.headers).toMatchObject({
        'content-encoding': encoding,
        vary: 'accept-encoding',
      })
      const html = decompressors[encoding](response.rawPayload).toString()
      expect(readData(html)).toMatchObject({ page: 'event', event: { hash: expect.any(String) } })
      expect(html.length).toBe(uncompressedResponse.body.length)
    }
    expect(uncompressedResponse.headers['content-encoding']).toBeUndefined()
  })

  test('contains the event for the web app, without office data', async () => {
    const { body } = await server.app.inject('/afpicon2026')
    const data = readData(body)
    expect(data.page === 'event' && data.event.event.id).toBe('afpicon2026')
    for (const part of ['registrations@afpicon.example', '"admin":{"dashboard"', '"examples"'])
      expect(body).not.toContain(part)
  })

  test('of a closed event shows the message that registration is closed', async () => {
    const { body } = await server.app.inject('/pulmocon2025')
    expect(body).toContain('Registration Closed')
    expect(body).toContain(
      'Online registration for PULMOCON 2025 is currently closed. Please contact the organizers directly for registration assistance.',
    )
  })
})

describe('the content security policy', () => {
  test("allows only Rollcall's scripts and styles, and form submissions to the gateway", async () => {
    const { headers } = await server.app.inject('/afpicon2026')
    const hashes = "( 'sha256-[\\w+/]{43}=')"
    expect(parsePolicy(headers['content-security-policy'])).toEqual({
      'default-src': "'self'",
      'script-src': expect.stringMatching(new RegExp(`^'self'${hashes}{1}$`)),
      'style-src': expect.stringMatching(new RegExp(`^'self'${hashes}+$`)),
      'worker-src': "'self'",
      'img-src': "'self' data:",
      'font-src': "'self'",
      'connect-src': "'self'",
      'object-src': "'none'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
      'form-action': `'self' ${server.deps.gateway.origins().join(' ')}`,
    })
  })

  test('of data responses forbids everything', async () => {
    for (const path of ['/api/nothing', '/api/events/', '/healthz', '/metrics'])
      expect((await server.app.inject(path)).headers['content-security-policy']).toBe(
        "default-src 'none'; frame-ancestors 'none'",
      )
  })

  test('is sent with every kind of response, as are the other security headers', async () => {
    for (const path of [
      '/',
      '/nothing',
      '/admin/login',
      '/api/nothing',
      '/api/events/',
      '/healthz',
    ]) {
      const { headers } = await server.app.inject(path)
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(headers['referrer-policy']).toBe(
        path === '/' ? 'strict-origin-when-cross-origin' : 'no-referrer',
      )
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['x-frame-options']).toBe('DENY')
    }
  })
})

test.each([
  '/afpicon/payment/success?orderId=AFPI1&amount=7080.00&date=2025-10-10',
  '/payment/failed',
  '/admin/dashboard',
  '/api/afpicon/registrations/AFPI1/',
])('%s is not cached and sends no referrer', async (path) => {
  const { headers, body } = await server.app.inject(path)
  expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
  if (!path.startsWith('/api')) {
    expect(headers['x-robots-tag']).toBe('noindex')
    expect(body).toContain('<meta name="robots" content="noindex">')
    expect(body).not.toContain('og:url')
    expect(body).not.toContain('AFPI1')
  }
})

test('an unknown path returns a “Page not found” page with status 404, or JSON under /api', async () => {
  const page = await server.app.inject('/conference/nothing')
  expect(page.statusCode).toBe(404)
  expect(page.body).toContain('<h1 class="disp">Page not found</h1>')
  expect(readData(page.body).page).toBe('not-found')
  for (const path of [
    '/api',
    '/api/',
    '/api/nothing',
    '/api/events/nothing/',
    '/api/events/afpicon2026/validator.0123456789abcdef.js',
    '/api/afpicon/registrations/%E0%A4%A/',
    '/%E0%A4%A',
  ]) {
    const response = await server.app.inject(path)
    expect([path, response.statusCode, response.json<{ status: string }>().status]).toEqual([
      path,
      404,
      'error',
    ])
  }
  for (const method of ['PUT', 'DELETE', 'PATCH'] as const) {
    const response = await server.app.inject({ method, url: '/afpicon2026' })
    expect([response.statusCode, response.json()]).toEqual([
      404,
      { status: 'error', code: 'not_found', message: 'There is nothing at this address.' },
    ])
  }
})

test('texts in an event file cannot inject markup into the page', async () => {
  const hostileServer = await startTestApp({
    clock: '2026-01-10',
    events: {
      'sample2026.yaml': buildFixtureEvent({
        title: '"</script><script>alert(1)</script><!--rollcall:data-->"',
      }),
    },
  })
  try {
    const { body } = await hostileServer.app.inject('/sample2026')
    expect(body).not.toContain('<script>alert(1)')
    expect(body.match(/id="page"/g)).toHaveLength(1)
    const data = readData(body)
    expect(data.page === 'event' && data.event.event.title).toBe(
      '</script><script>alert(1)</script><!--rollcall:data-->',
    )
  } finally {
    await hostileServer.close()
  }
})

test('texts are escaped, and a template is filled in one pass', () => {
  expect(escapeHtml(`<a href="x" title='y'>&`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;',
  )
  const page = {
    title: '<!--rollcall:shell-->',
    description: '$&',
    url: null,
    image: null,
    colour: null,
    shell: '<!--rollcall:data-->',
    data: { page: 'not-found', site: null, events: [] } as PageData,
  }
  const { html } = fillTemplate('<!--rollcall:head--> <!--rollcall:shell-->', page)
  expect(html.replace(/<noscript><style>.*?<\/style><\/noscript>/, '')).toBe(
    '<title>&lt;!--rollcall:shell--&gt;</title>\n<meta name="description" content="$&amp;">\n<meta name="robots" content="noindex"> <!--rollcall:data-->',
  )
})

describe('the log', () => {
  test('contains no registration numbers and no personal data', async () => {
    const { deps } = server
    expect(redactPath('/api/afpicon/registrations/AFPI3331074324090/', deps)).toBe(
      '/api/afpicon/registrations/…/',
    )
    expect(redactPath('/admin/registrations/CHIR1/x', deps)).toBe('/admin/registrations/…/x')
    expect(redactPath('/api/events/afpicon2026/', deps)).toBe('/api/events/afpicon2026/')
    server.log.length = 0
    await server.app.inject('/api/afpicon/registrations/AFPI3331074324090/?email=asha@example.org')
    await server.post('/api/afpicon/register/', {
      full_name: 'Asha Nair',
      email: 'asha@example.org',
      phone_number: '9876543210',
      ticket_type: 'afpi-gp-specialist',
    })
    const text = JSON.stringify(server.log)
    expect(server.log.filter(({ message }) => message === 'request')).toHaveLength(2)
    for (const part of ['Asha', 'asha@example.org', '9876543210', 'AFPI3331074324090', '127.0.0.1'])
      expect(text).not.toContain(part)
  })
})

test('the health check writes to the database, and reports a failed write', async () => {
  const healthyResponse = await server.app.inject('/healthz')
  expect([healthyResponse.statusCode, healthyResponse.json()]).toEqual([
    200,
    {
      status: 'success',
      health: 'good',
      process: process.pid,
      events: 4,
      troubles: [],
      mail: { waiting: 0, given_up: 0, silent_since: null },
    },
  ])
  const publicResponse = await server.app.inject({ url: '/healthz', remoteAddress: '192.0.2.7' })
  expect(publicResponse.json()).toEqual({ status: 'success', health: 'good' })
  const freshServer = await startTestApp({ events: { 'sample2026.yaml': buildFixtureEvent() } })
  await freshServer.deps.store.close()
  const unhealthyResponse = await freshServer.app.inject('/healthz')
  expect([unhealthyResponse.statusCode, unhealthyResponse.json()]).toEqual([
    503,
    {
      status: 'error',
      code: 'cannot_write',
      message: 'The database does not accept writes.',
      request_id: unhealthyResponse.headers['x-request-id'],
    },
  ])
  await freshServer.close()
})

test('the server provides metrics for Prometheus', async () => {
  const { body, headers } = await server.app.inject('/metrics')
  expect(headers['content-type']).toContain('text/plain')
  expect(body).toMatch(/rollcall_requests_total\{method="GET",status="200"\} \d+/)
  expect(body).toContain('rollcall_events 4')
  for (const metric of [
    'rollcall_event_files_refused 0',
    'rollcall_mails{is="queued"} ',
    'rollcall_mails{is="failed"} 0',
    'rollcall_mail_oldest_seconds ',
    'rollcall_payments_pending ',
    'rollcall_payment_oldest_seconds ',
    'rollcall_gateway_silent 0',
    'rollcall_disk_free_bytes ',
    'rollcall_store_waiting 0',
    'rollcall_database_bytes{file="log"} ',
    'rollcall_backup_age_seconds -1',
  ])
    expect(body).toContain(`\n${metric}`)
})

test('comments in event files are not published, and leave no empty lines', async () => {
  const comment = 'Dr Nair wants this cheaper'
  const text = `# ${comment}\n\n# ${comment}\n${buildFixtureEvent()}`
  const ownServer = await startTestApp({ clock: '2026-01-10', events: { 'sample2026.yaml': text } })
  const file = (await ownServer.app.inject('/api/events/sample2026/file/')).json<{ text: string }>()
  const page = (await ownServer.app.inject('/organisers')).body
  expect(file.text).toContain('id: sample2026')
  expect(page).toContain('id: sample2026')
  for (const publishedText of [file.text, page]) {
    expect(publishedText).not.toContain(comment)
    expect(publishedText).not.toMatch(/(^|\\n|\n) *# /)
  }
  expect(file.text).toMatch(/^format: 1\n/)
  expect(file.text).not.toContain('\n\n\n')
  await ownServer.close()
})

test('the landing page and the event page state when registration opens', async () => {
  const ownServer = await startTestApp({
    clock: '2025-12-10',
    events: { 'sample2026.yaml': buildFixtureEvent() },
  })
  const { body } = await ownServer.app.inject('/')
  const page = readData(body)
  expect(page.page === 'site' && page.events.map(({ open, closed }) => [open, closed])).toEqual([
    [false, { by: 'early', opens: '2026-01-01' }],
  ])
  const shell = body.slice(0, body.indexOf('id="page"'))
  expect(shell).toContain('>Opens 1 January 2026<')
  expect(shell).not.toContain('Registration Closed')
  expect((await ownServer.app.inject('/sample2026')).body).toContain(
    'Registration opens on 1 January 2026.',
  )
  await ownServer.close()
})

describe('after the conferences', () => {
  let serverAfterConferences: TestApp
  beforeAll(async () => {
    serverAfterConferences = await startTestApp({ clock: '2026-11-21' })
    // Removes the line that keeps the sample open, and the accepted finding about that line.
    const text = serverAfterConferences.readEvent('midzone2025.yaml')
    serverAfterConferences.writeEvent(
      'midzone2025.yaml',
      text
        .replace(/\nregistration:\n {2}closes: never.*\n/, '\n')
        .replace(/ {2}- code: EV436\n.*\n/, ''),
    )
    await serverAfterConferences.deps.events.reload()
  })
  afterAll(() => serverAfterConferences.close())

  test('the landing page lists the latest conference first, and states that each took place', async () => {
    const { body } = await serverAfterConferences.app.inject('/')
    const page = readData(body)
    expect(
      page.page === 'site' && page.events.map(({ id, open, took_place }) => [id, open, took_place]),
    ).toEqual([
      ['chirurgia2026', true, true],
      ['afpicon2026', true, true],
      ['midzone2025', false, true],
      ['pulmocon2025', false, true],
    ])
    expect(body.match(/This conference has taken place\./g)?.length).toBeGreaterThan(3)
  })

  test('an event that is still open states that it took place, and accepts registrations', async () => {
    expect((await serverAfterConferences.app.inject('/afpicon2026')).body).toContain(
      'This event took place on 31 January – 1 February 2026.',
    )
    const tariff = await serverAfterConferences.app.inject('/api/afpicon/tariff-info/')
    expect(tariff.json()).toMatchObject({ open: true })
  })

  test('an event without the setting "closes" is shown as closed, and rejects registrations', async () => {
    expect((await serverAfterConferences.app.inject('/midzone2025')).body).toContain(
      'Registration closed on 23 November 2025.',
    )
    const rejection = await serverAfterConferences.app.inject({
      method: 'POST',
      url: '/api/midzone/register/',
      payload: { full_name: 'Asha Sample', email: 'asha@example.org', phone_number: '9876543210' },
    })
    expect([rejection.statusCode, rejection.json().code]).toEqual([409, 'registration_closed'])
  })
})

test('before the conferences, the landing page lists the next conference first', async () => {
  const page = readData((await server.app.inject('/')).body)
  expect(page.page === 'site' && page.events.map(({ id }) => id)).toEqual([
    'midzone2025',
    'afpicon2026',
    'chirurgia2026',
    'pulmocon2025',
  ])
})

describe('a form that cannot be rendered does not delay any page', () => {
  let folder: string
  const errors: string[] = []
  const log: Log = {
    info: () => {},
    warn: () => {},
    error: (what) => errors.push(JSON.stringify(what)),
  }
  /** Writes a renderer that replaces the web build's, and starts it. */
  const createPrerenderer = (code: string): Prerenderer => {
    writeFileSync(join(folder, 'server', 'server-rendering.js'), code)
    return openPrerenderer(folder, log)
  }
  const readForm = async (id: string) => {
    const servedEvent = server.deps.events.all().find(({ config }) => config.id === id)
    const page = readData((await server.app.inject(servedEvent?.config.routes.form ?? '')).body)
    if (servedEvent === undefined || page.page !== 'event') throw new Error(`no form of ${id}`)
    return { served: servedEvent, page }
  }
  const RENDERED_PAGE = "{ kind: 'form', html: '<form>', rules: '', styles: '', names: '' }"

  beforeEach(() => {
    errors.length = 0
    folder = mkdtempSync(join(tmpdir(), 'rollcall-drawn-'))
    for (const name of ['server', '.vite']) mkdirSync(join(folder, name))
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    const chunks = [
      'index.html',
      'registration-page',
      'registration-page-with-items-and-codes',
      'landing-page',
    ].map((name) => [name, { name, file: `assets/${name}.js` }])
    writeFileSync(
      join(folder, '.vite', 'manifest.json'),
      JSON.stringify(Object.fromEntries(chunks)),
    )
    for (const name of ['pre-hydration-script', 'pre-hydration-script-with-items'])
      writeFileSync(join(folder, '.vite', `${name}.json`), '{}')
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
    rmSync(folder, { recursive: true, force: true })
  })

  test('if the rendering thread hangs, pages are sent without the form after two seconds, the thread is ended, and the next form is rendered', async () => {
    const [firstForm, secondForm] = [await readForm('afpicon2026'), await readForm('chirurgia2026')]
    const heartbeats = new Int32Array(new SharedArrayBuffer(4))
    const page = { ...firstForm.page, heartbeats }
    const prerenderer = createPrerenderer(`export const renderPage = (page) => {
      while (page.heartbeats) Atomics.add(page.heartbeats, 0, 1)
      return ${RENDERED_PAGE}
    }`)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const firstRendering = prerenderer.renderForm(firstForm.served, page)
    await expect.poll(() => heartbeats[0]).toBeGreaterThan(0)
    const secondRendering = prerenderer.renderForm(secondForm.served, secondForm.page)
    await vi.advanceTimersByTimeAsync(2_000)
    expect([await firstRendering, await secondRendering]).toEqual(['late', 'late'])
    const repeatedRendering = prerenderer.renderForm(firstForm.served, page)
    await vi.advanceTimersByTimeAsync(18_000)
    expect(await repeatedRendering).toBe('late')
    expect(errors).toEqual([expect.stringContaining('not rendered within 20 seconds')])
    // A thread that has ended no longer increases the counter.
    const isCounting = async (): Promise<boolean> => {
      const heartbeatsBefore = Atomics.load(heartbeats, 0)
      await pause(300)
      return Atomics.load(heartbeats, 0) !== heartbeatsBefore
    }
    await expect.poll(isCounting).toBe(false)
    // The failure is recorded, and the next form in the queue is rendered.
    expect(await prerenderer.renderForm(firstForm.served, page)).toBe(null)
    expect(await prerenderer.renderForm(secondForm.served, secondForm.page)).toMatchObject({
      html: '<form>',
    })
  })

  test.each([
    ['throws', 'export const renderPage = () => { throw new Error("it throws") }', 'it throws'],
    ['cannot be read', 'export const renderPage = (', 'SyntaxError'],
    ['ends', 'process.exit()', 'the thread ended'],
  ])(
    'if the renderer %s, the page is served without a form, and the error is logged once',
    async (_, code, reason) => {
      const { served: servedEvent, page } = await readForm('afpicon2026')
      const prerenderer = createPrerenderer(code)
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      expect(await prerenderer.renderForm(servedEvent, page)).toBe(null)
      expect(await prerenderer.renderForm(servedEvent, page)).toBe(null)
      expect(errors).toEqual([expect.stringContaining(reason)])
    },
  )
})
