/** What the calls about money that waits for a decision answer, read once where it arrives. */
import type { ReviewsAnswer } from '../../../engine/index.ts'
import type { Reader } from '../../app/api-client.ts'
import { holdsAll, isRecord, listOf } from '../../app/json-readers.ts'

/** Null: it is none. */
export const reviewIn = (one: unknown): Record<string, unknown> | null =>
  isRecord(one) && holdsAll(one, 'string', 'id', 'kind', 'why') && Array.isArray(one['decisions'])
    ? one
    : null

export const readReviews: Reader<ReviewsAnswer> = (body) =>
  isRecord(body) &&
  listOf(body['reviews'], reviewIn) !== null &&
  listOf(body['refund_requests'], requestIn) !== null
    ? (body as unknown as ReviewsAnswer)
    : null

const requestIn = (one: unknown): Record<string, unknown> | null =>
  isRecord(one) && holdsAll(one, 'string', 'event_id') && holdsAll(one, 'number', 'count')
    ? one
    : null

/** What was decided, in a sentence of the server's. */
export const readDecided: Reader<string> = (body) =>
  isRecord(body) && typeof body['message'] === 'string' ? body['message'] : null
