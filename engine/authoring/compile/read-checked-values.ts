/** Reads plain values of a file that passed the schema check; each function relies on the schema. */
import { toAmount, readAmount, type Currency, type Amount } from '../../lib/money.ts'
import { day, type Day } from '../../lib/time.ts'

/** A plain value of the file; maps have no prototype. */
export type PlainMap = { readonly [key: string]: unknown }
/** The three shared files as plain values. */
export type PlainShared = {
  readonly lists: PlainMap
  readonly gateways: PlainMap
  readonly texts: PlainMap
}

export const asMap = (value: unknown): PlainMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as PlainMap) : {}
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const asText = (value: unknown): string => String(value)
export const asOptionalText = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : String(value)
export const asTexts = (value: unknown): readonly string[] => asList(value).map(asText)
/** Removes undefined values, as `exactOptionalPropertyTypes` requires. */
export function removeUndefined<T extends object>(
  value: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}
export const asOptionalDay = (value: unknown): Day | undefined =>
  value === undefined ? undefined : day(asText(value))

/**
 * Converts an amount in major units from the file to minor units. Invalid amounts are reported by
 * EV411, and such a file is never served.
 */
export function readFileAmount(value: unknown, currency: Currency): Amount {
  return readAmount(asText(value), currency) ?? toAmount(0)
}

/** Converts an amount that may be negative. */
export function readSignedFileAmount(value: unknown, currency: Currency): Amount {
  const valueText = asText(value)
  return valueText.startsWith('-')
    ? toAmount(-readFileAmount(valueText.slice(1), currency))
    : readFileAmount(valueText, currency)
}

/** Reads a map whose values are texts. */
export function asTextMap(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(asMap(value)).map(([key, inner]) => [key, asText(inner)]),
  )
}
