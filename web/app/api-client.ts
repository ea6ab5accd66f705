/** The HTTP client, the only module that calls `fetch`. */
import { assertNever, err, fromMajorUnits, ok } from '../../engine/index.ts'
import { CONNECTION_ERROR_MESSAGES } from '../../engine/messages.ts'
import type { FieldErrors, SiteTexts } from '../../engine/index.ts'
import type { ErrorResponse, WireQuote } from '../../engine/api.ts'
import { isRecord, readStringRecord } from './json-readers.ts'
import { readResponseCurrency } from './response-currency.ts'

export type ApiError = {
  /** HTTP status. 0 if there was no response. */
  readonly status: number
  /**
   * The server's code, or our own: `network` and `aborted` (no response), `error` (a status that is not OK),
   * `unexpected` (a successful status, but a body of the wrong type).
   */
  readonly code: string
  /**
   * Text to show: the server's message, otherwise the text for the status, otherwise the fallback.
   */
  readonly message: string
  /** The server's error response, if it sent one. */
  readonly errorResponse: Partial<ErrorResponse> | null
}
/** The parsed value, or an error whose text can be shown to the user unchanged. */
export type CallResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ApiError }

/** Parses the body of a response. Returns null if the body has the wrong type. Never throws. */
export type Reader<T> = (body: unknown) => T | null

/** Default texts, which event files and site.yaml may override. */
let texts: SiteTexts['calls'] = CONNECTION_ERROR_MESSAGES.calls
export const setCallTexts = (callTexts: SiteTexts['calls']): void => {
  texts = { ...texts, ...callTexts }
}

/** Returns the text for an unknown error: "An unexpected error occurred." */
export const getUnexpectedText = (): string => texts['other'] ?? ''

type Failure =
  | { readonly is: 'network' | 'aborted' }
  | {
      readonly is: 'not_ok'
      readonly status: number
      readonly errorResponse: Partial<ErrorResponse> | null
    }
  | { readonly is: 'unexpected'; readonly status: number }

/**
 * Chooses the message in the order of the specification's error catalogue: the server's message, the text for the
 * status, the fallback, then the default.
 */
function toApiError(failure: Failure, fallback: string | undefined): ApiError {
  switch (failure.is) {
    case 'network':
    case 'aborted':
      return { status: 0, code: failure.is, message: texts['network'] ?? '', errorResponse: null }
    case 'not_ok': {
      const { status, errorResponse } = failure
      const message =
        errorResponse?.message ??
        texts[String(status)] ??
        fallback ??
        (status >= 400 ? texts['not_ok']?.replace('{status}', String(status)) : undefined) ??
        getUnexpectedText()
      return { status, code: errorResponse?.code ?? 'error', message, errorResponse }
    }
    case 'unexpected':
      return {
        status: failure.status,
        code: 'unexpected',
        message: fallback ?? getUnexpectedText(),
        errorResponse: null,
      }
    default:
      return assertNever(failure)
  }
}

/**
 * Parses the common error format leniently: omits properties that are missing or have the wrong type. Returns null if
 * the body reports success, or is not an error.
 */
function readError(body: unknown): Partial<ErrorResponse> | null {
  if (!isRecord(body)) return null
  const { status, code, message } = body
  if (typeof status !== 'string' || status === 'success') return null
  const errors: FieldErrors | null = readStringRecord(body['errors'])
  const quote = readQuote(body['quote'])
  const previousQuote = readQuote(body['was'])
  return {
    status: 'error',
    ...(typeof code === 'string' && code !== '' && { code }),
    ...(typeof message === 'string' && message !== '' && { message }),
    ...(errors !== null && { errors }),
    ...(quote !== null && { quote }),
    ...(previousQuote !== null && { was: previousQuote }),
    ...(typeof body['place'] === 'string' && { place: body['place'] }),
    ...(body['may_confirm'] === true && { may_confirm: true }),
    ...(typeof body['reg_no'] === 'string' && { reg_no: body['reg_no'] }),
  }
}

function readQuote(quote: unknown): WireQuote | null {
  if (!isRecord(quote)) return null
  const { category, period, base, gst, total } = quote
  const currency = readResponseCurrency(quote)
  return typeof category === 'string' &&
    typeof period === 'string' &&
    [base, gst, total].every((amount) => fromMajorUnits(amount, currency) !== null)
    ? (quote as WireQuote)
    : null
}

