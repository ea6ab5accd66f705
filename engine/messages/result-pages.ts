/** Result pages, receipt and email: what the event file says, with a registration's values in it. */
import type { Detail, EventConfig, PublicEvent } from '../event/config.ts'
import { holds } from '../rules/evaluate-condition.ts'
import { ORDER_ID_CHARACTERS_MAX } from '../event/registration-number.ts'
import { own } from '../lib/result.ts'
import { delegateOf } from '../event/delegate-fields.ts'
import { eventValues, fill, labelOf, moneyText, words } from '../event/texts.ts'
import {
  valuesOf,
  viewOf,
  type AnyRegistration,
  type RegistrationView,
} from './registration-values.ts'
import { formatDay, formatInstant, isDay, readInstant } from '../lib/time.ts'
import { LINK_PLACE } from './unpaid-reminder-email.ts'

/**
 * How a registration number is drawn as a QR code, on the ticket and in its mail: middling correction, because it is also read
 * from a cracked screen or a creased page, and the white around it that readers need, in modules.
 */
export const CODE_LOOK = { ecc: 'M', border: 4 } as const

/** The query parameters of a result page's address, as they stand there. */
type ResultQuery = {
  readonly orderId?: string | null | undefined
  readonly amount?: string | null | undefined
  readonly date?: string | null | undefined
}
/** `id` is the name of the value, or `text-<n>` for a fixed text. */
export type ResultRow = { readonly id: string; readonly label: string; readonly value: string }

/**
 * The detail rows of a result page. What is stored wins over what the address says; without a
 * registration the rows about it are left out and order id, amount and date come from the address.
 * A value that is missing, or that the address garbles, reads as the event's N/A; a missing payment id has no row.
 */
export function resultRows(
  event: PublicEvent,
  outcome: 'success' | 'failed',
  registration: AnyRegistration | null,
  query: ResultQuery,
): readonly ResultRow[] {
  const view = registration === null ? null : viewOf(event, registration)
  const values = resultValues(event, registration, query)
  const missing = event.texts.missingValue
  return event.results[outcome].details.flatMap((detail, index): readonly ResultRow[] => {
    if (
      detail.when !== undefined &&
      (view === null || !holds(detail.when, view.answers, view.category))
    )
      return []
    const label = fill(labelFor(event, detail, view), values, missing)
    if ('text' in detail)
      return [{ id: `text-${index + 1}`, label, value: fill(detail.text, values, missing) }]
    if (view === null && !knownWithout(detail.show)) return []
    const value = shownValue(view, detail, values)
    // Of many registrations there is none, and the number alone does not show it.
    if (detail.show === 'payment_id' && value === undefined) return []
    return [{ id: detail.show, label, value: value ?? missing }]
  })
}

/** The event's own label of the tax has all its rates; a bill has the label of those that it bears. */
function labelFor(event: PublicEvent, detail: Detail, view: RegistrationView | null): string {
  const isOurs = 'show' in detail && detail.show === 'gst' && detail.label === labelOf(event, 'gst')
  return isOurs ? labelOf(event, 'gst', view?.lines) : detail.label
}

/** The values the texts of a result page may name: notes, button subjects, intro. */
export function resultValues(
  event: PublicEvent,
  registration: AnyRegistration | null,
  query: ResultQuery,
): Readonly<Record<string, string | undefined>> {
  const view = registration === null ? null : viewOf(event, registration)
  const fromAddress = {
    order_id: orderIdToSay(query.orderId),
    amount: query.amount == null ? undefined : moneyText(query.amount),
    date: query.date == null ? undefined : dateText(query.date.trim()),
  }
  return {
    ...eventValues(event),
    ...(view === null ? fromAddress : valuesOf(event, view, event.results.amounts)),
  }
}

