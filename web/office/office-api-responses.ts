/** Parsers of the office API's answers. A reader returns null for unusable data. */
import { fromRupees, isDay, isPaymentStatus, readInstant, statusText } from '../../engine/index.ts'
import type {
  AdminList,
  Column,
  Filter,
  SoldAnswer,
  WireSums,
  WireWorkQueueItem,
} from '../../engine/index.ts'
import type {
  CodesAnswer,
  EventStats,
  ListRow,
  OfficeEvent,
  OfficeRegistrationAnswer,
  SessionAnswer,
  StatsAnswer,
} from '../../engine/api.ts'
import type { Reader } from '../app/api-client.ts'
import { hasAll, isRecord, listOf, recordOf, recordsOf, textsOf } from '../app/json-readers.ts'
import type { Unread } from '../app/json-readers.ts'

/** The answer of a call without a result. */
export const readDone: Reader<true> = (body) =>
  isRecord(body) && body['status'] === 'success' ? true : null

/** Entries, as a sentence from the server. */
export const readMessage: Reader<string> = (body) =>
  isRecord(body) && typeof body['message'] === 'string' ? body['message'] : null

export const readCodes: Reader<CodesAnswer> = (body) =>
  isRecord(body) &&
  listOf(body['kinds'], (one) => texted(one, 'id', 'label')) !== null &&
  listOf(body['codes'], readCode) !== null
    ? (body as CodesAnswer)
    : null

/** Sales report of a list. */
export const readSold: Reader<SoldAnswer> = (body) =>
  isRecord(body) &&
  typeof body['capped'] === 'boolean' &&
  typeof body['paid_beside'] === 'number' &&
  listOf(body['rows'], readSum) !== null &&
  listOf(body['people'], (one) => counted(one, 'count', 'paid')) !== null &&
  listOf(body['places'], (one) => counted(one, 'taken', 'max')) !== null
    ? (body as SoldAnswer)
    : null

const readSum = (value: unknown): Unread | null => {
  const sum = texted(value, 'item', 'label')
  const numbers = ['registrations', 'quantity', 'total', 'paid_quantity', 'paid_total']
  return sum !== null && hasAll(sum, 'number', ...numbers) ? sum : null
}
const counted = (value: unknown, ...numbers: readonly string[]): Unread | null => {
  const one = texted(value, 'id', 'label')
  return one !== null && hasAll(one, 'number', ...numbers) ? one : null
}

const readCode = (value: unknown): Unread | null => {
  const code = texted(value, 'code', 'kind', 'note')
  return code !== null && hasAll(code, 'number', 'uses', 'uses_max') ? code : null
}

/** The discount codes that were created, in full. */
export const readMadeCodes: Reader<readonly string[]> = (body) =>
  isRecord(body) ? listOf(body['codes'], (one) => (typeof one === 'string' ? one : null)) : null

/** The signed-in user, and the events whose lists they may see. */
export const readSession: Reader<SessionAnswer> = (body) => {
  if (
    !isRecord(body) ||
    !hasAll(body, 'string', 'username', 'role') ||
    !hasAll(body, 'boolean', 'all_events', 'needs_second_factor', 'in_recovery')
  )
    return null
  const { events, texts } = body
  const readable =
    isRecord(texts) &&
    textsOf(texts['calls']) !== null &&
    isRecord(texts['admin']) &&
    hasAll(texts['admin'], 'string', 'dashboard', 'retry') &&
    listOf(events, readEvent) !== null
  return readable ? (body as SessionAnswer) : null
}

const readEvent: Reader<OfficeEvent> = (event) =>
  isRecord(event) &&
  hasAll(event, 'string', 'id', 'title') &&
  [event['from'], event['to']].every((one) => typeof one === 'string' && isDay(one)) &&
  isRecord(event['always']) &&
  hasAll(event['always'], 'string', 'category') &&
  listOf(event['price_steps'], (one) => texted(one, 'day', 'label')) !== null &&
  isRecord(event['look']) &&
  hasAll(event['look'], 'string', 'colour') &&
  isRecord(event['dashboard']) &&
  hasAll(event['dashboard'], 'string', 'key', 'label') &&
  Array.isArray(event['dashboard']['cards']) &&
  typeof event['gives_codes'] === 'boolean' &&
  typeof event['sells'] === 'boolean' &&
  listOf(event['lists'], readListFrame) !== null
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

