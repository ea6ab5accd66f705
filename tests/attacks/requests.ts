/** Generates random requests to every route from a seed; request n of a seed is always the same. */
import { createRandom } from '../crash/check-registrations.ts'
import { createJpg, createPdf, createPng } from '../server/sample-uploads.ts'
import {
  CODED_EVENT_ID,
  codedDelegate,
  delegate,
  buildForm,
  postgraduate,
  createProof,
} from './target.ts'
import type { Route } from './target.ts'

/** Real values of the server, some of which the requests use. */
export type ServerData = {
  readonly routes: readonly Route[]
  readonly regNos: readonly string[]
  readonly tokens: readonly string[]
  readonly eventIds: readonly string[]
  readonly codes: readonly string[]
}
export type GeneratedRequest = {
  readonly bytes: Buffer
  readonly route: Route
  readonly method: string
  /** The requested path without the query. */
  readonly path: string
  /** Whether it is valid HTTP; otherwise the server may disconnect. */
  readonly isHttp: boolean
  /** Whether the connection cannot be reused because the declared bytes are missing. */
  readonly breaksConnection: boolean
}

type Chance = {
  /** Returns true with this probability. */
  readonly isHit: (share: number) => boolean
  readonly pick: <T>(list: readonly T[]) => T
  readonly pickBelow: (n: number) => number
}
function createChance(seed: number): Chance {
  const random = createRandom(seed)
  const pickBelow = (n: number): number => Math.floor(random() * n)
  return {
    isHit: (share) => random() < share,
    pickBelow,
    pick: (list) => {
      const picked = list[pickBelow(list.length)]
      if (picked === undefined) throw new Error('the list is empty')
      return picked
    },
  }
}

/** Texts with a special meaning in paths, headers, spreadsheets, pages, databases or on a display. */
const SPECIAL_TEXTS = [
  '',
  '0',
  '-1',
  '1e9',
  '99999999999999999999',
  'NaN',
  'null',
  'true',
  '../../../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  '%00',
  '\u0000',
  '%zz',
  '%0d%0aSet-Cookie:%20a=b',
  "' OR 1=1 --",
  '"; DROP TABLE payments; --',
  '<script>alert(1)</script>',
  '=HYPERLINK("http://a","b")',
  '{{7*7}}',
  '${7*7}',
  '*',
  '"',
  '\\',
  '%',
  '_',
  '\u202e\u200b',
  '\ud83d\ude00'.repeat(40),
  'e\u0301'.repeat(200),
  'a'.repeat(5000),
  '2025-13-45',
  '9999-12-31',
  '0001-01-01',
  '2025-10-10',
  'pending',
  'constructor',
  '__proto__',
  'toString',
] as const

const QUERY_NAMES = [
  'page',
  'page_size',
  'search',
  'date_from',
  'date_to',
  'event_type',
  'payment_status',
  'ticket_type',
  'category',
  'afpi_member',
  'orderId',
  'reg_no',
  'amount',
  'date',
  'message',
  'token',
  'email',
  '__proto__',
  'a[]',
] as const
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
/** Unknown methods; the parser accepts some of them. */
const ODD_METHODS = ['TRACE', 'PROPFIND', 'PURGE', 'SEARCH', 'get', 'GETT', 'QUERY', 'CONNECT']
const HEADERS: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['accept-encoding', ['gzip', 'br', 'identity;q=0, *;q=0', 'gzip, br, zstd, nothing']],
  ['accept', ['application/json', 'text/html', '*/*;q=x', 'image/png']],
  ['range', ['bytes=0-10', 'bytes=-1', 'bytes=9-1', 'bytes=0-1,3-4,5-9', 'lines=1-2']],
  ['if-none-match', ['*', 'W/"0"', '"']],
  ['if-modified-since', ['Wed, 21 Oct 2099 07:28:00 GMT', 'yesterday']],
  ['origin', ['null', 'https://evil.example', 'http://rollcall.test', 'http://[', '']],
  ['sec-fetch-site', ['same-origin', 'cross-site', 'none', 'nonsense']],
  ['referer', ['https://evil.example/', 'x'.repeat(3000)]],
  ['idempotency-key', ['a', 'key-1', 'x'.repeat(201), '\t', '\xe4\xf6\xfc']],
  ['host', ['', 'evil.example', '127.0.0.1:1', 'a b', '[::1']],
  ['x-http-method-override', ['DELETE']],
  ['upgrade', ['websocket', 'h2c']],
  ['expect', ['100-continue', 'a miracle']],
  ['te', ['trailers']],
  ['content-encoding', ['gzip', 'br']],
  ['user-agent', ['', "() { :; }; echo 'a'", 'x'.repeat(2000)]],
  ['x-forwarded-host', ['evil.example']],
  ['x-forwarded-proto', ['https', 'javascript']],
  ['forwarded', ['for=1.2.3.4;host=evil.example']],
]
const MEDIA_TYPES = [
  'application/json',
  'application/json; charset=utf-7',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'text/plain',
  'text/xml',
  'application/octet-stream',
  'application/vnd.api+json',
  ';;',
  '',
] as const

