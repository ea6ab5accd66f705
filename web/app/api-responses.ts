/** Parsers for public API responses. A reader returns null for unusable data. */
import {
  getCurrency,
  fromMajorUnits,
  isPaymentStatus,
  toAmount,
  findPeriodOn,
  dayOf,
  isDay,
  readInstant,
  toMajorUnits,
  splitPrice,
} from '../../engine/index.ts'
import { readLines } from '../../engine/api.ts'
import type {
  Currency,
  Failure,
  PaymentStatus,
  PublicEvent,
  PaymentState,
  Quote,
} from '../../engine/index.ts'
import type {
  EventFileResponse,
  PaymentData,
  UploadResponse,
  RegisterResponse,
  RegistrationResponse,
  TariffResponse,
  WirePaymentInstructions,
  WireQuote,
  WireSecondPayment,
} from '../../engine/api.ts'
import type { Reader } from './api-client.ts'
import {
  hasAll,
  isAmount,
  isRecord,
  numberOf,
  recordOf,
  recordsOf,
  textOf,
  textsOf,
} from './json-readers.ts'
import { readResponseCurrency } from './response-currency.ts'

/**
 * Parses the tariff in any of the specification's shapes: complete; `current_period` with
 * `tariff_data` (prices as the event file states them); or only `pricing` (each with base and
 * total). `now` is the server time of the page; it determines the day if the response names no
 * period.
 */
export const tariffReader =
  (event: PublicEvent, now: string): Reader<TariffResponse> =>
  (body) => {
    if (!isRecord(body)) return null
    const data =
      body['tariff_data'] === undefined ? null : recordOf(body['tariff_data'], readPeriods)
    const pricing =
      body['pricing'] === undefined
        ? null
        : recordOf(body['pricing'], (price, category) =>
            readPrice(price, getCurrency(event, category)),
          )
    if (data === null && pricing === null) return null
    const isInvalid =
      (data === null && body['tariff_data'] !== undefined) ||
      (pricing === null && body['pricing'] !== undefined)
    const { current_period: statedPeriod, open, until, closed_text: closed } = body
    if (isInvalid || !isOptional(statedPeriod) || !isOptional(until) || !isOptional(closed))
      return null
    const at = readInstant(now)
    const ownPeriod = at === null ? null : (findPeriodOn(event.fees, dayOf(at))?.id ?? null)
    const period = statedPeriod === undefined ? ownPeriod : statedPeriod
    return {
      status: 'success',
      now: textOf(body['now']) ?? now,
      open: open !== false,
      closed_text: closed ?? null,
      current_period: period,
      until: until ?? null,
      tariff_data: data ?? {},
      pricing: pricing ?? calculatePricing(event, data ?? {}, period, at),
      ...(isRecord(body['left']) && { left: recordOf(body['left'], numberOf) ?? {} }),
    }
  }

/** Parses the seats left, by quota. */
export const readAvailability: Reader<NonNullable<TariffResponse['left']>> = (body) =>
  isRecord(body) ? recordOf(body['left'], numberOf) : null

const isOptional = (value: unknown): value is string | null | undefined =>
  value === undefined || value === null || typeof value === 'string'

type Price = { base: number; gst: number; total: number }

const readPeriods: Reader<Record<string, { price: number | null }>> = (row) =>
  recordOf(row, (cell) =>
    isRecord(cell) && (cell['price'] === null || isAmount(cell['price']))
      ? { price: cell['price'] as number | null }
      : null,
  )

/** Base and total determine the tax. */
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

