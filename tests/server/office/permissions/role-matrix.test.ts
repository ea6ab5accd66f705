/** Each route allows only certain roles: users with every role request every route, for their own and another event. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LightMyRequestResponse } from 'fastify'
import { INR, toAmount } from '../../../../engine/index.ts'
import type { Day, RegNo, Role } from '../../../../engine/index.ts'
import { listRoutePaths } from '../../../../server/office/lists/list-paths.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { hashCheaply, toNoon, PASSWORD, register } from '../office.ts'

type AccessRule =
  /** Routes for delegates, gateways and machines, which do not read a session. */
  | 'public'
  /** Office routes for signing in, which need no session. */
  | 'unauthenticated'
  /** Any signed-in user, whichever events they have access to. */
  | 'signed in'
  /** Users with this role or a higher one, but only for their own events. */
  | `${Role} of their event`
  /** Users with this role or a higher one. The response covers only their events. */
  | `${Role} of any event`
  /** Users with this role or a higher one and access to all events. */
  | `${Role} of all`

/** The expected access for each route. A route that is missing here fails the test. */
const ACCESS_BY_ROUTE: Readonly<Record<string, AccessRule>> = {
  'GET /healthz': 'public',
  'GET /metrics': 'public',
  'GET /robots.txt': 'public',
  'GET /assets/*': 'public',
  'GET /*': 'public',
  'POST /*': 'public',
  'GET /api/*': 'public',
  'POST /api/*': 'public',
  'GET /api/events': 'public',
  'GET /api/events/:id': 'public',
  'GET /api/events/:id/:file': 'public',
  'GET /api/events/:id/availability': 'public',
  'GET /api/events/:id/browser': 'public',
  'POST /api/events/:id/registrations/:number/acts': 'public',
  'GET /api/events/:id/file': 'public',
  'POST /api/events/:id/code': 'public',
  'POST /api/events/:id/roll': 'public',
  'POST /api/events/:id/proofs': 'public',
  'POST /api/events/:id/proofs/forget': 'public',
  'GET /api/payment/return': 'public',
  'POST /api/payment/return': 'public',
  'GET /api/payment/return-of/:orderId': 'public',
  'POST /api/payment/return-of/:orderId': 'public',
  'POST /api/payment/webhook': 'public',
  'POST /api/payment/webhook/:gateway': 'public',
  'POST /api/payment/retry': 'public',
  'POST /api/payment/resume': 'public',
  'POST /api/my': 'public',
  'GET /api/my/:token': 'public',
  'GET /api/my/:token/documents/:id': 'public',
  'POST /api/my/:token/acts': 'public',
  'POST /api/my/:token/proofs': 'public',
  'POST /api/payment/confirmation': 'public',

  'POST /admin/login': 'unauthenticated',
  'POST /admin/logout': 'unauthenticated',
  'POST /admin/set-password': 'unauthenticated',

  'GET /admin/session': 'signed in',
  'GET /admin/dashboard/stats': 'signed in',
  'GET /admin/me': 'signed in',
  'GET /admin/find': 'signed in',
  'POST /admin/me/password': 'signed in',
  'POST /admin/me/second-factor': 'signed in',
  'POST /admin/me/second-factor/confirm': 'signed in',
  'POST /admin/me/second-factor/off': 'signed in',
  'POST /admin/me/recovery-codes': 'signed in',
  'POST /admin/me/sessions/end': 'signed in',
  'GET /admin/my-lists': 'signed in',

  'POST /admin/my-lists': 'viewer of their event',
  'GET /admin/export': 'viewer of their event',
  'GET /admin/sold': 'viewer of their event',
  'GET /admin/add': 'desk of their event',
  'POST /admin/add': 'desk of their event',
  'POST /admin/add/similar': 'desk of their event',
  'GET /admin/codes': 'treasurer of their event',
  'GET /admin/rolls': 'viewer of their event',
  'GET /admin/reviews': 'treasurer of their event',
  'GET /admin/movements': 'treasurer of their event',
  'GET /admin/movements/export': 'treasurer of their event',
  'GET /admin/debtors': 'treasurer of their event',
  'GET /admin/debtors/export': 'treasurer of their event',
  'GET /admin/open-refunds': 'treasurer of their event',
  'GET /admin/months': 'treasurer of their event',
  'GET /admin/months/export': 'treasurer of their event',
  'POST /admin/months/close': 'treasurer of their event',
  'GET /admin/registrations/:reg_no': 'viewer of their event',
  'GET /admin/registrations/:reg_no/files/:field': 'viewer of their event',
  'GET /admin/registrations/:reg_no/acts': 'viewer of their event',
  'GET /admin/registrations/:reg_no/documents': 'viewer of their event',
  'GET /admin/registrations/:reg_no/documents/:id': 'viewer of their event',
  'GET /admin/registrations/:reg_no/evidence': 'treasurer of their event',
  // The engine's table states what else each action requires.
  'POST /admin/registrations/:reg_no/acts': 'desk of their event',
  'POST /admin/reviews/:id/decide': 'treasurer of their event',
  // The action's requirements and the event are checked for each row.
  'POST /admin/registrations/bulk': 'desk of their event',
  'GET /admin/payouts': 'treasurer of any event',
  'GET /admin/statements': 'treasurer of any event',
  'POST /admin/statements': 'treasurer of any event',
  'GET /admin/statements/:statement': 'treasurer of their event',
  'POST /admin/statements/:statement/assign': 'treasurer of their event',
  'POST /admin/statements/:statement/decide': 'treasurer of their event',
  'POST /admin/statements/:statement/remove': 'treasurer of their event',
  'POST /admin/reconcile': 'treasurer of their event',
  'POST /admin/reconcile/confirm': 'treasurer of their event',
  'POST /admin/reconcile/keep': 'treasurer of their event',
  'GET /admin/settlements': 'treasurer of their event',
  'GET /admin/exchange-rates': 'treasurer of their event',
  'POST /admin/exchange-rates': 'treasurer of their event',
  'GET /admin/settlements/export': 'treasurer of their event',
  'POST /admin/settlements/handle': 'treasurer of their event',
  'POST /admin/codes': 'treasurer of their event',
  'POST /admin/codes/withdraw': 'treasurer of their event',
  'GET /admin/log': 'owner of their event',
  'GET /admin/log/export': 'owner of their event',

  'GET /admin/mail': 'desk of their event',
  'POST /admin/mail/retry': 'desk of their event',
  'GET /admin/event-versions': 'treasurer of their event',
  'GET /admin/event-versions/difference': 'treasurer of their event',
  'GET /admin/event-versions/text': 'treasurer of their event',
  'GET /admin/served-files': 'owner of all',
  'POST /admin/served-files/reload': 'owner of all',
  'POST /admin/served-files/rehearse': 'owner of all',
  'GET /admin/recovery-state': 'owner of all',
  'POST /admin/recovery-state/end': 'owner of all',
  'POST /admin/clock/confirm': 'owner of all',
  'GET /admin/admins': 'owner of all',
  'POST /admin/admins': 'owner of all',
  'POST /admin/admins/second-factor': 'owner of all',
  'POST /admin/admins/:username/may': 'owner of all',
  'POST /admin/admins/:username/remove': 'owner of all',
  'POST /admin/admins/:username/link': 'owner of all',
  'POST /admin/admins/:username/reset-second-factor': 'owner of all',
}
/** The expected access for lists and exports, whose paths event files declare. */
const EVENT_FILE_ROUTE_ACCESS: AccessRule = 'viewer of their event'

