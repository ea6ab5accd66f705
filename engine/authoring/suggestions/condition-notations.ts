/** Recognises conditions in everyday notation ("pg or faculty", "70+") and suggests the syntax. */

const YES_NO: Readonly<Record<string, string>> = {
  yes: 'true',
  y: 'true',
  true: 'true',
  on: 'true',
  no: 'false',
  n: 'false',
  false: 'false',
  off: 'false',
}

/** Reads "yes", "Y", "1", "checked" as true; null if the word means neither yes nor no. */
export function suggestYesNo(value: unknown): 'true' | 'false' | null {
  const word = String(value).trim().toLowerCase()
  if (/^(?:1|t|yeah|yep|checked|ticked|selected|agreed|accepted|ok)$/.test(word)) return 'true'
  if (/^(?:0|f|nope|unchecked|unticked|none|nil|not)$/.test(word)) return 'false'
  return (Object.hasOwn(YES_NO, word) ? YES_NO[word] : undefined) === 'true'
    ? 'true'
    : Object.hasOwn(YES_NO, word)
      ? 'false'
      : null
}

const NUMBER_PATTERN = '(\\d+(?:\\.\\d+)?)'
const UNIT_PATTERN = '(?:\\s*(?:years?|yrs?\\.?|y|of age|old|in age|rs\\.?|points|marks|%))*'
const buildPattern = (prefix: string, suffix = ''): RegExp =>
  new RegExp(`^${prefix}${NUMBER_PATTERN}${UNIT_PATTERN}${suffix}$`)
const RANGE_PATTERNS: readonly (readonly [RegExp, (first: string, second: string) => string])[] = [
  [
    new RegExp(
      `^(?:between|from|aged?)?\\s*${NUMBER_PATTERN}${UNIT_PATTERN}\\s*(?:-|–|—|to|\\.\\.+|and|till|upto|up to|~)\\s*${NUMBER_PATTERN}${UNIT_PATTERN}$`,
    ),
    (first, second) => `{at_least: ${first}, at_most: ${second}}`,
  ],
  [
    buildPattern('(?:>=|=>|≥|at ?least|min(?:imum)?|from|not (?:below|under|less than))\\s*'),
    (first) => `{at_least: ${first}}`,
  ],
  [
    buildPattern(
      '',
      '\\s*(?:\\+|and (?:above|over|more|older|up|upwards?)|& (?:above|over|more)|or (?:above|over|more|older)|onwards?|plus|above|up(?:wards)?)',
    ),
    (first) => `{at_least: ${first}}`,
  ],
  [
    buildPattern(
      '(?:<=|=<|≤|at ?most|max(?:imum)?|up ?to|till|until|not (?:above|over|more than))\\s*',
    ),
    (first) => `{at_most: ${first}}`,
  ],
  [
    buildPattern(
      '',
      '\\s*(?:-|and (?:below|under|less|younger)|& (?:below|under)|or (?:below|under|less|younger)|below|down)',
    ),
    (first) => `{at_most: ${first}}`,
  ],
  [
    buildPattern('(?:>|above|over|more than|greater than|older than|exceeding|after)\\s*'),
    (first) => `{above: ${first}}`,
  ],
  [
    buildPattern('(?:<|below|under|less than|younger than|lower than|before)\\s*'),
    (first) => `{below: ${first}}`,
  ],
]

/** Reads "70+", ">70", "60-70", "above 70 years" as a test such as `{at_least: 70}`; null if it is not a range. */
export function suggestRange(text: string): string | null {
  const ageText = text
    .trim()
    .toLowerCase()
    .replace(/^age[ds]?\s*/, '')
  for (const [pattern, formatTest] of RANGE_PATTERNS) {
    const match = pattern.exec(ageText)
    if (match !== null) return formatTest(match[1] ?? '', match[2] ?? '')
  }
  return null
}

/** Suggests a correction for a string that is compared with a date: an age test for "under 30", otherwise a date. */
export function suggestDayOrAge(id: string, value: string): string {
  const range = suggestRange(value)
  return range === null
    ? 'write a date, such as 2026-01-31'
    : `for an age on the first day of the event write {${id}: {age: ${range}}}`
}

