/** Parsers for the responses about saved bank statements, and the URLs of the statements. */
import type {
  StatementDecisionResponse,
  StatementResponse,
  StatementsResponse,
  StatementUploadResponse,
} from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isAmount, isRecord, isSignedAmount, readArray } from '../../app/json-readers.ts'
import { STATEMENTS } from '../office-api-and-urls.ts'

export const buildStatementUrl = (id: number): string => `${STATEMENTS}/${id}`
export const buildStatementApiPath = (id: number, call = ''): string =>
  `/api/admin/statements/${id}/${call === '' ? '' : `${call}/`}`

const readRow = (value: unknown): Record<string, unknown> | null => (isRecord(value) ? value : null)

export const readUpload: Reader<StatementUploadResponse> = (body) => {
  if (!isRecord(body)) return null
  const { header } = body
  if (Array.isArray(header))
    return header.every((heading) => typeof heading === 'string')
      ? (body as StatementUploadResponse)
      : null
  return typeof body['id'] === 'number' ? (body as StatementUploadResponse) : null
}

const readSummary = (value: unknown): Record<string, unknown> | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'bank', 'from', 'to', 'who', 'at') &&
  hasAll(value, 'number', 'id', 'matched', 'open')
    ? value
    : null

export const readStatements: Reader<StatementsResponse> = (body) =>
  isRecord(body) && readArray(body['statements'], readSummary) !== null
    ? (body as StatementsResponse)
    : null

const readProposal = (value: unknown): Record<string, unknown> | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'reg_no', 'name', 'event', 'basis') &&
  isAmount(value['due'])
    ? value
    : null

const readLine = (value: unknown): Record<string, unknown> | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'day', 'narration', 'reference', 'state') &&
  hasAll(value, 'number', 'id', 'line') &&
  isAmount(value['amount']) &&
  isSignedAmount(value['left']) &&
  typeof value['is_exact'] === 'boolean' &&
  readArray(value['payments'], readRow) !== null &&
  readArray(value['proposals'], readProposal) !== null
    ? value
    : null

const isTotal = (value: unknown): boolean =>
  isRecord(value) && typeof value['lines'] === 'number' && isSignedAmount(value['amount'])

export const readStatement: Reader<StatementResponse> = (body) => {
  if (!isRecord(body)) return null
  if (body['unchanged'] === true) return { status: 'success', unchanged: true }
  const { totals, statement, lines, returned, withdrawals, waiting, unread, repeated } = body
  const isReadable =
    readSummary(statement) !== null &&
    readArray(lines, readLine) !== null &&
    readArray(returned, readRow) !== null &&
    typeof withdrawals === 'number' &&
    readArray(waiting, readRow) !== null &&
    Array.isArray(unread) &&
    Array.isArray(repeated) &&
    isRecord(totals) &&
    ['sum_in', 'assigned', 'review', 'not_ours', 'other_event', 'left'].every((name) =>
      isTotal(totals[name]),
    )
  return isReadable ? (body as StatementResponse) : null
}

export const readDecision: Reader<StatementDecisionResponse> = (body) =>
  isRecord(body) &&
  typeof body['message'] === 'string' &&
  Array.isArray(body['done']) &&
  readArray(body['refused'], (row) =>
    isRecord(row) && typeof row['line'] === 'number' && typeof row['message'] === 'string'
      ? row
      : null,
  ) !== null
    ? (body as StatementDecisionResponse)
    : null