/** A filter or column of a kind that this page can render. */
const ofKind =
  (kinds: Readonly<Record<string, true>>) =>
  (value: unknown): Unread | null =>
    isRecord(value) &&
    hasAll(value, 'string', 'label', 'kind') &&
    Object.hasOwn(kinds, String(value['kind']))
      ? value
      : null

const readListFrame: Reader<AdminList> = (list) =>
  isRecord(list) &&
  hasAll(list, 'string', 'title', 'route', 'api', 'empty') &&
  hasAll(list, 'number', 'pageSize') &&
  Array.isArray(list['pageSizes']) &&
  listOf(list['filters'], ofKind(FILTER_KINDS)) !== null &&
  listOf(list['columns'], ofKind(COLUMN_KINDS)) !== null &&
  isRecord(list['errors']) &&
  hasAll(list['errors'], 'string', 'load', 'shape', 'export') &&
  isRecord(list['export']) &&
  hasAll(list['export'], 'string', 'api', 'file')
    ? (list as AdminList)
    : null

/**
 * The dashboard's figures. Days, newest registrations and the work queue may be missing; a figure
 * of the wrong type invalidates the answer.
 */
export const readStats: Reader<StatsAnswer['data']> = (body) => {
  const data = isRecord(body) ? body['data'] : null
  if (!isRecord(data)) return null
  const { now, revenue_stats: revenue, recent_registrations: recent, by_day: days } = data
  const newest = recordOf(recent ?? {}, (rows) => listOf(rows, readRecent))
  const byDay = recordOf(days ?? {}, (entries) => listOf(entries, readDay))
  const waits = listOf(data['waiting'] ?? [], readWaiting)
  const files = listOf(data['event_files'] ?? [], (why) => (typeof why === 'string' ? why : null))
  const figures = Object.entries(data).every(
    ([name, value]) => !name.endsWith('_stats') || name === 'revenue_stats' || isStats(value),
  )
  return typeof now === 'string' &&
    readInstant(now) !== null &&
    isRecord(revenue) &&
    fromRupees(revenue['total_revenue']) !== null &&
    newest !== null &&
    byDay !== null &&
    waits !== null &&
    files !== null &&
    ['undefined', 'string'].includes(typeof data['erasing_waits']) &&
    figures
    ? ({
        ...data,
        recent_registrations: newest,
        by_day: byDay,
        waiting: waits,
        event_files: files,
      } as StatsAnswer['data'])
    : null
}

const readWaiting: Reader<WireWorkQueueItem> = (row) =>
  isRecord(row) &&
  hasAll(row, 'string', 'id', 'label') &&
  listOf(row['events'], (one) =>
    isRecord(one) && typeof one['id'] === 'string' && isCount(one['count']) ? one : null,
  ) !== null
    ? (row as WireWorkQueueItem)
    : null

const isStats = (value: unknown): value is EventStats =>
  isRecord(value) &&
  ['total', 'paid', 'pending', 'failed', 'today'].every((name) =>
    isCount(value[`${name}_registrations`]),
  ) &&
  fromRupees(value['total_revenue']) !== null &&
  fromRupees(value['dismissed_amount'] ?? 0) !== null &&
  isCount(value['refunded_registrations'] ?? 0) &&
  isCount(value['ended_registrations'] ?? 0) &&
  isCount(value['needs_decision'] ?? 0)

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

type Recent = StatsAnswer['data']['recent_registrations'][string][number]
const readRecent: Reader<Recent> = (row) =>
  isRecord(row) &&
  hasAll(row, 'string', 'full_name', 'reg_no', 'payment_status_display') &&
  isPaymentStatus(row['payment_status']) &&
  (row['final_amount'] === null || fromRupees(row['final_amount']) !== null)
    ? (row as Recent)
    : null

type DayFigures = StatsAnswer['data']['by_day'][string][number]
const readDay: Reader<DayFigures> = (entry) =>
  isRecord(entry) &&
  typeof entry['day'] === 'string' &&
  isDay(entry['day']) &&
  isCount(entry['registrations']) &&
  typeof entry['revenue'] === 'number' &&
  // Negative if more was refunded than received.
  fromRupees(Math.abs(entry['revenue'])) !== null
    ? (entry as DayFigures)
    : null

