/** Checks EV610 and EV611: every placeholder has a value and is written as {name}. */
import { findMatches } from '../../prose/pattern-matches.ts'
import type { Check, Checks, TextAt, WrittenText } from '../../checked-file.ts'
import { ENGINE_VALUES, EVENT_VALUES } from '../../../event/built-in-values.ts'
import { listStoredIds } from '../../checked-file.ts'
import type { Draft } from '../../finding.ts'
import { findPlaceholders } from '../names/placeholders.ts'

const missingValueCheck: Check = {
  slug: 'value-not-given',
  severity: 'warning',
  why: 'Every delegate would see N/A in the text.',
  after: ['EV207', 'EV208'],
  find: (model) => {
    const isMissing = (name: string): boolean =>
      (['theme', 'about', 'hours'] as const).some(
        (key) => name === `event.${key}` && model.file.event[key] === undefined,
      )
    const buildMessage = (name: string): Pick<Draft, 'message' | 'help'> => ({
      message: `\`${name}\` is not set in this file, so N/A is shown instead`,
      help: `add the value under event, or remove the placeholder`,
    })
    const textDrafts = model.displayedTexts.flatMap((entry) =>
      entry.place === 'plain'
        ? []
        : findPlaceholders(entry).flatMap(({ name, span }): Draft[] =>
            isMissing(name) ? [{ at: entry.path, span, ...buildMessage(name) }] : [],
          ),
    )
    const rowDrafts = (['success', 'failed'] as const).flatMap((page) =>
      model.file.results[page].details.flatMap((detail, i): Draft[] => {
        const name = typeof detail === 'string' ? detail : (detail.show ?? '')
        const at = `results.${page}.details.${i}`
        return isMissing(name)
          ? [{ at: typeof detail === 'string' ? at : `${at}.show`, ...buildMessage(name) }]
          : []
      }),
    )
    return [...textDrafts, ...rowDrafts]
  },
}

const wrongPlaceholderSyntaxCheck: Check = {
  slug: 'wrong-placeholder-syntax',
  severity: 'warning',
  why: 'Only {name} is filled in. Any other notation is printed unchanged.',
  find: (model) => {
    const knownNames = new Set<string>([...listStoredIds(model), ...ENGINE_VALUES, ...EVENT_VALUES])
    const bareNamePattern = buildBareNamePattern([...listStoredIds(model), ...ENGINE_VALUES])
    return model.displayedTexts.flatMap((entry) => [
      ...(entry.place === 'plain'
        ? []
        : findBrackets(entry).flatMap(({ name, hasDollarSign: dollar, isWord, span }): Draft[] =>
            dollar || (knownNames.has(name) && !isWord)
              ? [
                  {
                    at: entry.path,
                    span,
                    message: dollar
                      ? `the dollar sign before \`{${name}}\` is printed`
                      : `\`${name}\` is in the wrong kind of brackets, so it is not replaced`,
                    help: `write {${name}}`,
                  },
                ]
              : [],
          )),
      ...findNamesWithoutBraces(entry, bareNamePattern),
    ])
  },
}

/**
 * Builds a pattern for names that are not ordinary words, such as `full_name` but not `category`. Returns null if the
 * file has no such names.
 */
function buildBareNamePattern(names: readonly string[]): RegExp | null {
  const distinctiveNames = names.filter((name) => name.includes('_'))
  return distinctiveNames.length === 0
    ? null
    : new RegExp(
        `(?<![\\w.{$[%<«/@?&#=-])(?:${distinctiveNames.join('|')})(?![\\w}\\]%>»@/=-]|\\.\\w)`,
        'g',
      )
}

/** Kinds of text that are filled in after registration. */
const PLACES_AFTER_REGISTRATION: ReadonlySet<string> = new Set([
  'registered',
  'success',
  'failed',
  'receipt',
  'email',
])

/** Finds names of values without braces, or in round brackets: "Dear full_name". */
function findNamesWithoutBraces(
  { path, place, written, at }: TextAt,
  barePattern: RegExp | null,
): readonly Draft[] {
  if (barePattern === null || place === 'export-file' || !written.includes('_')) return []
  const text = written.replace(/\{[^{}\n]*\}/g, (match) => ' '.repeat(match.length))
  return findMatches(text, barePattern).map(({ 0: name, index }) => ({
    at: path,
    span: [at + index, at + index + name.length] as const,
    message: `\`${name}\` has no braces, so it is printed unchanged`,
    help: PLACES_AFTER_REGISTRATION.has(place)
      ? `write {${name}}`
      : `describe the value in words: \`${name}\` is only its name in this file`,
  }))
}

/** Words that precede a value: "Paid [total]". */
const WORD_BEFORE_VALUE =
  /(?:[:=₹€£]|\b(?:Dear|Hello|Hi|paid|pay|amount|sum|total|number|no\.|is|was|Rs\.?|INR|EUR|USD|GBP|Dr\.?))\s*$/i

function findBrackets({ written, at }: WrittenText): readonly {
  readonly name: string
  readonly hasDollarSign: boolean
  /** True for an ordinary word in square brackets within a sentence, such as "[email]": it may be intended. */
  readonly isWord: boolean
  readonly span: readonly [number, number]
}[] {
  if (!/[$[%<«]/.test(written)) return []
  return [
    ...written.matchAll(/\$\{([\w.]+)\}|\[+([\w.]+)\]+|%+([\w.]+)%+|<+([\w.]+)>+|«([\w.]+)»/g),
  ].map((found) => ({
    name: found[1] ?? found[2] ?? found[3] ?? found[4] ?? found[5] ?? '',
    hasDollarSign: found[1] !== undefined,
    isWord:
      found[2] !== undefined &&
      !/[_.]/.test(found[2]) &&
      !WORD_BEFORE_VALUE.test(written.slice(0, found.index)),
    span: [at + found.index, at + found.index + found[0].length],
  }))
}

export const unfilledPlaceholderChecks = {
  EV610: missingValueCheck,
  EV611: wrongPlaceholderSyntaxCheck,
} satisfies Checks
