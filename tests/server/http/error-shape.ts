/** Checks that an error has the common format, for every test that calls all routes. */

export type ErrorResponse = {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/**
 * Optional keys in an error: field messages, the new bill, whether a retry can confirm, the full quota and the
 * remaining seats.
 */
const OPTIONAL_KEYS = new Set(['errors', 'quote', 'may_confirm', 'place', 'left'])

/**
 * Describes how a response violates the format. Returns null if it does not. `canBePage` is true if a page was
 * requested.
 */
export function findFormatError(
  { statusCode, headers, body }: ErrorResponse,
  method: string,
  canBePage: boolean,
): string | null {
  if (statusCode >= 500) return `status ${statusCode}: ${body.slice(0, 200)}`
  if (statusCode < 400) return null
  const type = String(headers['content-type'])
  if (canBePage && statusCode === 404 && type === 'text/html; charset=utf-8') return null
  if (type !== 'application/json; charset=utf-8') return `${statusCode} as ${type}`
  if (headers['cache-control'] !== 'no-store') return `${statusCode} may be cached`
  if (method === 'HEAD') return body === '' ? null : 'a body for HEAD'
  const responseBody = JSON.parse(body) as Record<string, unknown>
  const { status, code, message, ...otherKeys } = responseBody
  if (status !== 'error') return `${statusCode} with status ${String(status)}`
  if (!/^[a-z]+(_[a-z]+)*$/.test(String(code))) return `the code ${String(code)}`
  if (!/^[A-Z“].*[a-z.?]$/.test(String(message))) return `the message ${String(message)}`
  const unknownKeys = Object.keys(otherKeys).filter((name) => !OPTIONAL_KEYS.has(name))
  return unknownKeys.length === 0 ? null : `also ${unknownKeys.join(', ')}`
}
