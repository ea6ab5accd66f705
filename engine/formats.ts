/**
 * Numbers that people in India have, as patterns over the whole answer (JSON Schema, flag u), in either case
 * and with the spaces people write.
 */

const STATE = '(?:0[1-9]|[12][0-9]|3[0-8]|97|99)'
const PAN = '[A-Za-z]{5}[0-9]{4}[A-Za-z]'

export const FORMATS = {
  /** Six digits, the first not 0; often written in two groups of three (Department of Posts). */
  pin: '^[1-9][0-9]{2} ?[0-9]{3}$',
  /** State, PAN, number of the registration, Z, check letter (CBIC). */
  gstin: `^${STATE}${PAN}[0-9A-Za-z][Zz][0-9A-Za-z]$`,
  /** Five letters, four digits, a letter (Income Tax Department). */
  pan: `^${PAN}$`,
  /** Bank reference of a transfer: twelve digits of UPI and IMPS, or the 16 or 22 signs of NEFT and RTGS. */
  utr: '^(?:[0-9]{12}|[A-Za-z]{4}[A-Za-z0-9][0-9]{11}|[A-Za-z]{4}[A-Za-z0-9][A-Za-z0-9]{17})$',
  /** Ten digits from 6 on, with or without the country's number (DoT). */
  'mobile-in': '^(?:(?:\\+?91|0)[ \\-]?)?[6-9][0-9]{4}[ \\-]?[0-9]{5}$',
} as const
