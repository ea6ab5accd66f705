/** Parsers for public API responses. A reader returns null for unusable data. */
import {
  getCurrency,
  fromMajorUnits,
  toAmount,
  findPeriodOn,
  dayOf,
  readInstant,
  toMajorUnits,
  splitPrice,
} from '../../engine/index.ts'
import { readLines } from '../../engine/api.ts'
import type { Currency, PublicEvent, PaymentState, Quote } from '../../engine/index.ts'
import type {
  EventFileResponse,
  PaymentData,
  UploadResponse,
  RegisterResponse,
  TariffResponse,
  WireQuote,
} from '../../engine/api.ts'
import type { Reader } from './api-client.ts'
import {
  hasAll,
  isAmount,
  isRecord,
  readNumber,
  readRecord,
  readRecords,
  readString,
  readStringRecord,
} from './json-readers.ts'
import { readResponseCurrency } from './response-currency.ts'

/**
 * Parses the tariff in any of the specification's formats: complete; `current_period` with `tariff_data` (prices as in
 * the event file); or only `pricing` (each with base and total). `now` is the page's server time. Its date determines
 * the period if the response does not state one.
 */
export const createTariffReader =
  (event: PublicEvent, now: string): Reader<TariffResponse> =>
  (body) => {
    if (!isRecord(body)) return null
    const tariffData =
      body['tariff_data'] === undefined ? null : readRecord(body['tariff_data'], readPeriods)
    const pricing =
      body['pricing'] === undefined
        ? null
        : readRecord(body['pricing'], (price, category) =>
            readPrice(price, getCurrency(event, category)),
          )
    if (tariffData === null && pricing === null) return null
    const isInvalid =
      (tariffData === null && body['tariff_data'] !== undefined) ||
      (pricing === null && body['pricing'] !== undefined)
    const { current_period: statedPeriod, open, until, closed_text: closedText } = body
    if (
      isInvalid ||
      !isOptionalString(statedPeriod) ||
      !isOptionalString(until) ||
      !isOptionalString(closedText)
    )
      return null
    const time = readInstant(now)
    const todaysPeriod = time === null ? null : (findPeriodOn(event.fees, dayOf(time))?.id ?? null)
    const period = statedPeriod === undefined ? todaysPeriod : statedPeriod
    return {
      status: 'success',
      now: readString(body['now']) ?? now,
      open: open !== false,
      closed_text: closedText ?? null,
      current_period: period,
      until: until ?? null,
      tariff_data: tariffData ?? {},
      pricing: pricing ?? calculatePricing(event, tariffData ?? {}, period, time),
      ...(isRecord(body['left']) && { left: readRecord(body['left'], readNumber) ?? {} }),
    }
  }

/** Parses the number of seats left in each quota. */
export const readAvailability: Reader<NonNullable<TariffResponse['left']>> = (body) =>
  isRecord(body) ? readRecord(body['left'], readNumber) : null

export const isOptionalString = (value: unknown): value is string | null | undefined =>
  value === undefined || value === null || typeof value === 'string'

type Price = { base: number; gst: number; total: number }

const readPeriods: Reader<Record<string, { price: number | null }>> = (row) =>
  readRecord(row, (cell) =>
    isRecord(cell) && (cell['price'] === null || isAmount(cell['price']))
      ? { price: cell['price'] as number | null }
      : null,
  )

/**
 * Parses a price. Base and total determine the tax. Returns null if an amount is invalid, or if `gst` contradicts
 * them.
 */
function readPrice(price: unknown, currency: Currency): Price | null {
  if (!isRecord(price)) return null
  const base = fromMajorUnits(price['base'], currency)
  const total = fromMajorUnits(price['total'], currency)
  const gst = price['gst'] === undefined ? null : fromMajorUnits(price['gst'], currency)
  if (base === null || total === null || total < base) return null
  if (price['gst'] !== undefined && gst !== total - base) return null
  return {
    base: toMajorUnits(base, currency),
    gst: toMajorUnits(toAmount(total - base), currency),
    total: toMajorUnits(total, currency),
  }
}

