/** Normalises bank references for comparison, and finds them in texts. */

declare const bankKeyBrand: unique symbol
/**
 * A normalised bank reference. Only `toBankKey` creates one, so that no other spelling is compared or
 * stored.
 */
export type BankKey = string & { readonly [bankKeyBrand]: true }

/** Shorter references occur in many narrations by chance. */
const MIN_KEY_CHARACTERS = 6
/** Cheque numbers in India have six digits. */
const CHEQUE_DIGITS = 6
/** The maximum length of a stored reference. */
export const MAX_REFERENCE_CHARACTERS = 64

/** Explains why a text that staff entered cannot be a reference. Null if it can be. */
export const explainInvalidReference = (text: string): string | null =>
  text.length > MAX_REFERENCE_CHARACTERS || /\p{Cc}/u.test(text)
    ? `A reference has up to ${MAX_REFERENCE_CHARACTERS} characters and no line breaks.`
    : null
/**
 * UPI apps print twelve digits in three groups; banks print a UTR of 22 characters in six groups.
 */
const MAX_GROUPS = 8
/**
 * Matches the twelve digits of UPI and IMPS; for NEFT and RTGS, the bank code, channel and number, or 16 characters
 * with a longer channel (AXISCN…) or only a channel (N…, HDFC Bank); and CMS… (ICICI Bank).
 */
const UTR_PATTERN = String.raw`\d{12}|[A-Z]{4}[A-Z0-9]\d{11,17}|[A-Z]{6}\d{10}|[A-Z]\d{15}|CMS\d{9,13}`
const WHOLE_UTR = new RegExp(`^(?:${UTR_PATTERN})$`)
/**
 * Words before a reference. They are removed only before a digit or a UTR, because bank codes also
 * consist of letters.
 */
const LEADING_WORD = new RegExp(
  `^0*(?:UTR|RRN|UPI|IMPS|NEFT|RTGS|REFERENCE|REF|TRANSACTION|TRANS|TXN|TRN|CHEQUE|CHECK|CHQ|DRAFT|DD|SLIP|RECEIPT|PAYMENT|NUMBER|NUM|NO|ID)+(?=\\d|(?:${UTR_PATTERN})$)`,
)
/**
 * Front desks number their slips from 1. Only a number that is as long as a bank's number is treated as a bank
 * reference.
 */
const MAX_SLIP_CHARACTERS = 8

/**
 * Normalises a reference. Ignores spaces, dashes, full stops, invisible characters, letter case, the script of
 * digits, leading zeros, a leading word such as "UTR" or "Ref no", and words next to a UTR. Returns an empty key if
 * the text contains no reference.
 */
export function toBankKey(reference: string): BankKey {
  const words = splitWords(reference)
  const joinedKey = stripLeadingWord(words.join(''))
  if (isUtr(joinedKey)) return joinedKey
  // "526123456702 UPI": a number with words. Digits in a second word may belong to the same number.
  const numbers = words.map(stripLeadingWord).filter((word) => /\d/.test(word))
  const [onlyWord] = numbers
  return numbers.length === 1 && onlyWord !== undefined && isUtr(onlyWord) ? onlyWord : joinedKey
}

/**
 * Returns every key under which a payment with this text is recorded. A pasted narration contains more than the
 * bank's own number ("IMPS-P2A-526123456702"), and later look-ups use only that number.
 */
export function listReferenceKeys(reference: string): readonly BankKey[] {
  const keys = [
    toBankKey(reference),
    ...splitWords(reference).flatMap((word) => findUtr(word) ?? []),
  ]
  return [...new Set(keys)].filter((key) => key !== '')
}

/**
 * Returns the bank's number in a word; null if there is none. The first of twelve digits may be 0, but a key never
 * starts with 0.
 */
export function findUtr(word: string): BankKey | null {
  const key = stripLeadingWord(word)
  const lastTwelveDigits = /(?<!\d)\d{12}$/.exec(word)?.[0].replace(/^0+/, '')
  return isUtr(key) || (key !== '' && key === lastTwelveDigits) ? key : null
}

