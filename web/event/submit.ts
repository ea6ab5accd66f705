/** Sending a registration: what goes into the call, and what each answer to it means. */
import { rupees, shownFields } from '../../engine/index.ts'
import type { Answers, FieldErrors, PublicEvent, Quote } from '../../engine/index.ts'
import { readRegistered, toQuote } from '../answers.ts'
import type { Registered } from '../answers.ts'
import { call } from '../api.ts'
import type { ApiError } from '../api.ts'

/** What became of a registration that was sent. */
export type Outcome =
  | { readonly is: 'registered'; readonly answer: Registered }
  | { readonly is: 'invalid'; readonly errors: FieldErrors; readonly message: string }
  /** The price, the category or the period is another than the delegate saw. */
  | { readonly is: 'changed'; readonly now: Quote }
  /** Nothing of what was asked for is on sale; `message` says why. */
  | { readonly is: 'closed'; readonly message: string }
  /** `unsure`: no answer came or the server broke, so the same attempt must be sent with the same key. */
  | { readonly is: 'refused'; readonly message: string; readonly unsure: boolean }

/** Names the server compares when they are sent; an event file may name them otherwise in `api.sends`. */
const usualNames = { base_amount: 'base', gst_amount: 'gst', total_amount: 'total' }

function valueOf(quote: Quote, what: string): string | number | null {
  if (what === 'category' || what === 'period') return quote[what]
  return what === 'base' || what === 'gst' || what === 'total' ? rupees(quote[what]) : null
}

/**
 * Sends the answers with the price the delegate saw, so that the server can refuse to charge another.
 * `keys.again()` makes a new key: the one in hand may belong to the same answers at an older price.
 */
export async function register(
  event: PublicEvent,
  answers: Answers,
  files: ReadonlyMap<string, File>,
  quote: Quote | null,
  keys: { readonly now: () => string; readonly again: () => string },
): Promise<Outcome> {
  const first = await attempt(event, answers, files, quote, keys.now())
  if (first !== 'key_reused') return first
  const second = await attempt(event, answers, files, quote, keys.again())
  return second === 'key_reused'
    ? { is: 'refused', message: event.form.failure, unsure: false }
    : second
}

async function attempt(
  event: PublicEvent,
  answers: Answers,
  files: ReadonlyMap<string, File>,
  quote: Quote | null,
  key: string,
): Promise<Outcome | 'key_reused'> {
  const shown = shownFields(event, answers)
  const fields: Record<string, unknown> = {}
  const takesFiles = event.fields.some((field) => field.type === 'file')
  for (const field of event.fields) {
    const answer = answers[field.id]
    if (shown.has(field.id) && answer !== undefined && field.type !== 'file')
      fields[field.id] = answer
  }
  if (quote !== null) {
    const sends = Object.values(event.api.sends).includes('total')
      ? event.api.sends
      : { ...usualNames, ...event.api.sends }
    for (const [name, what] of Object.entries(sends)) {
      const value = valueOf(quote, what)
      if (value !== null && !Object.hasOwn(fields, name)) fields[name] = value
    }
  }
  const headers = { 'idempotency-key': key }
  const fallback = event.form.failure
  let answer
  if (takesFiles) {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields))
      form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
    for (const [name, file] of files) if (shown.has(name)) form.append(name, file, file.name)
    answer = await call(event.api.register, readRegistered, {
      method: 'POST',
      form,
      headers,
      fallback,
    })
  } else {
    answer = await call(event.api.register, readRegistered, {
      method: 'POST',
      json: fields,
      headers,
      fallback,
    })
  }
  if (!answer.ok)
    return answer.error.code === 'idempotency_key_reused' ? 'key_reused' : outcomeOf(answer.error)
  return { is: 'registered', answer: answer.value }
}

/** Codes of the server for "not what the delegate saw", with what holds now. */
const CHANGED: ReadonlySet<string> = new Set([
  'price_changed',
  'category_changed',
  'period_changed',
])

function outcomeOf(error: ApiError): Outcome {
  const { code, message, answer, status } = error
  if ((status === 422 || status === 413) && answer?.errors)
    return { is: 'invalid', errors: answer.errors, message }
  if (CHANGED.has(code)) {
    const now = answer?.quote ? toQuote(answer.quote) : null
    return now === null ? { is: 'closed', message } : { is: 'changed', now }
  }
  if (code === 'registration_closed' || code === 'not_on_sale') return { is: 'closed', message }
  return {
    is: 'refused',
    message,
    unsure: status === 0 || status >= 500 || code === 'unexpected',
  }
}