const ROLES: readonly Role[] = ['viewer', 'desk', 'treasurer', 'owner']
type TestUser = {
  readonly name: string
  readonly role: Role | null
  readonly access: 'here' | 'elsewhere' | 'everywhere' | 'nowhere'
  readonly token: string
}

let server: TestApp
let users: TestUser[]
let ownEventId: string
let regNo: RegNo
let reviewId: string
let statementId: string

beforeAll(async () => {
  server = await startTestApp()
  const { events, store } = server.deps
  const [firstEvent, secondEvent] = events
    .all()
    .map(({ config }) => config)
    .filter(({ id, admin }) => admin.lists.length > 0 && id !== '')
  if (firstEvent === undefined || secondEvent === undefined)
    throw new Error('the test needs two events with lists')
  ownEventId = firstEvent.id
  regNo = await register(server, ownEventId, {
    n: 1,
    on: toNoon('2025-10-08'),
    answers: {
      full_name: 'Asha Sample',
      email: 'asha@example.org',
      phone_number: '+919876500001',
      ticket_type: firstEvent.categories[0]?.id ?? '',
      afpi_member: false,
    },
    pays: 'wrong-amount',
  })
  const [openReview] = await store.reviews(ownEventId)
  if (openReview === undefined) throw new Error('the test needs a review')
  reviewId = openReview.id
  const day = '2025-10-09' as Day
  const line = { line: 2, day, narration: 'X', reference: 'X', amount: toAmount(1) }
  const rows = [{ ...line, isWithdrawal: false }]
  const period = { firstDay: day, lastDay: day, details: [], unread: [], repeated: [], rows }
  const upload = { sha256: '', currency: INR, events: [ownEventId], bank: '', who: '' }
  const id = await store.saveBankStatement({ ...upload, ...period, at: server.now() })
  statementId = String(id)
  // Without a decision on one of its lines, the first user with permission would remove the statement.
  const [{ id: lineId = 0 } = {}] = await store.bankStatementLines(id)
  const decision = { decision: 'not_ours', parts: [], who: '' } as const
  await store.decideBankLine({ lineId, seen: null, ...decision, at: server.now() })

  const passwordHash = await hashCheaply(PASSWORD)
  const createUser = async (
    name: string,
    role: Role,
    access: 'here' | 'elsewhere' | 'everywhere',
  ): Promise<TestUser> => {
    const userEvents = { here: [ownEventId], elsewhere: [secondEvent.id], everywhere: null }[access]
    await store.addAdmin(name, passwordHash, server.now(), { role, events: userEvents })
    const response = await server.app.inject({
      method: 'POST',
      url: '/admin/login/',
      payload: { username: name, password: PASSWORD },
    })
    return { name, role, access, token: response.json<{ token: string }>().token }
  }
  const signedOutUser = await createUser('gone', 'owner', 'everywhere')
  await server.app.inject({
    method: 'POST',
    url: '/admin/logout/',
    headers: { authorization: `Bearer ${signedOutUser.token}` },
  })
  users = [
    { name: 'nobody', role: null, access: 'nowhere', token: '' },
    { ...signedOutUser, name: 'a session that has ended', role: null, access: 'nowhere' },
    await createUser('all-owner', 'owner', 'everywhere'),
    await createUser('all-treasurer', 'treasurer', 'everywhere'),
  ]
  for (const role of ROLES)
    for (const access of ['here', 'elsewhere'] as const)
      users.push(await createUser(`${role}-${access}`, role, access))
})
afterAll(() => server.close())