/** One page of a list. */
export type Page = {
  readonly rows: readonly ListRow[]
  readonly count: number
  /** The server's summary of what is shown; null if it sent none. */
  readonly shown: string | null
  readonly page: number
  readonly pageSize: number
  readonly countCapped: boolean
  /** Totals over all pages; null if the server sent none. */
  readonly sums: WireSums | null
  /** Why the list is not sorted as requested; null if it is. */
  readonly notSorted: string | null
  /** Numbers of registrations whose delegates request the refund of a second payment. */
  readonly refundRequested: readonly string[]
}

/**
 * A list's answer in any of its forms: `results.registrations` or `registrations` with a count, or
 * only the rows, which are then complete.
 */
export const listReader =
  (list: AdminList): Reader<Page> =>
  (body) => {
    if (Array.isArray(body)) {
      const rows = listOf(body, readRow)
      return rows === null ? null : { ...whole, rows, count: rows.length, pageSize: rows.length }
    }
    if (!isRecord(body)) return null
    const {
      refund_requested: requested,
      results,
      registrations,
      count,
      shown,
      page,
      page_size: size,
    } = body
    const rows = listOf(isRecord(results) ? results['registrations'] : registrations, readRow)
    if (rows === null || !isCount(count)) return null
    return {
      rows,
      count,
      shown: typeof shown === 'string' ? shown : null,
      page: isCount(page) && page > 0 ? page : 1,
      pageSize: isCount(size) && size > 0 ? size : list.pageSize,
      countCapped: body['count_capped'] === true,
      sums: readSums(body['sums']),
      notSorted: typeof body['not_sorted'] === 'string' ? body['not_sorted'] : null,
      refundRequested: Array.isArray(requested)
        ? requested.filter((one) => typeof one === 'string')
        : [],
    }
  }

const whole = {
  shown: null,
  page: 1,
  countCapped: false,
  sums: null,
  notSorted: null,
  refundRequested: [],
} as const

const readSums = (value: unknown): WireSums | null =>
  isRecord(value) &&
  hasAll(value, 'number', 'paid', 'pending', 'failed', 'refunded', 'ended', 'money', 'due')
    ? (value as WireSums)
    : null

/** A row needs its number and status; a missing status label is derived. */
const readRow: Reader<ListRow> = (row) => {
  if (!isRecord(row) || !hasAll(row, 'string', 'reg_no')) return null
  const status = row['payment_status']
  if (!isPaymentStatus(status)) return null
  return {
    ...row,
    payment_status: status,
    payment_status_display: String(row['payment_status_display'] ?? statusText(status)),
    in_review: row['in_review'] === true,
  } as ListRow
}

/** All data of one registration. */
export const readOfficeRegistration: Reader<OfficeRegistrationAnswer> = (body) => {
  if (!isRecord(body)) return null
  const registration = readRow(body['registration'])
  const { answers, payments, settled, mails, audit, same_email: same, event } = body
  const lists =
    listOf(answers, (one) => texted(one, 'id', 'label', 'text')) !== null &&
    listOf(payments, readPayment) !== null &&
    listOf(settled, (one) => (isRecord(one) && hasAll(one, 'string', 'is', 'utr') ? one : null)) !==
      null &&
    listOf(mails, readMail) !== null &&
    listOf(audit, (one) => texted(one, 'at', 'who', 'what')) !== null &&
    listOf(same, (one) => texted(one, 'reg_no', 'payment_status_display')) !== null &&
    listOf(body['paid_by_same_person'], (one) => (typeof one === 'string' ? one : null)) !== null &&
    texted(body['contact'], 'email', 'phone') !== null
  return registration !== null && lists && texted(event, 'id', 'title') !== null
    ? ({ ...body, registration, lines: recordsOf(body['lines']) } as OfficeRegistrationAnswer)
    : null
}

const texted = (value: unknown, ...names: readonly string[]): Unread | null =>
  isRecord(value) && hasAll(value, 'string', ...names) ? value : null

const readPayment = (value: unknown): Unread | null => {
  const payment = texted(value, 'order_id', 'created_at', 'asked')
  return payment !== null &&
    isPaymentStatus(payment['status']) &&
    fromRupees(payment['amount']) !== null &&
    listOf(payment['facts'], (fact) => texted(fact, 'at', 'text')) !== null
    ? payment
    : null
}

const MAIL_STATUSES: readonly unknown[] = ['queued', 'sent', 'failed']
const readMail = (value: unknown): Unread | null => {
  const mail = texted(value, 'to', 'subject', 'at')
  return mail !== null && MAIL_STATUSES.includes(mail['status']) ? mail : null
}
