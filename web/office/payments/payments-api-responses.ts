/** Parsers for the API responses of the payment lists. */
import { isDay, isPaymentStatus, readInstant } from '../../../engine/index.ts'
import type {
  DebtorsResponse,
  MonthResponse,
  MovementsResponse,
  OpenRefundsResponse,
} from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isAmount, isRecord, isSignedAmount, readArray } from '../../app/json-readers.ts'
import type { JsonObject } from '../../app/json-readers.ts'

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string'
const isTime = (value: unknown): boolean => typeof value === 'string' && readInstant(value) !== null
const hasValidCursor = (body: JsonObject): boolean => isTextOrNull(body['after'])
const returnIfValid = (value: unknown, isValid: (row: JsonObject) => boolean): JsonObject | null =>
  isRecord(value) && isValid(value) ? value : null

const TOTAL_NAMES = [
  'received',
  'in_review',
  'not_counted',
  'refunded',
  'refunded_not_counted',
  'fee',
] as const

const readTotals = (value: unknown): JsonObject | null =>
  returnIfValid(
    value,
    (row) =>
      hasAll(row, 'string', 'event', 'method') &&
      hasAll(row, 'number', 'payments', 'refunds') &&
      TOTAL_NAMES.every((name) => isSignedAmount(row[name])),
  )
const readMovement = (value: unknown): JsonObject | null =>
  returnIfValid(
    value,
    (row) =>
      hasAll(row, 'string', 'id', 'kind', 'event', 'name', 'method', 'reference', 'counts') &&
      isTime(row['at']) &&
      isTime(row['recorded_at']) &&
      isTextOrNull(row['event_id']) &&
      isTextOrNull(row['reg_no']) &&
      isAmount(row['amount']) &&
      (row['fee'] === null || isSignedAmount(row['fee'])) &&
      typeof row['unreconciled'] === 'boolean' &&
      (row['due'] === null || (isRecord(row['due']) && isAmount(row['due']['amount']))) &&
      readArray(row['documents'], (document) =>
        returnIfValid(
          document,
          (entry) => hasAll(entry, 'number', 'id') && hasAll(entry, 'string', 'serial'),
        ),
      ) !== null,
  )

export const readMovements: Reader<MovementsResponse> = (body) =>
  isRecord(body) &&
  hasValidCursor(body) &&
  [body['from'], body['to'], body['today']].every((day) => typeof day === 'string' && isDay(day)) &&
  readArray(body['methods'], (value) =>
    returnIfValid(value, (row) => hasAll(row, 'string', 'id', 'label')),
  ) !== null &&
  readArray(body['movements'], readMovement) !== null &&
  (body['totals'] === null || readArray(body['totals'], readTotals) !== null)
    ? (body as unknown as MovementsResponse)
    : null

export const readDebtors: Reader<DebtorsResponse> = (body) =>
  isRecord(body) &&
  hasValidCursor(body) &&
  isTime(body['now']) &&
  readArray(body['debtors'], (value) =>
    returnIfValid(
      value,
      (row) =>
        hasAll(row, 'string', 'reg_no', 'event_id', 'event', 'name', 'phone', 'state') &&
        hasAll(row, 'boolean', 'in_review') &&
        isPaymentStatus(row['payment_status']) &&
        isTime(row['since']) &&
        (row['reminded_at'] === null || isTime(row['reminded_at'])) &&
        isAmount(row['amount']),
    ),
  ) !== null &&
  (body['totals'] === null ||
    readArray(body['totals'], (value) =>
      returnIfValid(
        value,
        (row) =>
          hasAll(row, 'string', 'event') &&
          hasAll(row, 'number', 'registrations') &&
          isAmount(row['amount']),
      ),
    ) !== null)
    ? (body as unknown as DebtorsResponse)
    : null

export const readOpenRefunds: Reader<OpenRefundsResponse> = (body) =>
  isRecord(body) &&
  readArray(body['refunds'], (value) =>
    returnIfValid(
      value,
      (row) =>
        hasAll(row, 'number', 'id') &&
        hasAll(row, 'string', 'event', 'name', 'method', 'state', 'why', 'who') &&
        isTime(row['at']) &&
        isTextOrNull(row['reg_no']) &&
        isAmount(row['amount']),
    ),
  ) !== null
    ? (body as unknown as OpenRefundsResponse)
    : null

const hasNumbers = (value: unknown, ...names: readonly string[]): boolean =>
  isRecord(value) && hasAll(value, 'number', ...names)

export const readMonth: Reader<MonthResponse> = (body) =>
  isRecord(body) &&
  hasAll(body, 'string', 'month') &&
  [body['from'], body['to']].every((day) => typeof day === 'string' && isDay(day)) &&
  hasAll(body, 'boolean', 'is_over') &&
  hasNumbers(body, 'invoices', 'credit_notes') &&
  isRecord(body['checks']) &&
  hasNumbers(body['checks'], 'reviews', 'refunds', 'rates', 'unreconciled') &&
  hasNumbers(body['checks']['to_refund'], 'registrations') &&
  hasNumbers(body['checks']['statements'], 'statements', 'matched', 'open') &&
  hasNumbers(body['checks']['unsettled'], 'payments', 'refunds') &&
  hasNumbers(body['checks']['payouts'], 'payouts', 'at_bank') &&
  readArray(body['totals'], readTotals) !== null &&
  readArray(body['changes'], readMovement) !== null &&
  readArray(body['closings'], (value) =>
    returnIfValid(
      value,
      (row) => hasAll(row, 'string', 'event_id', 'event', 'who') && isTime(row['at']),
    ),
  ) !== null
    ? (body as unknown as MonthResponse)
    : null
