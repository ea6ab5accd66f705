/** Parsers for the responses of payment review calls. */
import { readCurrency } from '../../../engine/index.ts'
import type { Currency } from '../../../engine/index.ts'
import type { ReviewsResponse, WireReview } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isRecord, readArray } from '../../app/json-readers.ts'
import { readResponseCurrency } from '../../app/response-currency.ts'

/** Returns null if the value is not a payment review. */
export const readReview = (value: unknown): Record<string, unknown> | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'id', 'version', 'kind', 'why') &&
  Array.isArray(value['decisions'])
    ? value
    : null

export const readReviews: Reader<ReviewsResponse> = (body) =>
  isRecord(body) &&
  readArray(body['reviews'], readReview) !== null &&
  readArray(body['refund_requests'], readRefundRequest) !== null
    ? (body as unknown as ReviewsResponse)
    : null

const readRefundRequest = (value: unknown): Record<string, unknown> | null =>
  isRecord(value) && hasAll(value, 'string', 'event_id') && hasAll(value, 'number', 'count')
    ? value
    : null

/**
 * Returns the currencies of a payment under review and of its bill. A response states the bill's currency only if the
 * two differ.
 */
export function readReviewCurrencies({
  currency: code,
  due_currency: dueCode,
}: Pick<WireReview, 'currency' | 'due_currency'>): {
  readonly currency: Currency
  readonly dueCurrency: Currency
} {
  const currency = readResponseCurrency({ currency: code })
  return { currency, dueCurrency: readCurrency(dueCode) ?? currency }
}
