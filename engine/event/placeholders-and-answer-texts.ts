/** Fills {placeholders} in texts, and formats answers and labels of an event for display. */
import type { Field, PublicEvent } from './config.ts'
import type { Answer, Person } from './answer-types.ts'
import {
  formatMoney,
  readAmount,
  type Currency,
  type Amount,
  type Tax,
  formatRates,
} from '../lib/money.ts'
import { REGISTRATION_LINE_ID, type TaxRule } from './pricing-types.ts'
import { getOwn } from '../lib/result.ts'
import { formatDay, formatDays, isDay } from '../lib/time.ts'

const PLACEHOLDER_PATTERN = /\{([a-z_][a-z0-9_.]*)\}/gi

/** Returns the placeholder names in a string, in order. */
export function findPlaceholderNames(text: string): readonly string[] {
  return Array.from(text.matchAll(PLACEHOLDER_PATTERN), ([, name = '']) => name)
}

/**
 * Replaces {name} with its value, or with `missing` if there is none. Other braces are unchanged.
 */
export function fillPlaceholders(
  text: string,
  values: Readonly<Record<string, string | undefined>>,
  missing: string,
): string {
  return text.replace(
    PLACEHOLDER_PATTERN,
    (_whole, name: string) => getOwn(values, name) ?? missing,
  )
}

/** Fills in placeholders. Returns null if a name is unknown, so that no page tells a delegate to quote "N/A". */
export function fillKnownPlaceholders(
  text: string,
  values: Readonly<Record<string, string | undefined>>,
): string | null {
  let areAllKnown = true
  const filledText = text.replace(PLACEHOLDER_PATTERN, (_whole, name: string) => {
    const value = getOwn(values, name)
    areAllKnown &&= value !== undefined
    return value ?? ''
  })
  return areAllKnown ? filledText : null
}

/** Abbreviations of payments and tax, which are always in capitals. */
const ABBREVIATIONS = /^(?:dd|gst|gstin|iban|ifsc|imps|neft|rtgs|upi|utr)$/i

/** Turns an id into words: `afpi-pg` → `Afpi Pg`, `upi` → `UPI`. */
export function formatIdAsWords(id: string): string {
  return id
    .split(/[-_\s]+/)
    .filter((word) => word !== '')
    .map((word) =>
      ABBREVIATIONS.test(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1),
    )
    .join(' ')
}

/** Formats an answer for display: the option's label, Yes or No, a formatted date, or money for a stored amount. */
export function formatAnswer(event: PublicEvent, id: string, answer: Answer): string {
  if (typeof answer === 'boolean') return answer ? 'Yes' : 'No'
  const field = event.fields.find((candidate) => candidate.id === id)
  if (typeof answer === 'object')
    return answer
      .map((entry) =>
        typeof entry === 'string'
          ? (field?.options?.find((option) => option.id === entry)?.label ?? entry)
          : formatPerson(field, entry),
      )
      .join(typeof answer[0] === 'string' ? ', ' : '; ')
  const storedValue = event.alsoStored.find((candidate) => candidate.id === id)
  if (storedValue?.type === 'money')
    return formatDecimalAmount(String(answer), event.currency) ?? String(answer)
  if (
    typeof answer === 'string' &&
    (field?.type === 'date' || storedValue?.type === 'date') &&
    isDay(answer)
  )
    return formatDay(answer)
  return field?.options?.find((option) => option.id === answer)?.label ?? String(answer)
}

/** Returns the unit of a number field for a count: "night", "nights"; undefined without a unit. */
export function formatUnit({ unit, unitOne }: Field, count: unknown): string | undefined {
  return Number(count) === 1 ? (unitOne ?? unit) : unit
}

/** Returns the placeholder name of a field's unit. */
export const getUnitName = (field: string): string => `${field}.unit`

/** Formats one listed person, in the order of the fields: "Asha Nair, 34". */
export function formatPerson(field: Field | undefined, person: Person): string {
  return (field?.fields ?? [])
    .flatMap((part) => {
      const answer = getOwn(person, part.id)
      if (answer === undefined) return []
      if (typeof answer === 'boolean') return answer ? [part.label] : []
      if (part.type === 'date' && typeof answer === 'string' && isDay(answer))
        return [formatDay(answer)]
      return [part.options?.find(({ id }) => id === answer)?.label ?? String(answer)]
    })
    .join(', ')
}