/** Today's prices from the complete table, computed as the engine does. */
function calculatePricing(
  event: PublicEvent,
  data: TariffResponse['tariff_data'],
  period: string | null,
  at: ReturnType<typeof readInstant>,
): TariffResponse['pricing'] {
  if (period === null) return {}
  return Object.fromEntries(
    Object.entries(data).flatMap(([category, row]) => {
      const currency = getCurrency(event, category)
      const own = at === null ? null : findPeriodOn(event.fees, dayOf(at), category)
      const id = event.fees.groups === undefined ? period : (own?.id ?? '')
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

/** Reads the amounts of an API quote. Null if one of them is invalid. */
export function toQuote(wire: WireQuote): Quote | null {
  const currency = readResponseCurrency(wire)
  const [base, gst, total] = [
    fromMajorUnits(wire.base, currency),
    fromMajorUnits(wire.gst, currency),
    fromMajorUnits(wire.total, currency),
  ]
  return base === null || gst === null || total === null
    ? null
    : {
        category: wire.category,
        period: wire.period,
        base,
        gst,
        total,
        currency,
        lines: readLines(recordsOf(wire.lines) as WireQuote['lines'], currency),
      }
}

/** `stands` is missing in a response that contains only what the specification requires. */
export type Registered = Omit<RegisterResponse, 'stands'> & { readonly stands?: PaymentState }

/**
 * Status 201 of the register call. Unusable payment data make the response invalid, so that no
 * delegate is redirected with an incomplete form.
 */
export const readRegistered: Reader<Registered> = (body) => {
  if (!isRecord(body)) return null
  const data = body['payment_data']
  const paymentData = data === undefined || data === null ? null : readPaymentData(data)
  if (paymentData === null && data !== undefined && data !== null) return null
  // A response that contains only payment data identifies the registration by its order.
  const regNo = textOf(body['reg_no']) ?? paymentData?.orderid
  if (regNo === undefined) return null
  return {
    status: 'success',
    message: textOf(body['message']) ?? '',
    reg_no: regNo,
    ...(body['stands'] !== undefined && { stands: readPaymentState(body['stands']) }),
    ...(paymentData !== null && { payment_data: paymentData }),
    ...(typeof body['page'] === 'string' && { page: body['page'] }),
  }
}

/** Values of the redirect form: strings only, including an order and a URL to post to. */
function readPaymentData(data: unknown): PaymentData | null {
  const texts = textsOf(data)
  return texts !== null && texts['orderid'] && /^https?:\/\//.test(texts['payment_url'] ?? '')
    ? (texts as PaymentData)
    : null
}

/** A further payment attempt. */
export const readRetried: Reader<PaymentData> = (body) =>
  isRecord(body) ? readPaymentData(body['payment_data']) : null

/** The public registration call. `registration` is null if the call succeeded and there is none. */
export type SearchResponse = {
  readonly registration: RegistrationResponse['registration'] | null
  /** Only part of the data, because the caller knows only the number. */
  readonly partial?: boolean
  /** How to pay by the manual payment method that is due. Null or absent if not known. */
  readonly paying?: WirePaymentInstructions | null
  /** The same person had already paid. Null or absent if not, or if the browser is not known to be theirs. */
  readonly paid_twice?: WireSecondPayment | null
}

export const readFound: Reader<SearchResponse> = (body) => {
  if (!isRecord(body)) return null
  const { registration } = body
  if (registration === null || registration === undefined)
    return body['status'] === 'success' ? { registration: null } : null
  const parsedRegistration = readRegistration(registration)
  return parsedRegistration === null
    ? null
    : {
        registration: parsedRegistration,
        partial: body['partial'] === true,
        paying: readInstructions(body['paying']),
        paid_twice: readSecondPayment(body['paid_twice']),
      }
}

function readInstructions(value: unknown): WirePaymentInstructions | null {
  return isRecord(value) && hasAll(value, 'string', 'label', 'tell')
    ? ({ ...value, numbers: recordsOf(value['numbers']) } as unknown as WirePaymentInstructions)
    : null
}

/** Null if it is not a second payment. */
export function readSecondPayment(value: unknown): WireSecondPayment | null {
  return isRecord(value) &&
    hasAll(value, 'string', 'first') &&
    hasAll(value, 'number', 'amount', 'first_amount')
    ? ({ ...value, asked_at: textOf(value['asked_at']) } as WireSecondPayment)
    : null
}

/** Parses a registration and fills in what the server omits. */
export function readRegistration(found: unknown): RegistrationResponse['registration'] | null {
  if (!isRecord(found) || !hasAll(found, 'string', 'reg_no')) return null
  const status = readStatus(found)
  if (status === null) return null
  const regNo = String(found['reg_no'])
  const texts = [
    'payment_date',
    'payment_id',
    'attempted_at',
    'category',
    'category_label',
    'period',
  ] as const
  const amounts = ['base', 'gst', 'total'] as const
  const currency = readResponseCurrency(found)
  const {
    order_id: orderId,
    created_at: createdAt,
    in_review: inReview,
    may_pay: pay,
    failed_as: failedAs,
    card_failed_as: cardFailedAs,
    stands,
    held_until: heldUntil,
    price_until: priceUntil,
    review_since: reviewSince,
    refunded_amount: refunded,
    difference_due: difference,
    decide_by: decideBy,
  } = found
  const isValid =
    texts.every((name) => isOptional(found[name])) &&
    amounts.every((name) => found[name] === undefined || isAmountOrNull(found[name], currency)) &&
    isOptional(orderId) &&
    (createdAt === undefined || (typeof createdAt === 'string' && readInstant(createdAt) !== null))
  if (!isValid) return null
  const nullValues = Object.fromEntries([...texts, ...amounts].map((name) => [name, null]))
  return {
    ...nullValues,
    ...found,
    reg_no: regNo,
    order_id: orderId ?? regNo,
    payment_status: status,
    created_at: createdAt ?? textOf(found['payment_date']) ?? '',
    in_review: inReview === true,
    failed_as: status === 'failed' ? readFailure(failedAs) : null,
    card_failed_as: textOf(cardFailedAs) === null ? null : readFailure(cardFailedAs),
    stands:
      stands === undefined ? paymentStateFrom(status, inReview === true) : readPaymentState(stands),
    held_until: textOf(heldUntil),
    price_until: typeof priceUntil === 'string' && isDay(priceUntil) ? priceUntil : null,
    review_since: textOf(reviewSince),
    second_payment: found['second_payment'] === true,
    refunded_amount: fromMajorUnits(refunded, currency) === null ? 0 : Number(refunded),
    difference_due: fromMajorUnits(difference, currency) === null ? 0 : Number(difference),
    decide_by: textOf(decideBy),
    may_pay: pay === true,
    lines: recordsOf(found['lines']),
  } as RegistrationResponse['registration']
}

/**
 * The specification's responses have no status: a registration with a payment date or payment id is
 * paid. Without either, it is pending, because success and failure are unknown.
 */
function readStatus(found: Readonly<Record<string, unknown>>): PaymentStatus | null {
  const status = found['payment_status']
  if (status === undefined)
    return found['payment_date'] || found['payment_id'] ? 'success' : 'pending'
  return isPaymentStatus(status) ? status : null
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
 * An unknown state counts as pending, so that no delegate reads that they have paid, or must pay
 * again, because of an unreadable value.
 */
function readPaymentState(value: unknown): PaymentState {
  return PAYMENT_STATES.has(value) ? (value as PaymentState) : 'at-bank'
}

/** The specification's responses contain only the status. */
function paymentStateFrom(status: PaymentStatus, inReview: boolean): PaymentState {
  if (status === 'success') return 'complete'
  if (inReview) return 'organisers'
  return status === 'pending' ? 'at-bank' : status
}

const FAILURES: readonly Failure[] = ['declined', 'expired', 'given-back']

/**
 * The specification's responses do not state how a payment failed: only a decline by the bank is
 * certain.
 */
function readFailure(value: unknown): Failure {
  if (value === undefined) return 'declined'
  return FAILURES.find((candidate) => candidate === value) ?? 'unclear'
}

const isAmountOrNull = (value: unknown, currency: Currency): boolean =>
  value === null || fromMajorUnits(value, currency) !== null

/** An event file as its author wrote it. */
export const readEventFile: Reader<EventFileResponse> = (body) =>
  isRecord(body) && hasAll(body, 'string', 'path', 'text') ? (body as EventFileResponse) : null

/** The effect of a discount code. */
export const readCode: Reader<{ readonly kind: string; readonly label: string }> = (body) =>
  isRecord(body) && hasAll(body, 'string', 'kind', 'label')
    ? { kind: String(body['kind']), label: String(body['label']) }
    : null

/** The member list's entry for an answer, by column. */
export const readRow: Reader<Readonly<Record<string, string>>> = (body) =>
  isRecord(body) ? textsOf(body['row']) : null

/** A document stored on the server. */
export const readProof: Reader<UploadResponse> = (body) =>
  isRecord(body) && hasAll(body, 'string', 'token', 'name', 'until')
    ? (body as UploadResponse)
    : null
