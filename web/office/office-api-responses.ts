/** Parsers for the office API's responses. A reader returns null for unusable data. */
import { isDay, isPaymentStatus, readInstant, getStatusText } from '../../engine/index.ts'
import type {
  AdminList,
  Column,
  Currency,
  Filter,
  SalesResponse,
  SeatsResponse,
  WireSums,
  WireWorkQueueItem,
} from '../../engine/index.ts'
import type {
  EventStats,
  ListRow,
  OfficeEvent,
  OfficeRegistrationResponse,
  SessionResponse,
  StatsResponse,
} from '../../engine/api.ts'
import type { Reader } from '../app/api-client.ts'
import {
  hasAll,
  isAmount,
  isRecord,
  isSignedAmount,
  readArray,
  readRecord,
  readRecords,
  readStringRecord,
} from '../app/json-readers.ts'
import { readResponseCurrency } from '../app/response-currency.ts'
import type { JsonObject } from '../app/json-readers.ts'

/** Parses the response of a call that returns no data. */
export const readSuccess: Reader<true> = (body) =>
  isRecord(body) && body['status'] === 'success' ? true : null

/** Parses the sentence in which the server states the result of a call. */
export const readMessage: Reader<string> = (body) =>
  isRecord(body) && typeof body['message'] === 'string' ? body['message'] : null

/** Parses the sales report of a list. */
export const readSalesReport: Reader<SalesResponse> = (body) =>
  isRecord(body) &&
  typeof body['capped'] === 'boolean' &&
  typeof body['paid_beside'] === 'number' &&
  readArray(body['rows'], readSalesRow) !== null &&
  ['by_category', 'by_period', 'by_day'].every(
    (name) =>
      readArray(body[name], (item) => readCounts(item, 'registrations', 'paid', 'received')) !==
      null,
  ) &&
  readArray(body['people'], (item) => readCounts(item, 'count', 'paid')) !== null &&
  readSeats(body) !== null
    ? (body as SalesResponse)
    : null

export const readSeats: Reader<SeatsResponse> = (body) =>
  isRecord(body) && readArray(body['places'], (item) => readCounts(item, 'taken', 'max')) !== null
    ? (body as SeatsResponse)
    : null

const readSalesRow = (value: unknown): JsonObject | null => {
  const sum = readStrings(value, 'item', 'label')
  const numbers = ['registrations', 'quantity', 'total', 'paid_quantity', 'paid_total']
  return sum !== null && hasAll(sum, 'number', ...numbers) ? sum : null
}
const readCounts = (value: unknown, ...numbers: readonly string[]): JsonObject | null => {
  const item = readStrings(value, 'id', 'label')
  return item !== null && hasAll(item, 'number', ...numbers) ? item : null
}

/** Parses the signed-in user, and the events whose lists they may see. */
export const readSession: Reader<SessionResponse> = (body) => {
  if (
    !isRecord(body) ||
    !hasAll(body, 'string', 'username', 'role') ||
    !hasAll(body, 'boolean', 'all_events', 'needs_second_factor', 'in_recovery') ||
    typeof body['today'] !== 'string' ||
    !isDay(body['today'])
  )
    return null
  const { events, texts } = body
  const isReadable =
    isRecord(texts) &&
    readStringRecord(texts['calls']) !== null &&
    isRecord(texts['admin']) &&
    hasAll(texts['admin'], 'string', 'dashboard', 'retry') &&
    readArray(events, readEvent) !== null
  return isReadable ? (body as SessionResponse) : null
}

