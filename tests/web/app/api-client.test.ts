/** The error catalogue, against a real server that answers as it is told. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { call, download, newKey } from '../../../web/app/api-client.ts'
import { callUntilAnswered } from '../../../web/app/retry-requests.ts'

let base = ''
let key: string | undefined
/** The keys of the requests that were left without an answer, and who waits for the next of them. */
const unanswered: (string | undefined)[] = []
let cameIn = (): void => {}
let silent = 0
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://server')
  key = request.headers['idempotency-key']?.toString()
  if (silent > 0) {
    silent -= 1
    unanswered.push(key)
    return cameIn()
  }
  const type = url.searchParams.get('type') ?? 'application/json'
  response.writeHead(Number(url.searchParams.get('status') ?? 200), {
    'content-type': type,
    'content-disposition': 'attachment; filename="list.csv"',
  })
  response.end(url.searchParams.get('body') ?? '')
})
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => new Promise((done) => server.close(done)))

const at = (status: number, body: string): string =>
  `${base}?${new URLSearchParams({ status: String(status), body })}`
/** What the calls of this file answer: an object, whatever is in it. */
const anything = (body: unknown): object | null => (typeof body === 'object' ? body : null)
const messageOf = async (path: string, fallback?: string): Promise<string> => {
  const answer = await call(path, anything, fallback === undefined ? {} : { fallback })
  return answer.ok ? 'no error' : answer.error.message
}
const html = '<h1>nginx</h1>'

test.each([
  [401, 'Unauthorized. Please check your credentials.'],
  [403, 'Access forbidden.'],
  [404, 'Resource not found.'],
  [500, 'Server error. Please try again later.'],
  [418, 'HTTP error! status: 418'],
])('status %i without a message of the server reads %j', async (status, text) => {
  expect(await messageOf(at(status, html))).toBe(text)
  expect(await messageOf(at(status, '{}'))).toBe(text)
})

test('the server’s own message wins over the status, the status over the fallback, the fallback over the number', async () => {
  const own = JSON.stringify({
    status: 'error',
    code: 'not_found',
    message: 'Registration details not found',
  })
  expect(await messageOf(at(404, own), 'Failed to fetch')).toBe('Registration details not found')
  expect(await messageOf(at(404, html), 'Failed to fetch')).toBe('Resource not found.')
  expect(await messageOf(at(502, html), 'Failed to fetch')).toBe('Failed to fetch')
})

test('no answer at all is a network error, and a server’s error under status 200 is still one', async () => {
  expect(await messageOf('http://127.0.0.1:1/')).toBe(
    'Network error. Please check your internet connection.',
  )
  expect(
    await messageOf(at(200, JSON.stringify({ status: 'error', code: 'x', message: 'No.' }))),
  ).toBe('No.')
})

test('the error carries code, status and what the server said of the fields', async () => {
  const said = {
    status: 'error',
    code: 'invalid_answers',
    message: 'One.',
    errors: { email: 'Required' },
  }
  const answer = await call(at(422, JSON.stringify(said)), anything)
  expect(answer).toEqual({
    ok: false,
    error: { status: 422, code: 'invalid_answers', message: 'One.', answer: said },
  })
})

test('a price that moved comes with the old one beside the new one', async () => {
  const quote = { category: 'a', period: 'b', base: 100, gst: 18, total: 118 }
  const said = { status: 'error', code: 'price_moved', message: 'M.', quote, was: quote }
  const answerOf = async (more: object) => {
    const answer = await call(at(409, JSON.stringify({ ...said, ...more })), anything)
    return answer.ok ? null : answer.error.answer
  }
  expect(await answerOf({})).toEqual(said)
  expect(await answerOf({ was: { total: 'x' } })).toEqual({
    status: 'error',
    code: 'price_moved',
    message: 'M.',
    quote,
  })
})

test('a call that was given up is told apart from a broken network', async () => {
  const leave = new AbortController()
  leave.abort()
  const answer = await call(at(200, '{}'), anything, { signal: leave.signal })
  expect(answer.ok ? '' : answer.error.code).toBe('aborted')
})

