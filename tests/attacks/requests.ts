/**
 * A stranger's requests, drawn from a seed: every route, in order and mangled, with bodies of every kind,
 * cookies that are right and that are not. Request n of a seed is always the same one, so that whatever
 * it breaks can be asked again by itself.
 */
import { createRandom } from '../crash/check-registrations.ts'
import { createJpg, createPdf, createPng } from '../server/sample-uploads.ts'
import { CODED, codedDelegate, delegate, formOf, postGraduate, proof } from './target.ts'
import type { Route } from './target.ts'

/** What the requests may know of the server: some of each is right. */
export type Known = {
  readonly routes: readonly Route[]
  readonly regNos: readonly string[]
  readonly tokens: readonly string[]
  readonly eventIds: readonly string[]
  readonly codes: readonly string[]
}
export type Drawn = {
  readonly bytes: Buffer
  readonly route: Route
  readonly method: string
  /** The path as it is asked for, without the query. */
  readonly path: string
  /** It is HTTP; what is not may be hung up on instead of being answered. */
  readonly isHttp: boolean
  /** The connection is of no use afterwards, because what was announced does not come. */
  readonly endsLine: boolean
}

type Chance = {
  /** True so often. */
  readonly of: (share: number) => boolean
  readonly from: <T>(list: readonly T[]) => T
  readonly below: (n: number) => number
}
function chanceOf(seed: number): Chance {
  const random = createRandom(seed)
  const below = (n: number): number => Math.floor(random() * n)
  return {
    of: (share) => random() < share,
    below,
    from: (list) => {
      const one = list[below(list.length)]
      if (one === undefined) throw new Error('nothing to choose from')
      return one
    },
  }
}

