/**
 * Bodies whose fields hold something else than is expected, sent to every route that the server lists: the answer
 * names the mistake of the sender and is never an error of ours.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cheapHash, noon, PASSWORD, register, signIn } from '../office/office.ts'
import type { Office } from '../office/office.ts'
import { startTestApp } from '../harness.ts'
import type { TestApp } from '../harness.ts'
import type { JsonKind } from '../../../server/http/office-route-permissions.ts'
import { wrongWith } from './error-shape.ts'
import { ALL_RUNS, runs } from '../../runs.ts'

let server: TestApp
let office: Office
let event: string
let regNo: string
let review: string
beforeAll(async () => {
  server = await startTestApp()
  office = await signIn(server)
  event = server.deps.events.all()[0]?.config.id ?? ''
  const [choice, category] = [
    'ticket_type',
    server.deps.events.all()[0]?.config.categories[0]?.id ?? '',
  ]
  const made = {
    on: noon('2025-10-08'),
    answers: { full_name: 'Asha Sample', email: 'asha@example.org', [choice]: category },
  }
  regNo = await register(server, event, { ...made, n: 1, pays: 'success' })
  await register(server, event, { ...made, n: 2, pays: 'wrong-amount' })
  review = (await server.deps.store.reviews(event))[0]?.id ?? ''
  await server.deps.store.addAdmin('Colleague', await cheapHash(PASSWORD), server.now())
})
afterAll(() => server.close())

type Posted = {
  readonly url: string
  readonly names: readonly string[]
  /** What is expected under a name, where the route declares it. */
  readonly kinds: Readonly<Record<string, JsonKind>>
  /** Names of targets that are there. */
  readonly fills: object
}