/** Returns a route's name in the table: without a trailing slash and, for the office, without /api. */
const getRouteName = (method: string, url: string): string =>
  `${method} ${url.replace(/^\/api(?=\/admin\/)/, '').replace(/(?<=.)\/$/, '')}`

function sendRequest(
  { token }: Pick<TestUser, 'token'>,
  method: 'GET' | 'POST',
  url: string,
): Promise<LightMyRequestResponse> {
  const fullPath = url
    .replace(/:reg_?no/i, regNo)
    .replace('/reviews/:id', `/reviews/${reviewId}`)
    .replace(':statement', statementId)
    .replace(':username', 'nobody-of-this-name')
    .replaceAll(/[:{]\w+\}?/g, 'nothing')
    .replace('*', 'nothing')
  const list = server.deps.events.findById(ownEventId)?.config.admin.lists[0]
  const query = new URLSearchParams({
    // An endpoint that has no event parameter rejects one.
    ...(hasTarget(url) ||
    /\/(find|statements|payouts|stats|me|session|my-lists|admins|served-files|clock)\b/.test(url)
      ? {}
      : { event: ownEventId, event_id: ownEventId }),
    list_id: list?.id ?? '',
    // Distinguishes exports that share a path.
    ...Object.fromEntries(new URLSearchParams(list?.export.api.split('?')[1] ?? '')),
  })
  return server.app.inject({
    method,
    url: method === 'GET' ? `${fullPath}${fullPath.includes('?') ? '&' : '?'}${query}` : fullPath,
    headers: token === '' ? {} : { authorization: `Bearer ${token}` },
    ...(method === 'POST' && {
      payload: hasTarget(url) || url.includes('/statements') ? {} : { event: ownEventId },
    }),
  })
}
/**
 * Returns whether the path contains the number of a registration, review or statement, which belongs to one event.
 */