/** The receipt to download: file name and text. Null when the event has none. */
export function receipt(
  event: PublicEvent,
  registration: AnyRegistration,
): { readonly file: string; readonly text: string } | null {
  if (event.results.receipt === null) return null
  const values = resultValues(event, registration, {})
  const { file, text } = event.results.receipt
  const missing = event.texts.missingValue
  return {
    file: fill(file, values, missing).replace(/[\\/:*?"<>|\u0000-\u001f]/g, '-'),
    text: fill(text, values, missing),
  }
}

/**
 * The confirmation email. Null when the event sends none or the registration has no address.
 * Subject and addresses are single lines: an answer cannot add a header.
 */
export function mailFor(
  event: EventConfig,
  registration: AnyRegistration,
): {
  readonly to: string
  readonly copyTo: string | null
  readonly subject: string
  readonly text: string
} | null {
  const view = viewOf(event, registration)
  const to = delegateOf(event, view.answers).email
  if (event.email === null || to === '') return null
  const values = Object.fromEntries(
    Object.entries(valuesOf(event, view)).map(([name, value]) => [name, withoutLinkPlace(value)]),
  )
  const missing = event.texts.missingValue
  const copyTo =
    event.email.copyTo === undefined
      ? null
      : ((event.email.copyTo === 'office' ? event.office : event.support) ?? null)
  return {
    to: oneLine(to),
    copyTo,
    subject: oneLine(fill(event.email.subject, values, missing)),
    text: `${fill(event.email.text, values, missing).trimEnd()}\n\n${OWN_PAGE}`,
  }
}

/** An answer of several lines must not name the place where the link to the registration is put. */
function withoutLinkPlace(answer: string): string {
  return answer.replaceAll(/\{(?=link\b)/gi, '(')
}

/** Below the event's own words. */
const OWN_PAGE = `Your registration is here, with your ticket, your receipt and whatever is left to do:\n${LINK_PLACE}\n\nPlease keep the link to yourself: anybody who has it can see your registration.`

/** A "no" or a "not", and after it a word for money that goes: "No amount has been deducted", "You were not charged". */
const NO_MONEY_WENT =
  /(?:\b(?:no|not|nothing|never|none|nobody|without)\b|n['’]t\b)[^.!?]*\b(?:deduct|debit|charg|withdr|taken|collect)/i

/**
 * Whether a line of an event file says that no money went. That is known only where the bank has said no:
 * after a payment that merely never arrived it may still be on its way.
 */
export function saysNoMoneyWent(line: string): boolean {
  return NO_MONEY_WENT.test(line)
}

/**
 * The order that an address names, where a page may say it: 1 to 20 letters and digits, as the gateway
 * takes them. Anything else could be a stranger's sentence on our page, and is not said.
 */
export function orderIdToSay(text: string | null | undefined): string | undefined {
  const id = text?.trim() ?? ''
  return /^[A-Za-z0-9]+$/.test(id) && id.length <= ORDER_ID_CHARACTERS_MAX ? id : undefined
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function knownWithout(name: string): boolean {
  return ['order_id', 'amount', 'date'].includes(name) || name.startsWith('event.')
}

function shownValue(
  view: RegistrationView | null,
  detail: Extract<Detail, { show: string }>,
  values: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (detail.as !== 'words' || view === null) return own(values, detail.show)
  const id =
    detail.show === 'category'
      ? view.category
      : detail.show === 'period'
        ? view.period
        : own(view.answers, detail.show)
  return id === undefined || id === null ? undefined : words(String(id))
}

// A forged address shows no words of its own: a date that cannot be read is missing.
function dateText(text: string): string | undefined {
  // India writes the day first; some programs write a second with six decimals.
  const written = text
    .replace(
      /^(\d{1,2})([-/])(\d{1,2})\2(\d{4})(?!\d)/,
      (_all, day: string, _mark, month: string, year: string) =>
        `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
    )
    .replace(/(\.\d{3})\d+/, '$1')
  if (isDay(written)) return formatDay(written)
  // Without a zone it is Indian time; a space is a T, or the plus sign of a zone that the address has lost.
  const local = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)$/.exec(written)
  const at = readInstant(
    local === null ? written.replace(' ', '+') : `${local[1]}T${local[2]}+05:30`,
  )
  return at === null ? undefined : formatInstant(at)
}
