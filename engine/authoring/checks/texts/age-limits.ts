/** Checks for EV635 that age limits in texts ("upper age limit 40 years") agree with the ages in conditions. */
import { collectEventTexts } from '../../prose/event-texts.ts'
import { findAllNamed } from '../../prose/named-in-text.ts'
import { findMatches } from '../../prose/pattern-matches.ts'
import { findStatement } from '../../prose/subject-of-day.ts'
import type { Draft } from '../../finding.ts'
import type { Model } from '../../checked-file.ts'
import { OTHER_AGE_WORDS, readAgeBounds } from './category-ages.ts'

/** Matches an upper limit, a lower limit, or a limit without a direction. */
const AGE_LIMIT =
  /\b(?:(upper|maximum|max\.?|highest)|(lower|minimum|min\.?|lowest))?\s*age(?:[- ]limit)?\s*(?:is|of|for \w+(?: \w+)?(?: is)?)?\s*[:=–-]?\s*(\d{1,3})(?![\d%.,]*\d|\s*(?:%|-|–|to\b|months?\b|days?\b))\s*(?:years?|yrs?)?/gi
/** Words for age limits of something other than registration, such as an award. */
const PROGRAMME_WORDS =
  /\b(?:awards?|prizes?|papers?|posters?|quiz(?:zes)?|contests?|competitions?|fellowships?|scholarships?|grants?|orations?|presentations?|sessions?|elections?|membership)\b/i

/**
 * Reports age limits that match no condition. An age without a word such as "upper" counts as a limit only if the text
 * contains the word "limit".
 */
export function findAgeLimits(model: Model): readonly Draft[] {
  const bounds = model.conditions.flatMap(({ conditionMaps, kind }) =>
    kind === 'count'
      ? []
      : conditionMaps.flatMap(({ tests }) =>
          tests.flatMap(({ field, raw, path }) => readAgeBounds(model, field, raw, path)),
        ),
  )
  if (bounds.length === 0) return []
  const subjects = listSubjects(model)
  const acceptedAges = new Set([
    ...bounds.flatMap((bound) => bound.accepted),
    ...listFieldAges(model),
  ])
  return collectEventTexts(model).flatMap(({ path, text, at, heading }) =>
    path.startsWith('admin.')
      ? []
      : findMatches(text, AGE_LIMIT).flatMap((match): Draft[] => {
          const [start, end] = [match.index, match.index + match[0].trimEnd().length]
          const [, upper, lower] = match
          const isUpper = upper !== undefined
          const isLimit = isUpper || lower !== undefined || /limit/i.test(match[0])
          const { left, right } = findStatement(text, { start, end })
          const statement = `${heading} ${left} ${right}`
          const namedSubjects = findAllNamed(
            subjects.map(({ names }) => names),
            statement,
          )
          const [bound] = bounds.filter(
            ({ preposition, at: place }) =>
              (isUpper ? preposition === 'up to' : lower === undefined || preposition === 'from') &&
              // "Night trek: minimum age 12" does not refer to the minimum age for the dinner.
              (namedSubjects.length === 0 ||
                namedSubjects.some((index) => place.startsWith(`${subjects[index]?.at}.`))),
          )
          return bound === undefined ||
            !isLimit ||
            acceptedAges.has(Number(match[3])) ||
            OTHER_AGE_WORDS.test(statement) ||
            PROGRAMME_WORDS.test(statement)
            ? []
            : [
                {
                  at: path,
                  span: [at + start, at + end],
                  message: `the text says “${match[0].trim()}”, but the condition is true ${bound.preposition} the age of ${bound.age}`,
                  related: [{ at: bound.at, message: 'the condition' }],
                  help: 'write the same age in both places',
                },
              ]
        }),
  )
}

/** Returns the rules, items and adjustments to which an age condition can apply, with their names. */
function listSubjects({ file, config }: Model): readonly {
  readonly at: string
  readonly names: readonly string[]
}[] {
  const toNames = (id: string, label: string | undefined): readonly string[] => [
    ...(label === undefined ? [] : [label]),
    id.replaceAll('-', ' '),
  ]
  const ruleSubjects = (file.category.rules ?? []).map(({ then = '' }, index) => ({
    at: `category.rules.${index}`,
    names: toNames(then, config.categories.find(({ id }) => id === then)?.label),
  }))
  const feeSubjects = (['items', 'adjustments'] as const).flatMap((part) =>
    (file.fees[part] ?? []).map(({ id, label }, index) => ({
      at: `fees.${part}.${index}`,
      names: toNames(id, label),
    })),
  )
  return [...ruleSubjects.filter(({ names }) => names.every((name) => name !== '')), ...feeSubjects]
}

/** Returns the minimum and maximum ages that form fields accept. */
const listFieldAges = (model: Model): readonly number[] =>
  model.fields.flatMap((field) => {
    const { min, max, from, to } = field.raw as Readonly<Record<string, unknown>>
    const limits = { at_least: min, at_most: max, from, to }
    return readAgeBounds(model, field.id, limits, field.path).flatMap((bound) => bound.accepted)
  })
