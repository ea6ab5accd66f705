/** Defines the registration data for emails and result pages, and computes values for their texts. */
import { getPeriodLabel } from '../pricing/price-periods.ts'
import type { Answers, Answer } from '../event/answer-types.ts'
import {
  type Currency,
  type Amount,
  formatPrice,
  formatMoney,
  fromMajorUnits,
  readCurrency,
} from '../lib/money.ts'
import { splitTotal } from '../pricing/line-tax-and-rounding.ts'
import { type Line, formatLines } from '../pricing/bill-lines.ts'
import {
  type PaymentStatus,
  getStatusText,
} from '../registration/registration-and-payment-states.ts'
import { type Instant, formatInstant, formatPaidAt, readInstant } from '../lib/time.ts'
import type { RegistrationResponse } from '../api/registration.ts'
import type { PublicEvent } from '../event/config.ts'
import type { EngineValue } from '../event/built-in-values.ts'
import {
  formatIdAsWords,
  formatAnswer,
  getUnitName,
  formatUnit,
  getEventValues,
} from '../event/placeholders-and-answer-texts.ts'
import { getCurrency } from '../rules/category.ts'
import { getOwn } from '../lib/result.ts'
import { readLines } from '../api/bill-lines.ts'
/**
 * The data of a registration that texts, emails and result pages need. A stored registration has this type;
 * `readRegistration` creates such a registration from the API response.
 */
export type RegistrationView = {
  readonly regNo: string
  /** The number in the previous system, for an imported registration. */
  readonly formerNo?: string | null
  readonly answers: Answers
  readonly category: string | null
  readonly period: string | null
  readonly base: Amount | null
  readonly gst: Amount | null
  readonly total: Amount | null
  /** The currency of the amounts. */
  readonly currency: Currency
  /** The lines of the total. Empty if stored before bills had lines, or imported. */
  readonly lines: readonly Line[]
  readonly paymentStatus: PaymentStatus
  readonly inReview: boolean
  /** The gateway's reference of the successful payment. Null if there is none or it is not disclosed. */
  readonly paymentId: string | null
  readonly paidAt: Instant | null
  /** Null if the response does not contain it. */
  readonly createdAt: Instant | null
  /** Newest attempt first. If absent or empty, the registration number is the order id. */
  readonly payments?: readonly {
    readonly orderId: string
    readonly status: PaymentStatus
    /** When the attempt began. */
    readonly createdAt?: Instant | null
  }[]
}

/** Either the stored registration or the public API response. */
export type RegistrationOrResponse = RegistrationView | RegistrationResponse['registration']

export function buildRegistrationView(
  event: PublicEvent,
  registration: RegistrationOrResponse,
): RegistrationView {
  return 'reg_no' in registration
    ? readRegistration(event, registration as RegistrationResponse['registration'])
    : (registration as RegistrationView)
}

/**
 * Returns every value that text may contain, formatted: answers, built-in values, event values.
 * Missing values are absent. `amounts` is the setting of the event's result pages: `split-total`
 * recalculates base and tax from the total, regardless of the stored values.
 */
