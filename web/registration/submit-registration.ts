/** The submit request of a registration, and the interpretation of the server's answers. */
import { rupees } from '../../engine/index.ts'
import type { Answers, FieldErrors, PublicEvent, Quote } from '../../engine/index.ts'
import { readRegistered, toQuote } from '../app/api-responses.ts'
import type { Registered } from '../app/api-responses.ts'
import type { ApiError } from '../app/api-client.ts'
import { callUntilAnswered } from '../app/retry-requests.ts'
import type { Proofs } from './uploads/upload-progress.ts'

/** Result of a submit. */
export type SubmitResult =
  | { readonly is: 'registered'; readonly answer: Registered }
  | { readonly is: 'invalid'; readonly errors: FieldErrors; readonly message: string }
  /** The price, category or period differs from the one that the delegate saw. */
  | { readonly is: 'changed'; readonly now: Quote }
  /** Nothing of the order is on sale; `message` states why. */
  | { readonly is: 'closed'; readonly message: string }
  /**
   * `unsure`: no answer arrived or the server failed, so the same attempt must be sent with the
   * same key.
   */
  | { readonly is: 'refused'; readonly error: ApiError; readonly unsure: boolean }

/** Amounts that the server compares on submit; an event file may rename them in `api.sends`. */
const usualNames = { base_amount: 'base', gst_amount: 'gst', total_amount: 'total' }

function valueOf(quote: Quote, what: string): string | number | null {
  if (what === 'category' || what === 'period') return quote[what]
  return what === 'base' || what === 'gst' || what === 'total' ? rupees(quote[what]) : null
}

/** The part of the form that is sent. */
export type Filled = {
  readonly answers: Answers
  /** Fields that are shown; answers of hidden fields are not sent. */
  readonly shown: ReadonlySet<string>
  readonly proofs: Pick<Proofs, 'all'>
}

/**
 * Sends the answers with the price that the delegate saw, so that the server can refuse to charge a
 * different one. `beside` is additional data, such as a discount code. `keys.again()` creates a new
 * key, because the current one may belong to the same answers at an older price. `waits` is called
 * when the request timed out and is sent again.
 */
export async function register(
  event: PublicEvent,
  filled: Filled,
  quote: Quote | null,
  beside: Readonly<Record<string, string | boolean>>,
  keys: { readonly now: () => string; readonly again: () => string },
  waits: () => void,
): Promise<SubmitResult> {
  const send = (key: string) => attempt(event, filled, quote, beside, key, waits)
  const first = await send(keys.now())
  const outcome = isKeyReused(first) ? await send(keys.again()) : first
  return isKeyReused(outcome)
    ? { ...outcome, error: { ...outcome.error, message: event.form.failure } }
    : outcome
}

type Refused = Extract<SubmitResult, { is: 'refused' }>
const isKeyReused = (outcome: SubmitResult): outcome is Refused =>
  outcome.is === 'refused' && outcome.error.code === 'idempotency_key_reused'

async function attempt(
  event: PublicEvent,
  { answers, shown, proofs }: Filled,
  quote: Quote | null,
  beside: Readonly<Record<string, string | boolean>>,
  key: string,
  waits: () => void,
): Promise<SubmitResult> {
  const fields: Record<string, unknown> = {}
  const takesFiles = event.fields.some((field) => field.type === 'file')
  for (const field of event.fields) {
    const answer = answers[field.id]
    if (shown.has(field.id) && answer !== undefined && field.type !== 'file')
      fields[field.id] = answer
  }
  Object.assign(fields, beside)
  if (quote !== null) {
    const sends = Object.values(event.api.sends).includes('total')
      ? event.api.sends
      : { ...usualNames, ...event.api.sends }
    for (const [name, what] of Object.entries(sends)) {
      const value = valueOf(quote, what)
      if (value !== null && !Object.hasOwn(fields, name)) fields[name] = value
    }
  }
  const usual = {
    method: 'POST',
    headers: { 'idempotency-key': key },
    fallback: event.form.failure,
  } as const
  const answer = await callUntilAnswered(
    event.api.register,
    readRegistered,
    takesFiles
      ? { ...usual, form: formOf(fields, proofs.all(), shown) }
      : { ...usual, json: fields },
    waits,
  )
  return answer.ok ? { is: 'registered', answer: answer.value } : outcomeOf(answer.error)
}

/**
 * Multipart body: with files, every value is text; a list is JSON. A document that the server
 * already has is sent as its token.
 */
function formOf(
  fields: Readonly<Record<string, unknown>>,
  proofs: ReturnType<Proofs['all']>,
  shown: Filled['shown'],
): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  for (const [name, proof] of proofs) {
    if (!shown.has(name)) continue
    if (proof.is === 'there') form.append(name, proof.token)
    else if (proof.is === 'here') form.append(name, proof.file, proof.name)
  }
  return form
}

/** Server codes for "not what the delegate saw"; the answer contains the current quote. */
const CHANGED: ReadonlySet<string> = new Set([
  'price_changed',
  'category_changed',
  'period_changed',
])

/** Statuses whose errors belong to fields; 409 means that an option is full. */
const AT_QUESTIONS: ReadonlySet<number> = new Set([409, 413, 422])

function outcomeOf(error: ApiError): SubmitResult {
  const { code, message, answer, status } = error
  // A discount code is not a form field; its error is shown at the discount code field.
  if (answer?.errors && AT_QUESTIONS.has(status) && !code.startsWith('code_'))
    return { is: 'invalid', errors: answer.errors, message }
  if (CHANGED.has(code)) {
    const now = answer?.quote ? toQuote(answer.quote) : null
    return now === null ? { is: 'closed', message } : { is: 'changed', now }
  }
  if (code === 'registration_closed' || code === 'not_on_sale') return { is: 'closed', message }
  return {
    is: 'refused',
    error,
    unsure: status === 0 || status >= 500 || code === 'unexpected',
  }
}
