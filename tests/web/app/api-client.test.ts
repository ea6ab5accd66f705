/** Tests the API client's errors with an HTTP server whose responses each test sets. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { call, download, createIdempotencyKey } from '../../../web/app/api-client.ts'
import { callWithRetries } from '../../../web/app/retry-requests.ts'

let baseUrl = ''
let lastKey: string | undefined
/** The idempotency keys of requests that got no response. */
const pendingKeys: (string | undefined)[] = []
let onRequest = (): void => {}
let silentCount = 0
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://server')
  lastKey = request.headers['idempotency-key']?.toString()
  if (silentCount > 0) {
    silentCount -= 1
    pendingKeys.push(lastKey)
    return onRequest()
  }
  const type = url.searchParams.get('type') ?? 'application/json'
  response.writeHead(Number(url.searchParams.get('status') ?? 200), {
    'content-type': type,
    'content-disposition': 'attachment; filename="list.csv"',
  })
  response.end(url.searchParams.get('body') ?? '')
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const buildPath = (status: number, body: string): string =>
  `${baseUrl}?${new URLSearchParams({ status: String(status), body })}`
/** Accepts any object. Returns null for other values. */
const readAny = (body: unknown): object | null => (typeof body === 'object' ? body : null)
const getErrorMessage = async (path: string, fallback?: string): Promise<string> => {
  const callResult = await call(path, readAny, fallback === undefined ? {} : { fallback })
  return callResult.ok ? 'no error' : callResult.error.message
}
const html = '<h1>nginx</h1>'

test.each([
  [401, 'Unauthorized. Please check your credentials.'],
  [403, 'Access forbidden.'],
  [404, 'Resource not found.'],
  [500, 'Server error. Please try again later.'],
  [418, 'HTTP error! status: 418'],
])('status %i without a message from the server is shown as %j', async (status, text) => {
  expect(await getErrorMessage(buildPath(status, html))).toBe(text)
  expect(await getErrorMessage(buildPath(status, '{}'))).toBe(text)
})

test('a message from the server takes precedence over the text for the status, then the fallback, then the status number', async () => {
  const errorBody = JSON.stringify({
    status: 'error',
    code: 'not_found',
    message: 'Registration details not found',
  })
  expect(await getErrorMessage(buildPath(404, errorBody), 'Failed to fetch')).toBe(
    'Registration details not found',
  )
  expect(await getErrorMessage(buildPath(404, html), 'Failed to fetch')).toBe('Resource not found.')
  expect(await getErrorMessage(buildPath(502, html), 'Failed to fetch')).toBe('Failed to fetch')
})

test('a missing response is a network error, and an error response is an error even with status 200', async () => {
  expect(await getErrorMessage('http://127.0.0.1:1/')).toBe(
    'Network error. Please check your internet connection.',
  )
  expect(
    await getErrorMessage(
      buildPath(200, JSON.stringify({ status: 'error', code: 'x', message: 'No.' })),
    ),
  ).toBe('No.')
})

test('an error contains its code, its status and the messages for the fields', async () => {
  const errorResponse = {
    status: 'error',
    code: 'invalid_answers',
    message: 'One.',
    errors: { email: 'Required' },
  }
  const response = await call(buildPath(422, JSON.stringify(errorResponse)), readAny)
  expect(response).toEqual({
    ok: false,
    error: { status: 422, code: 'invalid_answers', message: 'One.', errorResponse },
  })
})

test('a price change is reported with the old and the new price', async () => {
  const quote = { category: 'a', period: 'b', base: 100, gst: 18, total: 118 }
  const priceChange = { status: 'error', code: 'price_moved', message: 'M.', quote, was: quote }
  const readPriceChange = async (extraFields: object) => {
    const response = await call(
      buildPath(409, JSON.stringify({ ...priceChange, ...extraFields })),
      readAny,
    )
    return response.ok ? null : response.error.errorResponse
  }
  expect(await readPriceChange({})).toEqual(priceChange)
  expect(await readPriceChange({ was: { total: 'x' } })).toEqual({
    status: 'error',
    code: 'price_moved',
    message: 'M.',
    quote,
  })
})

test('a cancelled call is not reported as a network error', async () => {
  const controller = new AbortController()
  controller.abort()
  const response = await call(buildPath(200, '{}'), readAny, { signal: controller.signal })
  expect(response.ok ? '' : response.error.code).toBe('aborted')
})

