/** Submits a registration and interprets the server's response. */
import { toMajorUnits } from '../../engine/index.ts'
import type { Answers, FieldErrors, PublicEvent, Quote } from '../../engine/index.ts'
import { readRegisterResult, toQuote } from '../app/api-responses.ts'
import type { RegisterResult } from '../app/api-responses.ts'
import { buildPageHeaders, call } from '../app/api-client.ts'
import type { ApiError } from '../app/api-client.ts'
import { callWithRetries } from '../app/retry-requests.ts'
import type { DocumentUploads } from './uploads/upload-progress.ts'

/** The result of a submission. */
export type SubmitResult =
  | { readonly is: 'registered'; readonly response: RegisterResult }
  | { readonly is: 'invalid'; readonly errors: FieldErrors; readonly message: string }
  /** The price, category or period differs from the one that the delegate saw. */
  | { readonly is: 'changed'; readonly currentQuote: Quote }
  /** Nothing in the order is on sale. `message` states why. */
  | { readonly is: 'closed'; readonly message: string }
  /** This browser has registered the same person before: registration `regNo`. */
  | { readonly is: 'same-person'; readonly regNo: string; readonly message: string }
  /**
   * `isUncertain` is true if no response arrived or the server failed. The same attempt must then be sent
   * with the same key.
   */
  | { readonly is: 'refused'; readonly error: ApiError; readonly isUncertain: boolean }

/** Amounts that the server compares on submit; an event file may rename them in `api.sends`. */
const DEFAULT_AMOUNT_FIELDS = { base_amount: 'base', gst_amount: 'gst', total_amount: 'total' }

function getQuoteValue(quote: Quote, name: string): string | number | null {
  if (name === 'category' || name === 'period') return quote[name]
  return name === 'base' || name === 'gst' || name === 'total'
    ? toMajorUnits(quote[name], quote.currency)
    : null
}

/** The part of the form that is sent. */
export type SubmittedForm = {
  readonly answers: Answers
  /** Fields that are shown; answers to hidden fields are not sent. */
  readonly shownFields: ReadonlySet<string>
  readonly uploads: Pick<DocumentUploads, 'all'>
}

/**
 * Sends the answers with the price that the delegate saw, so that the server can refuse to charge a different one.
 * `extraParameters` contains the discount code, for example. `keys.renew()` creates a new key, because the current
 * one may identify the same answers at an older price. `keys.previousRegNo` is the number of the same person's
 * earlier registration, if the delegate has confirmed that they want another one. `onRetry` is called when a
 * request that timed out is sent again.
 */
export async function register(
  event: PublicEvent,
  form: SubmittedForm,
  quote: Quote | null,
  extraParameters: Readonly<Record<string, string | boolean>>,
  keys: {
    readonly getCurrent: () => string
    readonly renew: () => string
    readonly previousRegNo: string | null
  },
  onRetry: () => void,
): Promise<SubmitResult> {
  const send = (key: string) =>
    sendWithKey(
      event,
      form,
      quote,
      extraParameters,
      {
        'idempotency-key': key,
        ...buildPageHeaders(keys.previousRegNo),
      },
      onRetry,
    )
  await Promise.race([
    pendingIdentification,
    new Promise((resolve) => void setTimeout(resolve, MAX_IDENTIFICATION_MS)),
  ])
  const firstResult = await send(keys.getCurrent())
  const result = isKeyReused(firstResult) ? await send(keys.renew()) : firstResult
  return isKeyReused(result)
    ? { ...result, error: { ...result.error, message: event.form.failure } }
    : result
}

/** The longest time, in milliseconds, that a slow identification may delay a submission. */
const MAX_IDENTIFICATION_MS = 2_000

let pendingIdentification: Promise<unknown> | undefined

/**
 * Requests the cookie with which the server recognises this browser, once per page, when the delegate begins to fill
 * in the form. All tabs then have the same cookie when they submit, and visitors who only read get none.
 */