const readEvent: Reader<OfficeEvent> = (event) =>
  isRecord(event) &&
  hasAll(event, 'string', 'id', 'title') &&
  [event['from'], event['to']].every((item) => typeof item === 'string' && isDay(item)) &&
  isRecord(event['always']) &&
  hasAll(event['always'], 'string', 'category') &&
  readArray(event['price_steps'], (item) => readStrings(item, 'day', 'label')) !== null &&
  isRecord(event['look']) &&
  hasAll(event['look'], 'string', 'colour') &&
  isRecord(event['dashboard']) &&
  hasAll(event['dashboard'], 'string', 'key', 'label') &&
  Array.isArray(event['dashboard']['cards']) &&
  typeof event['adds_registrations'] === 'boolean' &&
  typeof event['gives_codes'] === 'boolean' &&
  typeof event['checks_documents'] === 'boolean' &&
  typeof event['sells'] === 'boolean' &&
  readArray(event['rate_currencies'] ?? [], (code) => (typeof code === 'string' ? code : null)) !==
    null &&
  readArray(event['currencies'] ?? [], (code) => (typeof code === 'string' ? code : null)) !==
    null &&
  readArray(event['lists'], readList) !== null
    ? (event as OfficeEvent)
    : null

const FILTER_KINDS = {
  search: true,
  day: true,
  options: true,
  'yes-no': true,
  text: true,
} satisfies Record<Filter['kind'], true>
const COLUMN_KINDS = {
  text: true,
  money: true,
  date: true,
  status: true,
  'yes-no': true,
  option: true,
  file: true,
  number: true,
} satisfies Record<Column['kind'], true>

/** Returns the value if it is a filter or column of a kind that this page can render. */
const readKnownKind =
  (kinds: Readonly<Record<string, true>>) =>
  (value: unknown): JsonObject | null =>
    isRecord(value) &&
    hasAll(value, 'string', 'label', 'kind') &&
    Object.hasOwn(kinds, String(value['kind']))
      ? value
      : null

const readList: Reader<AdminList> = (list) =>
  isRecord(list) &&
  hasAll(list, 'string', 'title', 'route', 'api', 'empty') &&
  hasAll(list, 'number', 'pageSize') &&
  Array.isArray(list['pageSizes']) &&
  readArray(list['filters'], readKnownKind(FILTER_KINDS)) !== null &&
  readArray(list['columns'], readKnownKind(COLUMN_KINDS)) !== null &&
  isRecord(list['errors']) &&
  hasAll(list['errors'], 'string', 'load', 'shape', 'export') &&
  isRecord(list['export']) &&
  hasAll(list['export'], 'string', 'api', 'file')
    ? (list as AdminList)
    : null

/**
 * Parses the dashboard's figures. Days, newest registrations and the work queue may be missing; a figure of the wrong
 * type invalidates the response.
 */
export const readStats: Reader<StatsResponse['data']> = (body) => {
  const data = isRecord(body) ? body['data'] : null
  if (!isRecord(data)) return null
  const { now, revenue_stats: revenue, recent_registrations: recentRows, by_day: byDayData } = data
  const newest = readRecord(recentRows ?? {}, (rows) => readArray(rows, readRecentRegistration))
  const byDay = readRecord(byDayData ?? {}, (entries) => readArray(entries, readDayFigures))
  const workQueue = readArray(data['waiting'] ?? [], readWorkQueueItem)
  const fileReasons = readArray(data['event_files'] ?? [], (reason) =>
    typeof reason === 'string' ? reason : null,
  )
  const hasValidStats = Object.entries(data).every(
    ([name, value]) => !name.endsWith('_stats') || name === 'revenue_stats' || isEventStats(value),
  )
  return typeof now === 'string' &&
    readInstant(now) !== null &&
    isRecord(revenue) &&
    isAmount(revenue['total_revenue']) &&
    readArray(revenue['other_currencies'] ?? [], readCurrencyRevenue) !== null &&
    newest !== null &&
    byDay !== null &&
    workQueue !== null &&
    fileReasons !== null &&
    ['undefined', 'string'].includes(typeof data['erasing_waits']) &&
    hasValidStats
    ? ({
        ...data,
        recent_registrations: newest,
        by_day: byDay,
        waiting: workQueue,
        event_files: fileReasons,
      } as StatsResponse['data'])
    : null
}

