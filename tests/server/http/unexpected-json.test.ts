/** Unexpected JSON in any route's fields causes an error for that field, never a server error. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashCheaply, toNoon, PASSWORD, register, signIn } from '../office/office.ts'
import type { Office } from '../office/office.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import type { JsonKind } from '../../../server/http/office-route-rule-types.ts'
import { findFormatError } from './error-shape.ts'
import { ALL_RUNS, chooseRuns } from '../../runs.ts'

let server: TestApp
let office: Office
let eventId: string
let regNo: string
let reviewId: string
beforeAll(async () => {
  server = await startTestApp()
  office = await signIn(server)
  eventId = server.deps.events.all()[0]?.config.id ?? ''
  const [choiceField, category] = [
    'ticket_type',
    server.deps.events.all()[0]?.config.categories[0]?.id ?? '',
  ]
  const details = {
    on: toNoon('2025-10-08'),
    answers: { full_name: 'Asha Sample', email: 'asha@example.org', [choiceField]: category },
  }
  regNo = await register(server, eventId, { ...details, n: 1, pays: 'success' })
  await register(server, eventId, { ...details, n: 2, pays: 'wrong-amount' })
  reviewId = (await server.deps.store.reviews(eventId))[0]?.id ?? ''
  await server.deps.store.addAdmin('Colleague', await hashCheaply(PASSWORD), server.now())
})
afterAll(() => server.close())

type PostRoute = {
  readonly url: string
  readonly names: readonly string[]
  /** The expected types by field name, if the route declares them. */
  readonly kinds: Readonly<Record<string, JsonKind>>
  /** Body fields that refer to existing objects. */
  readonly bodyTargets: object
}

/** Fields that routes outside the office API read. */
const PUBLIC_FIELDS = [
  'act',
  'answers',
  'amount',
  'category',
  'code',
  'email',
  'event',
  'field',
  'files',
  'key',
  'kind',
  'number',
  'order_id',
  'orderId',
  'password',
  'price',
  'quote',
  'reg_no',
  'roll',
  'status',
  'token',
  'total',
  'TRANSACTIONID',
  'TRANSACTIONSTATUS',
  'username',
  'value',
  'way',
  'why',
  'will_pay',
  'confirmed',
]
/** Fields from which the access check determines what a request is about. */
const TARGETS = ['event', 'event_id', 'lines', 'reg_nos', 'review', 'to']

/** Properties that JavaScript, a parser or a check for a list reads from any object. */
const BUILT_IN_PROPERTIES = ['then', 'toJSON', 'constructor', '__proto__', 'length', '0']

const listFieldIds = (): readonly string[] =>
  server.deps.events.all().flatMap(({ config }) => config.fields.map(({ id }) => id))

function listPostRoutes(): readonly PostRoute[] {
  const { fixedRoutes, eventRoutes } = server.app
  const eventFieldIds = listFieldIds()
  const allRoutes = [
    ...fixedRoutes.map(({ method, url, office: rule }) => ({ method, url, rule })),
    ...eventRoutes.all().map(({ method, path, office: rule }) => ({ method, url: path, rule })),
  ]
  return allRoutes.flatMap(({ method, url, rule }) => {
    if (method !== 'POST' || url.includes('*')) return []
    const kinds =
      rule === undefined || rule === null || rule === 'unauthenticated' ? null : (rule.body ?? {})
    const names =
      kinds === null ? [...PUBLIC_FIELDS, ...eventFieldIds] : [...Object.keys(kinds), ...TARGETS]
    const target = kinds === null || rule === 'unauthenticated' ? '' : (rule?.target ?? '')
    const targets = /^(event|events|statement|registrations)$/.test(target)
      ? { event: eventId }
      : {}
    const bodyTargets = target === 'registrations' ? { ...targets, reg_nos: [regNo] } : targets
    // The path refers to existing objects, so that the request reaches the handler.
    const path = url
      .replace(/:reg_no|\{reg_?no\}/i, regNo)
      .replace('/reviews/:id', `/reviews/${reviewId}`)
      .replace('/events/:id', `/events/${eventId}`)
      .replace(':username', 'Colleague')
      .replaceAll(/:\w+|\{\w+\}/g, 'NOBODY1')
    return [{ url: path, names: [...new Set(names)], kinds: kinds ?? {}, bodyTargets }]
  })
}