const isRegisterRoute = ({ path }: Route): boolean => /\/register\/?$/.test(path)

/** Generates request `n` of a seed. */
export function generateRequest(serverData: ServerData, seed: number, n: number): GeneratedRequest {
  const chance = createChance(Math.imul(seed, 0x9e3779b1) ^ Math.imul(n + 1, 0x85ebca6b))
  // Public registration routes are chosen more often, because the office routes outnumber them.
  const registrationRoutes = chance.isHit(0.05) ? serverData.routes.filter(isRegisterRoute) : []
  const pickedRoute = chance.pick(
    registrationRoutes.length > 0 ? registrationRoutes : serverData.routes,
  )
  // The first requests reach each route once, however many routes there are.
  const route = serverData.routes[n] ?? pickedRoute
  const hasOddMethod = chance.isHit(0.02)
  const method = hasOddMethod
    ? chance.pick(ODD_METHODS)
    : chance.isHit(0.8)
      ? route.method
      : chance.pick(METHODS)
  const validPath = buildPath(chance, serverData, route.path)
  const path = chance.isHit(0.2) ? manglePath(chance, validPath) : validPath
  const query = chance.isHit(0.3) ? buildQuery(chance, serverData) : ''
  const hasBody = !['GET', 'HEAD'].includes(method) || chance.isHit(0.03)
  const requestBody =
    hasBody && chance.isHit(0.92) ? buildBody(chance, serverData, route.path) : null
  const headers = new Map([
    ['host', 'rollcall.test'],
    ['x-forwarded-for', pickAddress(chance)],
    ...listCredentials(chance, serverData, path),
    ...(requestBody === null ? [] : [['content-type', requestBody.type] as const]),
  ])
  for (let headersLeft = chance.pickBelow(4); headersLeft > 0; headersLeft -= 1) {
    const [name, values] = chance.pick(HEADERS)
    headers.set(name, chance.pick(values))
  }
  const requestTarget = `${path}${query}`
  const framedBody = buildFraming(chance, requestBody?.body ?? null)
  const headLines = [
    `${method} ${requestTarget} HTTP/1.1`,
    ...[...headers].map(([name, value]) => `${name}: ${value}`),
    ...framedBody.headers,
  ]
  if (chance.isHit(0.01))
    headLines.push(chance.pick(['no colon', ' folded: a', 'a\0b: c', `x: ${'y'.repeat(20_000)}`]))
  const text = headLines.join('\r\n')
  return {
    bytes: Buffer.concat([Buffer.from(`${text}\r\n\r\n`, 'latin1'), framedBody.body]),
    route,
    method,
    path,
    isHttp: framedBody.isComplete && isValidHttp(method, requestTarget, headLines),
    breaksConnection:
      !framedBody.isComplete ||
      headers.has('upgrade') ||
      !isValidHttp(method, requestTarget, headLines),
  }
}