const hasTarget = (url: string): boolean =>
  /\/(registrations\/:reg_no|reviews\/:id|statements\/:statement)\b/.test(url)

/** Returns the expected status for a user, or `allowed` if the endpoint's own response is expected. */
function getExpectedStatus(
  rule: AccessRule,
  url: string,
  { role, access }: TestUser,
): 'allowed' | 401 | 403 | 404 {
  if (rule === 'public' || rule === 'unauthenticated') return 'allowed'
  if (role === null) return 401
  if (rule === 'signed in') return 'allowed'
  const [minRole, , eventScope] = rule.split(' ')
  const hasRole = ROLES.indexOf(role) >= ROLES.findIndex((name) => name === minRole)
  const hasEventAccess =
    eventScope === 'all' ? access === 'everywhere' : eventScope === 'any' || access !== 'elsewhere'
  if (hasRole && !hasEventAccess && hasTarget(url)) return 404
  return hasRole && hasEventAccess ? 'allowed' : 403
}

/** Describes the responses that differ from the table. */
async function findDifferences(
  rule: AccessRule,
  method: 'GET' | 'POST',
  url: string,
): Promise<string[]> {
  const differences: string[] = []
  for (const user of users) {
    // Signing in and out has its own test. Here it would end the sessions in use.
    if (rule === 'unauthenticated' && user.role !== null) continue
    const { statusCode, body } = await sendRequest(user, method, url)
    const isNotFound = statusCode === 404 && /no such (review|statement)|in your events/.test(body)
    const status = statusCode === 401 || statusCode === 403 || isNotFound ? statusCode : 'allowed'
    const expectedStatus = getExpectedStatus(rule, url, user)
    // A sign-in without a password, and a request from another site, have their own errors for
    // every user.
    if (status !== expectedStatus && !(rule === 'unauthenticated' && /foreign_origin/.test(body)))
      differences.push(
        `${method} ${url}: ${user.name} received ${statusCode}, expected ${expectedStatus}: ${body.slice(0, 160)}`,
      )
    if (statusCode >= 500) differences.push(`${method} ${url}: ${user.name} received ${statusCode}`)
  }
  return differences
}

/** Formats a rule as text. A function that finds the event is shown as its source code. */
const formatRule = (rule: unknown): string =>
  JSON.stringify(rule, (_, value: unknown) => (typeof value === 'function' ? String(value) : value))

const METHODS = ['GET', 'POST'] as const

