/** Parses the API responses for the discount codes page. */
import type { CodesResponse } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isRecord, readArray } from '../../app/json-readers.ts'
import type { JsonObject } from '../../app/json-readers.ts'

export const readDiscountCodes: Reader<CodesResponse> = (body) =>
  isRecord(body) &&
  typeof body['today'] === 'string' &&
  (body['before'] === null || typeof body['before'] === 'number') &&
  readArray(body['kinds'], (item) =>
    isRecord(item) && hasAll(item, 'string', 'id', 'label', 'gives') ? item : null,
  ) !== null &&
  readArray(body['codes'], readDiscountCode) !== null
    ? (body as CodesResponse)
    : null

const readDiscountCode = (value: unknown): JsonObject | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'code', 'kind', 'note') &&
  hasAll(value, 'number', 'uses', 'uses_max', 'paid') &&
  (value['discounts'] === null ||
    readArray(value['discounts'], (discount) =>
      isRecord(discount) && hasAll(discount, 'number', 'amount', 'paid') ? discount : null,
    ) !== null)
    ? value
    : null

/** Parses newly created discount codes, which the response contains in full. */
export const readCreatedCodes: Reader<readonly string[]> = (body) =>
  isRecord(body)
    ? readArray(body['codes'], (item) => (typeof item === 'string' ? item : null))
    : null