/** Calculates today's prices from the complete table, as the engine does. */
function calculatePricing(
  event: PublicEvent,
  data: TariffResponse['tariff_data'],
  period: string | null,
  time: ReturnType<typeof readInstant>,
): TariffResponse['pricing'] {
  if (period === null) return {}
  return Object.fromEntries(
    Object.entries(data).flatMap(([category, row]) => {
      const currency = getCurrency(event, category)
      const feePeriod = time === null ? null : findPeriodOn(event.fees, dayOf(time), category)
      const id = event.fees.groups === undefined ? period : (feePeriod?.id ?? '')
      const price = fromMajorUnits(row[id]?.price, currency)
      if (price === null) return []
      const { base, gst, total } = splitPrice(event.fees.tax, price)
      const prices = {
        base: toMajorUnits(base, currency),
        gst: toMajorUnits(gst, currency),
        total: toMajorUnits(total, currency),
      }
      return [[category, prices]]
    }),
  )
}

/** Reads the amounts of an API quote. Returns null if one of them is invalid. */
export function toQuote(price: WireQuote): Quote | null {
  const currency = readResponseCurrency(price)
  const [base, gst, total] = [
    fromMajorUnits(price.base, currency),
    fromMajorUnits(price.gst, currency),
    fromMajorUnits(price.total, currency),
  ]
  return base === null || gst === null || total === null
    ? null
    : {
        category: price.category,
        period: price.period,
        base,
        gst,
        total,
        currency,
        lines: readLines(readRecords(price.lines) as WireQuote['lines'], currency),
      }
}

/** `stands` is missing from a response that contains only the fields of the specification. */
export type RegisterResult = Omit<RegisterResponse, 'stands'> & { readonly stands?: PaymentState }

/**
 * Parses the response of a successful registration (status 201). Invalid payment data makes the whole response
 * invalid, so that no delegate is redirected with an incomplete form.
 */
export const readRegisterResult: Reader<RegisterResult> = (body) => {
  if (!isRecord(body)) return null
  const data = body['payment_data']
  const paymentData = data === undefined || data === null ? null : readPaymentData(data)
  if (paymentData === null && data !== undefined && data !== null) return null
  // A response that contains only payment data identifies the registration by its order.
  const regNo = readString(body['reg_no']) ?? paymentData?.orderid
  if (regNo === undefined) return null
  return {
    status: 'success',
    message: readString(body['message']) ?? '',
    reg_no: regNo,
    ...(body['stands'] !== undefined && { stands: readPaymentState(body['stands']) }),
    ...(paymentData !== null && { payment_data: paymentData }),
    ...(typeof body['page'] === 'string' && { page: body['page'] }),
  }
}

const PAYMENT_STATES: ReadonlySet<unknown> = new Set<PaymentState>([
  'complete',
  'not-paid',
  'at-bank',
  'organisers',
  'failed',
  'refunded',
  'cancelled',
  'to-approve',
  'refused',
  'by-hand',
  'told',
  'lapsed',
])

/**
 * Parses a payment state. An unknown state counts as pending, so that the page never wrongly states that a delegate
 * has paid or must pay again.
 */
export function readPaymentState(value: unknown): PaymentState {
  return PAYMENT_STATES.has(value) ? (value as PaymentState) : 'at-bank'
}

/** Parses the values of the redirect form. All must be strings, and the order and target URL must be among them. */
function readPaymentData(data: unknown): PaymentData | null {
  const texts = readStringRecord(data)
  return texts !== null && texts['orderid'] && /^https?:\/\//.test(texts['payment_url'] ?? '')
    ? (texts as PaymentData)
    : null
}

/** Parses the payment data of a further payment attempt. */
export const readRetryPaymentData: Reader<PaymentData> = (body) =>
  isRecord(body) ? readPaymentData(body['payment_data']) : null

/** Parses an event file as its author wrote it. */
export const readEventFile: Reader<EventFileResponse> = (body) =>
  isRecord(body) && hasAll(body, 'string', 'path', 'text') ? (body as EventFileResponse) : null

/** Parses what a discount code does. */
export const readCode: Reader<{ readonly kind: string; readonly label: string }> = (body) =>
  isRecord(body) && hasAll(body, 'string', 'kind', 'label')
    ? { kind: String(body['kind']), label: String(body['label']) }
    : null

/** Parses the member list entry that matches an answer, keyed by column. */
export const readRow: Reader<Readonly<Record<string, string>>> = (body) =>
  isRecord(body) ? readStringRecord(body['row']) : null

/** Parses the response for a document stored on the server. */
export const readUploadedDocument: Reader<UploadResponse> = (body) =>
  isRecord(body) && hasAll(body, 'string', 'token', 'name', 'until')
    ? (body as UploadResponse)
    : null