/** What routes outside the office read, by the names that they read it under. */
const OUTSIDE = [
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
/** Of the guard: the names of targets. */
const TARGETS = ['event', 'event_id', 'lines', 'reg_nos', 'review', 'to']

/** What the language, a parser and the look whether it is a list ask of any object. */
const OF_LANGUAGE = ['then', 'toJSON', 'constructor', '__proto__', 'length', '0']

const fieldIds = (): readonly string[] =>
  server.deps.events.all().flatMap(({ config }) => config.fields.map(({ id }) => id))

function posted(): readonly Posted[] {
  const { fixedRoutes, eventCalls } = server.app
  const ids = fieldIds()
  const all = [
    ...fixedRoutes.map(({ method, url, office: rule }) => ({ method, url, rule })),
    ...eventCalls.all().map(({ method, path, office: rule }) => ({ method, url: path, rule })),
  ]
  return all.flatMap(({ method, url, rule }) => {
    if (method !== 'POST' || url.includes('*')) return []
    const kinds =
      rule === undefined || rule === null || rule === 'anybody' ? null : (rule.body ?? {})
    const names = kinds === null ? [...OUTSIDE, ...ids] : [...Object.keys(kinds), ...TARGETS]
    const about = kinds === null || rule === 'anybody' ? '' : (rule?.about ?? '')
    const targets = /^(event|events|statement|registrations)$/.test(about) ? { event } : {}
    const fills = about === 'registrations' ? { ...targets, reg_nos: [regNo] } : targets
    // Objects that are there, so that handlers are reached.
    const path = url
      .replace(/:reg_no|\{reg_?no\}/i, regNo)
      .replace('/reviews/:id', `/reviews/${review}`)
      .replace('/events/:id', `/events/${event}`)
      .replace(':username', 'Colleague')
      .replaceAll(/:\w+|\{\w+\}/g, 'NOBODY1')
    return [{ url: path, names: [...new Set(names)], kinds: kinds ?? {}, fills }]
  })
}

/** What else a body says, so that one wrong field alone is what is wrong. */
const FILLER = { act: 'note', why: 'A reason.', decision: 'dismiss', role: 'desk', ids: [] }
/** Each act of the office, with one field of it wrong. */
const ACTS = [
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
/** Each as JSON text. */
const VALUES: readonly (readonly [what: string, text: string])[] = [
  ['an object that cannot be made into text', '{"toString":1}'],
  ['one that has no value either', '{"toString":null,"valueOf":null}'],
  ['a list of such objects', '[{"toString":1}]'],
  ['a list in a list', '[["a"]]'],
  ['an empty list', '[]'],
  ['an empty object', '{}'],
  ['a number', '-1.5'],
  ['a number without end', '1e999'],
  ['true', 'true'],
  ['null', 'null'],
  ['deep nesting', `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`],
  ['a long name', `{"${'x'.repeat(50_000)}":1}`],
  ['a lone surrogate', '"\\ud800"'],
  ['a null character', '"\\u0000"'],
]

/**
 * Under one name alone: the first always, of the others a quarter, another one under the next name. All at once each is sent
 * everywhere.
 */
const isTried = (value: number, place: number): boolean =>
  ALL_RUNS || value === 0 || (value + place) % 4 === 0

const send = (url: string, payload: string) =>
  server.app.inject({
    method: 'POST',
    url,
    headers: { authorization: `Bearer ${office.token}`, 'content-type': 'application/json' },
    payload,
  })
/** The filler, with one value under these names. */
const bodyOf = ({ names: all, fills }: Posted, names: readonly string[], text: string): string => {
  const filler = Object.entries(FILLER).filter(([name]) => all.includes(name))
  return `{${[
    ...[...filler, ...Object.entries(fills)]
      .filter(([name]) => !names.includes(name))
      .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
    ...names.map((name) => `${JSON.stringify(name)}:${text}`),
  ].join(',')}}`
}
/** Signing out, and a new password, end the session that asks. */
const asked = (): readonly Posted[] =>
  posted().filter(({ url }) => !/logout|sessions\/end/.test(url))

/** Calls that answer unexpected JSON with another status than 422, and why. */
const OTHERWISE: readonly (readonly [url: RegExp, statuses: readonly number[], why: string])[] = [
  [/payment\/return|airpay-response/, [303], 'The gateway sends a browser here: it sees a page.'],
  [
    /payment\/webhook/,
    [400, 404],
    'The gateway’s protocol: it sends a message again that was refused.',
  ],
  [/^\/api\/my\/NOBODY1/, [404], 'The link in the address names no registration.'],
  [/^\/api\/register/, [409], 'Specification: this event is closed, whatever is sent.'],
  [/\/admin\/set-password/, [403], 'Only our own page may ask, whatever is sent.'],
  [/^\/admin\/reconcile\/(keep\/)?$/, [415, 422], 'These take a sheet, not JSON.'],
]

const allowedFor = (path: string): readonly number[] =>
  OTHERWISE.find(([url]) => url.test(path))?.[1] ?? [422]

test('every field that a public call reads is sent unexpected JSON', async () => {
  const MARK = 'a name that nobody reads'
  const read = new Set<string>()
  const parse = JSON.parse
  const watched = (body: object): object =>
    new Proxy(body, {
      get: (of, name, self) => {
        if (typeof name === 'string') read.add(name)
        return Reflect.get(of, name, self) as unknown
      },
      getOwnPropertyDescriptor: (of, name) => {
        if (typeof name === 'string') read.add(name)
        return Reflect.getOwnPropertyDescriptor(of, name)
      },
    })
  JSON.parse = ((text: string, reviver?: Parameters<typeof parse>[1]) => {
    const body = parse(text, reviver) as object
    return text.includes(MARK) ? watched(body) : body
  }) as typeof parse
  try {
    for (const route of asked().filter(({ kinds }) => Object.keys(kinds).length === 0))
      for (const value of ['null', '"1"', '{"toString":1}'])
        await send(route.url, bodyOf(route, [...OUTSIDE, MARK], value))
  } finally {
    JSON.parse = parse
  }
  const known = new Set([MARK, ...OUTSIDE, ...TARGETS, ...fieldIds(), ...OF_LANGUAGE])
  expect([...read].filter((name) => !known.has(name))).toEqual([])
  expect(OUTSIDE.filter((name) => read.has(name)).length).toBeGreaterThan(10)
})

test('a call outside the office answered 400, 403 or 404 to an object where text is expected: 422, with the exceptions named', async () => {
  const outside = asked().filter(
    ({ kinds, url }) =>
      Object.keys(kinds).length === 0 && !/^(\/api)?\/admin\/(?!login|set-password)/.test(url),
  )
  const wrong: string[] = []
  for (const route of outside)
    for (const text of ['{"toString":1}', '[["a"]]', '[{"toString":1}]']) {
      const { statusCode } = await send(route.url, bodyOf(route, route.names, text))
      if (!allowedFor(route.url).includes(statusCode))
        wrong.push(`${route.url} with ${text}: ${statusCode}`)
    }
  expect(wrong).toEqual([])
  // Each exception is of a call that is there.
  for (const [url] of OTHERWISE) expect(asked().some((one) => url.test(one.url))).toBe(true)
  expect(outside.length).toBeGreaterThan(15)
})

test('an object in place of text caused a server error', async () => {
  const wrong: string[] = []
  let sent = 0
  for (const [turn, route] of asked().entries()) {
    const { url, names, kinds } = route
    // Under /api and with the slash an office route is the same one.
    if (/^\/api\/admin|^\/admin.*[^/]$/.test(url)) continue
    const isActs = url.includes('/acts')
    for (const [at, [what, text]] of VALUES.entries()) {
      const isLarge = text.length > 1_000
      const one = names.slice(0, isLarge ? 3 : undefined)
      const bodies = [
        text,
        ...(isLarge ? [] : [bodyOf(route, names, text)]),
        ...one
          .filter((_, place) => isTried(at, turn + place))
          .map((name) => bodyOf(route, [name], text)),
        `{"event":"${event}","lines":[${text}],"keep":[${text}]}`,
        `{"event":"${event}","lines":[{"reg_no":"${regNo}","reference":${text},"amount":${text},"day":${text}}]}`,
        `{"event":"${event}","keep":[{"reference":"UTR1","amount":1,"day":"2025-10-01","narration":${text}}]}`,
        ...(isActs
          ? ACTS.flatMap((act) =>
              [
                `"answers":{"full_name":${text}}`,
                `"answers":${text}`,
                `"amount":${text}`,
                `"way":${text}`,
              ].map((field) => `{"act":"${act}","why":"A reason.",${field}}`),
            )
          : []),
      ]
      for (const body of bodies) {
        const answer = await send(url, body)
        sent += 1
        const problem = wrongWith(answer, 'POST', false)
        if (problem !== null) wrong.push(`${url} with ${what}, ${body.slice(0, 90)}: ${problem}`)
      }
    }
    // Of a declared field it is said which one is wrong.
    for (const [name, kind] of Object.entries(kinds)) {
      if (kind !== 'text') continue
      const { statusCode } = await send(url, bodyOf(route, [name], '{"toString":1}'))
      const isNamed = allowedFor(url).includes(statusCode)
      if (!isNamed) wrong.push(`${url} with ${name} as an object: ${statusCode}`)
    }
  }
  expect(wrong).toEqual([])
  expect(sent).toBeGreaterThan(runs(5_000, 1_700))
})
