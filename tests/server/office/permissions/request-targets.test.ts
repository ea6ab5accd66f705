/**
 * Requests that name objects of another event, in every spelling: made for each route that the server lists, from the
 * rule that the route declares, so that a new route is attacked without a line here.
 */
import Database from 'better-sqlite3'
import { join } from 'node:path'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  instant,
  createOrderId,
  paise,
  randomDigits,
  createRegNo,
} from '../../../../engine/index.ts'
import type { RegNo } from '../../../../engine/index.ts'
import type { GuardedRule, TargetKind } from '../../../../server/http/office-route-permissions.ts'
import {
  officeRoutes,
  rejectUnguardedRoutes,
} from '../../../../server/office/auth/authorization.ts'
import { uncoveredInput } from '../../../../server/office/auth/request-targets.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { cheapHash, noon, PASSWORD, register } from '../office.ts'

type Party = {
  readonly event: string
  /** Of an owner of this event alone. */
  readonly token: string
  readonly regNo: RegNo
  /** Of a second attempt, which succeeded. */
  readonly orderId: string
  readonly review: string
}
type Route = {
  readonly method: 'GET' | 'POST' | 'HEAD'
  readonly url: string
  readonly rule: GuardedRule
}
type Request = {
  readonly query?: string
  readonly body?: unknown
  readonly params?: Readonly<Record<string, string>>
}

let server: TestApp
let mine: Party
let theirs: Party
/** Of the same event, with numbers in the same form, and there is none of it. */
let invented: Party
let routes: readonly Route[]

beforeAll(async () => {
  server = await startTestApp()
  const [first, second] = server.deps.events.all().map(({ config }) => config.id)
  mine = await party(first ?? '', 100)
  theirs = await party(second ?? '', 200)
  const { config } = server.deps.events.byId(theirs.event) ?? {}
  if (config === undefined) throw new Error('two events are needed')
  const regNo = createRegNo(
    config,
    Array.from({ length: randomDigits(config) }, () => 4),
  )
  invented = { ...theirs, regNo, orderId: createOrderId(regNo, 2), review: 'C999999' }
  const { fixedRoutes, eventCalls } = server.app
  routes = [
    ...fixedRoutes.map(({ method, url, office }) => ({ method, url, rule: office })),
    ...eventCalls
      .all()
      .map(({ method, path, office }) => ({ method, url: path, rule: office ?? null })),
  ].flatMap(({ method, url, rule }) =>
    rule === null || rule === 'anybody' ? [] : [{ method: method as Route['method'], url, rule }],
  )
})
afterAll(() => server.close())

async function party(event: string, n: number): Promise<Party> {
  const { store } = server.deps
  const { config } = server.deps.events.byId(event) ?? {}
  if (config === undefined) throw new Error('two events are needed')
  const choice = config.categoryChoice.by === 'field' ? config.categoryChoice.field : ''
  const answers = {
    full_name: `Delegate of ${event}`,
    email: `${event}@example.org`,
    [choice]: config.categories[0]?.id ?? '',
  }
  const made = { on: noon('2025-10-08'), answers }
  await register(server, event, { ...made, n, pays: 'wrong-amount' })
  const regNo = await register(server, event, { ...made, n: n + 1, pays: 'failed' })
  const orderId = createOrderId(regNo, 2)
  const again = await store.retry(regNo, instant(made.on + 120_000))
  if (!again.ok) throw new Error(JSON.stringify(again.error))
  const { total } = (await store.registration(regNo)) ?? {}
  const fact = {
    type: 'confirmed',
    reference: `REF${n}`,
    amount: total ?? paise(0),
    currency: '356',
    kind: 'sale',
    at: instant(made.on + 180_000),
  } as const
  await store.applyPaymentEvent(orderId, fact, null)
  const [review] = await store.reviews(event)
  await store.addAdmin(`owner of ${event}`, await cheapHash(PASSWORD), server.now(), {
    role: 'owner',
    events: [event],
  })
  const payload = { username: `owner of ${event}`, password: PASSWORD }
  const signedIn = await server.app.inject({ method: 'POST', url: '/admin/login/', payload })
  return {
    event,
    token: signedIn.json<{ token: string }>().token,
    regNo,
    orderId,
    review: review?.id ?? '',
  }
}

