/** Check EV626: the ages stated for free or half-price children match the items. */
import type { Draft } from '../../finding.ts'
import type { Check, Model } from '../../checked-file.ts'
import { findStatement } from '../../prose/subject-of-day.ts'
import { findMatches } from '../../prose/pattern-matches.ts'
import { collectEventTexts } from '../../prose/event-texts.ts'

const CHILD_AGE =
  /\b(?:child(?:ren)?|kids?|infants?|those|anybody|persons?|people)\s+(?:who are\s+)?(?:aged?\s+)?(under|below|less than|younger than|up ?to)\s+(?:the age of\s+)?(\d{1,2})(?![\d%.,]|\s*(?:%|days?\b|months?\b|kg\b|cm\b))/gi
const FREE_WORDS =
  /\b(?:free|complimentary|no (?:charge|fee)|not charged|without (?:charge|fee|payment)|(?:for|cost|pay) nothing|need not pay)\b/i
const HALF_PRICE_WORDS = /\bpay (?:only )?half\b|\bhalf (?:the )?(?:fee|price|rate|charge)s?\b/i
/** Words for subjects with their own age limits, which differ from those of the items. */
const OTHER_SUBJECT_WORDS =
  /\b(?:hotels?|rooms?|beds?|stay|accommodation|dinner|banquet|lunch|meals?|food|tours?|bus(?:es)?|travel|workshops?|cr[eè]che|halls?|lectures?|sessions?|watch|pool|museums?|carriers?|contests?)\b/i

type AgeLimit = {
  readonly item: string
  readonly at: string
  readonly minAge: number
  readonly maxAge: number | null
}

/** Returns the age limits of items that count people, grouped by the path of the list of people. */
function collectAgeLimits(model: Model): ReadonlyMap<string, readonly AgeLimit[]> {
  const ageLimits = (model.file.fees.items ?? []).flatMap(({ id, count }, i) =>
    typeof count !== 'object'
      ? []
      : Object.entries(count).flatMap(([peopleId, ageTest]) => {
          const peopleField = model.fields.find((field) => field.id === peopleId)
          if (peopleField === undefined || Array.isArray(ageTest)) return []
          return Object.entries(ageTest).flatMap(([part, test]) => {
            const agePart = peopleField.raw.fields?.find((rawPart) => rawPart.id === part)
            const isDateOfBirth = agePart?.type === 'date'
            const ages =
              isDateOfBirth && typeof test === 'object' && 'age' in test ? test.age : test
            const minAge = readMinimum(ages)
            return (isDateOfBirth ||
              (agePart?.type === 'number' && /\bage\b/i.test(`${part} ${agePart.label ?? ''}`))) &&
              minAge !== null
              ? [
                  {
                    list: peopleField.path,
                    item: id,
                    at: `fees.items.${i}.count.${peopleId}.${part}`,
                    minAge,
                    maxAge: readMaximum(ages),
                  },
                ]
              : []
          })
        }),
  )
  return Map.groupBy(ageLimits, ({ list }) => list)
}

type AgeTest = Readonly<Partial<Record<'at_least' | 'above' | 'at_most' | 'below', number>>>

/** Returns the lowest age that is charged, or null if the test has other keys. */
function readMinimum(test: unknown): number | null {
  if (typeof test !== 'object' || test === null) return null
  const { at_least: minAge, above, at_most: _, below: __, ...others } = test as AgeTest
  if (Object.keys(others).length > 0) return null
  return minAge ?? (above === undefined ? null : above + 1)
}

/** Returns the highest age that is charged, or null if there is none. */
function readMaximum(test: unknown): number | null {
  const { at_most: maxAge, below } = test as AgeTest
  return maxAge ?? (below === undefined ? null : below - 1)
}

export const textAgeCheck: Check = {
  slug: 'text-age',
  severity: 'warning',
  why: 'If the ages differ, parents are charged for a child who is free according to the text.',
  find: (model) => {
    const lists = [...collectAgeLimits(model)]
    return lists.flatMap(([path, listLimits]) => {
      // If items have different minimum ages, the text may state any of them. Below the lowest, children are free.
      const lowestLimit = listLimits.toSorted((a, b) => a.minAge - b.minAge)[0]
      if (lowestLimit === undefined) return []
      return collectEventTexts(model)
        .filter(
          ({ path: place }) =>
            place.startsWith(`${path}.`) ||
            // If the form has only one list of people, text elsewhere is assumed to be about it too.
            (lists.length === 1 && /^(?:form\.panel|email|results)\./.test(place)),
        )
        .flatMap(({ path: at, text, at: offset }) =>
          findMatches(text, CHILD_AGE).flatMap((match): Draft[] => {
            const [start, end] = [match.index, match.index + match[0].length]
            const { left, right } = findStatement(text, { start, end })
            const statedAge = Number(match[2])
            const isUpTo = /^up/i.test(match[1] ?? '')
            const matchesLimit = listLimits.some(
              ({ minAge }) => statedAge === minAge || (isUpTo && statedAge === minAge - 1),
            )
            if (OTHER_SUBJECT_WORDS.test(`${left} ${right}`)) return []
            const buildDrafts = (place: string, words: string): Draft[] => [
              {
                at,
                span: [offset + start, offset + end],
                message: `the text says ${match[1]} ${statedAge}, but ${words}`,
                related: [{ at: place, message: 'counted here' }],
                help: 'write the same age in both places',
              },
            ]
            const limitsWithMaximum = listLimits.filter(({ maxAge }) => maxAge !== null)
            const [halfPriceLimit] = limitsWithMaximum
            if (HALF_PRICE_WORDS.test(`${left} ${right}`) && !FREE_WORDS.test(`${left} ${right}`))
              return halfPriceLimit === undefined ||
                limitsWithMaximum.some(
                  ({ maxAge }) => maxAge === (isUpTo ? statedAge : statedAge - 1),
                )
                ? []
                : buildDrafts(
                    halfPriceLimit.at,
                    `\`${halfPriceLimit.item}\` is charged up to the age of ${halfPriceLimit.maxAge}`,
                  )
            return matchesLimit || !FREE_WORDS.test(`${left} ${right}`)
              ? []
              : buildDrafts(
                  lowestLimit.at,
                  `\`${lowestLimit.item}\` is charged from the age of ${lowestLimit.minAge}`,
                )
          }),
        )
    })
  },
}