export function identifyBrowser({ id }: PublicEvent): void {
  pendingIdentification ??= call(`/api/events/${encodeURIComponent(id)}/browser/`, () => null, {
    headers: buildPageHeaders(null),
  })
}

type Rejection = Extract<SubmitResult, { is: 'refused' }>
const isKeyReused = (submitResult: SubmitResult): submitResult is Rejection =>
  submitResult.is === 'refused' && submitResult.error.code === 'idempotency_key_reused'

async function sendWithKey(
  event: PublicEvent,
  { answers, shownFields, uploads }: SubmittedForm,
  quote: Quote | null,
  extraParameters: Readonly<Record<string, string | boolean>>,
  headers: Readonly<Record<string, string>>,
  onRetry: () => void,
): Promise<SubmitResult> {
  const fields: Record<string, unknown> = {}
  const hasFileFields = event.fields.some((field) => field.type === 'file')
  for (const field of event.fields) {
    const answer = answers[field.id]
    if (shownFields.has(field.id) && answer !== undefined && field.type !== 'file')
      fields[field.id] = answer
  }
  Object.assign(fields, extraParameters)
  if (quote !== null) {
    const amounts = Object.values(event.api.sends).includes('total')
      ? event.api.sends
      : { ...DEFAULT_AMOUNT_FIELDS, ...event.api.sends }
    for (const [name, meaning] of Object.entries(amounts)) {
      const value = getQuoteValue(quote, meaning)
      if (value !== null && !Object.hasOwn(fields, name)) fields[name] = value
    }
  }
  const defaults = {
    method: 'POST',
    headers,
    fallback: event.form.failure,
  } as const
  const response = await callWithRetries(
    event.api.register,
    readRegisterResult,
    hasFileFields
      ? { ...defaults, form: buildFormData(fields, uploads.all(), shownFields) }
      : { ...defaults, json: fields },
    onRetry,
  )
  return response.ok
    ? { is: 'registered', response: response.value }
    : toSubmitResult(response.error)
}

/**
 * Builds a multipart body. Every value is text, and lists are JSON. For a document that the server already has,
 * only the token is sent.
 */
function buildFormData(
  fields: Readonly<Record<string, unknown>>,
  uploads: ReturnType<DocumentUploads['all']>,
  shownFields: SubmittedForm['shownFields'],
): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  for (const [name, selectedDocument] of uploads) {
    if (!shownFields.has(name)) continue
    if (selectedDocument.is === 'stored') form.append(name, selectedDocument.token)
    else if (selectedDocument.is === 'local')
      form.append(name, selectedDocument.file, selectedDocument.name)
  }
  return form
}

/** Error codes for a changed price. The response contains the current quote. */
const PRICE_CHANGED_CODES: ReadonlySet<string> = new Set([
  'price_changed',
  'category_changed',
  'period_changed',
])

/** HTTP statuses whose responses contain field errors. 409 means that an option is full. */
const FIELD_ERROR_STATUSES: ReadonlySet<number> = new Set([409, 413, 422])

function toSubmitResult(error: ApiError): SubmitResult {
  const { code, message, errorResponse, status } = error
  // The discount code is not one of the event's fields. Its own input shows its error.
  if (errorResponse?.errors && FIELD_ERROR_STATUSES.has(status) && !code.startsWith('code_'))
    return { is: 'invalid', errors: errorResponse.errors, message }
  if (PRICE_CHANGED_CODES.has(code)) {
    const newQuote = errorResponse?.quote ? toQuote(errorResponse.quote) : null
    return newQuote === null ? { is: 'closed', message } : { is: 'changed', currentQuote: newQuote }
  }
  if (code === 'same_person' && errorResponse?.reg_no)
    return { is: 'same-person', regNo: errorResponse.reg_no, message }
  if (code === 'registration_closed' || code === 'not_on_sale') return { is: 'closed', message }
  return {
    is: 'refused',
    error,
    isUncertain: status === 0 || status >= 500 || code === 'unexpected',
  }
}