const toId = (word: string): string =>
  word
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '-')
/** Returns the option that a word refers to. Case is ignored, and spaces count as hyphens. */
const findOption = (word: string, options: readonly string[]): string | undefined =>
  options.find((name) => toId(name) === toId(word.replace(/^["'“”]|["'“”]$/g, '')))

/**
 * Reads "pg or faculty", "pg/faculty", "not pg" as a test for some of `optionIds`; null if it mentions none of them.
 */
export function suggestChoice(text: string, optionIds: readonly string[]): string | null {
  if (findOption(text, optionIds) !== undefined) return null
  const unwrapped = text.trim().replace(/^[[({]|[\])}]$/g, '')
  const negation =
    /^(?:not|!|!=|<>|except|other than|no|non|anything but|all but|all except)\s*[-:]?\s*(.+)$/i.exec(
      unwrapped,
    )
  if (negation !== null) {
    const negatedOption = findOption(negation[1] ?? '', optionIds)
    const negatedChoice =
      negatedOption === undefined ? suggestChoice(negation[1] ?? '', optionIds) : null
    return negatedOption !== undefined
      ? `{not: ${negatedOption}}`
      : negatedChoice === null
        ? null
        : `{not: ${negatedChoice}}`
  }
  const parts = unwrapped
    .replace(/^(?:either|any of|one of|is|in|=+)\s+/i, '')
    .split(/\s*(?:[,;/|&+]+|\bor\b|\band\b)\s*/i)
    .filter((part) => part !== '')
  const optionTexts = parts.length > 1 ? parts : unwrapped.split(/\s+/)
  const options = optionTexts.map((word) => findOption(word, optionIds))
  const knownOptions = options.filter((option) => option !== undefined)
  return knownOptions.length === options.length && knownOptions.length > 0
    ? knownOptions.length === 1
      ? String(knownOptions[0])
      : `[${[...new Set(knownOptions)].join(', ')}]`
    : null
}

/** Returns true for words such as "any", "all" or "*", which include every delegate. */
export const includesEveryone = (text: string): boolean =>
  /^(?:any|all|anyone|anybody|everyone|everybody|anything|every|always|\*|any of them|whatever|do(?:es)? ?n[o']t matter)$/i.test(
    text.trim(),
  )
/** Returns true for words that authors use in the last rule instead of `otherwise`. */
const meansOtherwise = (text: string): boolean =>
  /^(?:otherwise|else|default|others?|all others|everyone else|everybody else|rest|the rest|none|fallback)$/i.test(
    text.trim(),
  ) || includesEveryone(text)

/**
 * Suggests the syntax for a condition written as a string: "is_member", "role = pg". `isRule` is true
 * for a category rule.
 */
export function suggestCondition(value: unknown, isRule: boolean, then: string | null): string {
  const text = String(value).trim()
  if (isRule && (value === true || meansOtherwise(text)))
    return `write {otherwise: ${then ?? 'member'}}: the last rule covers all remaining delegates`
  if (value === true || includesEveryone(text))
    return 'remove it: without a condition it always applies'
  if (value === false || /^never$/i.test(text))
    return 'remove it if it should never apply, or write a condition such as {is_member: true}'
  const comparison = /^([a-z]\w*)\s*(!?=+|:|\bis not\b|\bis\b|\bequals\b)\s*(.+)$/i.exec(text)
  if (comparison !== null) {
    const [, field = '', sign = '', comparedText = ''] = comparison
    const unquoted = comparedText.replace(/^["'“”]|["'“”]$/g, '')
    const suggestion = suggestYesNo(unquoted) ?? unquoted.toLowerCase().replace(/\s+/g, '-')
    return `write {${field}: ${/^(?:!|is not)/i.test(sign) ? `{not: ${suggestion}}` : suggestion}}`
  }
  const range =
    /^([a-z]\w*)\s*((?:[<>≤≥]=?|above|below|over|under|at least|at most)\s*\d.*)$/i.exec(text)
  const test = range === null ? null : suggestRange(range[2] ?? '')
  if (range !== null && test !== null) return `write {${range[1]}: ${test}}`
  const negatedField = /^(?:not|!)\s*([a-z]\w*)$/i.exec(text)
  if (negatedField !== null) return `write {${negatedField[1]}: false}`
  return /^[a-z]\w*$/.test(text)
    ? `write {${text}: true}, or the intended answer`
    : 'write the field and its answer, such as {is_member: true}'
}

/** Operators of other condition languages that authors write instead of a field's id. */
const CONNECTIVE_SUGGESTIONS: Readonly<Record<string, string>> = {
  or: 'write a list of conditions, [{role: pg}, {is_member: true}]: one of them must be true',
  any: 'write a list of conditions, [{role: pg}, {is_member: true}]: one of them must be true',
  and: 'write both in one condition, {role: pg, is_member: true}: all must be true',
  all: 'write both in one condition, {role: pg, is_member: true}: all must be true',
  not: 'write `not` after the name of the field, {role: {not: pg}}',
  field: 'write the name of the field and its answer, such as {is_member: true}',
  equals: 'write the name of the field and its answer, such as {is_member: true}',
  value: 'write the name of the field and its answer, such as {is_member: true}',
  question: 'write the name of the field and its answer, such as {is_member: true}',
}

/** Suggests a correction if a path ends in an operator instead of a field's id: "or", "field". */
export function suggestConnective(path: string): string | null {
  const name = /(?:^|\.)(?:when|show_when)(?:\.\d+)?\.(\w+)(?:\.|$)/.exec(path)?.[1] ?? ''
  return Object.hasOwn(CONNECTIVE_SUGGESTIONS, name) ? (CONNECTIVE_SUGGESTIONS[name] ?? null) : null
}
