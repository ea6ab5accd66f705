/** Parses the API's responses about a registration; each reader returns null for unusable data. */
import { fromMajorUnits, isDay, isPaymentStatus, readInstant } from '../../engine/index.ts'
import type { Currency, Failure, PaymentState, PaymentStatus } from '../../engine/index.ts'
import type {
  RegistrationResponse,
  WirePaymentInstructions,
  WireReceivedAmount,
  WireSecondPayment,
} from '../../engine/api.ts'
import { toWireCurrency } from '../../engine/api.ts'
import type { Reader } from '../app/api-client.ts'
import { isOptionalString, readPaymentState } from '../app/api-responses.ts'
import { hasAll, isRecord, readRecords, readString } from '../app/json-readers.ts'
import { readResponseCurrency } from '../app/response-currency.ts'

/** The public registration call. `registration` is null if the call succeeded and there is none. */
export type SearchResponse = {
  readonly registration: RegistrationResponse['registration'] | null
  /**
   * True if the response contains only part of the data, because the caller has only the number.
   */
  readonly partial?: boolean
  /** The received amounts that staff are checking. */
  readonly under_review?: readonly WireReceivedAmount[]
  /** The instructions for the manual payment method that is due. Null or absent if unknown. */
  readonly paying?: WirePaymentInstructions | null
  /**
   * The earlier payment of the same person. Null or absent if there is none, or if another person may be using the
   * browser.
   */
  readonly paid_twice?: WireSecondPayment | null
}

export const readRegistrationResponse: Reader<SearchResponse> = (body) => {
  if (!isRecord(body)) return null
  const { registration } = body
  if (registration === null || registration === undefined)
    return body['status'] === 'success' ? { registration: null } : null
  const parsedRegistration = readRegistration(registration)
  return parsedRegistration === null
    ? null
    : {
        registration: parsedRegistration,
        partial: body['partial'] === true,
        under_review: readReceivedAmounts(body['under_review']),
        paying: readInstructions(body['paying']),
        paid_twice: readSecondPayment(body['paid_twice']),
      }
}

/** Reads the amounts under review; empty if the value is not a list of amounts. */
export function readReceivedAmounts(value: unknown): WireReceivedAmount[] {
  return readRecords(value).flatMap(({ amount, currency: code }) => {
    const currency = readResponseCurrency({ currency: code })
    return typeof amount === 'number' && fromMajorUnits(amount, currency) !== null
      ? [{ amount, ...toWireCurrency(currency) }]
      : []
  })
}

function readInstructions(value: unknown): WirePaymentInstructions | null {
  return isRecord(value) && hasAll(value, 'string', 'label', 'tell')
    ? ({ ...value, numbers: readRecords(value['numbers']) } as unknown as WirePaymentInstructions)
    : null
}

/** Reads a second payment; null if the value is not one. */
export function readSecondPayment(value: unknown): WireSecondPayment | null {
  return isRecord(value) &&
    hasAll(value, 'string', 'first') &&
    hasAll(value, 'number', 'amount', 'first_amount')
    ? ({ ...value, asked_at: readString(value['asked_at']) } as WireSecondPayment)
    : null
}

/** Parses a registration and adds the properties that the server omits. */
export function readRegistration(value: unknown): RegistrationResponse['registration'] | null {
  if (!isRecord(value) || !hasAll(value, 'string', 'reg_no')) return null
  const status = readStatus(value)
  if (status === null) return null
  const regNo = String(value['reg_no'])
  const texts = [
    'payment_date',
    'payment_id',
    'attempted_at',
    'category',
    'category_label',
    'period',
  ] as const
  const amounts = ['base', 'gst', 'total'] as const
  const currency = readResponseCurrency(value)
  const {
    order_id: orderId,
    created_at: createdAt,
    in_review: inReview,
    may_pay: canPay,
    failed_as: failedAs,
    card_failed_as: cardFailedAs,
    stands,
    held_until: heldUntil,
    price_until: priceUntil,
    review_since: reviewSince,
    refunded_amount: refunded,
    difference_due: difference,
    decide_by: decideBy,
  } = value
  const isValid =
    texts.every((name) => isOptionalString(value[name])) &&
    amounts.every((name) => value[name] === undefined || isAmountOrNull(value[name], currency)) &&
    isOptionalString(orderId) &&
    (createdAt === undefined || (typeof createdAt === 'string' && readInstant(createdAt) !== null))
  if (!isValid) return null
  const nullValues = Object.fromEntries([...texts, ...amounts].map((name) => [name, null]))
  return {
    ...nullValues,
    ...value,
    reg_no: regNo,
    order_id: orderId ?? regNo,
    payment_status: status,
    created_at: createdAt ?? readString(value['payment_date']) ?? '',
    in_review: inReview === true,
    failed_as: status === 'failed' ? readFailure(failedAs) : null,
    card_failed_as: readString(cardFailedAs) === null ? null : readFailure(cardFailedAs),
    stands:
      stands === undefined ? toPaymentState(status, inReview === true) : readPaymentState(stands),
    held_until: readString(heldUntil),
    price_until: typeof priceUntil === 'string' && isDay(priceUntil) ? priceUntil : null,
    review_since: readString(reviewSince),
    second_payment: value['second_payment'] === true,
    refunded_amount: fromMajorUnits(refunded, currency) === null ? 0 : Number(refunded),
    difference_due: fromMajorUnits(difference, currency) === null ? 0 : Number(difference),
    decide_by: readString(decideBy),
    may_pay: canPay === true,
    lines: readRecords(value['lines']),
  } as RegistrationResponse['registration']
}

/**
 * Reads the status. The specification's responses have none: a registration with a payment date or payment id counts
 * as paid. Without either, it counts as pending, because the result is unknown.
 */
function readStatus(value: Readonly<Record<string, unknown>>): PaymentStatus | null {
  const status = value['payment_status']
  if (status === undefined)
    return value['payment_date'] || value['payment_id'] ? 'success' : 'pending'
  return isPaymentStatus(status) ? status : null
}

/** Derives the payment state, because the specification's responses contain only the status. */
function toPaymentState(status: PaymentStatus, inReview: boolean): PaymentState {
  if (status === 'success') return 'complete'
  if (inReview) return 'organisers'
  return status === 'pending' ? 'at-bank' : status
}

const KNOWN_FAILURES: readonly Failure[] = ['declined', 'expired', 'given-back']

/**
 * Reads how a payment failed. The specification's responses do not state it, so a missing value counts as declined.
 * An unknown value counts as unclear.
 */
function readFailure(value: unknown): Failure {
  if (value === undefined) return 'declined'
  return KNOWN_FAILURES.find((candidate) => candidate === value) ?? 'unclear'
}

const isAmountOrNull = (value: unknown, currency: Currency): boolean =>
  value === null || fromMajorUnits(value, currency) !== null