/** Valid values for the other fields, so that only one field is invalid. */
const SAMPLE_FIELDS = { act: 'note', why: 'A reason.', decision: 'dismiss', role: 'desk', ids: [] }
/** Office actions, each of which is tested with one invalid field. */
const ACTIONS = [
  'confirm',
  'came_again',
  'correct',
  'transfer',
  'cancel',
  'refund',
  'handle_refund',
  'approve',
  'refuse',
  'accept',
  'dismiss',
]

const DEPTH = 20_000
/** Unexpected values, as JSON text. */
const VALUES: readonly (readonly [what: string, text: string])[] = [
  ['an object that cannot be converted to text', '{"toString":1}'],
  ['an object that cannot be converted to any primitive value', '{"toString":null,"valueOf":null}'],
  ['a list of such objects', '[{"toString":1}]'],
  ['a list in a list', '[["a"]]'],
  ['an empty list', '[]'],
  ['an empty object', '{}'],
  ['a number', '-1.5'],
  ['an infinite number', '1e999'],
  ['true', 'true'],
  ['null', 'null'],
  ['deep nesting', `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`],
  ['a long name', `{"${'x'.repeat(50_000)}":1}`],
  ['a lone surrogate', '"\\ud800"'],
  ['a null character', '"\\u0000"'],
]

/**
 * Selects the combinations to test: for each field, the first value and a quarter of the others. `npm run thorough`
 * tests all.
 */
const isTested = (valueIndex: number, fieldIndex: number): boolean =>
  ALL_RUNS || valueIndex === 0 || (valueIndex + fieldIndex) % 4 === 0

const send = (url: string, payload: string) =>
  server.app.inject({
    method: 'POST',
    url,
    headers: { authorization: `Bearer ${office.token}`, 'content-type': 'application/json' },
    payload,
  })
/**
 * Builds a body with valid values for all fields, except for the named fields, which get `text`.
 */
const buildBody = (
  { names: fieldNames, bodyTargets: targets }: PostRoute,
  names: readonly string[],
  text: string,
): string => {
  const otherFields = Object.entries(SAMPLE_FIELDS).filter(([name]) => fieldNames.includes(name))
  return `{${[
    ...[...otherFields, ...Object.entries(targets)]
      .filter(([name]) => !names.includes(name))
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
    ...names.map((name) => `${JSON.stringify(name)}:${text}`),
  ].join(',')}}`
}
/** Lists the POST routes except those that would end the session in use. */
const listRoutesToTest = (): readonly PostRoute[] =>
  listPostRoutes().filter(({ url }) => !/logout|sessions\/end/.test(url))

/** Endpoints that respond to unexpected JSON with a status other than 422, with the reason. */
const EXCEPTIONS: readonly (readonly [url: RegExp, statuses: readonly number[], why: string])[] = [
  [
    /payment\/return|airpay-response/,
    [303],
    'The gateway sends a browser here, which expects a page.',
  ],
  [/payment\/webhook/, [400, 404], 'The gateway’s protocol: it resends a rejected message.'],
  [/^\/api\/my\/NOBODY1/, [404], 'The link in the URL belongs to no registration.'],
  [/^\/admin\/statements\/NOBODY1/, [404], 'The URL belongs to no saved statement.'],
  [/^\/api\/register/, [409], 'Specification: this event is closed for any request.'],
  [/\/admin\/set-password/, [403], "Only Rollcall's own page may send it."],
  [/^\/admin\/reconcile\/(keep\/)?$/, [415, 422], 'These accept a spreadsheet, not JSON.'],
]

const getAllowedStatuses = (path: string): readonly number[] =>
  EXCEPTIONS.find(([url]) => url.test(path))?.[1] ?? [422]

test('every field that a public endpoint reads is tested with unexpected JSON', async () => {
  const MARKER = 'a name that no handler reads'
  const readNames = new Set<string>()
  const parse = JSON.parse
  const recordReads = (body: object): object =>
    new Proxy(body, {
      get: (object, name, self) => {
        if (typeof name === 'string') readNames.add(name)
        return Reflect.get(object, name, self) as unknown
      },
      getOwnPropertyDescriptor: (object, name) => {
        if (typeof name === 'string') readNames.add(name)
        return Reflect.getOwnPropertyDescriptor(object, name)
      },
    })
  JSON.parse = ((text: string, reviver?: Parameters<typeof parse>[1]) => {
    const body = parse(text, reviver) as object
    return text.includes(MARKER) ? recordReads(body) : body
  }) as typeof parse
  try {
    for (const route of listRoutesToTest().filter(({ kinds }) => Object.keys(kinds).length === 0))
      for (const value of ['null', '"1"', '{"toString":1}'])
        await send(route.url, buildBody(route, [...PUBLIC_FIELDS, MARKER], value))
  } finally {
    JSON.parse = parse
  }
  const testedNames = new Set([
    MARKER,
    ...PUBLIC_FIELDS,
    ...TARGETS,
    ...listFieldIds(),
    ...BUILT_IN_PROPERTIES,
  ])
  expect([...readNames].filter((name) => !testedNames.has(name))).toEqual([])
  expect(PUBLIC_FIELDS.filter((name) => readNames.has(name)).length).toBeGreaterThan(10)
})

