/** Texts with {placeholders}, and every value that may stand in one, formatted for people. */
import type { Field, PublicEvent } from './config.ts'
import type { Answer, Answers, Person } from './answer-types.ts'
import type { PaymentStatus } from '../payments/payment.ts'
import type { EngineValue } from './built-in-values.ts'
import type { RegistrationAnswer } from '../api/registration.ts'
import {
  formatMoney,
  formatPrice,
  fromRupees,
  readAmount,
  splitTotal,
  type Paise,
  type Tax,
} from '../lib/money.ts'
import { linesText, readLines, REGISTRATION, type Line } from '../pricing/bill-lines.ts'
import { own } from '../lib/result.ts'
import { ratesText } from '../documents/tax.ts'
import { formatDay, formatDays, formatInstant, isDay, readInstant, type Instant } from '../lib/time.ts'

/** What texts, mails and result pages need to know of a registration. A stored registration is one; `readRegistration` makes one from the wire. */
export type RegistrationView = {
  readonly regNo: string
  /** The number in the previous system; only an imported registration has one. */
  readonly formerNo?: string | null
  readonly answers: Answers
  readonly category: string | null
  readonly period: string | null
  readonly base: Paise | null
  readonly gst: Paise | null
  readonly total: Paise | null
  /** What the total is made of; empty: stored before bills had lines, or brought in. */
  readonly lines: readonly Line[]
  readonly paymentStatus: PaymentStatus
  readonly inReview: boolean
  /** The gateway's reference of the successful payment; null: there is none, or it was not told. */
  readonly paymentId: string | null
  readonly paidAt: Instant | null
  /** Null: the answer that it was read from does not say. */
  readonly createdAt: Instant | null
  /** Newest attempt first. Null or empty: the number stands for the order id. */
  readonly payments?: readonly {
    readonly orderId: string
    readonly status: PaymentStatus
    /** When the attempt began. */
    readonly createdAt?: Instant | null
  }[]
}

/** Either side of the wire: what the store holds, or what the public read answered. */
export type AnyRegistration = RegistrationView | RegistrationAnswer['registration']

export function viewOf(event: PublicEvent, registration: AnyRegistration): RegistrationView {
  return 'reg_no' in registration
    ? readRegistration(event, registration as RegistrationAnswer['registration'])
    : (registration as RegistrationView)
}

const PLACEHOLDER = /\{([a-z_][a-z0-9_.]*)\}/gi

/** The names that a text has in braces, in order. */
export function namesIn(text: string): readonly string[] {
  return Array.from(text.matchAll(PLACEHOLDER), ([, name = '']) => name)
}

/** Replaces {name} by its value, by `missing` where there is none. Braces around anything else stay as they are. */
export function fill(
  text: string,
  values: Readonly<Record<string, string | undefined>>,
  missing: string,
): string {
  return text.replace(PLACEHOLDER, (_whole, name: string) => own(values, name) ?? missing)
}

/** The text with its values in it; null where it names one that is not known, so that nobody is asked to quote "N/A". */
export function fillKnown(
  text: string,
  values: Readonly<Record<string, string | undefined>>,
): string | null {
  let known = true
  const filled = text.replace(PLACEHOLDER, (_whole, name: string) => {
    const value = own(values, name)
    known &&= value !== undefined
    return value ?? ''
  })
  return known ? filled : null
}

