/** Parsers of the payment review calls' answers. */
import type { ReviewsAnswer } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isRecord, listOf } from '../../app/json-readers.ts'

/** Returns null if the value is not a payment review. */
export const reviewIn = (one: unknown): Record<string, unknown> | null =>
  isRecord(one) && hasAll(one, 'string', 'id', 'kind', 'why') && Array.isArray(one['decisions'])
    ? one
    : null

export const readReviews: Reader<ReviewsAnswer> = (body) =>
  isRecord(body) &&
  listOf(body['reviews'], reviewIn) !== null &&
  listOf(body['refund_requests'], requestIn) !== null
    ? (body as unknown as ReviewsAnswer)
    : null

const requestIn = (one: unknown): Record<string, unknown> | null =>
  isRecord(one) && hasAll(one, 'string', 'event_id') && hasAll(one, 'number', 'count') ? one : null

/** What was decided, as a sentence from the server. */
export const readDecided: Reader<string> = (body) =>
  isRecord(body) && typeof body['message'] === 'string' ? body['message'] : null