test('an endpoint outside the office returns 422 for an object instead of text, except for the listed endpoints', async () => {
  const publicRoutes = listRoutesToTest().filter(
    ({ kinds, url }) =>
      Object.keys(kinds).length === 0 && !/^(\/api)?\/admin\/(?!login|set-password)/.test(url),
  )
  const failures: string[] = []
  for (const route of publicRoutes)
    for (const text of ['{"toString":1}', '[["a"]]', '[{"toString":1}]']) {
      const { statusCode } = await send(route.url, buildBody(route, route.names, text))
      if (!getAllowedStatuses(route.url).includes(statusCode))
        failures.push(`${route.url} with ${text}: ${statusCode}`)
    }
  expect(failures).toEqual([])
  // Each exception belongs to an existing endpoint.
  for (const [url] of EXCEPTIONS)
    expect(listRoutesToTest().some((route) => url.test(route.url))).toBe(true)
  expect(publicRoutes.length).toBeGreaterThan(15)
})

test('an object instead of text never causes a server error', async () => {
  const failures: string[] = []
  let requestCount = 0
  const routes = listRoutesToTest()
  const urls = new Set(routes.map(({ url }) => url))
  // An office route behaves in the same way under /api, as does every route without its trailing slash.
  const distinctRoutes = routes.filter(
    ({ url }) => !url.startsWith('/api/admin') && !urls.has(`${url}/`),
  )
  for (const [routeIndex, route] of distinctRoutes.entries()) {
    const { url, names, kinds } = route
    const hasActions = url.includes('/acts')
    // No other route reads `lines` or `keep`.
    const hasLines = /statement|reconcile/.test(url)
    for (const [index, [description, text]] of VALUES.entries()) {
      const isLarge = text.length > 1_000
      const testedNames = names.slice(0, isLarge ? 3 : undefined)
      const bodies = [
        text,
        ...(isLarge ? [] : [buildBody(route, names, text)]),
        ...testedNames
          .filter((_, fieldIndex) => isTested(index, routeIndex + fieldIndex))
          .map((name) => buildBody(route, [name], text)),
        ...(hasLines
          ? [
              `{"event":"${eventId}","lines":[${text}],"keep":[${text}]}`,
              `{"event":"${eventId}","lines":[{"reg_no":"${regNo}","reference":${text},"amount":${text},"day":${text}}]}`,
              `{"event":"${eventId}","keep":[{"reference":"UTR1","amount":1,"day":"2025-10-01","narration":${text}}]}`,
            ]
          : []),
        ...(hasActions
          ? ACTIONS.flatMap((action) =>
              [
                `"answers":{"full_name":${text}}`,
                `"answers":${text}`,
                `"amount":${text}`,
                `"way":${text}`,
              ].map((field) => `{"act":"${action}","why":"A reason.",${field}}`),
            )
          : []),
      ]
      for (const body of bodies) {
        const response = await send(url, body)
        requestCount += 1
        const problem = findFormatError(response, 'POST', false)
        if (problem !== null)
          failures.push(`${url} with ${description}, ${body.slice(0, 90)}: ${problem}`)
      }
    }
    // A declared field with the wrong type is rejected.
    for (const [name, kind] of Object.entries(kinds)) {
      if (kind !== 'text') continue
      const { statusCode } = await send(url, buildBody(route, [name], '{"toString":1}'))
      const isExpectedStatus = getAllowedStatuses(url).includes(statusCode)
      if (!isExpectedStatus) failures.push(`${url} with ${name} as an object: ${statusCode}`)
    }
  }
  expect(failures).toEqual([])
  expect(requestCount).toBeGreaterThan(chooseRuns(5_000, 1_700))
})
