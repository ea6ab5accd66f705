/** Check EV635: ages in labels and texts agree with the ages in the rules that assign a category. */
import type { Day } from '../../../lib/time.ts'
import { collectEventTexts } from '../../prose/event-texts.ts'
import { findAllNamed } from '../../prose/named-in-text.ts'
import { findMatches } from '../../prose/pattern-matches.ts'
import { findStatement } from '../../prose/subject-of-day.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Model } from '../../checked-file.ts'

const AGE_PATTERN = /(\d{1,3})\s*(?:(?:-|–|to|and)\s*(\d{1,3})\s*)?(?:years?|yrs?)?/gi
const AGE_WORDS = /\b(?:years?|yrs?|aged?|above|below|under|over|older|younger)\b/i
const BIRTH_WORDS = /\b(?:born|birth|dob)\b/i

type AgeBound = {
  readonly accepted: readonly number[]
  readonly age: number
  readonly at: string
  readonly preposition: 'from' | 'up to'
}

/** Counts the whole years between a date of birth and a later date. */
const countYears = (born: string, day: Day): number =>
  Number(day.slice(0, 4)) - Number(born.slice(0, 4)) - (day.slice(5) < born.slice(5) ? 1 : 0)

/** Returns the minimum and maximum age that a condition on an age or date of birth accepts. */
export function readAgeBounds(
  { config }: Model,
  field: string,
  raw: unknown,
  at: string,
): readonly AgeBound[] {
  if (typeof raw !== 'object' || raw === null) return []
  const test = raw as Readonly<Record<string, unknown>>
  const ages = (test.age ?? (/^age$|_age$/.test(field) ? raw : {})) as Readonly<
    Record<string, number>
  >
  const isDateOfBirth = BIRTH_WORDS.test(
    `${field.replaceAll('_', ' ')} ${config.fields.find(({ id }) => id === field)?.label ?? ''}`,
  )
  const readYears = (key: 'from' | 'to'): number | undefined => {
    const day = test[key]
    return isDateOfBirth && typeof day === 'string' && /^\d{4}-\d\d-\d\d$/.test(day)
      ? countYears(day, config.from)
      : undefined
  }
  const minAge = ages.at_least ?? (ages.above === undefined ? readYears('to') : ages.above + 1)
  const maxAge = ages.at_most ?? (ages.below === undefined ? readYears('from') : ages.below - 1)
  return [
    ...(minAge === undefined
      ? []
      : [{ accepted: [minAge, minAge - 1], age: minAge, at, preposition: 'from' as const }]),
    ...(maxAge === undefined
      ? []
      : [{ accepted: [maxAge, maxAge + 1], age: maxAge, at, preposition: 'up to' as const }]),
  ]
}

/** Returns the minimum and maximum ages in the rules for one category, or for all categories if it is null. */
function listAgeBounds(model: Model, category: string | null): readonly AgeBound[] {
  const choice = model.config.categoryChoice
  if (choice.by === 'field') return []
  return choice.rules.flatMap(({ then }, index) =>
    category !== null && then !== category
      ? []
      : model.conditions
          .filter(({ owner }) => owner === `category.rules.${index}`)
          .flatMap(({ conditionMaps }) =>
            conditionMaps.flatMap(({ tests }) =>
              tests.flatMap(({ field, raw, path }) => readAgeBounds(model, field, raw, path)),
            ),
          ),
  )
}

/** Matches an age with its direction: "Members above 65 years", "members of 65 years and above". */
const STATED_AGE =
  /\b(?:above|over|older than|below|under|younger than)\s+(?:the age of\s+)?(\d{1,3})(?![\d%.,])\s*(?:years?|yrs?)?|\b(?:aged?\s+)?(\d{1,3})\s*(?:years?|yrs?)?\s*(?:of age\s*)?(?:and|or|&)\s*(?:above|over|older|below|under|younger)\b/gi
const FEE_WORDS =
  /\b(?:free|fees?|rates?|prices?|concession\w*|discount\w*|categor\w+|register as|exempt\w*|waived)\b/i
/** Words for ages of other people, or for age limits of something other than a category. */
export const OTHER_AGE_WORDS =
  /\b(?:child\w*|kids?|infants?|hotels?|rooms?|beds?|stay|dinner|lunch|meals?|food|tours?|travel|workshops?|companions?|accompanying|spouses?)\b/i

/** Reports texts about fees that mention a category and an age that no rule uses. */
function findAgesInTexts(model: Model): readonly Draft[] {
  const bounds = listAgeBounds(model, null)
  const [firstBound] = bounds
  if (firstBound === undefined) return []
  const names = model.config.categories.map(({ id, label }) => [label, id.replaceAll('-', ' ')])
  return collectEventTexts(model).flatMap(({ path, text, at, heading }) =>
    /^(?:admin|categories)\./.test(path)
      ? []
      : findMatches(text, STATED_AGE).flatMap((match): Draft[] => {
          const age = Number(match[1] ?? match[2])
          const [start, end] = [match.index, match.index + match[0].length]
          const { left, right } = findStatement(text, { start, end })
          const statement = `${left} ${match[0]} ${right}`
          const belongsToCategory =
            findAllNamed(names, statement).length > 0 ||
            /\b(?:members?|delegates?|seniors?|juniors?|veterans?|runners?)\b/i.test(statement)
          return !belongsToCategory ||
            !FEE_WORDS.test(statement) ||
            OTHER_AGE_WORDS.test(`${heading} ${statement}`) ||
            bounds.some(({ accepted }) => accepted.includes(age))
            ? []
            : [
                {
                  at: path,
                  span: [at + start, at + end],
                  message: `the text says ${match[0].trim()}, but the rule applies ${firstBound.preposition} the age of ${firstBound.age}`,
                  related: [{ at: firstBound.at, message: 'the rule' }],
                  help: 'write the same age in both places',
                },
              ]
        }),
  )
}

export const categoryAgeCheck: Check = {
  slug: 'category-age',
  severity: 'warning',
  why: 'Delegates choose their category, and expect its price, according to the age in its label or elsewhere in the texts.',
  after: ['EV201', 'EV315'],
  find: (model) => [
    ...model.file.categories.flatMap(({ id }, index) =>
      (['label', 'about'] as const).flatMap((key): Draft[] => {
        const path = `categories.${index}.${key}`
        const text = model.file.categories[index]?.[key] ?? ''
        if (!AGE_WORDS.test(text)) return []
        const statedAges = findMatches(text, AGE_PATTERN).flatMap(([, from, to]) =>
          [from, to].flatMap((n) => (n === undefined ? [] : [Number(n)])),
        )
        if (statedAges.length === 0) return []
        return listAgeBounds(model, id)
          .filter(({ accepted }) => !accepted.some((age) => statedAges.includes(age)))
          .slice(0, 1)
          .map(({ age, at, preposition }) => ({
            at: path,
            message: `the text says ${statedAges.join(' and ')}, but the rule applies ${preposition} the age of ${age}`,
            related: [{ at, message: 'the rule' }],
            help: 'write the same age in both places',
          }))
      }),
    ),
    ...findAgesInTexts(model),
  ],
}
