/** The one shape in which every call says no, judged: for every test that walks over calls. */

export type Answered = {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** What a no may say besides: each field's message, the new bill, that a second try counts, which place is gone and what is left of it. */
const BESIDE = new Set(['errors', 'quote', 'may_confirm', 'place', 'left'])

/** What is wrong with an answer; null: nothing. `mayBePage`: nothing but a page was asked for. */
export function wrongWith(
  { statusCode, headers, body }: Answered,
  method: string,
  mayBePage: boolean,
): string | null {
  if (statusCode >= 500) return `status ${statusCode}: ${body.slice(0, 200)}`
  if (statusCode < 400) return null
  const type = String(headers['content-type'])
  if (mayBePage && statusCode === 404 && type === 'text/html; charset=utf-8') return null
  if (type !== 'application/json; charset=utf-8') return `${statusCode} as ${type}`
  if (headers['cache-control'] !== 'no-store') return `${statusCode} may be kept by a cache`
  if (method === 'HEAD') return body === '' ? null : 'a body for HEAD'
  const said = JSON.parse(body) as Record<string, unknown>
  const { status, code, message, ...more } = said
  if (status !== 'error') return `${statusCode} with status ${String(status)}`
  if (!/^[a-z]+(_[a-z]+)*$/.test(String(code))) return `the code ${String(code)}`
  if (!/^[A-Z“].*[a-z.?]$/.test(String(message))) return `the message ${String(message)}`
  const unknown = Object.keys(more).filter((name) => !BESIDE.has(name))
  return unknown.length === 0 ? null : `also ${unknown.join(', ')}`
}
