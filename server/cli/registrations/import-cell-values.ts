/** Parses amounts and times in imported rows, in the formats that people and spreadsheets use. */
import {
  getCurrencySymbol,
  INR,
  instant,
  isDay,
  readAmount,
  readInstant,
  startOfDay,
} from '../../../engine/index.ts'
import type { Currency, Instant, Amount } from '../../../engine/index.ts'

/** Parses an amount, including formatted text: "₹ 7,080", "7,080.00", "€ 290.50". Null if it is not an amount. */
export function parseMoney(text: string, currency: Currency): Amount | null {
  const number =
    currency === INR
      ? text.replace(/^(₹|Rs\.?|INR)\s*/i, '')
      : text.replace(getCurrencySymbol(currency), '').replace(currency, '').trim()
  // Spreadsheets write decimal places even for yen: 36666.00.
  const plainNumber = number.replaceAll(',', '').replace(/^(\d+)\.0+$/, '$1')
  return readAmount(plainNumber, currency)
}

/** Parses an instant, a date alone (noon in India), or a date and time in India. Null if it is none of these. */
export function parseInstantText(text: string): Instant | null {
  const localTime = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d)?(?:\.\d+)?$/.exec(text)
  const parsedMs = readInstant(
    localTime === null ? text : `${localTime[1]}T${localTime[2]}${localTime[3] ?? ':00'}+05:30`,
  )
  return parsedMs === null ? null : instant(parsedMs)
}

/** Parses when a payment was received. A date alone is stored as its start: only the day is known. */
export const parsePaymentTime = (text: string): Instant | null =>
  isDay(text) ? startOfDay(text) : parseInstantText(text)