/** `afpi-pg` → `Afpi Pg`: an id said in words. */
export function words(id: string): string {
  return id
    .split(/[-_\s]+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
}

const STATUS_WORDS = {
  success: 'Paid',
  pending: 'Pending',
  failed: 'Failed',
  refunded: 'Refunded',
} satisfies Record<PaymentStatus, string>
export const isPaymentStatus = (value: unknown): value is PaymentStatus =>
  typeof value === 'string' && Object.hasOwn(STATUS_WORDS, value)

export function statusText(status: PaymentStatus): string {
  return STATUS_WORDS[status]
}

/** An answer for people: an option by its label, Yes or No, a day in words, money that is stored beside the form in rupees. */
export function answerText(event: PublicEvent, id: string, answer: Answer): string {
  if (typeof answer === 'boolean') return answer ? 'Yes' : 'No'
  const field = event.fields.find((candidate) => candidate.id === id)
  if (typeof answer === 'object')
    return answer
      .map((one) =>
        typeof one === 'string'
          ? (field?.options?.find((option) => option.id === one)?.label ?? one)
          : personText(field, one),
      )
      .join(typeof answer[0] === 'string' ? ', ' : '; ')
  const stored = event.alsoStored.find((candidate) => candidate.id === id)
  if (stored?.type === 'money') return moneyText(String(answer)) ?? String(answer)
  if (
    typeof answer === 'string' &&
    (field?.type === 'date' || stored?.type === 'date') &&
    isDay(answer)
  )
    return formatDay(answer)
  return field?.options?.find((option) => option.id === answer)?.label ?? String(answer)
}

/** What a number field counts, for that many of it: "night", "nights"; undefined: the field does not say. */
export function unitText({ unit, unitOne }: Field, count: unknown): string | undefined {
  return Number(count) === 1 ? (unitOne ?? unit) : unit
}

/** The name under which a text may say it. */
export const unitName = (field: string): string => `${field}.unit`

/** One of the people in words, in the order of the questions: "Asha Nair, 34". */
export function personText(field: Field | undefined, person: Person): string {
  return (field?.fields ?? [])
    .flatMap((part) => {
      const answer = own(person, part.id)
      if (answer === undefined) return []
      if (typeof answer === 'boolean') return answer ? [part.label] : []
      if (part.type === 'date' && typeof answer === 'string' && isDay(answer))
        return [formatDay(answer)]
      return [part.options?.find(({ id }) => id === answer)?.label ?? String(answer)]
    })
    .join(', ')
}

/** The values every text may name whoever reads it: `event.*`, `tax.*`. */
export function eventValues(event: PublicEvent): Readonly<Record<string, string | undefined>> {
  const { tax } = event.fees
  return {
    'event.title': event.title,
    'event.theme': event.theme,
    'event.about': event.about,
    'event.dates': formatDays(event.from, event.to),
    'event.hours': event.hours,
    'event.venue': event.venue,
    'event.support': event.support,
    'tax.name': tax?.name ?? 'Tax',
    'tax.percent': String(tax?.percent ?? 0),
  }
}

/** The parts of a price that are shown: where there is no tax, the total is all there is to say. */
export function priceParts({
  fees,
}: Pick<PublicEvent, 'fees'>): readonly ('base' | 'gst' | 'total')[] {
  return fees.tax === null ? ['total'] : ['base', 'gst', 'total']
}

/** What the button that sends the form says. `total` null: the price is not known yet, or there is none. */
export function buttonText(event: PublicEvent, total: Paise | null): string {
  const { button, freeButton } = event.form.summary
  return total === 0 && event.payment !== null ? freeButton : button
}

/** The taxes that a bill bears; without lines, or where they bear none, those of everything the event sells. */
function taxesOf({ fees }: PublicEvent, lines: readonly Line[]): readonly Tax[] {
  const sold = [{ id: REGISTRATION, tax: fees.tax }, ...fees.items]
  const billed = sold.filter(({ id }) => lines.some((line) => line.id === id && line.gst !== 0))
  return (billed.length === 0 ? sold : billed).flatMap(({ tax }) => tax ?? [])
}

/**
 * The label of a field, or of a value the engine supplies; also what the event calls a `delegate`. That of the tax has
 * each of its rates, highest first: "GST (18% and 5%)". `lines`: those of one bill have its rates alone.
 */
export function labelOf(event: PublicEvent, id: string, lines: readonly Line[] = []): string {
  const named =
    event.fields.find((field) => field.id === id)?.label ??
    event.alsoStored.find((stored) => stored.id === id)?.label
  const word = own(event.words ?? {}, id) ?? own(event.texts.values, id)
  const values =
    id === 'gst' ? { ...eventValues(event), ...taxValues(event, lines) } : eventValues(event)
  return named ?? fill(word ?? words(id), values, '')
}

/** Texts write the percent sign after {tax.percent} themselves. */
function taxValues(event: PublicEvent, lines: readonly Line[]): Readonly<Record<string, string>> {
  const taxes = taxesOf(event, lines)
  const [first] = taxes
  const rates = ratesText(taxes.map(({ percent }) => percent))
  return first === undefined || rates === ''
    ? {}
    : { 'tax.name': first.name, 'tax.percent': rates.slice(0, -1) }
}

/** The same in the middle of a sentence: "category", "race". */
export function wordFor(event: PublicEvent, id: string): string {
  return labelOf(event, id).toLowerCase()
}

/**
 * Every value a text may name, formatted: answers, the engine's values, the event's. A value that is
 * missing is absent. `amounts` is what the event's result pages say: `split-total` works base and gst
 * back from the total, whatever was stored.
 */
export function valuesOf(
  event: PublicEvent,
  stored: AnyRegistration,
  amounts: 'stored' | 'split-total' = 'stored',
): Readonly<Record<string, string>> {
  const registration = viewOf(event, stored)
  const { answers, category, period, total } = registration
  const parts =
    amounts === 'split-total' && total !== null ? splitTotal(event.fees.tax, total) : registration
  const money = (amount: Paise | null, format = formatPrice): string | undefined =>
    amount === null ? undefined : format(amount)
  // What cost nothing was settled when it was made: that day stands where others have the day they paid.
  const isSettledAtOnce = total === 0 && registration.paymentStatus === 'success'
  const paidAt = registration.paidAt ?? (isSettledAtOnce ? registration.createdAt : null)
  const time = (at: Instant | null): string | undefined =>
    at === null ? undefined : formatInstant(at)
  const paidOn = time(paidAt)
  const tried = attemptOf(registration)?.createdAt ?? registration.createdAt
  const supplied: Readonly<Record<Exclude<EngineValue, 'id'>, string | undefined>> = {
    reg_no: registration.regNo,
    order_id: transactionIdOf(registration),
    category:
      category === null
        ? undefined
        : (event.categories.find(({ id }) => id === category)?.label ?? words(category)),
    period:
      period === null
        ? undefined
        : (event.fees.periods.find(({ id }) => id === period)?.label ?? words(period)),
    base: money(parts.base),
    gst: money(parts.gst, formatMoney),
    total: money(total),
    amount: money(total),
    date: paidOn ?? time(tried),
    payment_date: paidOn,
    payment_status: statusText(registration.paymentStatus),
    payment_id: registration.paymentId ?? undefined,
    created_at: time(registration.createdAt),
    lines: linesText(registration.lines),
  }
  const all: Readonly<Record<string, string | undefined>> = {
    ...Object.fromEntries(
      Object.entries(answers).map(([id, answer]) => [id, answerText(event, id, answer)]),
    ),
    ...Object.fromEntries(
      event.fields.map((field) => {
        const answer = own(answers, field.id)
        return [unitName(field.id), answer === undefined ? undefined : unitText(field, answer)]
      }),
    ),
    ...eventValues(event),
    ...supplied,
  }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value] as const],
    ),
  )
}