/** Returns the key of a word in capitals: without a leading word such as "UTR", and without leading zeros. */
function stripLeadingWord(word: string): BankKey {
  // Fast path for most words: a long statement contains 100,000 words.
  if (/^[1-9]/.test(word)) return word as BankKey
  let key = word
  for (let previousKey = ''; previousKey !== key;) {
    previousKey = key
    key = key.replace(LEADING_WORD, '').replace(/^0+/, '')
  }
  return key as BankKey
}

/** Returns true if the key has the format of a bank reference: UPI, IMPS, NEFT or RTGS. */
export function isUtr(key: string): boolean {
  return WHOLE_UTR.test(key)
}

/** Returns false if the key is too short or has no digit, because a line may contain such a key by chance. */
export function isSearchable(key: BankKey): boolean {
  return key.length >= MIN_KEY_CHARACTERS && /\d/.test(key)
}

/**
 * Returns the key of a cheque number in a word in capitals; null if it is not one. Printed numbers
 * have six digits, which some banks pad to sixteen. The key may be shorter than `isSearchable`
 * allows.
 */
export function readChequeNumber(word: string): BankKey | null {
  if (!/(?<!\d)(?:0{10})?\d{6}$/.test(word)) return null
  const key = stripLeadingWord(word)
  return /^\d{1,6}$/.test(key) ? key : null
}

/** Formats a key for staff: a cheque number with its leading zeros. */
export function formatKey(key: string): string {
  return /^\d{1,5}$/.test(key) ? key.padStart(CHEQUE_DIGITS, '0') : key
}

/** Returns true for a front desk's slip number. Each event numbers its slips separately. */
export function isSlipNumber(key: BankKey): boolean {
  return key.length <= MAX_SLIP_CHARACTERS || !/\d{6}/.test(key)
}

/**
 * Returns true if the key contains letters of scripts other than Latin. Banks print only Latin letters and digits, and
 * a look-alike letter would make one transfer appear as two.
 */
export function hasNonAsciiCharacters(key: BankKey): boolean {
  return !/^\p{ASCII}*$/u.test(key)
}

/** Returns the words of a string: letters and digits, in capitals, without invisible characters. */
export function splitWords(text: string): readonly string[] {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/\p{Nd}/gu, toAsciiDigit)
    .toUpperCase()
    .normalize('NFKC')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/**
 * Converts a digit of any script. Every script's decimal digits form a block of ten that starts with zero (Unicode,
 * section 4.6).
 */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  let zero = code
  while (zero > code - 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1
  return String(code - zero)
}

/**
 * Returns every reference that a string may contain: each word, and adjacent words that may be groups
 * of one number.
 */
export function findReferenceKeys(text: string): ReadonlySet<BankKey> {
  const words = splitWords(text)
  const keys = new Set<BankKey>()
  for (const word of words) {
    const cheque = readChequeNumber(word)
    if (cheque !== null) keys.add(cheque)
  }
  for (let start = 0; start < words.length; start++) {
    let joinedWords = ''
    for (const word of words.slice(start, start + MAX_GROUPS)) {
      // A word without digits is not part of a grouped number.
      if (joinedWords !== '' && !/\d/.test(word)) break
      joinedWords += word
      if (joinedWords.length > MAX_REFERENCE_CHARACTERS) break
      const key = stripLeadingWord(joinedWords)
      if (isSearchable(key)) keys.add(key)
    }
  }
  return keys
}

/**
 * Returns the numbers that an order id in any spelling may stand for, in capitals, likeliest first: the whole text
 * without separators and invisible characters, then the text from each later word on, and without a leading word such
 * as "Txn".
 */
export function listPossibleNumbers(order: string): readonly string[] {
  const words = splitWords(order)
  const numbers = words.map((_, start) => words.slice(start, start + MAX_GROUPS).join(''))
  return [...new Set([...numbers, toBankKey(order)])].filter((number) => number !== '')
}