const readWorkQueueItem: Reader<WireWorkQueueItem> = (row) =>
  isRecord(row) &&
  hasAll(row, 'string', 'id', 'label') &&
  readArray(row['events'], (item) =>
    isRecord(item) && typeof item['id'] === 'string' && isCount(item['count']) ? item : null,
  ) !== null &&
  readArray(row['details'] ?? [], (item) => (typeof item === 'string' ? item : null)) !== null
    ? (row as WireWorkQueueItem)
    : null

const readCurrencyRevenue = (value: unknown): JsonObject | null =>
  isRecord(value) &&
  hasAll(value, 'string', 'currency') &&
  isAmount(value['total_revenue']) &&
  readArray(value['by_day'] ?? [], readDayRevenue) !== null
    ? value
    : null

const readDayRevenue = (entry: unknown): JsonObject | null =>
  isRecord(entry) &&
  typeof entry['day'] === 'string' &&
  isDay(entry['day']) &&
  // Negative if more was refunded than received.
  isSignedAmount(entry['revenue'])
    ? entry
    : null

const isEventStats = (value: unknown): value is EventStats =>
  isRecord(value) &&
  ['total', 'paid', 'pending', 'failed', 'today'].every((name) =>
    isCount(value[`${name}_registrations`]),
  ) &&
  isAmount(value['total_revenue']) &&
  readArray(value['other_currencies'] ?? [], readCurrencyRevenue) !== null &&
  isAmount(value['dismissed_amount'] ?? 0) &&
  isCount(value['refunded_registrations'] ?? 0) &&
  isCount(value['ended_registrations'] ?? 0) &&
  isCount(value['needs_decision'] ?? 0)

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

type RecentRegistration = StatsResponse['data']['recent_registrations'][string][number]
const readRecentRegistration: Reader<RecentRegistration> = (row) =>
  isRecord(row) &&
  hasAll(row, 'string', 'full_name', 'reg_no', 'payment_status_display') &&
  isPaymentStatus(row['payment_status']) &&
  (row['final_amount'] === null || isAmount(row['final_amount']))
    ? (row as RecentRegistration)
    : null

type DayFigures = StatsResponse['data']['by_day'][string][number]
const readDayFigures: Reader<DayFigures> = (entry) =>
  readDayRevenue(entry) !== null && isRecord(entry) && isCount(entry['registrations'])
    ? (entry as DayFigures)
    : null

/** One page of a list. */
export type ListPageData = {
  readonly rows: readonly ListRow[]
  readonly count: number
  /** The server's summary of the list. Null if the response has none. */
  readonly summary: string | null
  readonly page: number
  readonly pageSize: number
  readonly isCountCapped: boolean
  /** Totals across all pages. Null if the response has none. */
  readonly sums: WireSums | null
  /** The currency of the sums, and of rows that state none. */
  readonly currency: Currency
  /** The reason why the list is not sorted as requested. Null if it is. */
  readonly sortProblem: string | null
  /** Registration numbers of delegates who requested a refund of a second payment. */
  readonly refundRequestRegNos: readonly string[]
}

/**
 * Parses a list response in any of its formats: `results.registrations` or `registrations` with a
 * count, or an array of all rows.
 */
