/** Sends one request to Razorpay's API, and reads its JSON or its error. */
import type { RazorpayAccount } from './credentials.ts'
import { sendRequest } from '../send-request.ts'

/** `address` ends with a slash: https://api.razorpay.com/v1/ */
export type Api = {
  readonly address: string
  readonly account: RazorpayAccount
  /** Aborts all requests in one operation. */
  readonly signal: AbortSignal
}
export type ApiResponse =
  | { readonly is: 'ok'; readonly json: Json; readonly text: string }
  /** The gateway understood the request and refused it. */
  | {
      readonly is: 'refused'
      readonly status: number
      readonly code: string
      readonly message: string
      readonly text: string
    }
  /** `wasSent` is false only if the gateway cannot have received the request. */
  | { readonly is: 'failed'; readonly error: string; readonly wasSent: boolean }

/** A JSON object from the gateway. Every value in it must be checked. */
export type Json = Readonly<Record<string, unknown>>

export async function requestApi(
  { address, account, signal }: Api,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<ApiResponse> {
  const credentials = Buffer.from(`${account.keyId}:${account.keySecret}`).toString('base64')
  const result = await sendRequest({
    address: `${address}${path}`,
    method,
    headers: {
      authorization: `Basic ${credentials}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
  })
  const json = parseObject(result.is === 'answered' ? result.text : (result.text ?? ''))
  if (result.is === 'answered')
    return json === null
      ? { is: 'failed', error: 'the response is not a JSON object', wasSent: true }
      : { is: 'ok', json, text: result.text }
  const { status, error, wasSent: sent, text = '' } = result
  const problem = json === null ? null : asObject(json['error'])
  // A rate-limited request was not processed. A 5xx, or a response from another server, does not show whether the
  // request was processed.
  if (status !== null && status >= 400 && status < 500 && status !== 429 && problem !== null)
    return {
      is: 'refused',
      status,
      code: asText(problem['code']),
      message: asText(problem['description']),
      text,
    }
  return { is: 'failed', error, wasSent: sent && status !== 429 }
}

export function parseObject(text: string): Json | null {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return null
  }
}

export function asObject(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Json)
    : null
}

/** Returns the objects in a list from the gateway, `{items: […]}`. Null if the JSON is not such a list. */
export function asItems(json: Json): readonly Json[] | null {
  const { items } = json
  if (!Array.isArray(items)) return null
  const objects = items.map(asObject)
  return objects.every((item) => item !== null) ? objects : null
}

/** Returns a string unchanged, and "" for anything else. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns a non-negative whole number unchanged, and null for anything else. */
export const asWholeNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null

export const describeFailure = (response: Exclude<ApiResponse, { readonly is: 'ok' }>): string =>
  response.is === 'failed'
    ? response.error
    : `the gateway refused the request (status ${response.status}): ${response.message || response.code}`
