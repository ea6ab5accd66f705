/** Finds claims about tax in texts: included in the fees, added to them, no tax, or a percentage. */
import { memoize } from '../../lib/memoize.ts'
import { findMatches } from './pattern-matches.ts'
import { findStatement } from './subject-of-day.ts'

export type TaxClaim = {
  /** `mentioned`: the text states a percentage, but not whether it is included. */
  readonly is: 'inclusive' | 'exclusive' | 'none' | 'mentioned'
  readonly percent: number | null
  /** True if the claim is about CGST or SGST, each of which is half of GST. */
  readonly isHalf: boolean
  readonly start: number
  readonly end: number
  /** The statement around the claim. */
  readonly statement: string
}

const PERCENT_PATTERN =
  '(?:\\d+(?:\\.\\d+)?|five|twelve|eighteen|twenty[ -]?eight)\\s*(?:%|per\\s?cent\\b|pct\\b)'
const FILLER_WORDS = `(?:(?:\\s|\\(|@|&|/|,(?=\\s*(?:gst|tax)))+|\\b(?:all|any|the|of|at|its|our|applicable|relevant|govt\\.?|government|statutory|other|local|goods|services?|additional|rate|charges|duties|levies|and)\\b|${PERCENT_PATTERN})*`
const FORMS_OF_BE =
  '(?:[\\s():,–-]|\\b(?:is|are|be|being|will|shall|to|has|have|would|rate|at|of|@|already|also|as|if|charges|component|amount|separately|currently)\\b|' +
  PERCENT_PATTERN +
  ')*'

/**
 * Returns a pattern for the words that mean a tax or one of its halves. It does not match a taxpayer number or an
 * invoice.
 */
function buildTaxWords(name: string): string {
  const escapedName = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return `(?<!income[ -]|80g )\\b(?:(?:goods\\s*(?:and|&)\\s*services?\\s+)?(?:${escapedName}|[cs]gst|utgst|igst|gst|g\\.s\\.t\\.?|vat|tax(?:es)?))(?![\\w])(?!\\s*(?:no\\b|no\\.|number|in\\b|registration|regn|reg\\.?\\b|details|invoice|bill|certificate|deduct|exemption under|consult|payer|id\\b|identification))`
}

type Patterns = readonly (readonly [TaxClaim['is'], RegExp])[]

/** Returns the patterns for a tax name; built once per name. */
const buildPatterns = memoize((name: string) => {
  const tax = buildTaxWords(name)
  const toPattern = (pattern: string): RegExp => new RegExp(pattern, 'gi')
  const NEGATION =
    "(?:\\b(?:not|never|non|isn['’]?t|aren['’]?t|doesn['’]?t|don['’]?t|cannot)\\b[\\s-]*(?:\\w+\\s+){0,2}?)"
  const INCLUDED = '(?:inclu(?:sive|des?|ding|ded)|incl\\b\\.?|inc\\b\\.?)'
  const EXCLUDED = '(?:exclu(?:sive|des?|ding|ded)|excl\\b\\.?|exc\\b\\.?)'
  const claims: Patterns = [
    // The order matters: "no extra GST" is not "no GST", and "GST not included" is not "GST
    // included".
    [
      'inclusive',
      toPattern(
        `\\b(?:no|nil|without|zero)\\s+(?:any\\s+)?(?:extra|additional|further|separate|hidden)\\s+${tax}`,
      ),
    ],
    ['inclusive', toPattern(`\\bno\\s+${tax}\\s+(?:extra|additional|on top|over and above)`)],
    ['exclusive', toPattern(`${NEGATION}${INCLUDED}${FILLER_WORDS}${tax}`)],
    [
      'exclusive',
      toPattern(
        `${tax}${FORMS_OF_BE}\\b(?:not|never|isn['’]?t|aren['’]?t)\\s+(?:yet\\s+|been\\s+)?(?:${INCLUDED}|part of|inside|covered)`,
      ),
    ],
    [
      'none',
      toPattern(
        `${tax}${FORMS_OF_BE}\\b(?:not\\s+(?:be\\s+)?(?:applicable|charged|levied|payable|collected|applied)|nil\\b|n/?a\\b|exempt\\w*|waived|does not apply|zero\\b|free\\b)`,
      ),
    ],
    [
      'none',
      toPattern(
        `(?:\\b(?:no|nil|zero|exempt\\w* from|free (?:of|from))\\s+${FILLER_WORDS}${tax}|\\btax[ -]free\\b)`,
      ),
    ],
    [
      'none',
      toPattern(`(?:\\bnot|n['’]t)\\s+(?:charge|levy|collect|pay)\\w*\\s+${FILLER_WORDS}${tax}`),
    ],
    [
      'inclusive',
      toPattern(`(?<![\\w-])(?:${INCLUDED}|w/|with)(?:[\\s:,-]+)${FILLER_WORDS}${tax}`),
    ],
    [
      'inclusive',
      toPattern(
        `${tax}${FORMS_OF_BE}(?:\\b(?:${INCLUDED}|inside|built in|absorbed|borne|on us|paid by us|covered|part of)(?!\\w))`,
      ),
    ],
    [
      'exclusive',
      toPattern(
        `(?<![\\w-])(?:${EXCLUDED}|before|without|plus|over and above|net of)(?:[\\s:,-]+)${FILLER_WORDS}${tax}`,
      ),
    ],
    ['exclusive', toPattern(`\\+\\s*${FILLER_WORDS}${tax}`)],
    [
      'exclusive',
      toPattern(
        `${tax}${FORMS_OF_BE}\\b(?:extra|additional(?:ly)?|add(?:ed|itional)?|applicable|charged|levied|payable|on top|over and above|separate(?:ly)?|${EXCLUDED})(?!\\w)`,
      ),
    ],
    [
      'mentioned',
      toPattern(
        `(?:${PERCENT_PATTERN}|\\b\\d+(?:\\.\\d+)?)\\s*(?:of\\s+|as\\s+|towards\\s+)?(?:applicable\\s+)?${tax}`,
      ),
    ],
    ['mentioned', toPattern(`${tax}${FORMS_OF_BE}(?:${PERCENT_PATTERN}|@\\s*\\d+(?:\\.\\d+)?)`)],
  ]
  const percents = [
    toPattern(
      `(?<![\\d.,])(${PERCENT_PATTERN})\\s*(?:of\\s+|as\\s+|towards\\s+|in\\s+)?(?:(?:applicable|govt\\.?|government|central|state|goods|services?|and|&)\\s+)*(${tax})`,
    ),
    toPattern(
      `(${tax})(?:[\\s():@=–-]|\\b(?:rate|at|of|is|are|will|be|extra|added|charged|payable|applicable|included|inclusive|exclusive|component|amount|levied|currently|the)\\b)*(${PERCENT_PATTERN})`,
    ),
    toPattern(`(${tax})\\s*@\\s*(\\d+(?:\\.\\d+)?)(?![\\d%])`),
  ]
  return { claims, percents }
})