/** Returns whether Node's parser accepts the request: no control characters, unknown methods or heads of 16 KB. */
function isValidHttp(method: string, requestTarget: string, headLines: readonly string[]): boolean {
  return (
    (METHODS as readonly string[]).includes(method) &&
    /^(\/|\*|http:\/\/)[!-~]*$/.test(requestTarget) &&
    headLines.join('\r\n').length < 16_000 &&
    headLines.slice(1).every((line) => /^[\w-]+:[\t\x20-\x7e\x80-\xff]*$/.test(line))
  )
}

function buildPath(chance: Chance, serverData: ServerData, path: string): string {
  return path
    .replaceAll(/:\w+|\{\w+\}|\*/g, (parameter) => buildSegment(chance, serverData, parameter))
    .replace(/^[^/]/, '/$&')
}

/** Fills in a path parameter, mostly with a valid value. */
function buildSegment(chance: Chance, serverData: ServerData, parameter: string): string {
  if (parameter === ':id' && chance.isHit(0.7)) return chance.pick(serverData.eventIds)
  if (parameter === ':field' && chance.isHit(0.7)) return 'pg_proof'
  if (chance.isHit(0.5)) return chance.pick(serverData.regNos)
  if (chance.isHit(0.3)) return `AFPI${String(chance.pickBelow(10 ** 9)).padStart(13, '0')}`
  return encodeURIComponent(chance.pick(SPECIAL_TEXTS).replaceAll(/[\ud800-\udfff]/g, 'x')).slice(
    0,
    4000,
  )
}

function manglePath(chance: Chance, path: string): string {
  const position = chance.pickBelow(path.length + 1)
  const insertText = (text: string): string => path.slice(0, position) + text + path.slice(position)
  switch (chance.pickBelow(12)) {
    case 0:
      return path.endsWith('/') ? path.slice(0, -1) || '/' : `${path}/`
    case 1:
      return `/${path}`
    case 2:
      return insertText('/../')
    case 3:
      return insertText('%2e%2e%2f')
    case 4:
      return insertText(chance.pick(['%00', '%', '%zz', '%ff', '%c0%af', ';a=b', '#']))
    case 5:
      return path.toUpperCase()
    case 6:
      return `${path}${'/a'.repeat(chance.pickBelow(2000))}`
    case 7:
      return insertText('\xe0\xb4\x85')
    case 8:
      return insertText(chance.pick([' ', '\t', '\x7f', '\\']))
    case 9:
      return path.slice(0, position) || '/'
    case 10:
      return `http://evil.example${path}`
    default:
      return insertText(String.fromCharCode(33 + chance.pickBelow(94)))
  }
}

function buildQuery(chance: Chance, serverData: ServerData): string {
  const pairs = Array.from({ length: 1 + chance.pickBelow(4) }, () => {
    const value = chance.isHit(0.2) ? chance.pick(serverData.regNos) : chance.pick(SPECIAL_TEXTS)
    return `${chance.pick(QUERY_NAMES)}=${chance.isHit(0.9) ? encodeURIComponent(value.replaceAll(/[\ud800-\udfff]/g, 'x')) : Buffer.from(value).toString('latin1')}`
  })
  return `?${pairs.join('&')}`
}

/** Picks a client address. Most requests have different addresses; some share so few that the rate limits apply. */
function pickAddress(chance: Chance): string {
  if (chance.isHit(0.05)) return `192.0.2.${chance.pickBelow(3)}`
  if (chance.isHit(0.05))
    return chance.pick([
      '',
      'unknown',
      '::1',
      '2001:db8::1%eth0',
      '1.2.3.4, 5.6.7.8',
      'x'.repeat(500),
    ])
  return `10.${chance.pickBelow(256)}.${chance.pickBelow(256)}.${chance.pickBelow(256)}`
}

