/** Recognises texts that cannot be the name of a category, period or workshop. */

/** Texts that spreadsheets export for an empty cell. */
const EMPTY_CELL = /^(?:null|nil|undefined|nan|none|#?n\/a|#ref!?|#value!?)$/i

export const hasBraces = (name: string): boolean => /[{}]/.test(name)

export const explainBraces = (name: string): string =>
  `“${name}” contains braces, which mark placeholders in event texts. Write it without { and }.`

/** Returns the reason why a string cannot be the name of a `thing`, such as a category. Returns null if it can. */
export function explainName(name: string, thing = 'category'): string | null {
  if (hasBraces(name)) return explainBraces(name)
  return /\p{L}/u.test(name) && !EMPTY_CELL.test(name)
    ? null
    : `“${name}” is not the name of a ${thing}.`
}