/** Digits in groups of four, as pages print a number. */
const grouped = (number: string, sign: string): string =>
  number.replaceAll(/.{4}(?=.)/g, `$&${sign}`)
const spellings = ({ regNo, orderId }: Party): readonly string[] =>
  [regNo, orderId].flatMap((number) => [
    number,
    number.toLowerCase(),
    grouped(number, ' '),
    grouped(number.toLowerCase(), ' '),
    grouped(number, '-'),
    ` ${number} `,
  ])
/** Something that is no text, made of it. */
const wrapped = (text: string): readonly unknown[] => [
  [text],
  [[text]],
  { 0: text },
  { id: text },
  { toString: text },
]

/** Every way to name their event, in the query and in the body. */
function eventNamed(more?: object): readonly Request[] {
  const [own, other] = [mine.event, theirs.event]
  const queries = [
    `event=${other}`,
    `event_id=${other}`,
    `?event=${other}`,
    `%3Fevent=${other}`,
    `%65vent=${other}`,
    `event=+${other}`,
    `+event=${other}`,
    `Event=${other}`,
    `event[]=${other}`,
    `event[]=${other}&event=${own}`,
    `event=${own}&event=${other}`,
    `event=${other}&event=${own}`,
    `event=${own}&event_id=${other}`,
    `event_id=${own}&event=${other}`,
    `event=${own}&?event=${other}`,
  ]
  const bodies = [
    ...[other, ...wrapped(other)].flatMap((value) => [{ event: value }, { event_id: value }]),
    { event: own, event_id: other },
    { event: other, event_id: own },
    { 'event[]': other, event: own },
    { '?event': other, event: own },
    { Event: other, event: own },
  ].map((body) => ({ ...more, ...body }))
  return [
    ...queries.map((query) => (more === undefined ? { query } : { query, body: more })),
    ...bodies.map((body) => ({ body })),
    ...bodies.map((body) => ({ query: `event=${own}`, body })),
    { query: `event=${other}`, body: { ...more, event: own } },
    { body: `event=${own}&event=${other}` },
    { body: `event=${other}&event=${own}` },
  ]
}
const line = (named: unknown) => ({
  reg_no: named,
  reference: 'UTR0000000001',
  amount: 10,
  day: '2025-10-09',
})

/** For each kind of target, requests of my owner that name something of another party. */
const ATTACKS: Readonly<Record<TargetKind, (other: Party) => readonly Request[]>> = {
  own: () => eventNamed(),
  any: () => eventNamed(),
  every: () => [{}, ...eventNamed()],
  event: () => eventNamed(),
  events: () => eventNamed(),
  registration: (other) => [
    ...spellings(other).map((name) => ({ params: { reg_no: name } })),
    ...[other.review, ...wrapped(other.review)].map((review) => ({
      body: { act: 'dismiss', review },
    })),
    ...eventNamed(),
  ],
  'stored registration': (other) => [
    ...spellings(other).map((name) => ({ params: { reg_no: name } })),
    ...eventNamed(),
  ],
  payment: (other) => [
    ...spellings(other).map((name) => ({ params: { reg_no: name } })),
    ...eventNamed(),
  ],
  review: (other) => [
    { params: { id: other.review } },
    ...[...spellings(other), ...spellings(other).flatMap(wrapped)].map((to) => ({
      body: { decision: 'move', to },
    })),
    ...eventNamed(),
  ],
  registrations: (other) => [
    ...[...spellings(other), ...spellings(other).flatMap(wrapped)].flatMap((name) => [
      { body: { reg_nos: [name] } },
      { body: { reg_nos: [mine.regNo, name] } },
      { body: { event: mine.event, reg_nos: [name] } },
    ]),
    { body: { reg_nos: other.regNo } },
    ...eventNamed({ reg_nos: [mine.regNo] }),
  ],
  statement: (other) => [
    ...[...spellings(other), ...spellings(other).flatMap(wrapped)].flatMap((name) => [
      { body: { event: mine.event, lines: [line(name)] } },
      { body: { event: mine.event, lines: [line(mine.regNo), line(name)] } },
    ]),
    ...eventNamed({ lines: [] }),
  ],
  list: () => {
    const [own = '', other = ''] = [mine, theirs].map(({ event }) =>
      new URL(exportOf(event), 'http://x').search.slice(1),
    )
    return [
      '',
      other,
      `?${other}`,
      `${own}&${other}`,
      `${other}&${own}`,
      other.replace('=', '[]='),
    ].map((query) => ({ query }))
  },
}
const exportOf = (event: string): string =>
  server.deps.events.byId(event)?.config.admin.lists[0]?.export.api ?? ''