export type CallOptions = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly json?: unknown
  /** The body: a form or a file. */
  readonly form?: FormData | Blob
  readonly headers?: Readonly<Record<string, string>>
  /** The error text if neither the server nor the status provides one. */
  readonly fallback?: string
  readonly signal?: AbortSignal
}

/**
 * Builds the headers that identify a request as coming from our own pages. Only these pages can ask the delegate to
 * confirm a second payment. `confirmedRegNo` is the earlier registration, if the delegate has confirmed that they want
 * to pay again.
 */
export const buildPageHeaders = (
  confirmedRegNo: string | null,
): Readonly<Record<string, string>> => ({
  'rollcall-form': '1',
  ...(confirmedRegNo !== null && { 'rollcall-again': encodeURIComponent(confirmedRegNo) }),
})

/**
 * Calls our server with JSON and parses the response with `read`. Never throws; an aborted call returns an error with
 * the code `aborted`.
 */
export async function call<T>(
  path: string,
  read: Reader<T>,
  options: CallOptions = {},
): Promise<CallResult<T>> {
  const { json, form, fallback, signal } = options
  const createFailure = (failure: Failure): CallResult<T> => err(toApiError(failure, fallback))
  let response: Response
  let text: string
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
    text = await response.text()
  } catch {
    return createFailure({ is: signal?.aborted ? 'aborted' : 'network' })
  }
  return readResponse(response.status, text, read, fallback)
}

/** Parses the response of any call, including calls that `call` did not make. Never throws. */
export function readResponse<T>(
  status: number,
  text: string,
  read: Reader<T>,
  fallback?: string,
): CallResult<T> {
  const createFailure = (failure: Failure): CallResult<T> => err(toApiError(failure, fallback))
  const body = parseJson(text)
  const errorResponse = readError(body)
  if (status < 200 || status > 299 || errorResponse !== null)
    return createFailure({ is: 'not_ok', status, errorResponse })
  const value = read(body)
  return value === null ? createFailure({ is: 'unexpected', status }) : ok(value)
}

/** Creates the result of a call that received no response. */
export function createFailedResult<T>(): CallResult<T> {
  return err(toApiError({ is: 'network' }, undefined))
}

/** Returns undefined for invalid JSON: a proxy's HTML page, or a truncated response. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Downloads a CSV, Excel or zip file with fetch, so that the page can show an error instead of saving it. */
export async function download(
  path: string,
  {
    signal,
    onBytes,
  }: {
    readonly signal?: AbortSignal
    /** Called with the number of bytes received so far. */
    readonly onBytes?: (bytes: number) => void
  } = {},
): Promise<CallResult<{ readonly blob: Blob; readonly name: string | null }>> {
  const createFailure = (failure: Failure) => err(toApiError(failure, undefined))
  try {
    const response = await fetch(path, signal === undefined ? {} : { signal })
    const { status, headers } = response
    if (!response.ok)
      return createFailure({
        is: 'not_ok',
        status,
        errorResponse: readError(parseJson(await response.text())),
      })
    if (!/csv|sheetml|zip/i.test(headers.get('content-type') ?? ''))
      return createFailure({ is: 'unexpected', status })
    const name = /filename="?([^";]+)/.exec(headers.get('content-disposition') ?? '')?.[1] ?? null
    return ok({ blob: await readBlob(response, onBytes), name })
  } catch {
    return createFailure({ is: signal?.aborted ? 'aborted' : 'network' })
  }
}

async function readBlob(response: Response, onBytes?: (bytes: number) => void): Promise<Blob> {
  if (response.body === null || onBytes === undefined) return response.blob()
  let bytes = 0
  const byteCounter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length
      onBytes(bytes)
      controller.enqueue(chunk)
    },
  })
  const type = response.headers.get('content-type') ?? ''
  const blob = await new Response(response.body.pipeThrough(byteCounter)).blob()
  return new Blob([blob], { type })
}

/** The time in milliseconds that the browser has to start saving the file before the object URL is revoked. */
const REVOKE_DELAY_MS = 10_000

/** Saves a file through the browser. */
export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_DELAY_MS)
}

/**
 * Creates a new Idempotency-Key. `crypto.randomUUID` does not exist on pages without HTTPS, for example on a phone in
 * the office network.
 */
export const createIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
