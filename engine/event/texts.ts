/** Fills texts with {placeholders}, and formats answers and labels of an event for people. */
import type { Field, PublicEvent } from './config.ts'
import type { Answer, Person } from './answer-types.ts'
import { formatMoney, readAmount, type Paise, type Tax, ratesText } from '../lib/money.ts'
import { REGISTRATION } from './pricing-types.ts'
import { own } from '../lib/result.ts'
import { formatDay, formatDays, isDay } from '../lib/time.ts'

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

/** What of a bill's line decides which taxes its label names. */
type BilledLine = { readonly id: string; readonly gst: number }

/** The taxes that a bill bears; without lines, or where they bear none, those of everything the event sells. */
function taxesOf({ fees }: PublicEvent, lines: readonly BilledLine[]): readonly Tax[] {
  const sold = [{ id: REGISTRATION, tax: fees.tax }, ...fees.items]
  const billed = sold.filter(({ id }) => lines.some((line) => line.id === id && line.gst !== 0))
  return (billed.length === 0 ? sold : billed).flatMap(({ tax }) => tax ?? [])
}

/**
 * The label of a field, or of a value the engine supplies; also what the event calls a `delegate`. That of the tax has
 * each of its rates, highest first: "GST (18% and 5%)". `lines`: those of one bill have its rates alone.
 */
export function labelOf(event: PublicEvent, id: string, lines: readonly BilledLine[] = []): string {
  const named =
    event.fields.find((field) => field.id === id)?.label ??
    event.alsoStored.find((stored) => stored.id === id)?.label
  const word = own(event.words ?? {}, id) ?? own(event.texts.values, id)
  const values =
    id === 'gst' ? { ...eventValues(event), ...taxValues(event, lines) } : eventValues(event)
  return named ?? fill(word ?? words(id), values, '')
}

/** Texts write the percent sign after {tax.percent} themselves. */
function taxValues(
  event: PublicEvent,
  lines: readonly BilledLine[],
): Readonly<Record<string, string>> {
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

/** Decimal text of rupees for people; undefined when it is none. */
export function moneyText(text: string): string | undefined {
  const amount = readAmount(text)
  return amount === null ? undefined : formatMoney(amount)
}