export const createListReader =
  (list: AdminList): Reader<ListPageData> =>
  (body) => {
    if (Array.isArray(body)) {
      const rows = readArray(body, readRow)
      return rows === null
        ? null
        : { ...COMPLETE_LIST, rows, count: rows.length, pageSize: rows.length }
    }
    if (!isRecord(body)) return null
    const {
      refund_requested: refundRequested,
      results,
      registrations,
      count,
      shown,
      page,
      page_size: size,
    } = body
    const rows = readArray(isRecord(results) ? results['registrations'] : registrations, readRow)
    if (rows === null || !isCount(count)) return null
    return {
      rows,
      count,
      summary: typeof shown === 'string' ? shown : null,
      page: isCount(page) && page > 0 ? page : 1,
      pageSize: isCount(size) && size > 0 ? size : list.pageSize,
      isCountCapped: body['count_capped'] === true,
      sums: readSums(body['sums']),
      currency: readResponseCurrency(body),
      sortProblem: typeof body['not_sorted'] === 'string' ? body['not_sorted'] : null,
      refundRequestRegNos: Array.isArray(refundRequested)
        ? refundRequested.filter((item) => typeof item === 'string')
        : [],
    }
  }

const COMPLETE_LIST = {
  summary: null,
  currency: readResponseCurrency({}),
  page: 1,
  isCountCapped: false,
  sums: null,
  sortProblem: null,
  refundRequestRegNos: [],
} as const

const readSums = (value: unknown): WireSums | null =>
  isRecord(value) &&
  hasAll(value, 'number', 'paid', 'pending', 'failed', 'refunded', 'ended', 'money', 'due')
    ? (value as WireSums)
    : null

/**
 * Parses a row, which must have a registration number and a status. If the status label is missing, derives it from the
 * status.
 */
const readRow: Reader<ListRow> = (row) => {
  if (!isRecord(row) || !hasAll(row, 'string', 'reg_no')) return null
  const status = row['payment_status']
  if (!isPaymentStatus(status)) return null
  return {
    ...row,
    payment_status: status,
    payment_status_display: String(row['payment_status_display'] ?? getStatusText(status)),
    in_review: row['in_review'] === true,
  } as ListRow
}

/** Parses all data of one registration. */
export const readOfficeRegistration: Reader<OfficeRegistrationResponse> = (body) => {
  if (!isRecord(body)) return null
  const registration = readRow(body['registration'])
  const { answers, payments, settled, mails, audit, same_email: sameEmail, event } = body
  const areListsValid =
    readArray(answers, (item) => readStrings(item, 'id', 'label', 'text')) !== null &&
    readArray(payments, readPayment) !== null &&
    readArray(settled, (item) =>
      isRecord(item) && hasAll(item, 'string', 'is', 'utr') ? item : null,
    ) !== null &&
    readArray(body['disputes'], (item) => readStrings(item, 'id', 'text', 'details', 'since')) !==
      null &&
    readArray(mails, readEmail) !== null &&
    readArray(audit, (item) => readStrings(item, 'at', 'who', 'what')) !== null &&
    readArray(sameEmail, (item) => readStrings(item, 'reg_no', 'payment_status_display')) !==
      null &&
    readArray(body['paid_by_same_person'], (item) => (typeof item === 'string' ? item : null)) !==
      null &&
    readStrings(body['contact'], 'email', 'phone') !== null
  return registration !== null && areListsValid && readStrings(event, 'id', 'title') !== null
    ? ({ ...body, registration, lines: readRecords(body['lines']) } as OfficeRegistrationResponse)
    : null
}

const readStrings = (value: unknown, ...names: readonly string[]): JsonObject | null =>
  isRecord(value) && hasAll(value, 'string', ...names) ? value : null

const readPayment = (value: unknown): JsonObject | null => {
  const payment = readStrings(value, 'order_id', 'created_at', 'asked')
  return payment !== null &&
    isPaymentStatus(payment['status']) &&
    isAmount(payment['amount']) &&
    (payment['received'] === undefined || isAmount(payment['received'])) &&
    readArray(payment['facts'], (event) => readStrings(event, 'at', 'text')) !== null
    ? payment
    : null
}

const EMAIL_STATUSES: readonly unknown[] = ['queued', 'sent', 'failed']
const readEmail = (value: unknown): JsonObject | null => {
  const email = readStrings(value, 'to', 'subject', 'at')
  return email !== null && EMAIL_STATUSES.includes(email['status']) ? email : null
}