export function getPlaceholderValues(
  event: PublicEvent,
  source: RegistrationOrResponse,
  amounts: 'stored' | 'split-total' = 'stored',
): Readonly<Record<string, string>> {
  const registration = buildRegistrationView(event, source)
  const { answers, category, period, total } = registration
  const parts =
    amounts === 'split-total' && total !== null
      ? splitTotal(event.fees.tax, total, registration.currency)
      : registration
  const formatAmount = (amount: Amount | null, format = formatPrice): string | undefined =>
    amount === null ? undefined : format(amount, registration.currency)
  // A free registration is complete on creation, so its creation date replaces the payment date.
  const isFree = total === 0 && registration.paymentStatus === 'success'
  const paidAt = registration.paidAt ?? (isFree ? registration.createdAt : null)
  const formatTime = (at: Instant | null): string | undefined =>
    at === null ? undefined : formatInstant(at)
  const paidOn = paidAt === null ? undefined : formatPaidAt(paidAt)
  const attemptedAt = findShownAttempt(registration)?.createdAt ?? registration.createdAt
  const builtInValues: Readonly<Record<Exclude<EngineValue, 'id'>, string | undefined>> = {
    reg_no: registration.regNo,
    order_id: getTransactionId(registration),
    category:
      category === null
        ? undefined
        : (event.categories.find(({ id }) => id === category)?.label ?? formatIdAsWords(category)),
    period:
      period === null
        ? undefined
        : (getPeriodLabel(event.fees, period, category) ?? formatIdAsWords(period)),
    base: formatAmount(parts.base),
    gst: formatAmount(parts.gst, formatMoney),
    total: formatAmount(total),
    amount: formatAmount(total),
    date: paidOn ?? formatTime(attemptedAt),
    payment_date: paidOn,
    payment_status: getStatusText(registration.paymentStatus),
    payment_id: registration.paymentId ?? undefined,
    created_at: formatTime(registration.createdAt),
    lines: formatLines(registration.lines, registration.currency),
  }
  const allValues: Readonly<Record<string, string | undefined>> = {
    ...Object.fromEntries(
      Object.entries(answers).map(([id, answer]) => [id, formatAnswer(event, id, answer)]),
    ),
    ...Object.fromEntries(
      event.fields.map((field) => {
        const answer = getOwn(answers, field.id)
        return [getUnitName(field.id), answer === undefined ? undefined : formatUnit(field, answer)]
      }),
    ),
    ...getEventValues(event),
    ...builtInValues,
  }
  return Object.fromEntries(
    Object.entries(allValues).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value] as const],
    ),
  )
}

/** Returns the attempt that was paid, otherwise the newest attempt. Pages and emails show its order id and date. */
function findShownAttempt({
  payments,
}: Pick<RegistrationView, 'payments'>):
  | NonNullable<RegistrationView['payments']>[number]
  | undefined {
  return payments?.find(({ status }) => status === 'success') ?? payments?.[0]
}

/**
 * Returns the transaction ID for pages and emails: the attempt's order id. An imported registration
 * shows its former number, which the delegate received.
 */
export function getTransactionId(
  registration: Pick<RegistrationView, 'regNo' | 'formerNo' | 'payments'>,
): string {
  const { regNo, formerNo } = registration
  const orderId = findShownAttempt(registration)?.orderId ?? regNo
  return orderId === regNo ? (formerNo ?? orderId) : orderId
}

/** Converts the API response to a registration, for functions that the server also uses. */
export function readRegistration(
  event: PublicEvent,
  wire: RegistrationResponse['registration'],
): RegistrationView {
  const getAnswerEntry = (id: string): readonly (readonly [string, Answer])[] => {
    const value = getOwn(wire, id)
    return typeof value === 'string' ||
      typeof value === 'number' ||
      typeof value === 'boolean' ||
      Array.isArray(value)
      ? [[id, value]]
      : []
  }
  const createdAt = readInstant(wire.created_at)
  // A response that follows the specification has these values only under the names in the event
  // file.
  const readRenamedValue = (value: 'category' | 'base' | 'gst' | 'total'): unknown => {
    if (getOwn(wire, value) != null) return getOwn(wire, value)
    const [name] =
      Object.entries(event.api.returns).find(([, engineValue]) => engineValue === value) ?? []
    return name === undefined ? null : (getOwn(wire, name) ?? null)
  }
  const category = readRenamedValue('category')
  const currency =
    readCurrency(wire.currency) ??
    getCurrency(event, typeof category === 'string' ? category : null)
  return {
    regNo: wire.reg_no,
    answers: Object.fromEntries(
      [...event.fields, ...event.alsoStored].flatMap(({ id }) => getAnswerEntry(id)),
    ),
    category: typeof category === 'string' ? category : null,
    period: wire.period,
    base: fromMajorUnits(readRenamedValue('base'), currency),
    gst: fromMajorUnits(readRenamedValue('gst'), currency),
    total: fromMajorUnits(readRenamedValue('total'), currency),
    currency,
    lines: readLines(wire.lines, currency),
    paymentStatus: wire.payment_status,
    inReview: wire.in_review,
    paymentId: wire.payment_id,
    paidAt: wire.payment_date === null ? null : readInstant(wire.payment_date),
    createdAt,
    payments: [
      {
        orderId: wire.order_id,
        status: wire.payment_status,
        createdAt: wire.attempted_at == null ? null : readInstant(wire.attempted_at),
      },
    ],
  }
}