/** Characters that mean something to somebody: to a path, a header, a spreadsheet, a page, a database, an eye. */
const NASTY = [
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
/** Nobody's methods; the parser knows some and refuses the rest. */
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
const MEDIA = [
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

const isRegistering = ({ path }: Route): boolean => /\/register\/?$/.test(path)

/** Request `n` of a seed. */
export function draw(known: Known, seed: number, n: number): Drawn {
  const chance = chanceOf(Math.imul(seed, 0x9e3779b1) ^ Math.imul(n + 1, 0x85ebca6b))
  // Where anybody registers a stranger comes more often: the office has ever more doors, and they are one among them.
  const open = chance.of(0.05) ? known.routes.filter(isRegistering) : []
  const route = chance.from(open.length > 0 ? open : known.routes)
  const isOdd = chance.of(0.02)
  const method = isOdd
    ? chance.from(ODD_METHODS)
    : chance.of(0.8)
      ? route.method
      : chance.from(METHODS)
  const asked = pathOf(chance, known, route.path)
  const path = chance.of(0.2) ? mangled(chance, asked) : asked
  const query = chance.of(0.3) ? queryOf(chance, known) : ''
  const takesBody = !['GET', 'HEAD'].includes(method) || chance.of(0.03)
  const sent = takesBody && chance.of(0.92) ? bodyOf(chance, known, route.path) : null
  const headers = new Map([
    ['host', 'rollcall.test'],
    ['x-forwarded-for', addressOf(chance)],
    ...credentials(chance, known, path),
    ...(sent === null ? [] : [['content-type', sent.type] as const]),
  ])
  for (let more = chance.below(4); more > 0; more -= 1) {
    const [name, values] = chance.from(HEADERS)
    headers.set(name, chance.from(values))
  }
  const target = `${path}${query}`
  const framed = framing(chance, sent?.body ?? null)
  const head = [
    `${method} ${target} HTTP/1.1`,
    ...[...headers].map(([name, value]) => `${name}: ${value}`),
    ...framed.headers,
  ]
  if (chance.of(0.01))
    head.push(chance.from(['no colon', ' folded: a', 'a\0b: c', `x: ${'y'.repeat(20_000)}`]))
  const text = head.join('\r\n')
  return {
    bytes: Buffer.concat([Buffer.from(`${text}\r\n\r\n`, 'latin1'), framed.body]),
    route,
    method,
    path,
    isHttp: framed.isWhole && isReadable(method, target, head),
    endsLine: !framed.isWhole || headers.has('upgrade') || !isReadable(method, target, head),
  }
}

/** Whether Node's parser takes it for a request; llhttp refuses control characters, odd methods and 16 KB of head. */
function isReadable(method: string, target: string, head: readonly string[]): boolean {
  return (
    (METHODS as readonly string[]).includes(method) &&
    /^(\/|\*|http:\/\/)[!-~]*$/.test(target) &&
    head.join('\r\n').length < 16_000 &&
    head.slice(1).every((line) => /^[\w-]+:[\t\x20-\x7e\x80-\xff]*$/.test(line))
  )
}

function pathOf(chance: Chance, known: Known, path: string): string {
  return path
    .replaceAll(/:\w+|\{\w+\}|\*/g, (open) => segment(chance, known, open))
    .replace(/^[^/]/, '/$&')
}

/** What stands in an open segment: mostly what may be there. */
function segment(chance: Chance, known: Known, open: string): string {
  if (open === ':id' && chance.of(0.7)) return chance.from(known.eventIds)
  if (open === ':field' && chance.of(0.7)) return 'pg_proof'
  if (chance.of(0.5)) return chance.from(known.regNos)
  if (chance.of(0.3)) return `AFPI${String(chance.below(10 ** 9)).padStart(13, '0')}`
  return encodeURIComponent(chance.from(NASTY).replaceAll(/[\ud800-\udfff]/g, 'x')).slice(0, 4000)
}

function mangled(chance: Chance, path: string): string {
  const at = chance.below(path.length + 1)
  const put = (text: string): string => path.slice(0, at) + text + path.slice(at)
  switch (chance.below(12)) {
    case 0:
      return path.endsWith('/') ? path.slice(0, -1) || '/' : `${path}/`
    case 1:
      return `/${path}`
    case 2:
      return put('/../')
    case 3:
      return put('%2e%2e%2f')
    case 4:
      return put(chance.from(['%00', '%', '%zz', '%ff', '%c0%af', ';a=b', '#']))
    case 5:
      return path.toUpperCase()
    case 6:
      return `${path}${'/a'.repeat(chance.below(2000))}`
    case 7:
      return put('\xe0\xb4\x85')
    case 8:
      return put(chance.from([' ', '\t', '\x7f', '\\']))
    case 9:
      return path.slice(0, at) || '/'
    case 10:
      return `http://evil.example${path}`
    default:
      return put(String.fromCharCode(33 + chance.below(94)))
  }
}

function queryOf(chance: Chance, known: Known): string {
  const pairs = Array.from({ length: 1 + chance.below(4) }, () => {
    const value = chance.of(0.2) ? chance.from(known.regNos) : chance.from(NASTY)
    return `${chance.from(QUERY_NAMES)}=${chance.of(0.9) ? encodeURIComponent(value.replaceAll(/[\ud800-\udfff]/g, 'x')) : Buffer.from(value).toString('latin1')}`
  })
  return `?${pairs.join('&')}`
}

/** Most come from anywhere; some from so few addresses that the limits are met. */
function addressOf(chance: Chance): string {
  if (chance.of(0.05)) return `192.0.2.${chance.below(3)}`
  if (chance.of(0.05))
    return chance.from([
      '',
      'unknown',
      '::1',
      '2001:db8::1%eth0',
      '1.2.3.4, 5.6.7.8',
      'x'.repeat(500),
    ])
  return `10.${chance.below(256)}.${chance.below(256)}.${chance.below(256)}`
}

function credentials(chance: Chance, known: Known, path: string): (readonly [string, string])[] {
  // A session that is signed out is lost to all requests that follow.
  const isKept = !/l.{0,6}o.{0,6}g.{0,6}o.{0,6}u.{0,6}t/i.test(path)
  const token =
    isKept && chance.of(0.7)
      ? chance.from(known.tokens)
      : chance.from(['', 'guess', 'x'.repeat(4000), "' OR 1=1 --", '%00', '\xff'])
  switch (chance.below(4)) {
    case 0:
      return [['cookie', `rollcall_session=${token}`]]
    case 1:
      return [['authorization', `${chance.from(['Bearer ', 'bearer  ', 'Basic ', ''])}${token}`]]
    case 2:
      return [
        [
          'cookie',
          chance.from([
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

type Body = { readonly type: string; readonly body: Buffer }
function bodyOf(chance: Chance, known: Known, path: string): Body {
  const json = (value: unknown): Body => ({
    type: 'application/json',
    body: Buffer.from(JSON.stringify(value)),
  })
  const order = chance.of(0.6) ? chance.from(known.regNos) : chance.from(NASTY)
  const mutated = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        chance.of(0.1)
          ? chance.from<unknown>([...NASTY, null, 0, [], {}, [value], { [name]: value }, true])
          : value,
      ]),
    )
  const notice = {
    TRANSACTIONID: order,
    APTRANSACTIONID: String(chance.below(10 ** 9)),
    AMOUNT: chance.from(['7080.00', '1.00', '-1', '1e9', 'x']),
    TRANSACTIONSTATUS: chance.from(['200', '400', '211', '503', 'x']),
    MESSAGE: chance.from(NASTY),
    ap_SecureHash: String(chance.below(2 ** 32)),
  }
  // A code that is withdrawn at once is none that anybody can use.
  const isKnown = !path.includes('withdraw') && chance.of(0.7)
  const code = isKnown ? chance.from(known.codes) : chance.from(NASTY)
  // Half of what comes to the doors of codes and rolls, and to the form that takes them, speaks their language.
  if (/\/code|\/roll/.test(path) && chance.of(0.5))
    return json(
      mutated({
        event: chance.from([CODED, CODED, ...known.eventIds]),
        kind: chance.from(['coupon', 'faculty', 'nothing']),
        code,
        field: 'number',
        value: chance.from(['M-1', ...NASTY]),
        uses: chance.from(['1', '0', '1e9', '100001']),
        count: chance.from(['1', '2', '1001']),
        until: chance.from(['', '2025-12-31', '2025-13-45']),
        note: chance.from(NASTY),
      }),
    )
  // One address registers once there.
  const visitor = `visitor${chance.below(10 ** 6)}@example.org`
  if (path.includes(CODED) && chance.of(0.3))
    return json({
      ...codedDelegate,
      email: visitor,
      letters: 'true',
      code: chance.from(known.codes),
      number: '',
      companions: [{ name: 'A Person' }],
    })
  if (path.includes(CODED) && chance.of(0.8))
    return json({
      ...mutated({
        ...codedDelegate,
        email: chance.of(0.5) ? codedDelegate.email : visitor,
        letters: 'true',
        code,
        number: chance.of(0.7) ? '' : chance.from(['M-1', 'X']),
      }),
      companions: chance.of(0.6)
        ? [{ name: 'A Person' }]
        : chance.from<unknown>([
            [],
            [{ name: chance.from(NASTY) }],
            'nobody',
            Array.from({ length: 500 }, () => ({ name: 'a' })),
            [[[]]],
            [{ name: { name: 'x' } }, null],
          ]),
    })
  switch (chance.below(path.includes('login') ? 16 : 14)) {
    case 0:
    case 1:
      return json(mutated(delegate))
    case 2:
      return json({
        ...delegate,
        total_amount: chance.from(['1', '7080', '-7080', '1e309', 'NaN', '7080.001']),
      })
    case 3: {
      const { headers, body } = formOf(postGraduate, [
        proof(
          chance.from([createPdf, createPng, createJpg])(),
          chance.from(['a.pdf', '../../x.pdf', '', 'a\0.pdf', `${'n'.repeat(9000)}.pdf`]),
        ),
      ])
      return { type: headers['content-type'] ?? '', body }
    }
    case 4: {
      const { headers, body } = formOf(delegate)
      return {
        type: headers['content-type'] ?? '',
        body: body.subarray(0, chance.below(body.length)),
      }
    }
    case 5:
    case 6:
      return {
        type: 'application/x-www-form-urlencoded',
        body: Buffer.from(new URLSearchParams(notice).toString()),
      }
    case 7:
      return json({ order_id: order, email: chance.from([delegate.email, ...NASTY]) })
    case 8:
      return json({ ...notice, why: 'a reason', what: 'accept', amount: '1.00' })
    case 9:
      return { type: 'application/json', body: Buffer.from('['.repeat(chance.below(30_000))) }
    case 10:
      return {
        type: 'application/json',
        body: Buffer.from(`${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`),
      }
    case 11:
      return { type: chance.from(MEDIA), body: Buffer.from(chance.from(NASTY)) }
    case 12:
      return {
        type: chance.from(MEDIA),
        body: Buffer.from(Array.from({ length: chance.below(3000) }, () => chance.below(256))),
      }
    case 13:
      return { type: chance.from(MEDIA), body: Buffer.alloc(chance.of(0.1) ? 400_000 : 2000, 'a') }
    default:
      return json({ username: chance.from(['office', ...NASTY]), password: chance.from(NASTY) })
  }
}

/** How the length of a body is told: as it should be, or not. */
function framing(
  chance: Chance,
  body: Buffer | null,
): { readonly headers: readonly string[]; readonly body: Buffer; readonly isWhole: boolean } {
  const none = Buffer.alloc(0)
  if (body === null) return { headers: [], body: none, isWhole: true }
  const said = [`content-length: ${body.length}`]
  if (chance.of(0.9)) return { headers: said, body, isWhole: true }
  const chunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body])
  switch (chance.below(5)) {
    case 0:
      return {
        headers: ['transfer-encoding: chunked'],
        body: Buffer.concat([
          body.length === 0 ? none : chunk,
          Buffer.from(body.length === 0 ? '0\r\n\r\n' : '\r\n0\r\n\r\n'),
        ]),
        isWhole: true,
      }
    // Two lengths, and what one of them leaves over would be a request of its own.
    case 1:
      return { headers: [...said, 'transfer-encoding: chunked'], body: chunk, isWhole: false }
    case 2:
      return { headers: [...said, 'content-length: 3'], body, isWhole: false }
    case 3:
      return { headers: ['transfer-encoding: gzip, nonsense'], body, isWhole: false }
    default:
      return { headers: ['content-length: -1'], body, isWhole: false }
  }
}
