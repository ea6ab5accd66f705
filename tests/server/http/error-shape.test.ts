/** Every route, including those from event files, returns errors in the same format. */
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn } from '../office/office.ts'
import { startTestApp } from '../harness.ts'
import { findFormatError } from './error-shape.ts'
import type { TestApp } from '../harness.ts'

let server: TestApp
beforeAll(async () => {
  server = await startTestApp()
})
afterAll(() => server.close())

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Bodies that no endpoint accepts. */
const BODIES: readonly { readonly name: string; readonly type?: string; readonly text?: string }[] =
  [
    { name: 'no body' },
    { name: 'truncated JSON', type: 'application/json', text: '{"username": "a' },
    { name: 'JSON that is not an object', type: 'application/json', text: '[1, null]' },
    { name: 'empty JSON', type: 'application/json', text: '' },
    {
      name: 'JSON that sets a prototype',
      type: 'application/json',
      text: '{"__proto__": {"a": 1}}',
    },
    { name: 'multipart without a boundary', type: 'multipart/form-data', text: 'a=b' },
    {
      name: 'truncated multipart',
      type: 'multipart/form-data; boundary=x',
      text: '--x\r\nContent-Disposition: form-data; name="full_name"\r\n\r\nAs',
    },
    { name: 'a form', type: 'application/x-www-form-urlencoded', text: 'order_id=%&=&a' },
    { name: 'text', type: 'text/plain', text: 'hello' },
    { name: 'an unknown content type', type: 'application/x-nothing', text: '\u0000\u0001' },
    { name: 'an invalid content type', type: ';;', text: 'a' },
    {
      name: 'more bytes than the limit for all answers',
      type: 'application/json',
      text: 'x'.repeat(300_000),
    },
  ]

/** Returns a path of a route, with unknown values for its parameters. */
const fillPath = (url: string): string =>
  url.replaceAll(/:\w+|\{\w+\}/g, 'NOBODY1').replaceAll('*', 'nothing-here')

/** Lists the path of every route once. `isFallback` is true for the route that serves all other paths. */
function listRoutes(): readonly { readonly url: string; readonly isFallback: boolean }[] {
  const { fixedRoutes, eventRoutes } = server.app
  const urls = [
    ...fixedRoutes.map(({ url }) => url),
    ...eventRoutes.all().flatMap(({ path }) => [path, path.replace(/\/$/, '')]),
  ]
  return [...new Set(urls)].map((url) => ({ url: fillPath(url), isFallback: url.includes('*') }))
}

async function requestAll(
  routes: readonly { readonly url: string; readonly isFallback: boolean }[],
  headers: Readonly<Record<string, string>> = {},
  onResponse: (response: LightMyRequestResponse) => void = () => {},
): Promise<readonly string[]> {
  const problems: string[] = []
  for (const { url, isFallback } of routes) {
    for (const method of METHODS) {
      const isReadOnly = method === 'GET' || method === 'HEAD'
      // The fallback and unsupported methods do not read bodies.
      const bodyCount = isReadOnly ? 1 : method === 'POST' && !isFallback ? BODIES.length : 2
      for (const { name, type, text } of BODIES.slice(0, bodyCount)) {
        const response = await server.app.inject({
          method,
          url,
          headers: { ...headers, ...(type !== undefined && { 'content-type': type }) },
          ...(text !== undefined && { payload: text }),
        })
        onResponse(response)
        const problem = findFormatError(
          response,
          method,
          isReadOnly && isFallback && !url.startsWith('/api'),
        )
        if (problem !== null) problems.push(`${method} ${url} with ${name}: ${problem}`)
      }
    }
  }
  return problems
}

test(
  'every route returns errors in the common format to an unauthenticated client',
  { tags: ['slow'] },
  async () => {
    const unauthorizedBodies = new Set<string>()
    const onResponse = ({ statusCode, body }: LightMyRequestResponse): void => {
      if (statusCode === 401 && body !== '') unauthorizedBodies.add(body)
    }
    expect(await requestAll(listRoutes(), {}, onResponse)).toEqual([])
    expect([...unauthorizedBodies].map((body) => JSON.parse(body) as unknown)).toEqual([
      {
        status: 'error',
        code: 'unauthorized',
        message: 'Unauthorized. Please check your credentials.',
      },
    ])
  },
)

test(
  'every route returns errors in the common format to an admin who sends invalid requests',
  { tags: ['slow'] },
  async () => {
    const { token } = await signIn(server)
    const routes = listRoutes()
      // Signing out comes last, because it ends the admin's session.
      .toSorted((a, b) => Number(a.url.includes('logout')) - Number(b.url.includes('logout')))
      .map(({ url, isFallback }) => ({
        url: `${url}?page=0&page_size=-1&date_from=x&event_type=nothing`,
        isFallback,
      }))
    expect(await requestAll(routes, { authorization: `Bearer ${token}` })).toEqual([])
  },
)

test('an unknown route returns an error in the common format', async () => {
  const paths = [
    '/api',
    '/api/',
    '/api/nothing',
    '/api/%zz',
    '/api/events/%00',
    '/api/a/b/c/d',
    '/%zz',
    '/admin/nothing',
    '/nothing',
    '/assets/nothing.js',
    '/metrics/nothing',
    ...listRoutes().map(({ url }) => `${url.replace(/\/$/, '')}/nothing-here`),
  ]
  expect(await requestAll(paths.map((url) => ({ url, isFallback: true })))).toEqual([])
})

test('the test calls fixed routes, routes of event files, and pages', () => {
  const paths = listRoutes().map(({ url }) => url)
  const { api, admin } = server.deps.events.all()[0]!.config
  for (const url of [
    '/admin/login',
    '/api/admin/login/',
    '/api/payment/webhook/',
    '/healthz',
    '/*',
    '/api/*',
    api.register,
    api.registration,
    api.tariff,
    admin.lists[0]!.api.replace(/\/$/, ''),
  ])
    expect(paths).toContain(fillPath(url))
  expect(paths.length).toBeGreaterThan(50)
})

test.each<[string, number, string, string, string, RegExp]>([
  [
    'an error in the format',
    500,
    'application/json; charset=utf-8',
    'no-store',
    '{}',
    /^status 500/,
  ],
  ['a page instead of JSON', 404, 'text/html; charset=utf-8', 'no-store', '<p>', /^404 as text/],
  ['plain text', 401, 'text/plain', 'no-store', 'No', /^401 as text/],
  ['a cacheable error', 404, 'application/json; charset=utf-8', 'no-cache', '{}', /cached/],
  [
    'a different structure',
    400,
    'application/json; charset=utf-8',
    'no-store',
    '{"a":1}',
    /^400 with/,
  ],
  [
    'no message',
    400,
    'application/json; charset=utf-8',
    'no-store',
    '{"status":"error","code":"bad","message":""}',
    /^the message/,
  ],
  [
    'internal details',
    400,
    'application/json; charset=utf-8',
    'no-store',
    '{"status":"error","code":"bad","message":"No.","stack":"at"}',
    /^also stack/,
  ],
])('the format check rejects %s', (_, statusCode, type, cacheControl, body, expectedError) => {
  const headers = { 'content-type': type, 'cache-control': cacheControl }
  expect(findFormatError({ statusCode, headers, body }, 'POST', false)).toMatch(expectedError)
})
