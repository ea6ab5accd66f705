/** Parses answers to yes-no questions at a terminal. */

/** Reads common forms of yes and no. Returns null for anything else. */
export function readYes(answer: string): boolean | null {
  const normalised = answer
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, '')
  if (/^(y|yes|yeah|yep|ya|haa?n?|ok|true|1|free|it is)$/.test(normalised)) return true
  return /^(n|no|nope|nahi|false|0|paid|it is not)$/.test(normalised) ? false : null
}
