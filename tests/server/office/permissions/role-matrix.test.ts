/**
 * Who may make which call: every route that the app has, asked by every role for its own event and for
 * another, by nobody, and by a session that has ended, against the table below. A route without a row is red.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LightMyRequestResponse } from 'fastify'
import type { RegNo, Role } from '../../../../engine/index.ts'
import { expandRoots } from '../../../../server/office/lists/list-paths.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { cheapHash, noon, PASSWORD, register } from '../office.ts'

type Row =
  /** Delegates, gateways, machines: no session is looked at. */
  | 'public'
  /** The office, before one is signed in. */
  | 'anybody'
  /** Whoever is signed in, of whichever event. */
  | 'signed in'
  /** From that role on; `of their event`: and only of the events that they work for. */
  | `${Role} of their event`
  /** From that role on, and only for all events. */
  | `${Role} of all`

const TABLE: Readonly<Record<string, Row>> = {
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
  'GET /api/events/:id/file': 'public',
  'POST /api/events/:id/code': 'public',
  'POST /api/events/:id/roll': 'public',
  'POST /api/events/:id/proofs': 'public',
  'POST /api/events/:id/proofs/forget': 'public',
  'GET /api/payment/return': 'public',
  'POST /api/payment/return': 'public',
  'POST /api/payment/webhook': 'public',
  'POST /api/payment/retry': 'public',
  'POST /api/payment/resume': 'public',
  'POST /api/my': 'public',
  'GET /api/my/:token': 'public',
  'GET /api/my/:token/documents/:id': 'public',
  'POST /api/my/:token/acts': 'public',
  'POST /api/my/:token/proofs': 'public',
  'POST /api/payment/confirmation': 'public',

  'POST /admin/login': 'anybody',
  'POST /admin/logout': 'anybody',
  'POST /admin/set-password': 'anybody',

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
  'GET /admin/codes': 'viewer of their event',
  'GET /admin/rolls': 'viewer of their event',
  'GET /admin/reviews': 'viewer of their event',
  'GET /admin/registrations/:reg_no': 'viewer of their event',
  'GET /admin/registrations/:reg_no/files/:field': 'viewer of their event',
  'GET /admin/registrations/:reg_no/acts': 'viewer of their event',
  'GET /admin/registrations/:reg_no/documents': 'viewer of their event',
  'GET /admin/registrations/:reg_no/documents/:id': 'viewer of their event',
  // What each act takes beyond that is the engine's table.
  'POST /admin/registrations/:reg_no/acts': 'desk of their event',
  'POST /admin/registrations/:reg_no/refund': 'treasurer of their event',
  'POST /admin/reviews/:id/decide': 'treasurer of their event',
  // What each act takes, and whose event it is, is told row by row besides.
  'POST /admin/registrations/bulk': 'desk of their event',
  'POST /admin/reconcile': 'treasurer of their event',
  'POST /admin/reconcile/confirm': 'treasurer of their event',
  'POST /admin/reconcile/keep': 'treasurer of their event',
  'GET /admin/settlements': 'treasurer of their event',
  'GET /admin/settlements/export': 'treasurer of their event',
  'POST /admin/codes': 'treasurer of their event',
  'POST /admin/codes/withdraw': 'treasurer of their event',
  'GET /admin/log': 'owner of their event',
  'GET /admin/log/export': 'owner of their event',

  'GET /admin/mail': 'desk of their event',
  'POST /admin/mail/retry': 'desk of their event',
  'GET /admin/served-files': 'owner of all',
  'POST /admin/served-files/reload': 'owner of all',
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
/** The calls whose paths event files choose: the office's lists and exports, and everything else. */
const EVENT_LIST: Row = 'viewer of their event'

const ROLES: readonly Role[] = ['viewer', 'desk', 'treasurer', 'owner']
type Asker = {
  readonly name: string
  readonly role: Role | null
  readonly works: 'here' | 'elsewhere' | 'everywhere' | 'nowhere'
  readonly token: string
}

let server: TestApp
let askers: Asker[]
let here: string
let regNo: RegNo
let review: string

beforeAll(async () => {
  server = await startTestApp()
  const { events, store } = server.deps
  const [first, second] = events
    .all()
    .map(({ config }) => config)
    .filter(({ id, admin }) => admin.lists.length > 0 && id !== '')
  if (first === undefined || second === undefined)
    throw new Error('two events with lists are needed')
  here = first.id
  regNo = await register(server, here, {
    n: 1,
    on: noon('2025-10-08'),
    answers: {
      full_name: 'Asha Sample',
      email: 'asha@example.org',
      phone_number: '+919876500001',
      ticket_type: first.categories[0]?.id ?? '',
      afpi_member: false,
    },
    pays: 'wrong-amount',
  })
  const [waiting] = await store.reviews(here)
  if (waiting === undefined) throw new Error('a review is needed')
  review = waiting.id

  const passwordHash = await cheapHash(PASSWORD)
  const person = async (
    name: string,
    role: Role,
    works: 'here' | 'elsewhere' | 'everywhere',
  ): Promise<Asker> => {
    const of = { here: [here], elsewhere: [second.id], everywhere: null }[works]
    await store.addAdmin(name, passwordHash, server.now(), { role, events: of })
    const answer = await server.app.inject({
      method: 'POST',
      url: '/admin/login/',
      payload: { username: name, password: PASSWORD },
    })
    return { name, role, works, token: answer.json<{ token: string }>().token }
  }
  const ended = await person('gone', 'owner', 'everywhere')
  await server.app.inject({
    method: 'POST',
    url: '/admin/logout/',
    headers: { authorization: `Bearer ${ended.token}` },
  })
  askers = [
    { name: 'nobody', role: null, works: 'nowhere', token: '' },
    { ...ended, name: 'a session that has ended', role: null, works: 'nowhere' },
    await person('all-owner', 'owner', 'everywhere'),
    await person('all-treasurer', 'treasurer', 'everywhere'),
  ]
  for (const role of ROLES)
    for (const works of ['here', 'elsewhere'] as const)
      askers.push(await person(`${role}-${works}`, role, works))
})
afterAll(() => server.close())

/** A route as the table names it: without the slash at its end, the office's without /api in front. */
const named = (method: string, url: string): string =>
  `${method} ${url.replace(/^\/api(?=\/admin\/)/, '').replace(/(?<=.)\/$/, '')}`

function ask(
  { token }: Pick<Asker, 'token'>,
  method: 'GET' | 'POST',
  url: string,
): Promise<LightMyRequestResponse> {
  const filled = url
    .replace(/:reg_?no/i, regNo)
    .replace('/reviews/:id', `/reviews/${review}`)
    .replace(':username', 'nobody-of-this-name')
    .replaceAll(/[:{]\w+\}?/g, 'nothing')
    .replace('*', 'nothing')
  const list = server.deps.events.byId(here)?.config.admin.lists[0]
  const query = new URLSearchParams({
    // A call that takes no event refuses one.
    ...(isOfTarget(url) ||
    /\/(find|stats|me|session|my-lists|admins|served-files|clock)\b/.test(url)
      ? {}
      : { event: here, event_id: here }),
    list_id: list?.id ?? '',
    // What tells the exports apart that share an address.
    ...Object.fromEntries(new URLSearchParams(list?.export.api.split('?')[1] ?? '')),
  })
  return server.app.inject({
    method,
    url: method === 'GET' ? `${filled}${filled.includes('?') ? '&' : '?'}${query}` : filled,
    headers: token === '' ? {} : { authorization: `Bearer ${token}` },
    ...(method === 'POST' && { payload: isOfTarget(url) ? {} : { event: here } }),
  })
}
/** Its path names a registration or a review: of another event, there is none with this number. */
const isOfTarget = (url: string): boolean => /\/(registrations\/:reg_no|reviews\/:id)\b/.test(url)

/** What the table says a person hears: `in` is whatever the call itself answers. */
function expected(row: Row, url: string, { role, works }: Asker): 'in' | 401 | 403 | 404 {
  if (row === 'public' || row === 'anybody') return 'in'
  if (role === null) return 401
  if (row === 'signed in') return 'in'
  const [least, , of] = row.split(' ')
  const isEnough = ROLES.indexOf(role) >= ROLES.findIndex((one) => one === least)
  const isTheirs = of === 'all' ? works === 'everywhere' : works !== 'elsewhere'
  if (isEnough && !isTheirs && isOfTarget(url)) return 404
  return isEnough && isTheirs ? 'in' : 403
}

/** What differs from the table, in words. */
async function wrongWith(row: Row, method: 'GET' | 'POST', url: string): Promise<string[]> {
  const wrong: string[] = []
  for (const asker of askers) {
    // Signing in and out is its own test; here it would end the sessions that ask.
    if (row === 'anybody' && asker.role !== null) continue
    const { statusCode, body } = await ask(asker, method, url)
    const isNone = statusCode === 404 && /no such review|in your events/.test(body)
    const is = statusCode === 401 || statusCode === 403 || isNone ? statusCode : 'in'
    const due = expected(row, url, asker)
    // A login without a password is refused as such, a foreign page as such: neither is about who asks.
    if (is !== due && !(row === 'anybody' && /foreign_origin/.test(body)))
      wrong.push(
        `${method} ${url}: ${asker.name} heard ${statusCode}, not ${due}: ${body.slice(0, 160)}`,
      )
    if (statusCode >= 500) wrong.push(`${method} ${url}: ${asker.name} heard ${statusCode}`)
  }
  return wrong
}

/** A rule as text; what finds the event is told by its source. */
const ruleText = (rule: unknown): string =>
  JSON.stringify(rule, (_, value: unknown) => (typeof value === 'function' ? String(value) : value))

const methodsAsked = ['GET', 'POST'] as const

describe('the authorization matrix', () => {
  test('every route of the app has a row, and every row a route', () => {
    const routes = new Set(
      server.app.fixedRoutes
        .filter(({ method }) => method !== 'HEAD')
        .map(({ method, url }) => named(method, url)),
    )
    expect([...routes].filter((route) => TABLE[route] === undefined)).toEqual([])
    expect(Object.keys(TABLE).filter((route) => !routes.has(route))).toEqual([])
  })

  test('every route below /admin declares who may call it, under each of its spellings alike', () => {
    const office = server.app.fixedRoutes.filter(({ url }) => /^(\/api)?\/admin\//.test(url))
    expect(office.filter((route) => route.office === null)).toEqual([])
    for (const [route, spelt] of Map.groupBy(office, ({ method, url }) =>
      named(method === 'HEAD' ? 'GET' : method, url),
    ))
      expect(new Set(spelt.map((one) => ruleText(one.office))).size, route).toBe(1)
    // Nothing outside of it does: a rule that is held nowhere would be no rule.
    expect(
      server.app.fixedRoutes.filter(
        ({ url, office: rule }) => rule !== null && !/^(\/api)?\/admin\//.test(url),
      ),
    ).toEqual([])
  })

  test('every role, no session and an ended session get the status in the table', async () => {
    const wrong: string[] = []
    for (const [route, row] of Object.entries(TABLE)) {
      const [method, url = ''] = route.split(' ')
      for (const asked of methodsAsked)
        if (asked === method) wrong.push(...(await wrongWith(row, asked, url)))
    }
    expect(wrong).toEqual([])
  })

  test('lists and exports named by event files require a user of the event, other calls are public', async () => {
    const lists = new Set(
      server.deps.events
        .all()
        .flatMap(({ config }) => config.admin.lists)
        .flatMap((list) => [...expandRoots(list.api), ...expandRoots(list.export.api)]),
    )
    const calls = server.app.eventCalls.all()
    expect(
      calls
        .filter(({ path, office }) => lists.has(path.replace(/\/$/, '')) !== (office !== undefined))
        .map(({ path }) => path),
    ).toEqual([])
    const wrong: string[] = []
    const own = server.deps.events.byId(here)?.config.admin.lists ?? []
    for (const {
      api,
      export: { api: exportApi },
    } of own)
      for (const path of [api, exportApi]) wrong.push(...(await wrongWith(EVENT_LIST, 'GET', path)))
    for (const { method, path, office } of calls)
      if (office === undefined) wrong.push(...(await wrongWith('public', method, path)))
    expect(wrong).toEqual([])
    expect(own.length).toBeGreaterThan(0)
  })
})

const asker = (name: string): Asker => {
  const found = askers.find((one) => one.name === name)
  if (found === undefined) throw new Error(`nobody is called ${name}`)
  return found
}

describe('a user of one event', () => {
  test('reads which event and role a rejected call requires', async () => {
    const elsewhere = await ask(asker('owner-elsewhere'), 'GET', '/admin/codes')
    const { title } = server.deps.events.byId(here)!.config
    expect(elsewhere.json()).toMatchObject({
      status: 'error',
      code: 'not_your_event',
      message: expect.stringMatching(/^Your account is not for this event. It is for .+\.$/),
    })
    expect(elsewhere.body).not.toContain(title)
    const desk = await ask(asker('desk-here'), 'POST', '/admin/registrations/:reg_no/refund')
    expect(desk.json()).toMatchObject({
      code: 'role_may_not',
      message: 'You need the treasurer role or a higher one for this. You have desk.',
    })
  })

  test.each<[string, (answer: never) => readonly string[]]>([
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
  ])('sees nothing of another in %s', async (url, seen) => {
    const see = async (name: string): Promise<readonly string[]> => {
      const { token } = asker(name)
      const answer = await server.app.inject({
        url,
        headers: { authorization: `Bearer ${token}` },
      })
      expect(answer.statusCode, answer.body).toBe(200)
      return seen(answer.json() as never)
    }
    const all = await see('all-owner')
    const [mine, theirs] = [await see('owner-here'), await see('owner-elsewhere')]
    expect(mine.length).toBe(1)
    expect(all).toEqual(expect.arrayContaining([...mine, ...theirs]))
    expect(mine.filter((one) => theirs.includes(one))).toEqual([])
  })

  test('finds no data of another event in calls open to every user', async () => {
    const { title } = server.deps.events.byId(here)!.config
    const traces = [regNo, 'Asha Sample', `"${here}"`, `"${title}"`]
    const found = async (name: string): Promise<string[]> => {
      const seen: string[] = []
      for (const [route, row] of Object.entries(TABLE)) {
        if (row !== 'signed in' || !route.startsWith('GET ')) continue
        const { body } = await ask(
          asker(name),
          'GET',
          `${route.slice(4)}?q=Asha&search=Asha&words=Asha`,
        )
        seen.push(
          ...traces.filter((trace) => body.includes(trace)).map((trace) => `${route}: ${trace}`),
        )
      }
      return seen
    }
    expect(await found('owner-elsewhere')).toEqual([])
    // The same calls tell it to whoever may know, so that the walk looks for what is there.
    expect((await found('viewer-here')).length).toBeGreaterThan(3)
  })

  test('cannot assign money to a registration of another event', async () => {
    const other = server.deps.events.all().find(({ config }) => config.id !== here)!.config.id
    const to = await register(server, other, {
      n: 2,
      on: noon('2025-10-08'),
      answers: { full_name: 'Ravi Sample' },
    })
    const move = async (name: string) => {
      const { token } = asker(name)
      const answer = await server.app.inject({
        method: 'POST',
        url: `/admin/reviews/${review}/decide/`,
        headers: { authorization: `Bearer ${token}` },
        payload: { what: 'move', to },
      })
      return [answer.statusCode, answer.json().code]
    }
    expect(await move('treasurer-here')).toEqual([404, 'not_found'])
    // Whoever works for both hears of the decision itself, which does not fit this review.
    expect(await move('all-treasurer')).toEqual([409, 'not_allowed'])
  })

  test('cannot name an event twice or under another name to reach it', async () => {
    const elsewhere = server.deps.events.all().find(({ config }) => config.id !== here)!.config.id
    for (const url of [
      `/admin/codes/?event=${elsewhere}&event=${here}`,
      `/admin/codes/?event_id=${elsewhere}&event=${here}`,
      `/admin/codes/?event=${elsewhere}&event_id=${here}`,
      `/admin/sold/?event_id=${here}&event_id=${elsewhere}&list_id=${here}`,
    ]) {
      const { token } = asker('owner-elsewhere')
      const { statusCode } = await server.app.inject({
        url,
        headers: { authorization: `Bearer ${token}` },
      })
      expect(statusCode, url).toBe(403)
    }
  })
})

test('a page of another site that uses the session cookie changes nothing', async () => {
  const { token } = asker('all-owner')
  const before = server.countRows()
  const posts = Object.entries(TABLE).filter(
    ([route, row]) => route.startsWith('POST /admin/') && row !== 'public',
  )
  for (const [route] of posts) {
    const answer = await server.app.inject({
      method: 'POST',
      url: route
        .replace('POST ', '')
        .replace(/:reg_?no/i, regNo)
        .replace(':id', review)
        .replace(':username', 'viewer-here'),
      headers: {
        cookie: `rollcall_session=${token}`,
        origin: 'https://evil.example',
        'sec-fetch-site': 'cross-site',
      },
      payload: { event: here, username: 'all-owner', password: PASSWORD, token: 'x' },
    })
    expect([answer.statusCode, answer.json().code], route).toEqual([403, 'foreign_origin'])
  }
  expect(posts.length).toBeGreaterThan(15)
  expect(server.countRows()).toEqual(before)
})

test('once required, treasurers and owners without a second factor can only use their own account', async () => {
  await server.deps.store.requireSecondFactor(true)
  const wrong: string[] = []
  for (const [route, row] of Object.entries(TABLE)) {
    if (row === 'public' || row === 'anybody') continue
    const [method, url = ''] = route.split(' ')
    const isOwn = /^\/admin\/(me|session)\b/.test(url)
    for (const name of ['all-owner', 'treasurer-here', 'desk-here']) {
      const answer = await ask(asker(name), method === 'GET' ? 'GET' : 'POST', url)
      const isHeld = /second_factor_needed/.test(answer.body)
      if (isHeld !== (!isOwn && name !== 'desk-here')) wrong.push(`${route} to ${name}`)
    }
  }
  await server.deps.store.requireSecondFactor(false)
  expect(wrong).toEqual([])
})
