/** Parsers of the bank statement calls' answers. */
import { fromRupees } from '../../../engine/index.ts'
import type { BulkAnswer, ReconcileAnswer } from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isRecord, listOf } from '../../app/json-readers.ts'
import { settlementIn } from './settlement-api-responses.ts'

export const readReconciled: Reader<ReconcileAnswer> = (body) => {
  if (!isRecord(body)) return null
  const { header, lines, waiting, unread, repeated, settlement } = body
  if (settlement !== undefined)
    return settlementIn(settlement) === null ? null : (body as ReconcileAnswer)
  if (Array.isArray(header))
    return header.every((head) => typeof head === 'string') ? (body as ReconcileAnswer) : null
  const isReadable =
    listOf(lines, readLine) !== null &&
    listOf(waiting, readAwaited) !== null &&
    Array.isArray(unread) &&
    unread.every((line) => typeof line === 'number') &&
    listOf(repeated, readRepeated) !== null
  return isReadable ? ({ ...body, header: null } as ReconcileAnswer) : null
}

const readLine = (value: unknown): Record<string, unknown> | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'day', 'narration', 'reference', 'as') &&
  typeof value['line'] === 'number' &&
  Array.isArray(value['also']) &&
  (value['why'] === null || typeof value['why'] === 'string') &&
  fromRupees(value['amount']) !== null &&
  listOf(value['of'], readAwaited) !== null
    ? value
    : null

const readRepeated = (value: unknown): Record<string, unknown> | null =>
  isRecord(value) && typeof value['line'] === 'number' && typeof value['first'] === 'number'
    ? value
    : null

const readAwaited = (value: unknown): Record<string, unknown> | null =>
  isRecord(value) && hasAll(value, 'string', 'reg_no', 'name') && fromRupees(value['due']) !== null
    ? value
    : null

/** The result for each of many rows. */
export const readBulk: Reader<BulkAnswer> = (body) =>
  isRecord(body) &&
  typeof body['message'] === 'string' &&
  Array.isArray(body['done']) &&
  listOf(body['refused'], (one) =>
    isRecord(one) && hasAll(one, 'string', 'reg_no', 'message') ? one : null,
  ) !== null
    ? (body as BulkAnswer)
    : null