test('a success is the body, and headers travel', async () => {
  expect(
    await call(at(200, '{"status":"success","reg_no":"X1"}'), anything, {
      headers: { 'idempotency-key': 'k' },
    }),
  ).toEqual({ ok: true, value: { status: 'success', reg_no: 'X1' } })
  expect(key).toBe('k')
})

test('a refused download is an error, not a file', async () => {
  const said = async (path: string): Promise<string> => {
    const answer = await download(path)
    return answer.ok ? 'a file' : answer.error.message
  }
  expect(await said(at(403, html))).toBe('Access forbidden.')
  expect(await said(at(502, html))).toBe('HTTP error! status: 502')
  expect(await said(at(200, html))).toBe('An unexpected error occurred.')
  expect(await said('http://127.0.0.1:1/')).toBe(
    'Network error. Please check your internet connection.',
  )
  const file = await download(`${at(200, 'a,b')}&type=text/csv`)
  expect(file.ok && [await file.value.blob.text(), file.value.name]).toEqual(['a,b', 'list.csv'])
})

test.each([html, '', 'null', '3', '{"status":"succ'])(
  'status 200 with %j in it is an unexpected error, in the words of the call where it has some',
  async (body) => {
    const read = (answer: unknown): object | null =>
      typeof answer === 'object' && answer !== null && 'reg_no' in answer ? answer : null
    const answer = await call(at(200, body), read)
    expect(answer).toEqual({
      ok: false,
      error: {
        status: 200,
        code: 'unexpected',
        message: 'An unexpected error occurred.',
        answer: null,
      },
    })
    const worded = await call(at(200, body), read, { fallback: 'Registration failed.' })
    expect(worded.ok ? '' : worded.error.message).toBe('Registration failed.')
  },
)

test('an error answer is read leniently: what is of the wrong type is not there', async () => {
  const odd = {
    status: 'error',
    code: 7,
    message: { text: 'No.' },
    errors: [1],
    quote: { base: 'x' },
  }
  const answer = await call(at(409, JSON.stringify(odd)), anything)
  expect(answer).toEqual({
    ok: false,
    error: {
      status: 409,
      code: 'error',
      message: 'HTTP error! status: 409',
      answer: { status: 'error' },
    },
  })
  const failed = await call(at(200, '{"status":"failed"}'), anything)
  expect(failed.ok ? '' : failed.error.message).toBe('An unexpected error occurred.')
})

test('keys are long and never the same', () => {
  const keys = new Set(Array.from({ length: 1000 }, newKey))
  expect(keys.size).toBe(1000)
  for (const one of keys) expect(one).toMatch(/^[0-9a-f]{32}$/)
})

/** Sends, and lets the time pass in which nobody answers. */
async function sendIntoSilence(times: number, waits: () => void) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  unanswered.length = 0
  silent = times
  let arrived = new Promise<void>((resolve) => (cameIn = resolve))
  const headers = { 'idempotency-key': 'one key' }
  const sent = callUntilAnswered(at(200, '{}'), anything, { method: 'POST', headers }, waits)
  for (let time = 0; time < times; time++) {
    await arrived
    arrived = new Promise<void>((resolve) => (cameIn = resolve))
    vi.advanceTimersByTime(19_999)
    expect(unanswered.length).toBe(time + 1)
    vi.advanceTimersByTime(1)
  }
  return sent
}
afterEach(() => vi.useRealTimers())

test('what has no answer after 20 seconds is said and sent again, under the same key', async () => {
  let told = 0
  const answer = await sendIntoSilence(2, () => (told += 1))
  expect([answer.ok, told, unanswered, key]).toEqual([true, 2, ['one key', 'one key'], 'one key'])
})

test('what is never answered ends in a sentence that says that nothing was charged', async () => {
  let told = 0
  const answer = await sendIntoSilence(3, () => (told += 1))
  expect(answer).toMatchObject({ ok: false, error: { status: 0, code: 'no_answer' } })
  expect(answer.ok ? '' : answer.error.message).toContain('You have not been charged')
  expect(told).toBe(2)
})
