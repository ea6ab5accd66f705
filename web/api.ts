/** The only module that calls `fetch`. A call answers with a value or with an error whose text can be shown as it is. */
import type { ErrorAnswer, SiteTexts } from '../engine/index.ts'

export type ApiError = {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number
  readonly code: string
  /** What to show: the server's own message, else the text for the status, else the fallback. */
  readonly message: string
  /** The server's error answer, where it sent one. */
  readonly answer: ErrorAnswer | null
}
export type Answered<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ApiError }

/** Said before any page data has arrived; event files and the site may word them differently. */
let texts: SiteTexts['calls'] = {
  network: 'Network error. Please check your internet connection.',
  '401': 'Unauthorized. Please check your credentials.',
  '403': 'Access forbidden.',
  '404': 'Resource not found.',
  '500': 'Server error. Please try again later.',
  not_ok: 'HTTP error! status: {status}',
  other: 'An unexpected error occurred.',
}
export const sayWith = (calls: SiteTexts['calls']): void => {
  texts = { ...texts, ...calls }
}

/** Order of the specification's error catalogue: the server's message, the status, the fallback, then what is left. */
function messageOf(status: number, own: string | undefined, fallback: string | undefined): string {
  if (own) return own
  if (status === 0) return texts['network'] ?? ''
  return (
    texts[String(status)] ?? fallback ?? texts['not_ok']?.replace('{status}', String(status)) ?? ''
  )
}

const isError = (body: unknown): body is ErrorAnswer =>
  typeof body === 'object' && body !== null && 'status' in body && body.status === 'error'

export type CallOptions = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly json?: unknown
  readonly form?: FormData
  readonly headers?: Readonly<Record<string, string>>
  /** Said when neither the server nor the status has a text. */
  readonly fallback?: string
  readonly signal?: AbortSignal
}

/** A JSON call to our own server. Never throws; an aborted call answers with code `aborted`. */
export async function call<T>(path: string, options: CallOptions = {}): Promise<Answered<T>> {
  const { json, form, fallback, signal } = options
  const failed = (
    status: number,
    code: string,
    answer: ErrorAnswer | null = null,
  ): Answered<T> => ({
    ok: false,
    error: {
      status,
      code: answer?.code ?? code,
      message: messageOf(status, answer?.message, fallback),
      answer,
    },
  })
  let response: Response
  try {
    response = await fetch(path, {
      method: options.method ?? 'GET',
      headers: {
        accept: 'application/json',
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(form === undefined ? {} : { body: form }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch {
    return failed(0, signal?.aborted ? 'aborted' : 'network')
  }
  let body: unknown
  try {
    body = await response.json()
  } catch {
    return failed(response.ok ? 502 : response.status, 'not_json')
  }
  if (isError(body)) return failed(response.status, 'error', body)
  if (!response.ok) return failed(response.status, 'error')
  return { ok: true, value: body as T }
}

/** A file of ours (CSV, receipt), fetched so that a refusal can be shown instead of saved. */
export async function download(
  path: string,
  fallback: string,
): Promise<Answered<{ readonly blob: Blob; readonly name: string | null }>> {
  let response: Response
  try {
    response = await fetch(path)
  } catch {
    return {
      ok: false,
      error: {
        status: 0,
        code: 'network',
        message: messageOf(0, undefined, fallback),
        answer: null,
      },
    }
  }
  if (!response.ok) {
    const body: unknown = await response.json().catch(() => null)
    const answer = isError(body) ? body : null
    return {
      ok: false,
      error: {
        status: response.status,
        code: answer?.code ?? 'error',
        message: messageOf(response.status, answer?.message, fallback),
        answer,
      },
    }
  }
  const name =
    /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? null
  return { ok: true, value: { blob: await response.blob(), name } }
}

/** Hands a file to the browser to save. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** A fresh Idempotency-Key. `crypto.randomUUID` is missing where a page is not served securely, as on a phone in the office's network. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