test('a call sends its headers and returns the response body', async () => {
  expect(
    await call(buildPath(200, '{"status":"success","reg_no":"X1"}'), readAny, {
      headers: { 'idempotency-key': 'k' },
    }),
  ).toEqual({ ok: true, value: { status: 'success', reg_no: 'X1' } })
  expect(lastKey).toBe('k')
})

test('a rejected download is an error, not a file', async () => {
  const getMessage = async (path: string): Promise<string> => {
    const downloadResult = await download(path)
    return downloadResult.ok ? 'a file' : downloadResult.error.message
  }
  expect(await getMessage(buildPath(403, html))).toBe('Access forbidden.')
  expect(await getMessage(buildPath(502, html))).toBe('HTTP error! status: 502')
  expect(await getMessage(buildPath(200, html))).toBe('An unexpected error occurred.')
  expect(await getMessage('http://127.0.0.1:1/')).toBe(
    'Network error. Please check your internet connection.',
  )
  const file = await download(`${buildPath(200, 'a,b')}&type=text/csv`)
  expect(file.ok && [await file.value.blob.text(), file.value.name]).toEqual(['a,b', 'list.csv'])
})

test.each([html, '', 'null', '3', '{"status":"succ'])(
  'status 200 with the body %j is an unexpected error, with the call’s fallback message if it has one',
  async (body) => {
    const readRegistration = (answer: unknown): object | null =>
      typeof answer === 'object' && answer !== null && 'reg_no' in answer ? answer : null
    const response = await call(buildPath(200, body), readRegistration)
    expect(response).toEqual({
      ok: false,
      error: {
        status: 200,
        code: 'unexpected',
        message: 'An unexpected error occurred.',
        errorResponse: null,
      },
    })
    const fallbackResponse = await call(buildPath(200, body), readRegistration, {
      fallback: 'Registration failed.',
    })
    expect(fallbackResponse.ok ? '' : fallbackResponse.error.message).toBe('Registration failed.')
  },
)

test('values of the wrong type in an error response are ignored', async () => {
  const responseWithWrongTypes = {
    status: 'error',
    code: 7,
    message: { text: 'No.' },
    errors: [1],
    quote: { base: 'x' },
  }
  const response = await call(buildPath(409, JSON.stringify(responseWithWrongTypes)), readAny)
  expect(response).toEqual({
    ok: false,
    error: {
      status: 409,
      code: 'error',
      message: 'HTTP error! status: 409',
      errorResponse: { status: 'error' },
    },
  })
  const failedResult = await call(buildPath(200, '{"status":"failed"}'), readAny)
  expect(failedResult.ok ? '' : failedResult.error.message).toBe('An unexpected error occurred.')
})

test('idempotency keys are long and never repeat', () => {
  const keys = new Set(Array.from({ length: 1000 }, createIdempotencyKey))
  expect(keys.size).toBe(1000)
  for (const pendingKey of keys) expect(pendingKey).toMatch(/^[0-9a-f]{32}$/)
})

/** Sends a request that times out `timeoutCount` times, and returns its result. */
async function sendWithoutResponse(timeoutCount: number, onRetry: () => void) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  pendingKeys.length = 0
  silentCount = timeoutCount
  let requestReceived = new Promise<void>((resolve) => (onRequest = resolve))
  const headers = { 'idempotency-key': 'one key' }
  const pendingCall = callWithRetries(
    buildPath(200, '{}'),
    readAny,
    { method: 'POST', headers },
    onRetry,
  )
  for (let timeoutIndex = 0; timeoutIndex < timeoutCount; timeoutIndex++) {
    await requestReceived
    requestReceived = new Promise<void>((resolve) => (onRequest = resolve))
    vi.advanceTimersByTime(19_999)
    expect(pendingKeys.length).toBe(timeoutIndex + 1)
    vi.advanceTimersByTime(1)
  }
  return pendingCall
}
afterEach(() => vi.useRealTimers())

test('if there is no response after 20 seconds, this is reported, and the request is sent again with the same key', async () => {
  let noticeCount = 0
  const result = await sendWithoutResponse(2, () => (noticeCount += 1))
  expect([result.ok, noticeCount, pendingKeys, lastKey]).toEqual([
    true,
    2,
    ['one key', 'one key'],
    'one key',
  ])
})

test('a request that never gets a response ends with a message that the delegate has not been charged', async () => {
  let noticeCount = 0
  const answer = await sendWithoutResponse(3, () => (noticeCount += 1))
  expect(answer).toMatchObject({ ok: false, error: { status: 0, code: 'no_response' } })
  expect(answer.ok ? '' : answer.error.message).toContain('You have not been charged')
  expect(noticeCount).toBe(2)
})