describe('the authorization matrix', () => {
  test('every route of the app has a row, and every row a route', () => {
    const routes = new Set(
      server.app.fixedRoutes
        .filter(({ method }) => method !== 'HEAD')
        .map(({ method, url }) => getRouteName(method, url)),
    )
    expect([...routes].filter((route) => ACCESS_BY_ROUTE[route] === undefined)).toEqual([])
    expect(Object.keys(ACCESS_BY_ROUTE).filter((route) => !routes.has(route))).toEqual([])
  })

  test('every route under /admin declares its permission rule, which is the same for each spelling of the path', () => {
    const officeRoutes = server.app.fixedRoutes.filter(({ url }) => /^(\/api)?\/admin\//.test(url))
    expect(officeRoutes.filter((route) => route.office === null)).toEqual([])
    for (const [route, spellings] of Map.groupBy(officeRoutes, ({ method, url }) =>
      getRouteName(method === 'HEAD' ? 'GET' : method, url),
    ))
      expect(new Set(spellings.map((entry) => formatRule(entry.office))).size, route).toBe(1)
    // No other route has a rule, because it would not be enforced.
    expect(
      server.app.fixedRoutes.filter(
        ({ url, office: rule }) => rule !== null && !/^(\/api)?\/admin\//.test(url),
      ),
    ).toEqual([])
  })

  test('users with every role, and requests with no session or an ended one, receive the status in the table', async () => {
    const differences: string[] = []
    for (const [route, row] of Object.entries(ACCESS_BY_ROUTE)) {
      const [method, url = ''] = route.split(' ')
      for (const requestMethod of METHODS)
        if (requestMethod === method)
          differences.push(...(await findDifferences(row, requestMethod, url)))
    }
    expect(differences).toEqual([])
  })

  test('lists and exports from event files require access to the event; other endpoints are public', async () => {
    const lists = new Set(
      server.deps.events
        .all()
        .flatMap(({ config }) => config.admin.lists)
        .flatMap((list) => [...listRoutePaths(list.api), ...listRoutePaths(list.export.api)]),
    )
    const eventRoutes = server.app.eventRoutes.all()
    expect(
      eventRoutes
        .filter(({ path, office }) => lists.has(path.replace(/\/$/, '')) !== (office !== undefined))
        .map(({ path }) => path),
    ).toEqual([])
    const differences: string[] = []
    const ownLists = server.deps.events.findById(ownEventId)?.config.admin.lists ?? []
    for (const {
      api,
      export: { api: exportApi },
    } of ownLists)
      for (const path of [api, exportApi])
        differences.push(...(await findDifferences(EVENT_FILE_ROUTE_ACCESS, 'GET', path)))
    for (const { method, path, office } of eventRoutes)
      if (office === undefined) differences.push(...(await findDifferences('public', method, path)))
    expect(differences).toEqual([])
    expect(ownLists.length).toBeGreaterThan(0)
  })
})

const findUser = (name: string): TestUser => {
  const user = users.find((user) => user.name === name)
  if (user === undefined) throw new Error(`no user named ${name}`)
  return user
}

describe('a user with access to one event', () => {
  test('gets an error that states which event or role a call requires', async () => {
    const response = await sendRequest(findUser('owner-elsewhere'), 'GET', '/admin/codes')
    const { title } = server.deps.events.findById(ownEventId)!.config
    expect(response.json()).toMatchObject({
      status: 'error',
      code: 'not_your_event',
      message: expect.stringMatching(/^You do not have access to this event. Your events: .+\.$/),
    })
    expect(response.body).not.toContain(title)
    const deskResponse = await sendRequest(
      findUser('desk-here'),
      'POST',
      '/admin/reviews/:id/decide',
    )
    expect(deskResponse.json()).toMatchObject({
      code: 'role_may_not',
      message: 'You need the treasurer role or a higher one for this. Your role is desk.',
    })
  })

  test.each<[string, (response: never) => readonly string[]]>([
    ['/admin/session/', ({ events }: { events: { id: string }[] }) => events.map(({ id }) => id)],
    [
      '/admin/dashboard/stats/',
      ({ data }: { data: { by_day: object } }) => Object.keys(data.by_day),
    ],
    [
      '/admin/reviews/',
      ({ reviews }: { reviews: { event_id: string }[] }) => reviews.map(({ event_id }) => event_id),
    ],
    [
      '/admin/log/?kind=all',
      ({ rows }: { rows: { event: string }[] }) => [...new Set(rows.map(({ event }) => event))],
    ],
  ])('sees no data from another event in %s', async (url, readMarkers) => {
    const listMarkersAs = async (name: string): Promise<readonly string[]> => {
      const { token } = findUser(name)
      const response = await server.app.inject({
        url,
        headers: { authorization: `Bearer ${token}` },
      })
      expect(response.statusCode, response.body).toBe(200)
      return readMarkers(response.json() as never)
    }
    const allMarkers = await listMarkersAs('all-owner')
    const [ownMarkers, otherMarkers] = [
      await listMarkersAs('owner-here'),
      await listMarkersAs('owner-elsewhere'),
    ]
    expect(ownMarkers.length).toBe(1)
    expect(allMarkers).toEqual(expect.arrayContaining([...ownMarkers, ...otherMarkers]))
    expect(ownMarkers.filter((marker) => otherMarkers.includes(marker))).toEqual([])
  })

  test('finds no data from another event in endpoints that are open to every user', async () => {
    const { title } = server.deps.events.findById(ownEventId)!.config
    const traces = [regNo, 'Asha Sample', `"${ownEventId}"`, `"${title}"`]
    const listTraces = async (name: string): Promise<string[]> => {
      const foundTraces: string[] = []
      for (const [route, row] of Object.entries(ACCESS_BY_ROUTE)) {
        if (row !== 'signed in' || !route.startsWith('GET ')) continue
        const { body } = await sendRequest(
          findUser(name),
          'GET',
          `${route.slice(4)}?q=Asha&search=Asha&words=Asha`,
        )
        foundTraces.push(
          ...traces.filter((trace) => body.includes(trace)).map((trace) => `${route}: ${trace}`),
        )
      }
      return foundTraces
    }
    expect(await listTraces('owner-elsewhere')).toEqual([])
    // The same endpoints return the data to permitted users, so the test would detect it.
    expect((await listTraces('viewer-here')).length).toBeGreaterThan(3)
  })

  test('cannot move a payment to another event’s registration', async () => {
    const otherEvent = server.deps.events.all().find(({ config }) => config.id !== ownEventId)!
      .config.id
    const targetRegNo = await register(server, otherEvent, {
      n: 2,
      on: toNoon('2025-10-08'),
      answers: { full_name: 'Ravi Sample' },
    })
    const move = async (name: string) => {
      const { token } = findUser(name)
      const response = await server.app.inject({
        method: 'POST',
        url: `/admin/reviews/${reviewId}/decide/`,
        headers: { authorization: `Bearer ${token}` },
        payload: { what: 'move', to: targetRegNo },
      })
      return [response.statusCode, response.json().code]
    }
    expect(await move('treasurer-here')).toEqual([404, 'not_found'])
    // A user with access to both events gets the decision's own error, because it does not apply to this review.
    expect(await move('all-treasurer')).toEqual([409, 'not_allowed'])
  })

  test('cannot access another event by sending the event parameter twice or under a different name', async () => {
    const otherEvent = server.deps.events.all().find(({ config }) => config.id !== ownEventId)!
      .config.id
    for (const url of [
      `/admin/codes/?event=${otherEvent}&event=${ownEventId}`,
      `/admin/codes/?event_id=${otherEvent}&event=${ownEventId}`,
      `/admin/codes/?event=${otherEvent}&event_id=${ownEventId}`,
      `/admin/sold/?event_id=${ownEventId}&event_id=${otherEvent}&list_id=${ownEventId}`,
    ]) {
      const { token } = findUser('owner-elsewhere')
      const { statusCode } = await server.app.inject({
        url,
        headers: { authorization: `Bearer ${token}` },
      })
      expect(statusCode, url).toBe(403)
    }
  })
})

test('a page on another site that uses the session cookie cannot change anything', async () => {
  const { token } = findUser('all-owner')
  const rowsBefore = server.countRows()
  const postRoutes = Object.entries(ACCESS_BY_ROUTE).filter(
    ([route, row]) => route.startsWith('POST /admin/') && row !== 'public',
  )
  for (const [route] of postRoutes) {
    const response = await server.app.inject({
      method: 'POST',
      url: route
        .replace('POST ', '')
        .replace(/:reg_?no/i, regNo)
        .replace(':id', reviewId)
        .replace(':username', 'viewer-here'),
      headers: {
        cookie: `rollcall_session=${token}`,
        origin: 'https://evil.example',
        'sec-fetch-site': 'cross-site',
      },
      payload: { event: ownEventId, username: 'all-owner', password: PASSWORD, token: 'x' },
    })
    expect([response.statusCode, response.json().code], route).toEqual([403, 'foreign_origin'])
  }
  expect(postRoutes.length).toBeGreaterThan(15)
  expect(server.countRows()).toEqual(rowsBefore)
})

test('once a second factor is required, treasurers and owners without one can use only their own account', async () => {
  await server.deps.store.requireSecondFactor(true)
  const differences: string[] = []
  for (const [route, row] of Object.entries(ACCESS_BY_ROUTE)) {
    if (row === 'public' || row === 'unauthenticated') continue
    const [method, url = ''] = route.split(' ')
    const isOwnAccount = /^\/admin\/(me|session)\b/.test(url)
    for (const name of ['all-owner', 'treasurer-here', 'desk-here']) {
      const response = await sendRequest(findUser(name), method === 'GET' ? 'GET' : 'POST', url)
      const isBlocked = /second_factor_needed/.test(response.body)
      if (isBlocked !== (!isOwnAccount && name !== 'desk-here'))
        differences.push(`${route} to ${name}`)
    }
  }
  await server.deps.store.requireSecondFactor(false)
  expect(differences).toEqual([])
})
