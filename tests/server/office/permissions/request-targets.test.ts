/** Requests for another event's objects, in every spelling, are rejected by each route under its declared rule. */
import Database from 'better-sqlite3'
import { join } from 'node:path'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  INR,
  instant,
  createOrderId,
  toAmount,
  getDigitCount,
  createRegNo,
} from '../../../../engine/index.ts'
import type { Day, RegNo } from '../../../../engine/index.ts'
import type { GuardedRule, TargetKind } from '../../../../server/http/office-route-rule-types.ts'
import {
  createOfficeRoutes,
  rejectUnguardedRoutes,
} from '../../../../server/office/auth/authorization.ts'
import { describeUnguardedInput } from '../../../../server/office/auth/request-targets.ts'
import { startTestApp } from '../../harness.ts'
import type { TestApp } from '../../harness.ts'
import { hashCheaply, toNoon, PASSWORD, register } from '../office.ts'

type EventParty = {
  readonly event: string
  /** An owner of this event only. */
  readonly token: string
  readonly regNo: RegNo
  /** The order id of a second, successful attempt. */
  readonly orderId: string
  readonly review: string
  /** The id of a saved bank statement. */
  readonly statement: number
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

const STATEMENT_DAY = '2025-10-09' as Day

let server: TestApp
let ownParty: EventParty
let otherParty: EventParty
/** Numbers that have the other event's format but do not exist. */
let unknownParty: EventParty
let routes: readonly Route[]

beforeAll(async () => {
  server = await startTestApp()
  const [ownEventId, otherEventId] = server.deps.events.all().map(({ config }) => config.id)
  ownParty = await createParty(ownEventId ?? '', 100)
  otherParty = await createParty(otherEventId ?? '', 200)
  const { config } = server.deps.events.findById(otherParty.event) ?? {}
  if (config === undefined) throw new Error('the test needs two events')
  const regNo = createRegNo(
    config,
    Array.from({ length: getDigitCount(config) }, () => 4),
  )
  unknownParty = {
    ...otherParty,
    regNo,
    orderId: createOrderId(regNo, 2),
    review: 'C999999',
    statement: 999_999,
  }
  const { fixedRoutes, eventRoutes } = server.app
  routes = [
    ...fixedRoutes.map(({ method, url, office }) => ({ method, url, rule: office })),
    ...eventRoutes
      .all()
      .map(({ method, path, office }) => ({ method, url: path, rule: office ?? null })),
  ].flatMap(({ method, url, rule }) =>
    rule === null || rule === 'unauthenticated'
      ? []
      : [{ method: method as Route['method'], url, rule }],
  )
})
afterAll(() => server.close())

async function createParty(event: string, n: number): Promise<EventParty> {
  const { store } = server.deps
  const { config } = server.deps.events.findById(event) ?? {}
  if (config === undefined) throw new Error('the test needs two events')
  const choice = config.categoryChoice.by === 'field' ? config.categoryChoice.field : ''
  const answers = {
    full_name: `Delegate of ${event}`,
    email: `${event}@example.org`,
    [choice]: config.categories[0]?.id ?? '',
  }
  const details = { on: toNoon('2025-10-08'), answers }
  await register(server, event, { ...details, n, pays: 'wrong-amount' })
  const regNo = await register(server, event, { ...details, n: n + 1, pays: 'failed' })
  const orderId = createOrderId(regNo, 2)
  const retryResult = await store.retry(regNo, instant(details.on + 120_000))
  if (!retryResult.ok) throw new Error(JSON.stringify(retryResult.error))
  const { total } = (await store.registration(regNo)) ?? {}
  const confirmedEvent = {
    type: 'confirmed',
    reference: `REF${n}`,
    amount: total ?? toAmount(0),
    currency: '356',
    kind: 'sale',
    at: instant(details.on + 180_000),
  } as const
  await store.applyPaymentEvent(orderId, confirmedEvent, null)
  const [review] = await store.reviews(event)
  const statement = await store.saveBankStatement({
    sha256: event,
    currency: INR,
    events: [event],
    bank: '',
    firstDay: STATEMENT_DAY,
    lastDay: STATEMENT_DAY,
    details: [],
    unread: [],
    repeated: [],
    rows: [
      {
        line: 2,
        day: STATEMENT_DAY,
        narration: `NEFT of ${event}`,
        reference: '',
        amount: toAmount(1_000),
        isWithdrawal: false,
      },
    ],
    who: 'a treasurer',
    at: server.now(),
  })
  await store.addAdmin(`owner of ${event}`, await hashCheaply(PASSWORD), server.now(), {
    role: 'owner',
    events: [event],
  })
  const payload = { username: `owner of ${event}`, password: PASSWORD }
  const signInResponse = await server.app.inject({ method: 'POST', url: '/admin/login/', payload })
  return {
    event,
    token: signInResponse.json<{ token: string }>().token,
    regNo,
    orderId,
    review: review?.id ?? '',
    statement,
  }
}

/** Inserts separators between groups of four digits, as on printed pages. */
const insertSeparators = (number: string, separator: string): string =>
  number.replaceAll(/.{4}(?=.)/g, `$&${separator}`)
const listSpellings = ({ regNo, orderId }: EventParty): readonly string[] =>
  [regNo, orderId].flatMap((number) => [
    number,
    number.toLowerCase(),
    insertSeparators(number, ' '),
    insertSeparators(number.toLowerCase(), ' '),
    insertSeparators(number, '-'),
    ` ${number} `,
  ])
/** Returns values of a wrong type that contain the text. */
const wrapValue = (text: string): readonly unknown[] => [
  [text],
  [[text]],
  { 0: text },
  { id: text },
  { toString: text },
]

/** Lists every way to specify the other event, in the query and in the body. */
function listRequestsNamingEvent(options?: object): readonly Request[] {
  const [ownEvent, otherEvent] = [ownParty.event, otherParty.event]
  const queries = [
    `event=${otherEvent}`,
    `event_id=${otherEvent}`,
    `?event=${otherEvent}`,
    `%3Fevent=${otherEvent}`,
    `%65vent=${otherEvent}`,
    `event=+${otherEvent}`,
    `+event=${otherEvent}`,
    `Event=${otherEvent}`,
    `event[]=${otherEvent}`,
    `event[]=${otherEvent}&event=${ownEvent}`,
    `event=${ownEvent}&event=${otherEvent}`,
    `event=${otherEvent}&event=${ownEvent}`,
    `event=${ownEvent}&event_id=${otherEvent}`,
    `event_id=${ownEvent}&event=${otherEvent}`,
    `event=${ownEvent}&?event=${otherEvent}`,
  ]
  const requestBodies = [
    ...[otherEvent, ...wrapValue(otherEvent)].flatMap((value) => [
      { event: value },
      { event_id: value },
    ]),
    { event: ownEvent, event_id: otherEvent },
    { event: otherEvent, event_id: ownEvent },
    { 'event[]': otherEvent, event: ownEvent },
    { '?event': otherEvent, event: ownEvent },
    { Event: otherEvent, event: ownEvent },
  ].map((body) => ({ ...options, ...body }))
  return [
    ...queries.map((query) => (options === undefined ? { query } : { query, body: options })),
    ...requestBodies.map((body) => ({ body })),
    ...requestBodies.map((body) => ({ query: `event=${ownEvent}`, body })),
    { query: `event=${otherEvent}`, body: { ...options, event: ownEvent } },
    { body: `event=${ownEvent}&event=${otherEvent}` },
    { body: `event=${otherEvent}&event=${ownEvent}` },
  ]
}
const buildLine = (target: unknown) => ({
  reg_no: target,
  reference: 'UTR0000000001',
  amount: 10,
  day: '2025-10-09',
})

/** For each kind of target, requests by an event's owner that refer to another event's objects. */
const ATTACKS: Readonly<Record<TargetKind, (other: EventParty) => readonly Request[]>> = {
  own: () => listRequestsNamingEvent(),
  none: () => listRequestsNamingEvent(),
  'all events': () => [{}, ...listRequestsNamingEvent()],
  event: () => listRequestsNamingEvent(),
  events: () => listRequestsNamingEvent(),
  registration: (other) => [
    ...listSpellings(other).map((name) => ({ params: { reg_no: name } })),
    ...[other.review, ...wrapValue(other.review)].map((review) => ({
      body: { act: 'dismiss', review },
    })),
    ...listRequestsNamingEvent(),
  ],
  'stored registration': (other) => [
    ...listSpellings(other).map((name) => ({ params: { reg_no: name } })),
    ...listRequestsNamingEvent(),
  ],
  review: (other) => [
    { params: { id: other.review } },
    ...[...listSpellings(other), ...listSpellings(other).flatMap(wrapValue)].map((to) => ({
      body: { decision: 'move', to },
    })),
    ...listRequestsNamingEvent(),
  ],
  registrations: (other) => [
    ...[...listSpellings(other), ...listSpellings(other).flatMap(wrapValue)].flatMap((name) => [
      { body: { reg_nos: [name] } },
      { body: { reg_nos: [ownParty.regNo, name] } },
      { body: { event: ownParty.event, reg_nos: [name] } },
    ]),
    { body: { reg_nos: other.regNo } },
    ...listRequestsNamingEvent({ reg_nos: [ownParty.regNo] }),
  ],
  statement: (other) => [
    ...[...listSpellings(other), ...listSpellings(other).flatMap(wrapValue)].flatMap((name) => [
      { body: { event: ownParty.event, lines: [buildLine(name)] } },
      { body: { event: ownParty.event, lines: [buildLine(ownParty.regNo), buildLine(name)] } },
    ]),
    ...listRequestsNamingEvent({ lines: [] }),
  ],
  'bank statement': (other) => [
    { params: { statement: String(other.statement) } },
    ...[...listSpellings(other), ...listSpellings(other).flatMap(wrapValue)].flatMap((name) => [
      { body: { lines: [{ ...buildLine(name), line: ownParty.statement }] } },
      {
        params: { statement: String(other.statement) },
        body: { lines: [buildLine(ownParty.regNo)] },
      },
    ]),
    ...listRequestsNamingEvent({ lines: [] }),
  ],
  list: () => {
    const [ownQuery = '', otherQuery = ''] = [ownParty, otherParty].map(({ event }) =>
      new URL(getExportUrl(event), 'http://x').search.slice(1),
    )
    return [
      '',
      otherQuery,
      `?${otherQuery}`,
      `${ownQuery}&${otherQuery}`,
      `${otherQuery}&${ownQuery}`,
      otherQuery.replace('=', '[]='),
    ].map((query) => ({ query }))
  },
}
const getExportUrl = (event: string): string =>
  server.deps.events.findById(event)?.config.admin.lists[0]?.export.api ?? ''

/** Other inputs that handlers need for an accepted request to have an effect. */
const SAMPLE_INPUTS: Readonly<Record<string, unknown>> = {
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
  choices: [{ line: 1, seen: null }],
  keep: [{ reference: 'UTR0000000002', amount: 12, day: '2025-10-09', narration: 'Asha' }],
  password: PASSWORD,
}
/** Error codes of the access check. Handlers return other codes, or a wrong status. */
const ACCESS_ERRORS = new Set([
  'not_your_event',
  'not_found',
  'no_such_event',
  'bad_query',
  'bad_data',
  'bad_request',
])

const CSV = `Date,Narration,Ref,Debit,Credit\n09/10/25,NEFT Asha,UTR0000000003,,"12.00"`

function sendRequest(
  { method, url, rule }: Route,
  sender: EventParty,
  { query = '', body, params = {} }: Request,
) {
  const target: Record<string, string> = {
    reg_no: sender.regNo,
    id: sender.review,
    statement: String(sender.statement),
    ...params,
  }
  const path = url.replaceAll(/:(\w+)/g, (_, name: string) =>
    rule.params?.includes(name) === true
      ? 'nothing'
      : encodeURIComponent(target[name] ?? 'nothing'),
  )
  const [barePath = '', ownQuery = ''] = path.split('?')
  const queryString = [ownQuery, query].filter(Boolean).join('&')
  const isCsvUpload = rule.query?.includes('narration') === true && body === undefined
  const sampleInput = Object.fromEntries(
    Object.keys(rule.body ?? {}).flatMap((name) =>
      name in SAMPLE_INPUTS ? [[name, SAMPLE_INPUTS[name]]] : [],
    ),
  )
  const isFormBody = typeof body === 'string'
  return server.app.inject({
    method,
    url: queryString === '' ? barePath : `${barePath}?${queryString}`,
    headers: {
      authorization: `Bearer ${sender.token}`,
      ...(method === 'POST' && {
        'content-type': isCsvUpload
          ? 'text/csv'
          : isFormBody
            ? 'application/x-www-form-urlencoded'
            : 'application/json',
      }),
    },
    ...(method === 'POST' && {
      payload: isCsvUpload
        ? CSV
        : isFormBody
          ? body
          : JSON.stringify({ ...sampleInput, ...(body as object | undefined) }),
    }),
  })
}

/** Reads all stored data except last-seen times and the search index, which is updated later. */
function snapshotDatabase(): Readonly<Record<string, string>> {
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

/** Returns whether the route is one of this event's lists or exports. */
const isEventList = ({ event }: EventParty, { url }: Route): boolean =>
  (server.deps.events.findById(event)?.config.admin.lists ?? []).some(
    ({ api, export: { api: file } }) =>
      [api, file].some((path) => stripRoot(path) === stripRoot(url)),
  )
const isShared = ({ url }: Route): boolean => url.includes('/admin/export')
const stripRoot = (path: string): string =>
  (path.split('?')[0] ?? '').replace(/^\/api/, '').replace(/\/$/, '')

/** Requests for one of the other event's objects, as the web app sends them. */
const OWN_REQUESTS: Readonly<Record<TargetKind, () => Request | null>> = {
  own: () => null,
  none: () => null,
  'all events': () => null,
  event: () => ({ query: `event=${otherParty.event}` }),
  events: () => ({ query: `event=${otherParty.event}` }),
  registration: () => ({}),
  'stored registration': () => ({}),
  review: () => ({}),
  registrations: () => ({ body: { reg_nos: [otherParty.regNo] } }),
  statement: () => ({ body: { event: otherParty.event, lines: [buildLine(otherParty.regNo)] } }),
  'bank statement': () => ({
    params: { statement: String(otherParty.statement) },
    body: { lines: [{ ...buildLine(otherParty.regNo), line: 1 }] },
  }),
  list: () => ({ query: new URL(getExportUrl(otherParty.event), 'http://x').search.slice(1) }),
}

describe('a user with access to another event', () => {
  test('cannot access anything through any office route, however the target is spelt', async () => {
    const reachedRoutes: string[] = []
    const dataBefore = snapshotDatabase()
    let requestCount = 0
    for (const route of routes) {
      if (isEventList(ownParty, route) && !isShared(route)) continue
      // A route behaves alike under /api, with a trailing slash and for HEAD, so a sample of requests is enough.
      const isMainSpelling =
        route.method !== 'HEAD' && !route.url.startsWith('/api/') && !route.url.endsWith('/')
      for (const [index, request] of ATTACKS[route.rule.target](otherParty).entries()) {
        if (!isMainSpelling && index % 9 !== 0) continue
        if (route.method !== 'POST' && request.body !== undefined) continue
        const { statusCode, body } = await sendRequest(route, ownParty, request)
        requestCount += 1
        const code = /"code":"(\w+)"/.exec(body)?.[1] ?? ''
        if (statusCode < 400 || statusCode >= 500 || (code !== '' && !ACCESS_ERRORS.has(code)))
          reachedRoutes.push(
            `${route.method} ${route.url} ${JSON.stringify(request)}: ${statusCode} ${body.slice(0, 120)}`,
          )
      }
    }
    expect(reachedRoutes).toEqual([])
    expect(snapshotDatabase()).toEqual(dataBefore)
    expect(requestCount).toBeGreaterThan(2000)
  })

  test('cannot tell from the responses which registration numbers of the other event exist', async () => {
    const leaks: string[] = []
    let requestCount = 0
    for (const route of routes) {
      if (route.url.startsWith('/api/') || route.url.endsWith('/')) continue
      const unknownRequests = ATTACKS[route.rule.target](unknownParty)
      for (const [index, request] of ATTACKS[route.rule.target](otherParty).entries()) {
        const requestForUnknown = unknownRequests[index] ?? {}
        const isSame = JSON.stringify(request) === JSON.stringify(requestForUnknown)
        if (isSame || (route.method !== 'POST' && request.body !== undefined)) continue
        const [otherResponse, unknownResponse] = await Promise.all([
          sendRequest(route, ownParty, request),
          sendRequest(route, ownParty, requestForUnknown),
        ])
        requestCount += 1
        const responseTexts = [otherResponse, unknownResponse].map(
          ({ statusCode, body }) => `${statusCode} ${body}`,
        )
        if (responseTexts[0] !== responseTexts[1])
          leaks.push(
            `${route.method} ${route.url} ${JSON.stringify(request)}: ${responseTexts.join(' | ')}`,
          )
      }
    }
    expect(leaks).toEqual([])
    expect(requestCount).toBeGreaterThan(200)
  })

  test('gets the same message for another event’s number as for an unknown number', async () => {
    const { body, statusCode } = await server.app.inject({
      url: `/admin/registrations/${otherParty.regNo}/`,
      headers: { authorization: `Bearer ${ownParty.token}` },
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
  test('passes the access check on each of these routes, so the requests above were rejected because of the event', async () => {
    const rejectedRoutes: string[] = []
    // One URL per route is enough here: the test above sends requests to every URL.
    const distinctRoutes = new Map(
      routes
        .filter(({ method }) => method !== 'HEAD')
        .map((route) => [
          `${route.method} ${route.url.replaceAll(/^\/api(?=\/admin)|\/$/g, '')}`,
          route,
        ]),
    )
    for (const route of distinctRoutes.values()) {
      const request = OWN_REQUESTS[route.rule.target]()
      const isListOfOtherEvent =
        route.rule.target === 'list' && !isShared(route) && !isEventList(otherParty, route)
      if (request === null || isListOfOtherEvent) continue
      // In routes with filters, which event files declare, the event parameter is called `event_id`.
      const isFiltered = route.rule.filters === true && route.rule.target === 'event'
      const ownRequest = isFiltered ? { query: `event_id=${otherParty.event}` } : request
      const { statusCode, body } = await sendRequest(route, otherParty, ownRequest)
      const code = /"code":"(\w+)"/.exec(body)?.[1] ?? ''
      const isAccessError = /^(not_your_event|no_such_event|bad_query|bad_data)$/.test(code)
      if (
        isAccessError ||
        statusCode >= 500 ||
        (statusCode === 404 && /no registration|no such review/.test(body))
      )
        rejectedRoutes.push(`${route.method} ${route.url}: ${statusCode} ${body.slice(0, 120)}`)
    }
    expect(rejectedRoutes).toEqual([])
  })
})

describe('the server does not start with an office route', () => {
  const createStart = (addRoute: (app: ReturnType<typeof Fastify>) => void): (() => void) => {
    const app = Fastify()
    rejectUnguardedRoutes(app)
    return () => addRoute(app)
  }
  const addOfficeRoutes = (app: ReturnType<typeof Fastify>) => createOfficeRoutes(app, server.deps)
  const respond = async (): Promise<object> => ({})

  test('that declares no rule', () => {
    for (const url of ['/admin/new', '/api/admin/new/', '/admin/:id'])
      expect(createStart((app) => void app.get(url, respond))).toThrow('declares no rule')
  })

  test('whose handler reads the request itself', () => {
    const rule: GuardedRule = { minRole: 'viewer', target: 'event' }
    expect(
      createStart((app) => void app.get('/admin/new', { config: { office: rule } }, respond)),
    ).toThrow('reads the request itself')
  })

  test.each<[string, string, GuardedRule]>([
    ['an event', '/admin/new', { minRole: 'owner', target: 'none', query: ['event'] }],
    [
      'an event in a different letter case',
      '/admin/new',
      { minRole: 'owner', target: 'none', query: ['eventId'] },
    ],
    [
      'a registration',
      '/admin/new',
      { minRole: 'owner', target: 'event', body: { reg_no: 'text' } },
    ],
    [
      'another registration',
      '/admin/registrations/:reg_no/new',
      { minRole: 'owner', target: 'registration', body: { to_reg_no: 'text' } },
    ],
    [
      'a second event',
      '/admin/new',
      { minRole: 'owner', target: 'event', query: ['other-events'] },
    ],
    ['a payment', '/admin/new', { minRole: 'owner', target: 'none', body: { payments: 'list' } }],
    [
      'a list of registrations',
      '/admin/new',
      { minRole: 'owner', target: 'event', body: { reg_nos: 'list' } },
    ],
    ['an order', '/admin/new', { minRole: 'owner', target: 'event', query: ['order_id'] }],
    [
      'the target of a move',
      '/admin/reviews/:id/new',
      { minRole: 'owner', target: 'review', body: { to: 'text' } },
    ],
    ['a name in the path', '/admin/new/:reg_no', { minRole: 'owner', target: 'event' }],
    [
      'the declared number of the path',
      '/admin/:reg_no',
      { minRole: 'owner', target: 'stored registration', params: ['reg_no'] },
    ],
  ])('that reads %s without the access check', (_, path, rule) => {
    expect(describeUnguardedInput(path, rule)).not.toBe(null)
    expect(createStart((app) => addOfficeRoutes(app).post(path, rule, respond))).toThrow(path)
  })

  test('whose path does not contain the parameter that its rule declares', () => {
    const rule: GuardedRule = { minRole: 'owner', target: 'registration' }
    expect(createStart((app) => addOfficeRoutes(app).get('/admin/new', rule, respond))).toThrow(
      ':reg_no',
    )
  })
})
