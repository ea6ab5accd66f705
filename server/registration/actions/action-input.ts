/** Defines and parses the input of an action on a registration. */
import { createHash } from 'node:crypto'
import { getDecimals, INR, err, fromMajorUnits, ok, readAmount } from '../../../engine/index.ts'
import type { Currency, ActionName, FieldErrors, Amount, Result } from '../../../engine/index.ts'
import type { Deps, ServedEvent } from '../../dependencies.ts'
import type {
  CompletedAction,
  ActionDenial,
  NewAction,
  IdempotencyKey,
  StoredRegistration,
} from '../../storage/index.ts'

/** An action whose transaction checks again the answers and the sender that the request was based on. */
export type CheckedAction = NewAction & Required<Pick<NewAction, 'previousAnswers' | 'sender'>>
/** `params` contains the fields in the body other than action, reason and key. */
export type ActionRequest = {
  readonly deps: Pick<
    Deps,
    'store' | 'events' | 'payments' | 'gateway' | 'clock' | 'uploads' | 'environment'
  >
  readonly served: ServedEvent
  readonly registration: StoredRegistration
  readonly newAction: CheckedAction
  readonly params: ActionParameters
}
/** Every field that office actions read from a body. The guard reads and resolves a `review` separately. */
export const ACTION_PARAMETERS = {
  act: 'text',
  why: 'text',
  key: 'text',
  answers: 'object',
  /** The answers that the user saw before correcting them, as fields of the form. */
  seen: 'object',
  total: 'text',
  way: 'text',
  /** The fields of an event file's own office method, except its reference. */
  paid: 'object',
  reference: 'text',
  amount: 'text',
  day: 'text',
  pay_back: 'text',
  /** For a refund or a cancellation: the version of the same person's other payments that the user saw. */
  duplicates_version: 'text',
  /** For a cancellation: the version of the figures that the user saw. */
  cancellation_version: 'text',
  /** The ISO 4217 code of the amount's currency. Refused if it is not the registration's currency. */
  currency: 'text',
  /** For a refund or a cancellation: the amount paid and not refunded that the user saw. */
  kept: 'text',
  by_hand: 'flag',
  offer: 'flag',
  category: 'text',
  version: 'text',
} as const
export type ActionParameter = keyof typeof ACTION_PARAMETERS
export type ActionParameters = Readonly<Partial<Record<ActionParameter | 'review', unknown>>>
/** A handler may extend the `message` that the store returns. */
export type ActionResult = Result<CompletedAction, ActionDenial>
export type ActionHandler = (request: ActionRequest) => Promise<ActionResult>

/** A double click sends the same key. 128 random bits need up to 32 characters. */
const KEY_PATTERN = /^[\w-]{8,64}$/

/**
 * Returns the request's idempotency key; null if none was sent. A key is valid only for the same user,
 * registration and input.
 */
export function parseActionKey(
  { key, ...params }: ActionParameters,
  request: { readonly who: string; readonly regNo: string; readonly act: ActionName },
): Result<IdempotencyKey | null, ActionDenial> {
  if (key === undefined || key === null) return ok(null)
  if (typeof key !== 'string' || !KEY_PATTERN.test(key))
    return refuseData('A key must have 8 to 64 letters, digits or hyphens.')
  const computeHash = (text: string): string => createHash('sha256').update(text).digest('hex')
  return ok({
    key: computeHash(JSON.stringify([request.who, request.regNo, key])),
    fingerprint: computeHash(JSON.stringify([request.act, params])),
  })
}

/**
 * Reads the version of the same person's other payments; undefined if none was sent, in which case nothing is compared.
 */
export function readDuplicatesVersion({
  duplicates_version: version,
}: Readonly<{ duplicates_version?: unknown }>): Result<string | undefined, ActionDenial> {
  if (version === undefined || typeof version === 'string') return ok(version)
  return refuseData('Send duplicates_version as the string returned in the list of actions.')
}

export function refuseData(message: string, errors?: FieldErrors) {
  return err({ code: 'bad_data' as const, message, ...(errors !== undefined && { errors }) })
}

export function readText<N extends string>(
  params: Readonly<Partial<Record<N, unknown>>>,
  name: N,
): string {
  const parameter = params[name]
  return typeof parameter === 'string' ? parameter.trim() : ''
}

/** Parses an amount in major units (text or number); null if none was sent. */
export function readAmountParameter(
  params: ActionParameters,
  name: keyof ActionParameters,
  currency: Currency,
): Result<Amount | null, ActionDenial> {
  const parameter = params[name]
  if (parameter === undefined || parameter === null || parameter === '') return ok(null)
  const amount =
    typeof parameter === 'string'
      ? readAmount(parameter, currency)
      : fromMajorUnits(parameter, currency)
  return amount === null || amount < 0 ? refuseData(describeAmountFormat(currency)) : ok(amount)
}

/**
 * Reads the paid amount that the user saw; null if none was sent, in which case nothing is compared. An empty value is
 * refused, because a client that sends one relies on the comparison.
 */
export function readShownPaidAmount(
  params: ActionParameters,
  currency: Currency,
): Result<Amount | null, ActionDenial> {
  if (params['kept'] === undefined) return ok(null)
  const amount = readAmountParameter(params, 'kept', currency)
  return amount.ok && amount.value !== null
    ? amount
    : refuseData('Send kept as the paid amount returned in the list of actions.')
}

/** Returns the message that prompts for an amount, with an example. */
export function describeAmountFormat(currency: Currency): string {
  if (currency === INR) return 'Enter the amount in rupees, such as 985 or 985.50.'
  const decimalExample =
    getDecimals(currency) === 0 ? '' : ` or 985.${'50'.padEnd(getDecimals(currency), '0')}`
  return `Enter the amount in ${currency}, such as 985${decimalExample}.`
}
