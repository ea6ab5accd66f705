/** Reads the plain values of a file that has passed the shape check: each function trusts what the schema says of the place. */
import { paise, readAmount, type Paise } from '../../lib/money.ts'
import { day, type Day } from '../../lib/time.ts'

/** A plain value of the file; maps have no prototype to trip over. */
export type Plain = { readonly [key: string]: unknown }
/** The three shared files as plain values. */
export type PlainShared = { readonly lists: Plain; readonly gateways: Plain; readonly texts: Plain }

export const map = (value: unknown): Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Plain) : {}
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const text = (value: unknown): string => String(value)
export const maybe = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : String(value)
export const texts = (value: unknown): readonly string[] => list(value).map(text)
/** Leaves out what is undefined, as exact optional properties want it. */
export function given<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }
}
export const maybeDay = (value: unknown): Day | undefined =>
  value === undefined ? undefined : day(text(value))

/** Rupees as the file writes them. What is no amount is found by EV411, and such a file is never served. */
export function paiseOf(value: unknown): Paise {
  return readAmount(text(value)) ?? paise(0)
}

/** The same of what may be below nothing. */
export function signedPaise(value: unknown): Paise {
  const said = text(value)
  return said.startsWith('-') ? paise(-paiseOf(said.slice(1))) : paiseOf(said)
}

/** Names of the outside with what each stands for. */
export function wireNames(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map(value)).map(([key, inner]) => [key, text(inner)]))
}
