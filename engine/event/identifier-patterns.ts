/**
 * Patterns of Indian identifiers (PIN, GSTIN, PAN, UTR, mobile).
 *
 * They match the whole answer (JSON Schema, flag u), in upper or lower case and with the usual
 * spaces.
 */

const PAN_PATTERN = '[A-Za-z]{5}[0-9]{4}[A-Za-z]'

/** Apps display references in groups. */
const GROUP_SEPARATOR = '[ .\\-]?'
/** Matches `count` of these characters, with or without separators. */
const repeatPattern = (characters: string, count: number): string =>
  `${characters}(?:${GROUP_SEPARATOR}${characters}){${count - 1}}`
// Some phones type full-width digits; `toBankKey` reads the digits of every script.
const [DIGIT, LETTER, LETTER_OR_DIGIT] = [
  String.raw`\p{Nd}`,
  '[A-Za-z]',
  String.raw`[A-Za-z\p{Nd}]`,
]

/** Text before a reference: "UTR", "Ref no.", and leading zeros that a spreadsheet adds. */
const UTR_PREFIX = '(?:(?:[Uu][Tt][Rr]|[Rr][Ee][Ff])(?: ?[Nn][Oo])?[ .:]{0,2})?0{0,4}'

/** The formats that `isUtr` accepts, and 22-character references that also contain letters after the bank code. */
const UTR_PATTERNS: readonly string[] = [
  repeatPattern(DIGIT, 12),
  [repeatPattern(LETTER, 4), LETTER_OR_DIGIT, repeatPattern(DIGIT, 11)].join(GROUP_SEPARATOR),
  [repeatPattern(LETTER, 4), repeatPattern(LETTER_OR_DIGIT, 18)].join(GROUP_SEPARATOR),
  [repeatPattern(LETTER, 6), repeatPattern(DIGIT, 10)].join(GROUP_SEPARATOR),
  [LETTER, repeatPattern(DIGIT, 15)].join(GROUP_SEPARATOR),
  ['[Cc][Mm][Ss]', `${repeatPattern(DIGIT, 9)}(?:${GROUP_SEPARATOR}${DIGIT}){0,4}`].join(
    GROUP_SEPARATOR,
  ),
]

export const FORMATS = {
  /** Six digits, the first not 0; often written in two groups of three (Department of Posts). */
  pin: '^[1-9][0-9]{2} ?[0-9]{3}$',
  /**
   * State, PAN, registration number, Z, check character (CBIC). `findValueError` checks the state, with a message of
   * its own.
   */
  gstin: `^[0-9]{2}${PAN_PATTERN}[0-9A-Za-z][Zz][0-9A-Za-z]$`,
  /** Five letters, four digits, a letter (Income Tax Department). */
  pan: `^${PAN_PATTERN}$`,
  /** Bank reference of a transfer: twelve digits for UPI and IMPS, letters and digits for NEFT and RTGS. */
  utr: `^${UTR_PREFIX}(?:${UTR_PATTERNS.join('|')})$`,
  /** Ten digits starting with 6 to 9, with or without the country code (DoT). */
  'mobile-in': '^(?:(?:\\+?91|0)[ \\-]?)?[6-9][0-9]{4}[ \\-]?[0-9]{5}$',
} as const
