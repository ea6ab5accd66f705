/** Reads amounts and times of imported rows, as people and spreadsheets write them. */
import { getCurrencySymbol, INR, instant, readAmount, readInstant } from '../../../engine/index.ts'
import type { Currency, Instant, Amount } from '../../../engine/index.ts'

/** Also accepts formatted amounts: "₹ 7,080", "7,080.00", "€ 290.50". */
export function parseMoney(text: string, currency: Currency): Amount | null {
  const number =
    currency === INR
      ? text.replace(/^(₹|Rs\.?|INR)\s*/i, '')
      : text.replace(getCurrencySymbol(currency), '').replace(currency, '').trim()
  // Spreadsheets write decimals even for yen: 36666.00.
  const plain = number.replaceAll(',', '').replace(/^(\d+)\.0+$/, '$1')
  return readAmount(plain, currency)
}

/** Accepts an instant, a day alone (noon in India), or day and time in India. */
export function parseInstantText(text: string): Instant | null {
  const local = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d)?(?:\.\d+)?$/.exec(text)
  const parsedMs = readInstant(
    local === null ? text : `${local[1]}T${local[2]}${local[3] ?? ':00'}+05:30`,
  )
  return parsedMs === null ? null : instant(parsedMs)
}
