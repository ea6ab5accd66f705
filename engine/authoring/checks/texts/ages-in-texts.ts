/** Check EV626: the age below which children are free, in a text, agrees with the item's age. */
import type { Draft } from '../../finding.ts'
import type { Check, Model } from '../../checked-file.ts'
import { findStatement } from '../../prose/subject-of-day.ts'
import { findMatches } from '../../prose/pattern-matches.ts'
import { collectEventTexts } from '../../prose/event-texts.ts'

const CHILDREN =
  /\b(?:child(?:ren)?|kids?|infants?|those|anybody|persons?|people)\s+(?:who are\s+)?(?:aged?\s+)?(under|below|less than|younger than|up ?to)\s+(?:the age of\s+)?(\d{1,2})(?![\d%.,]|\s*(?:%|days?\b|months?\b|kg\b|cm\b))/gi
const FREE =
  /\b(?:free|complimentary|no (?:charge|fee)|not charged|without (?:charge|fee|payment)|(?:for|cost|pay) nothing|need not pay)\b/i
/** Subjects with separate ages. */
const ELSEWHERE =
  /\b(?:hotels?|rooms?|beds?|stay|accommodation|dinner|banquet|lunch|meals?|food|tours?|bus(?:es)?|travel|workshops?|cr[eè]che)\b/i

type Counted = { readonly item: string; readonly at: string; readonly least: number }

/** Returns the items that count people of a list from an age on, by the path of the list. */
function countedFromAge(model: Model): ReadonlyMap<string, readonly Counted[]> {
  const found = (model.file.fees.items ?? []).flatMap(({ id, count }, i) =>
    typeof count !== 'object'
      ? []
      : Object.entries(count).flatMap(([people, where]) => {
          const list = model.fields.find((one) => one.id === people)
          if (list === undefined || Array.isArray(where)) return []
          return Object.entries(where).flatMap(([part, test]) => {
            const asked = list.raw.fields?.find((one) => one.id === part)
            const least = readMinimum(test)
            return asked?.type === 'number' &&
              /\bage\b/i.test(`${part} ${asked.label ?? ''}`) &&
              least !== null
              ? [
                  {
                    list: list.path,
                    item: id,
                    at: `fees.items.${i}.count.${people}.${part}`,
                    least,
                  },
                ]
              : []
          })
        }),
  )
  return Map.groupBy(found, ({ list }) => list)
}

/** Returns the first charged age; null if the test also covers something else. */
function readMinimum(test: unknown): number | null {
  if (typeof test !== 'object' || test === null || Object.keys(test).length !== 1) return null
  const { at_least: least, above } = test as { at_least?: number; above?: number }
  return least ?? (above === undefined ? null : above + 1)
}

export const textAge: Check = {
  slug: 'text-age',
  severity: 'warning',
  why: 'If the ages differ, parents who read that a child is free are charged for the child.',
  find: (model) => {
    const lists = [...countedFromAge(model)]
    return lists.flatMap(([path, counted]) => {
      const [one] = counted
      // If two items begin at two ages, a text may mean either.
      if (one === undefined || counted.some(({ least }) => least !== one.least)) return []
      return collectEventTexts(model)
        .filter((readable) => readable.path.startsWith(`${path}.`))
        .flatMap(({ path: at, text, at: offset }) =>
          findMatches(text, CHILDREN).flatMap((match): Draft[] => {
            const [start, end] = [match.index, match.index + match[0].length]
            const { left, right } = findStatement(text, { start, end })
            const said = Number(match[2])
            const isUpTo = /^up/i.test(match[1] ?? '')
            const fits = said === one.least || (isUpTo && said === one.least - 1)
            return fits || !FREE.test(`${left} ${right}`) || ELSEWHERE.test(`${left} ${right}`)
              ? []
              : [
                  {
                    at,
                    span: [offset + start, offset + end],
                    message: `the text says ${match[1]} ${said}, \`${one.item}\` is charged from the age of ${one.least}`,
                    related: [{ at: one.at, message: 'counted here' }],
                    help: 'write the same age in both places',
                  },
                ]
          }),
        )
    })
  },
}