function listCredentials(
  chance: Chance,
  serverData: ServerData,
  path: string,
): (readonly [string, string])[] {
  // Signing out would end the session for all later requests.
  const isSessionKept = !/l.{0,6}o.{0,6}g.{0,6}o.{0,6}u.{0,6}t/i.test(path)
  const token =
    isSessionKept && chance.isHit(0.7)
      ? chance.pick(serverData.tokens)
      : chance.pick(['', 'guess', 'x'.repeat(4000), "' OR 1=1 --", '%00', '\xff'])
  switch (chance.pickBelow(4)) {
    case 0:
      return [['cookie', `rollcall_session=${token}`]]
    case 1:
      return [['authorization', `${chance.pick(['Bearer ', 'bearer  ', 'Basic ', ''])}${token}`]]
    case 2:
      return [
        [
          'cookie',
          chance.pick([
            `a=b; rollcall_session=${token};;`,
            ';;;=',
            `rollcall_session=${token}; rollcall_session=x`,
          ]),
        ],
      ]
    default:
      return []
  }
}

type RequestBody = { readonly type: string; readonly body: Buffer }
function buildBody(chance: Chance, serverData: ServerData, path: string): RequestBody {
  const buildJson = (value: unknown): RequestBody => ({
    type: 'application/json',
    body: Buffer.from(JSON.stringify(value)),
  })
  const orderId = chance.isHit(0.6) ? chance.pick(serverData.regNos) : chance.pick(SPECIAL_TEXTS)
  const mutateFields = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        chance.isHit(0.1)
          ? chance.pick<unknown>([
              ...SPECIAL_TEXTS,
              null,
              0,
              [],
              {},
              [value],
              { [name]: value },
              true,
            ])
          : value,
      ]),
    )
  const gatewayMessage = {
    TRANSACTIONID: orderId,
    APTRANSACTIONID: String(chance.pickBelow(10 ** 9)),
    AMOUNT: chance.pick(['7080.00', '1.00', '-1', '1e9', 'x']),
    TRANSACTIONSTATUS: chance.pick(['200', '400', '211', '503', 'x']),
    MESSAGE: chance.pick(SPECIAL_TEXTS),
    ap_SecureHash: String(chance.pickBelow(2 ** 32)),
  }
  // Later requests could not use a code that was withdrawn.
  const isKnownCode = !path.includes('withdraw') && chance.isHit(0.7)
  const code = isKnownCode ? chance.pick(serverData.codes) : chance.pick(SPECIAL_TEXTS)
  // Half of the requests to the routes for codes and member lists have matching fields.
  if (/\/code|\/roll/.test(path) && chance.isHit(0.5))
    return buildJson(
      mutateFields({
        event: chance.pick([CODED_EVENT_ID, CODED_EVENT_ID, ...serverData.eventIds]),
        kind: chance.pick(['coupon', 'faculty', 'nothing']),
        code,
        field: 'number',
        value: chance.pick(['M-1', ...SPECIAL_TEXTS]),
        uses: chance.pick(['1', '0', '1e9', '100001']),
        count: chance.pick(['1', '2', '1001']),
        until: chance.pick(['', '2025-12-31', '2025-13-45']),
        note: chance.pick(SPECIAL_TEXTS),
      }),
    )
  // An email address can register only once for that event.
  const visitorEmail = `visitor${chance.pickBelow(10 ** 6)}@example.org`
  if (path.includes(CODED_EVENT_ID) && chance.isHit(0.3))
    return buildJson({
      ...codedDelegate,
      email: visitorEmail,
      letters: 'true',
      code: chance.pick(serverData.codes),
      number: '',
      companions: [{ name: 'A Person' }],
    })
  if (path.includes(CODED_EVENT_ID) && chance.isHit(0.8))
    return buildJson({
      ...mutateFields({
        ...codedDelegate,
        email: chance.isHit(0.5) ? codedDelegate.email : visitorEmail,
        letters: 'true',
        code,
        number: chance.isHit(0.7) ? '' : chance.pick(['M-1', 'X']),
      }),
      companions: chance.isHit(0.6)
        ? [{ name: 'A Person' }]
        : chance.pick<unknown>([
            [],
            [{ name: chance.pick(SPECIAL_TEXTS) }],
            'nobody',
            Array.from({ length: 500 }, () => ({ name: 'a' })),
            [[[]]],
            [{ name: { name: 'x' } }, null],
          ]),
    })
  switch (chance.pickBelow(path.includes('login') ? 16 : 14)) {
    case 0:
    case 1:
      return buildJson(mutateFields(delegate))
    case 2:
      return buildJson({
        ...delegate,
        total_amount: chance.pick(['1', '7080', '-7080', '1e309', 'NaN', '7080.001']),
      })
    case 3: {
      const { headers, body } = buildForm(postgraduate, [
        createProof(
          chance.pick([createPdf, createPng, createJpg])(),
          chance.pick(['a.pdf', '../../x.pdf', '', 'a\0.pdf', `${'n'.repeat(9000)}.pdf`]),
        ),
      ])
      return { type: headers['content-type'] ?? '', body }
    }
    case 4: {
      const { headers, body } = buildForm(delegate)
      return {
        type: headers['content-type'] ?? '',
        body: body.subarray(0, chance.pickBelow(body.length)),
      }
    }
    case 5:
    case 6:
      return {
        type: 'application/x-www-form-urlencoded',
        body: Buffer.from(new URLSearchParams(gatewayMessage).toString()),
      }
    case 7:
      return buildJson({
        order_id: orderId,
        email: chance.pick([delegate.email, ...SPECIAL_TEXTS]),
      })
    case 8:
      return buildJson({ ...gatewayMessage, why: 'a reason', what: 'accept', amount: '1.00' })
    case 9:
      return { type: 'application/json', body: Buffer.from('['.repeat(chance.pickBelow(30_000))) }
    case 10:
      return {
        type: 'application/json',
        body: Buffer.from(`${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`),
      }
    case 11:
      return { type: chance.pick(MEDIA_TYPES), body: Buffer.from(chance.pick(SPECIAL_TEXTS)) }
    case 12:
      return {
        type: chance.pick(MEDIA_TYPES),
        body: Buffer.from(
          Array.from({ length: chance.pickBelow(3000) }, () => chance.pickBelow(256)),
        ),
      }
    case 13:
      return {
        type: chance.pick(MEDIA_TYPES),
        body: Buffer.alloc(chance.isHit(0.1) ? 400_000 : 2000, 'a'),
      }
    default:
      return buildJson({
        username: chance.pick(['office', ...SPECIAL_TEXTS]),
        password: chance.pick(SPECIAL_TEXTS),
      })
  }
}