/** What handlers ask for besides the target, so that a request that gets through does something. */
const FILLER: Readonly<Record<string, unknown>> = {
  act: 'note',
  why: 'A reason.',
  key: 'key-of-one-click',
  decision: 'dismiss',
  code: 'CHOSEN-CODE',
  kind: 'coupon',
  list: 'nothing',
  columns: [],
  views: [],
  all: true,
  keep: [{ reference: 'UTR0000000002', amount: 12, day: '2025-10-09', narration: 'Somebody' }],
  password: PASSWORD,
}
/** The answers of the guard. What a handler answers has other codes, or the wrong status. */
const REFUSED = new Set([
  'not_your_event',
  'not_found',
  'no_such_event',
  'bad_query',
  'bad_data',
  'bad_request',
])

const CSV = `Date,Narration,Ref,Debit,Credit\n09/10/25,NEFT somebody,UTR0000000003,,"12.00"`

function ask({ method, url, rule }: Route, by: Party, { query = '', body, params = {} }: Request) {
  const named: Record<string, string> = { reg_no: by.regNo, id: by.review, ...params }
  const path = url.replaceAll(/:(\w+)/g, (_, name: string) =>
    rule.params?.includes(name) === true ? 'nothing' : encodeURIComponent(named[name] ?? 'nothing'),
  )
  const [bare = '', own = ''] = path.split('?')
  const all = [own, query].filter(Boolean).join('&')
  const isSheet = rule.query?.includes('narration') === true && body === undefined
  const filler = Object.fromEntries(
    Object.keys(rule.body ?? {}).flatMap((name) => (name in FILLER ? [[name, FILLER[name]]] : [])),
  )
  const isForm = typeof body === 'string'
  return server.app.inject({
    method,
    url: all === '' ? bare : `${bare}?${all}`,
    headers: {
      authorization: `Bearer ${by.token}`,
      ...(method === 'POST' && {
        'content-type': isSheet
          ? 'text/csv'
          : isForm
            ? 'application/x-www-form-urlencoded'
            : 'application/json',
      }),
    },
    ...(method === 'POST' && {
      payload: isSheet
        ? CSV
        : isForm
          ? body
          : JSON.stringify({ ...filler, ...(body as object | undefined) }),
    }),
  })
}

/** Everything that is stored, but when a session was last seen, and the index of the search, which follows later. */
function stored(): Readonly<Record<string, string>> {
  const db = new Database(join(server.dir, 'rollcall.db'), { readonly: true })
  try {
    const tables = db
      .prepare<[], { name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('sessions', 'pings') AND name NOT LIKE 'search%'",
      )
      .all()
    return Object.fromEntries(
      tables.map(({ name }) => [name, JSON.stringify(db.prepare(`SELECT * FROM "${name}"`).all())]),
    )
  } finally {
    db.close()
  }
}

