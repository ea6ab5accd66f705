/** Parsers of the responses of bank statement calls. */
import type { BulkActionResponse, ReconcileResponse } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isAmount, isRecord, listOf } from '../../app/json-readers.ts'
import { readSettlement } from './settlement-api-responses.ts'

export const readReconciliation: Reader<ReconcileResponse> = (body) => {
  if (!isRecord(body)) return null
  const { header, lines, waiting, unread, repeated, settlement } = body
  if (settlement !== undefined)
    return readSettlement(settlement) === null ? null : (body as ReconcileResponse)
  if (Array.isArray(header))
    return header.every((heading) => typeof heading === 'string')
      ? (body as ReconcileResponse)
      : null
  const isReadable =
    listOf(lines, readLine) !== null &&
    listOf(waiting, readCandidate) !== null &&
    Array.isArray(unread) &&
    unread.every((line) => typeof line === 'number') &&
    listOf(repeated, readRepeatedLine) !== null
  return isReadable ? ({ ...body, header: null } as ReconcileResponse) : null
}

const readLine = (value: unknown): Record<string, unknown> | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'day', 'narration', 'reference', 'as') &&
  typeof value['line'] === 'number' &&
  Array.isArray(value['also']) &&
  (value['why'] === null || typeof value['why'] === 'string') &&
  isAmount(value['amount']) &&
  listOf(value['of'], readCandidate) !== null
    ? value
    : null

const readRepeatedLine = (value: unknown): Record<string, unknown> | null =>
  isRecord(value) && typeof value['line'] === 'number' && typeof value['first'] === 'number'
    ? value
    : null

const readCandidate = (value: unknown): Record<string, unknown> | null =>
  isRecord(value) && hasAll(value, 'string', 'reg_no', 'name') && isAmount(value['due'])
    ? value
    : null

/** Parses the results of several rows. */
export const readBulkResult: Reader<BulkActionResponse> = (body) =>
  isRecord(body) &&
  typeof body['message'] === 'string' &&
  Array.isArray(body['done']) &&
  listOf(body['refused'], (row) =>
    isRecord(row) && hasAll(row, 'string', 'reg_no', 'message') ? row : null,
  ) !== null
    ? (body as BulkActionResponse)
    : null