const PERCENT_BY_WORD: Readonly<Record<string, number>> = {
  five: 5,
  twelve: 12,
  eighteen: 18,
  twentyeight: 28,
}
function readPercent(text: string): number {
  const digits = /\d+(?:\.\d+)?/.exec(text)?.[0]
  return digits !== undefined
    ? Number(digits)
    : (PERCENT_BY_WORD[
        /(five|twelve|eighteen|twenty[ -]?eight)/i
          .exec(text)?.[0]
          .toLowerCase()
          .replaceAll(/[ -]/g, '') ?? ''
      ] ?? 0)
}

const USUAL_NAME = /gst|g\.s\.t|tax|vat/i
/** Without one of these, text states no percentage. */
const ANY_PERCENT = /[%@]|per\s?cent|pct/i

/** A fast first test, because most texts do not mention tax. */
function mentionsTax(text: string, name: string): boolean {
  return (
    USUAL_NAME.test(text) ||
    (!USUAL_NAME.test(name) && text.toLowerCase().includes(name.toLowerCase()))
  )
}

/** Returns the claims in text, at most one for each position. */
export function findTaxClaims(text: string, name: string): readonly TaxClaim[] {
  if (!mentionsTax(text, name)) return []
  const plain = text.replaceAll('\n', ' ')
  return buildPatterns(name).claims.reduce<readonly TaxClaim[]>(
    (found, [is, pattern]) => [
      ...found,
      ...findMatches(plain, pattern).flatMap((match): TaxClaim[] => {
        const [start, end] = [match.index, match.index + match[0].length]
        return found.some((candidate) => candidate.start < end && start < candidate.end)
          ? []
          : [{ is, percent: null, isHalf: false, ...locateClaim(text, start, end, match[0]) }]
      }),
    ],
    [],
  )
}

/** Returns the percentages that text gives for the tax. */
export function findTaxPercentages(text: string, name: string): readonly TaxClaim[] {
  if (!ANY_PERCENT.test(text) || !mentionsTax(text, name)) return []
  const plain = text.replaceAll('\n', ' ')
  return buildPatterns(name).percents.reduce<readonly TaxClaim[]>(
    (found, pattern) => [
      ...found,
      ...findMatches(plain, pattern).flatMap((match): TaxClaim[] => {
        const capturedTexts = [match[1] ?? '', match[2] ?? '']
        const percentText =
          capturedTexts.find((part) => /^(?:\d|five|twelve|eighteen|twenty)/i.test(part)) ?? ''
        const start = match.index + match[0].lastIndexOf(percentText)
        const end = start + percentText.length
        return found.some((candidate) => candidate.start < end && start < candidate.end)
          ? []
          : [
              {
                is: 'mentioned',
                percent: readPercent(percentText),
                isHalf: /\b(?:[cs]gst|utgst)\b/i.test(match[0]),
                start,
                end,
                statement: getStatement(text, start, end),
              },
            ]
      }),
    ],
    [],
  )
}

function locateClaim(text: string, start: number, end: number, matched: string) {
  const leadingSpaces = matched.length - matched.trimStart().length
  return {
    start: start + leadingSpaces,
    end: end - (matched.length - matched.trimEnd().length),
    statement: getStatement(text, start, end),
  }
}

function getStatement(text: string, start: number, end: number): string {
  const { left, right } = findStatement(text, { start, end })
  return `${left}${text.slice(start, end)}${right}`
}
