/** Parsers for settlement API responses. */
import type {
  PayoutsResponse,
  SettlementHandledResponse,
  SettlementSavedResponse,
  WireSettlement,
} from '../../../engine/api.ts'
import type { Reader } from '../../app/api-client.ts'
import { hasAll, isRecord, isSignedAmount, readArray, readString } from '../../app/json-readers.ts'

const readAmounts =
  (...names: readonly string[]) =>
  (value: unknown): Record<string, unknown> | null =>
    isRecord(value) && names.every((name) => isSignedAmount(value[name])) ? value : null

/** Parses a settlement line: its amounts, and the user who handled it. */
const readSettledLine = (line: unknown): Record<string, unknown> | null =>
  isRecord(line) &&
  (line['id'] === null || typeof line['id'] === 'number') &&
  (line['seen'] === null || typeof line['seen'] === 'number') &&
  (line['handled'] === null ||
    (isRecord(line['handled']) && hasAll(line['handled'], 'string', 'why', 'who', 'at')))
    ? readAmounts('amount', 'fee', 'tax', 'net')(line)
    : null

/** Returns null if the value is not a settlement. */
export function readSettlement(value: unknown): WireSettlement | null {
  if (!isRecord(value)) return null
  const { lines, payouts, unsettled, unread } = value
  const isReadable =
    readArray(lines, (line) =>
      isRecord(line) && hasAll(line, 'string', 'is', 'as', 'order_id', 'reference', 'utr')
        ? readSettledLine(line)
        : null,
    ) !== null &&
    readArray(payouts, readAmounts('sales', 'refunds', 'fee', 'tax', 'others', 'net')) !== null &&
    readArray(unsettled, readAmounts('amount', 'days')) !== null &&
    Array.isArray(unread)
  return isReadable ? (value as WireSettlement) : null
}

/** An uploaded report. `header`: its columns were not recognised. `statement`: the file is a bank statement. */
type ReportResult =
  | { readonly is: 'settlement'; readonly settlement: WireSettlement }
  | { readonly is: 'header'; readonly header: readonly string[] }
  | { readonly is: 'statement' }

export const readReport: Reader<ReportResult> = (body) => {
  if (!isRecord(body)) return null
  const settlement = readSettlement(body['settlement'])
  if (settlement !== null) return { is: 'settlement', settlement }
  const header = readArray(body['header'], readString)
  if (header !== null) return { is: 'header', header }
  return Array.isArray(body['lines']) ? { is: 'statement' } : null
}

export const readSettlements: Reader<WireSettlement> = (body) =>
  isRecord(body) ? readSettlement(body['settlement']) : null

export const readPayouts: Reader<PayoutsResponse> = (body) =>
  isRecord(body) &&
  readArray(body['payouts'], (payout) =>
    isRecord(payout) && isRecord(payout['bank'])
      ? readAmounts('sales', 'refunds', 'fee', 'tax', 'others', 'net')(payout)
      : null,
  ) !== null &&
  readArray(body['lines'], readSettledLine) !== null
    ? (body as PayoutsResponse)
    : null

export const readHandlingResult: Reader<SettlementHandledResponse> = (body) =>
  isRecord(body) && typeof body['message'] === 'string' ? (body as SettlementHandledResponse) : null

export const readSaveResult: Reader<SettlementSavedResponse> = (body) =>
  isRecord(body) && typeof body['message'] === 'string' ? (body as SettlementSavedResponse) : null