/** The attempt that was paid, else the newest one: its order id and its date are what pages and mails say. */
function attemptOf({
  payments,
}: Pick<RegistrationView, 'payments'>):
  | NonNullable<RegistrationView['payments']>[number]
  | undefined {
  return payments?.find(({ status }) => status === 'success') ?? payments?.[0]
}

/**
 * The transaction ID that pages and emails show: the attempt's order id. An imported registration shows its
 * former number, which is the one that the delegate was given.
 */
export function transactionIdOf(
  registration: Pick<RegistrationView, 'regNo' | 'formerNo' | 'payments'>,
): string {
  const { regNo, formerNo } = registration
  const orderId = attemptOf(registration)?.orderId ?? regNo
  return orderId === regNo ? (formerNo ?? orderId) : orderId
}

/** Decimal text of rupees for people; undefined when it is none. */
export function moneyText(text: string): string | undefined {
  const amount = readAmount(text)
  return amount === null ? undefined : formatMoney(amount)
}

/** A registration read back from the wire, for the same functions that serve the server. */
export function readRegistration(
  event: PublicEvent,
  wire: RegistrationAnswer['registration'],
): RegistrationView {
  const answerOf = (id: string): readonly (readonly [string, Answer])[] => {
    const value = own(wire, id)
    return typeof value === 'string' ||
      typeof value === 'number' ||
      typeof value === 'boolean' ||
      Array.isArray(value)
      ? [[id, value]]
      : []
  }
  const createdAt = readInstant(wire.created_at)
  // An answer of the specification has these under the event file's names alone.
  const named = (value: 'category' | 'base' | 'gst' | 'total'): unknown => {
    if (own(wire, value) != null) return own(wire, value)
    const [name] = Object.entries(event.api.returns).find(([, each]) => each === value) ?? []
    return name === undefined ? null : (own(wire, name) ?? null)
  }
  const category = named('category')
  return {
    regNo: wire.reg_no,
    answers: Object.fromEntries(
      [...event.fields, ...event.alsoStored].flatMap(({ id }) => answerOf(id)),
    ),
    category: typeof category === 'string' ? category : null,
    period: wire.period,
    base: fromRupees(named('base')),
    gst: fromRupees(named('gst')),
    total: fromRupees(named('total')),
    lines: readLines(wire.lines),
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
