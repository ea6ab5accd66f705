/** Builds result pages, receipt and confirmation email from the event file and a registration's values. */
import type { Detail, EventConfig, PublicEvent } from '../event/config.ts'
import { matchesCondition } from '../rules/conditions-and-operators.ts'
import { MAX_ORDER_ID_CHARACTERS } from '../event/registration-number.ts'
import { INR, readCurrency } from '../lib/money.ts'
import { getOwn } from '../lib/result.ts'
import { readDelegate } from '../event/delegate-fields.ts'
import {
  getEventValues,
  fillPlaceholders,
  getLabel,
  formatDecimalAmount,
  formatIdAsWords,
} from '../event/placeholders-and-answer-texts.ts'
import {
  getPlaceholderValues,
  buildRegistrationView,
  type RegistrationOrResponse,
  type RegistrationView,
} from './placeholder-values.ts'
import { formatDay, formatInstant, isDay, readInstant } from '../lib/time.ts'
import { CONFIRMATION_EMAIL_MESSAGES } from '../text-catalogue/email-texts.ts'
import { formatMessage } from '../lib/format-message.ts'
import { LINK_PLACEHOLDER } from './build-payment-reminder-email.ts'

/**
 * The options for the QR code of a registration number, on the ticket and in the email. Error correction is medium,
 * because scanners must also read the code from cracked screens and creased paper. The border is the white margin
 * that scanners need, in modules.
 */
export const QR_CODE_OPTIONS = { ecc: 'M', border: 4 } as const

/** The raw query parameters in a result page's URL. */
type ResultQuery = {
  readonly orderId?: string | null | undefined
  readonly amount?: string | null | undefined
  /** ISO 4217 code of the amount. Absent for INR. */
  readonly currency?: string | null | undefined
  readonly date?: string | null | undefined
}
/** `id` is the name of the value, or `text-<n>` for a fixed text. */
export type ResultRow = { readonly id: string; readonly label: string; readonly value: string }

/**
 * Returns the detail rows of a result page. Stored data takes precedence over the URL; without a registration, rows
 * that need one are omitted, and order id, amount and date are read from the URL. A missing or malformed value is shown
 * as the event's text for missing values; a missing payment ID has no row. `ended`: the registration was paid, then
 * cancelled or refunded. Ids are formatted as words only on the page of a paid registration, because event files set
 * this option for that page.
 */
export function buildResultRows(
  event: PublicEvent,
  outcome: 'success' | 'failed' | 'ended',
  registration: RegistrationOrResponse | null,
  query: ResultQuery,
): readonly ResultRow[] {
  const view = registration === null ? null : buildRegistrationView(event, registration)
  const values = getResultValues(event, registration, query)
  const missing = event.texts.missingValue
  const { details } = event.results[outcome === 'ended' ? 'success' : outcome]
  return details.flatMap((detail, index): readonly ResultRow[] => {
    if (
      detail.when !== undefined &&
      (view === null || !matchesCondition(detail.when, view.answers, view.category))
    )
      return []
    const label = fillPlaceholders(getDetailLabel(event, detail, view), values, missing)
    if ('text' in detail)
      return [
        { id: `text-${index + 1}`, label, value: fillPlaceholders(detail.text, values, missing) },
      ]
    if (view === null && !isKnownFromUrl(detail.show)) return []
    const value =
      outcome === 'ended' ? getOwn(values, detail.show) : formatDetailValue(view, detail, values)
    // The row is omitted: many registrations have no payment ID, and it is not shown to someone who knows only the
    // registration number.
    if (detail.show === 'payment_id' && value === undefined) return []
    return [{ id: detail.show, label, value: value ?? missing }]
  })
}

/**
 * Returns the label of a detail. The event's own tax label lists all rates; a bill's label lists only the bill's
 * rates.
 */
function getDetailLabel(event: PublicEvent, detail: Detail, view: RegistrationView | null): string {
  const hasDefaultLabel =
    'show' in detail && detail.show === 'gst' && detail.label === getLabel(event, 'gst')
  return hasDefaultLabel ? getLabel(event, 'gst', view?.lines) : detail.label
}

/** Returns the values for the texts of a result page: notes, button subjects, introduction. */
export function getResultValues(
  event: PublicEvent,
  registration: RegistrationOrResponse | null,
  query: ResultQuery,
): Readonly<Record<string, string | undefined>> {
  const view = registration === null ? null : buildRegistrationView(event, registration)
  const urlValues = {
    order_id: getDisplayableOrderId(query.orderId),
    amount:
      query.amount == null
        ? undefined
        : formatDecimalAmount(query.amount, readCurrency(query.currency) ?? INR),
    date: query.date == null ? undefined : formatDateParameter(query.date.trim()),
  }
  return {
    ...getEventValues(event),
    ...(view === null ? urlValues : getPlaceholderValues(event, view, event.results.amounts)),
  }
}