/** Builds the headers that state a body's length, sometimes incorrectly, and the body to send. */
function buildFraming(
  chance: Chance,
  body: Buffer | null,
): { readonly headers: readonly string[]; readonly body: Buffer; readonly isComplete: boolean } {
  const emptyBody = Buffer.alloc(0)
  if (body === null) return { headers: [], body: emptyBody, isComplete: true }
  const lengthHeaders = [`content-length: ${body.length}`]
  if (chance.isHit(0.9)) return { headers: lengthHeaders, body, isComplete: true }
  const chunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body])
  switch (chance.pickBelow(5)) {
    case 0:
      return {
        headers: ['transfer-encoding: chunked'],
        body: Buffer.concat([
          body.length === 0 ? emptyBody : chunk,
          Buffer.from(body.length === 0 ? '0\r\n\r\n' : '\r\n0\r\n\r\n'),
        ]),
        isComplete: true,
      }
    // Two lengths: according to one of them, the remaining bytes are a separate request.
    case 1:
      return {
        headers: [...lengthHeaders, 'transfer-encoding: chunked'],
        body: chunk,
        isComplete: false,
      }
    case 2:
      return { headers: [...lengthHeaders, 'content-length: 3'], body, isComplete: false }
    case 3:
      return { headers: ['transfer-encoding: gzip, nonsense'], body, isComplete: false }
    default:
      return { headers: ['content-length: -1'], body, isComplete: false }
  }
}