/** Returns the values available in all texts: `event.*`, `tax.*`. */
export function getEventValues(event: PublicEvent): Readonly<Record<string, string | undefined>> {
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

/** Returns the parts of a price to show: without a tax, only the total. */
export function listPriceParts({
  fees,
}: Pick<PublicEvent, 'fees'>): readonly ('base' | 'gst' | 'total')[] {
  return fees.tax === null ? ['total'] : ['base', 'gst', 'total']
}

/**
 * Returns the label of the submit button. `total` is null if the price is unknown or there is none.
 */
export function getButtonText(event: PublicEvent, total: Amount | null): string {
  const { button, freeButton } = event.form.summary
  return total === 0 && event.payment !== null ? freeButton : button
}

/** The part of a bill line that determines its tax label. */
type BilledLine = { readonly id: string; readonly gst: number; readonly rate?: number | null }

/** Returns the tax rules of an event and its items. */
function listTaxRules({ fees }: PublicEvent): readonly TaxRule[] {
  return [
    ...[fees, ...fees.items].flatMap(({ taxRules = [] }) => taxRules),
    ...fees.items.flatMap(({ ownTaxRules = [] }) => ownTaxRules),
  ]
}

/** Returns the taxes of a bill; if no line has tax, the taxes of all prices of the event. */
function listTaxes(
  { fees }: PublicEvent,
  rules: readonly TaxRule[],
  lines: readonly BilledLine[],
): readonly Tax[] {
  const pricedEntries = [{ id: REGISTRATION_LINE_ID, tax: fees.tax }, ...fees.items]
  // Rules determine the rate of each line, so the rate is read from the line.
  const lineTaxes = lines.flatMap(({ id, gst, rate }) => {
    const tax = fees.tax ?? fees.items.find((item) => item.id === id)?.tax ?? null
    return rules.length > 0 && tax !== null && gst !== 0 && rate != null
      ? [{ ...tax, percent: rate }]
      : []
  })
  if (lineTaxes.length > 0) return lineTaxes
  const billedEntries = pricedEntries.filter(({ id }) =>
    lines.some((line) => line.id === id && line.gst !== 0),
  )
  return [...(billedEntries.length === 0 ? [...pricedEntries, ...rules] : billedEntries)].flatMap(
    ({ tax }) => tax ?? [],
  )
}

/**
 * Returns the label of a field or of a built-in value; for `delegate`, the event's word for delegates. The tax label
 * lists each rate, highest first: "GST (18% and 5%)". With `lines`, it lists only the rates of that bill.
 */
export function getLabel(
  event: PublicEvent,
  id: string,
  lines: readonly BilledLine[] = [],
): string {
  const fieldLabel =
    event.fields.find((field) => field.id === id)?.label ??
    event.alsoStored.find((stored) => stored.id === id)?.label
  const word = getOwn(event.words ?? {}, id) ?? getOwn(event.texts.values, id)
  const values =
    id === 'gst'
      ? { ...getEventValues(event), ...getTaxValues(event, lines) }
      : getEventValues(event)
  return fieldLabel ?? fillPlaceholders(word ?? formatIdAsWords(id), values, '')
}

/**
 * Returns the values `tax.name` and `tax.percent`. The percentage has no percent sign, because texts contain one
 * after {tax.percent}.
 */
function getTaxValues(
  event: PublicEvent,
  lines: readonly BilledLine[],
): Readonly<Record<string, string>> {
  const rules = listTaxRules(event)
  const taxes = listTaxes(event, rules, lines)
  const [first] = taxes
  const rates = formatRates(taxes.map(({ percent }) => percent))
  // If a rule removes the tax, such as a reverse charge, no rate applies. Without tax rules, only a free bill has no
  // tax, and its label lists the rates of the event.
  const isUntaxed = rules.length > 0 && lines.length > 0 && lines.every(({ gst }) => gst === 0)
  if (first !== undefined && rates.includes(' and ') && isUntaxed)
    return { 'tax.name': first.name, 'tax.percent': '0' }
  return first === undefined || rates === ''
    ? {}
    : { 'tax.name': first.name, 'tax.percent': rates.slice(0, -1) }
}

/** Returns the label for use within a sentence: "category", "race". */
export function getLowerCaseLabel(event: PublicEvent, id: string): string {
  return getLabel(event, id).toLowerCase()
}

/** Formats a decimal string in major units; undefined if it is not an amount. */
export function formatDecimalAmount(text: string, currency: Currency): string | undefined {
  const amount = readAmount(text, currency)
  return amount === null ? undefined : formatMoney(amount, currency)
}