/** Whether a path is that of a list of this event: such a path names its event itself. */
const isListOf = ({ event }: Party, { url }: Route): boolean =>
  (server.deps.events.byId(event)?.config.admin.lists ?? []).some(
    ({ api, export: { api: file } }) =>
      [api, file].some((path) => withoutRoot(path) === withoutRoot(url)),
  )
const isShared = ({ url }: Route): boolean => url.includes('/admin/export')
const withoutRoot = (path: string): string =>
  (path.split('?')[0] ?? '').replace(/^\/api/, '').replace(/\/$/, '')

/** Paths that name an object of theirs, in the way that the web app does. */
const NAMED: Readonly<Record<TargetKind, () => Request | null>> = {
  own: () => null,
  any: () => null,
  every: () => null,
  event: () => ({ query: `event=${theirs.event}` }),
  events: () => ({ query: `event=${theirs.event}` }),
  registration: () => ({}),
  'stored registration': () => ({}),
  payment: () => ({}),
  review: () => ({}),
  registrations: () => ({ body: { reg_nos: [theirs.regNo] } }),
  statement: () => ({ body: { event: theirs.event, lines: [line(theirs.regNo)] } }),
  list: () => ({ query: new URL(exportOf(theirs.event), 'http://x').search.slice(1) }),
}

describe('a user of another event', () => {
  test('reaches nothing by any spelling of what they name, at any route of the office', async () => {
    const reached: string[] = []
    const before = stored()
    let asked = 0
    for (const route of routes) {
      if (isListOf(mine, route) && !isShared(route)) continue
      // Under /api, with the slash and as HEAD a route is the same one: some of the requests are enough.
      const isMain =
        route.method !== 'HEAD' && !route.url.startsWith('/api/') && !route.url.endsWith('/')
      for (const [at, request] of ATTACKS[route.rule.about](theirs).entries()) {
        if (!isMain && at % 9 !== 0) continue
        if (route.method !== 'POST' && request.body !== undefined) continue
        const { statusCode, body } = await ask(route, mine, request)
        asked += 1
        const code = /"code":"(\w+)"/.exec(body)?.[1] ?? ''
        if (statusCode < 400 || statusCode >= 500 || (code !== '' && !REFUSED.has(code)))
          reached.push(
            `${route.method} ${route.url} ${JSON.stringify(request)}: ${statusCode} ${body.slice(0, 120)}`,
          )
      }
    }
    expect(reached).toEqual([])
    expect(stored()).toEqual(before)
    expect(asked).toBeGreaterThan(2000)
  })

  test('could tell from the answers which numbers of that event exist', async () => {
    const told: string[] = []
    let asked = 0
    for (const route of routes) {
      if (route.url.startsWith('/api/') || route.url.endsWith('/')) continue
      const made = ATTACKS[route.rule.about](invented)
      for (const [at, request] of ATTACKS[route.rule.about](theirs).entries()) {
        const madeUp = made[at] ?? {}
        const isSame = JSON.stringify(request) === JSON.stringify(madeUp)
        if (isSame || (route.method !== 'POST' && request.body !== undefined)) continue
        const [of, ofMadeUp] = await Promise.all([
          ask(route, mine, request),
          ask(route, mine, madeUp),
        ])
        asked += 1
        const answers = [of, ofMadeUp].map(({ statusCode, body }) => `${statusCode} ${body}`)
        if (answers[0] !== answers[1])
          told.push(
            `${route.method} ${route.url} ${JSON.stringify(request)}: ${answers.join(' | ')}`,
          )
      }
    }
    expect(told).toEqual([])
    expect(asked).toBeGreaterThan(200)
  })

  test('learns that a number belongs to none of their events', async () => {
    const { body, statusCode } = await server.app.inject({
      url: `/admin/registrations/${theirs.regNo}/`,
      headers: { authorization: `Bearer ${mine.token}` },
    })
    expect([statusCode, JSON.parse(body)]).toEqual([
      404,
      {
        status: 'error',
        code: 'not_found',
        message: 'No registration in your events has this number.',
      },
    ])
  })
})