/** Returns the name and text of the receipt to download; null if the event has none. */
export function buildReceiptFile(
  event: PublicEvent,
  registration: RegistrationOrResponse,
): { readonly file: string; readonly text: string } | null {
  if (event.results.receipt === null) return null
  const values = getResultValues(event, registration, {})
  const { file, text } = event.results.receipt
  const missing = event.texts.missingValue
  return {
    file: fillPlaceholders(file, values, missing).replace(/[\\/:*?"<>|\u0000-\u001f]/g, '-'),
    text: fillPlaceholders(text, values, missing),
  }
}

/**
 * Builds the confirmation email. Null if the event sends none or the registration has no address.
 * Subject and addresses are single lines, so that an answer cannot add a header.
 */
export function buildConfirmationEmail(
  event: EventConfig,
  registration: RegistrationOrResponse,
): {
  readonly to: string
  readonly copyTo: string | null
  readonly subject: string
  readonly text: string
} | null {
  const view = buildRegistrationView(event, registration)
  const to = readDelegate(event, view.answers).email
  if (event.email === null || to === '') return null
  const values = Object.fromEntries(
    Object.entries(getPlaceholderValues(event, view)).map(([name, value]) => [
      name,
      removeLinkPlaceholder(value),
    ]),
  )
  const missing = event.texts.missingValue
  const copyTo =
    event.email.copyTo === undefined
      ? null
      : ((event.email.copyTo === 'office' ? event.office : event.support) ?? null)
  return {
    to: toSingleLine(to),
    copyTo,
    subject: toSingleLine(fillPlaceholders(event.email.subject, values, missing)),
    text: `${fillPlaceholders(event.email.text, values, missing).trimEnd()}\n\n${LINK_PARAGRAPH}`,
  }
}

/** Removes the placeholder of the registration link from a multiline answer. */
function removeLinkPlaceholder(answer: string): string {
  return answer.replaceAll(/\{(?=link\b)/gi, '(')
}

/** Appended to the event's own text. */
const LINK_PARAGRAPH = formatMessage(CONFIRMATION_EMAIL_MESSAGES.link, { link: LINK_PLACEHOLDER })

/** A negation followed by a word for a charge: "No amount has been deducted", "You were not charged". */
const NO_CHARGE_PATTERN =
  /(?:\b(?:no|not|nothing|never|none|nobody|without)\b|n['’]t\b)[^.!?]*\b(?:deduct|debit|charg|withdr|taken|collect)/i

/**
 * Returns true if a line of an event file states that no money was charged. This is certain only if
 * the bank declined the payment; otherwise it may still be in progress.
 */
export function statesNoCharge(line: string): boolean {
  return NO_CHARGE_PATTERN.test(line)
}

/**
 * Returns the order id in a URL if a page may show it: 1 to 20 letters and digits, the format that the gateway accepts.
 * Other text is never shown, because an attacker could have put it in the URL.
 */
export function getDisplayableOrderId(text: string | null | undefined): string | undefined {
  const id = text?.trim() ?? ''
  return /^[A-Za-z0-9]+$/.test(id) && id.length <= MAX_ORDER_ID_CHARACTERS ? id : undefined
}

function toSingleLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function isKnownFromUrl(name: string): boolean {
  return ['order_id', 'amount', 'date'].includes(name) || name.startsWith('event.')
}

function formatDetailValue(
  view: RegistrationView | null,
  detail: Extract<Detail, { show: string }>,
  values: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (detail.as !== 'words' || view === null) return getOwn(values, detail.show)
  const id =
    detail.show === 'category'
      ? view.category
      : detail.show === 'period'
        ? view.period
        : getOwn(view.answers, detail.show)
  return id === undefined || id === null ? undefined : formatIdAsWords(String(id))
}

// Formats a date from the URL. A page must not show text from a forged URL, so an unreadable date counts as missing.
function formatDateParameter(text: string): string | undefined {
  // Indian dates start with the day. Some programs write seconds with six decimal places.
  const isoText = text
    .replace(
      /^(\d{1,2})([-/])(\d{1,2})\2(\d{4})(?!\d)/,
      (_all, day: string, _mark, month: string, year: string) =>
        `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
    )
    .replace(/(\.\d{3})\d+/, '$1')
  if (isDay(isoText)) return formatDay(isoText)
  // A time without a zone is Indian time. A space stands for a T, or for the plus sign of a zone,
  // which URL decoding turns into a space.
  const localTime = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)$/.exec(isoText)
  const at = readInstant(
    localTime === null ? isoText.replace(' ', '+') : `${localTime[1]}T${localTime[2]}+05:30`,
  )
  return at === null ? undefined : formatInstant(at)
}