describe('a user of the event', () => {
  test('passes the access check at each of these routes, so that the requests above were rejected because of the event', async () => {
    const refused: string[] = []
    for (const route of routes) {
      const request = NAMED[route.rule.about]()
      const isElsewhere =
        route.rule.about === 'list' && !isShared(route) && !isListOf(theirs, route)
      if (request === null || isElsewhere) continue
      // Beside filters, which an event file names, the event has one name only.
      const isFiltered = route.rule.filters === true && route.rule.about === 'event'
      const asked = isFiltered ? { query: `event_id=${theirs.event}` } : request
      const { statusCode, body } = await ask(route, theirs, asked)
      const code = /"code":"(\w+)"/.exec(body)?.[1] ?? ''
      const isGuards = /^(not_your_event|no_such_event|bad_query|bad_data)$/.test(code)
      if (
        isGuards ||
        statusCode >= 500 ||
        (statusCode === 404 && /no registration|no such review/.test(body))
      )
        refused.push(`${route.method} ${route.url}: ${statusCode} ${body.slice(0, 120)}`)
    }
    expect(refused).toEqual([])
  })
})

describe('the server does not start with a route of the office', () => {
  const start = (add: (app: ReturnType<typeof Fastify>) => void): (() => void) => {
    const app = Fastify()
    rejectUnguardedRoutes(app)
    return () => add(app)
  }
  const office = (app: ReturnType<typeof Fastify>) => officeRoutes(app, server.deps)
  const answer = async (): Promise<object> => ({})

  test('that declares no rule', () => {
    for (const url of ['/admin/new', '/api/admin/new/', '/admin/:id'])
      expect(start((app) => void app.get(url, answer))).toThrow('declares no rule')
  })

  test('whose handler receives the request', () => {
    const rule: GuardedRule = { least: 'viewer', about: 'event' }
    expect(
      start((app) => void app.get('/admin/new', { config: { office: rule } }, answer)),
    ).toThrow('reads the request itself')
  })

  test.each<[string, string, GuardedRule]>([
    ['an event', '/admin/new', { least: 'owner', about: 'any', query: ['event'] }],
    [
      'an event in other letters',
      '/admin/new',
      { least: 'owner', about: 'any', query: ['eventId'] },
    ],
    ['a registration', '/admin/new', { least: 'owner', about: 'event', body: { reg_no: 'text' } }],
    [
      'another registration',
      '/admin/registrations/:reg_no/new',
      { least: 'owner', about: 'registration', body: { to_reg_no: 'text' } },
    ],
    ['a second event', '/admin/new', { least: 'owner', about: 'event', query: ['other-events'] }],
    ['a payment', '/admin/new', { least: 'owner', about: 'any', body: { payments: 'list' } }],
    ['a list of them', '/admin/new', { least: 'owner', about: 'event', body: { reg_nos: 'list' } }],
    ['an order', '/admin/new', { least: 'owner', about: 'event', query: ['order_id'] }],
    [
      'the target of a move',
      '/admin/reviews/:id/new',
      { least: 'owner', about: 'review', body: { to: 'text' } },
    ],
    ['a name in the path', '/admin/new/:reg_no', { least: 'owner', about: 'event' }],
    [
      'the declared number of the path',
      '/admin/:reg_no',
      { least: 'owner', about: 'payment', params: ['reg_no'] },
    ],
  ])('that reads %s past the guard', (_, path, rule) => {
    expect(uncoveredInput(path, rule)).not.toBe(null)
    expect(start((app) => office(app).post(path, rule, answer))).toThrow(path)
  })

  test('whose path lacks what its rule names', () => {
    const rule: GuardedRule = { least: 'owner', about: 'registration' }
    expect(start((app) => office(app).get('/admin/new', rule, answer))).toThrow(':reg_no')
  })
})
