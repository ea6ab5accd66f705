/** Checks EV633 to EV635: seats, numbers and ages in texts agree with quotas, fields and category rules. */
import { findMatches } from '../../prose/pattern-matches.ts'
import { findStatement } from '../../prose/subject-of-day.ts'
import { findAllNamed } from '../../prose/named-in-text.ts'
import { collectEventTexts } from '../../prose/event-texts.ts'
import { findLimit, findLimitsInProse, NUMBER_PATTERN, readNumber } from './limits-in-prose.ts'
import type { Limit } from './limits-in-prose.ts'
import { findAgeLimits } from './age-limits.ts'
import { categoryAgeCheck } from './category-ages.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Model } from '../../checked-file.ts'

const COUNT_PATTERN = '(\\d{1,3}(?:,\\d{3})+|\\d+)'
const SEAT_NOUNS =
  '(?:seats?|places?|tickets?|spots?|bibs?|stalls?|slots?|delegates|participants|persons|pax|guests|children|registrations|entries)'
/** Matches a total number of seats: "limited to 60 tickets", "only 40 seats", "the dinner has 250 seats". */
const ALL_SEATS = new RegExp(
  [
    `\\b(?:(?:limited|restricted)(?: to)?(?: the)?(?: first)?|maximum(?: of)?|max\\.?(?: of)?|capacity(?: of)?|only|total of|has|have|takes?)\\s*:?\\s*(?:only\\s+)?${COUNT_PATTERN} (?:\\w+ )?${SEAT_NOUNS}\\b(?! (?:left|remain|more|per|each|every|from|for each|in a|at a|of (?:a|each|one)))`,
    `\\b${COUNT_PATTERN} ${SEAT_NOUNS} (?:only|in all|in total|available)\\b`,
    `\\bseats? (?:are |is )?(?:limited|restricted) to ${COUNT_PATTERN}\\b(?! (?:per|each|every))`,
  ].join('|'),
  'gi',
)
/** Words for seats that several people share, and for numbers that apply to each buyer. */
const SHARED_SEAT_WORDS =
  /\b(?:per|each|every|teams?|groups?|tables?|pairs?|couples?|institut\w*|colleges?|parking|cars?|bus(?:es)?|coach|boat|hotel|previous|last|earlier|past|editions?|was|were|had|one (?:delegate|registration))\b/i

type SeatLimit = {
  readonly names: readonly string[]
  readonly max: number
  readonly at: string
  readonly isForAll: boolean
}

/** Returns every quota's number of seats, with the names of the options, items or categories to which it applies. */
function listSeatLimits({ file, config, fields }: Model): readonly SeatLimit[] {
  return (file.quotas ?? []).flatMap(
    ({ id, max, count, each_option_of: by, when }, index): SeatLimit[] => {
      const at = `quotas.${index}.max`
      if (typeof max !== 'number')
        return Object.entries(max).map(([option, seats]) => ({
          names: [
            option,
            fields
              .find((field) => field.id === by)
              ?.field.options?.find((candidate) => candidate.id === option)?.label ?? option,
          ],
          max: seats,
          at: `${at}.${option}`,
          isForAll: false,
        }))
      const countedField = fields.find((field) => field.id === count)
      const items = config.fees.items.filter(
        (item) => count !== undefined && item.count?.field === count,
      )
      const category =
        typeof when === 'object' && when !== null && 'category' in when
          ? String(when.category)
          : null
      const label = config.categories.find((candidate) => candidate.id === category)?.label
      return [
        {
          names: [
            ...(countedField === undefined && category === null ? [] : [id.replaceAll('-', ' ')]),
            ...items.map((item) => item.label),
            ...(countedField === undefined ? [] : [countedField.field.label]),
            ...(label === undefined ? [] : [label]),
          ],
          max,
          at,
          isForAll: count === undefined && by === undefined && when === undefined,
        },
      ]
    },
  )
}

const textSeatsCheck: Check = {
  slug: 'text-seats',
  severity: 'warning',
  why: 'The text states a number of seats that differs from the number on sale.',
  after: ['EV201', 'EV202', 'EV206', 'EV216', 'EV538'],
  find: (model) => {
    const seatLimits = listSeatLimits(model)
    if (seatLimits.length === 0 || model.config.status === 'closed') return []
    const quotasForAll = seatLimits.filter(({ isForAll }) => isForAll)
    return collectEventTexts(model).flatMap(({ path, text, at, heading }) =>
      /^(?:admin|quotas)\.|\.options\./.test(path)
        ? []
        : findMatches(text, ALL_SEATS).flatMap((match): Draft[] => {
            const [start, end] = [match.index, match.index + match[0].length]
            const { left, right } = findStatement(text, { start, end })
            const precedingText = left.split(/[,;:()]|\band\b/).at(-1) ?? ''
            const statement = `${left} ${match[0]} ${right}`
            if (SHARED_SEAT_WORDS.test(statement)) return []
            const statedSeats = Number((match[1] ?? match[2] ?? match[3] ?? '').replaceAll(',', ''))
            if (seatLimits.some(({ max }) => max === statedSeats)) return []
            const findNamedSeats = (excerpt: string) =>
              findAllNamed(
                seatLimits.map(({ names }) => names),
                excerpt,
              )
            // A hall may have seats that the event does not sell, so text that mentions nothing specific counts only if
            // it states a limit.
            const isLimit = !/^(?:has|have|takes?)\b/i.test(match[0])
            // "The first 100 delegates" and "guests" may be only some delegates, so a name must precede the number.
            const isPartialGroup = /\b(?:first|guests)\b/i.test(match[0])
            const context = isLimit ? `${heading} ${statement}` : statement
            const namedIndexes = [precedingText, left, ...(isPartialGroup ? [] : [context])]
              .map(findNamedSeats)
              .find((found) => found.length > 0)
            const [namedIndex] = namedIndexes?.length === 1 ? namedIndexes : []
            const namedLimit = namedIndex === undefined ? undefined : seatLimits[namedIndex]
            const quotaForAll =
              namedIndexes === undefined &&
              isLimit &&
              !isPartialGroup &&
              quotasForAll.length === 1 &&
              isAboutWholeEvent(statement)
                ? quotasForAll[0]
                : undefined
            const intendedLimit = namedLimit ?? quotaForAll
            return intendedLimit === undefined
              ? []
              : [
                  {
                    at: path,
                    span: [at + start, at + end],
                    message: `the text says ${statedSeats}, but the quota is ${intendedLimit.max}`,
                    related: [{ at: intendedLimit.at, message: 'the quota' }],
                    help: 'write the same number in both places',
                  },
                ]
          }),
    )
  },
}

/**
 * Returns whether text that mentions nothing specific is about the seats of the whole event. Such text refers to the
 * quota for all delegates.
 */
const isAboutWholeEvent = (statement: string): boolean =>
  /\b(?:registrations?|delegates|participants|conference|event|hall|seats (?:only|in all|in total)|seats (?:are |is )?(?:limited|restricted)|only)\b/i.test(
    statement,
  ) &&
  !/\b(?:workshops?|courses?|dinners?|banquet|tours?|trips?|rooms?|sessions?|classes)\b/i.test(
    statement,
  )

const UNIT_NOUNS =
  '(?:persons?|people|tickets?|seats?|children|kids|nights?|rooms?|workshops?|courses|choices|options|members?|contests?|events|items|visitors?|participants?|delegates?|adults?|passes|plates|boxes|shirts?)'
const UPPER_LIMIT = new RegExp(
  `\\b(?:at most|up ?to|maximum(?: of)?|max\\.?(?: of)?|not more than|no more than|only|(?:may|can) bring(?: up to| at most)?)\\s*:?\\s*${NUMBER_PATTERN} (?:accompanying |additional |extra )?${UNIT_NOUNS}\\b`,
  'gi',
)
/** Matches a limit on choices for any kind of delegate: "Each child may enter three contests". */
const CHOICE_LIMIT = new RegExp(
  `\\b(?:may|can) (?:enter|choose|select|pick|attend|take|register for)\\s+(?:up to |at most )?${NUMBER_PATTERN} ${UNIT_NOUNS}\\b`,
  'gi',
)
const LOWER_LIMIT = new RegExp(
  `\\b(?:at least|minimum(?: of)?|min\\.?(?: of)?|not less than|no less than)\\s*:?\\s*${NUMBER_PATTERN} ${UNIT_NOUNS}\\b`,
  'gi',
)
/** Matches the minimum and the maximum number of choices: "Choose two or three". */
const CHOICE_RANGE = new RegExp(
  `\\b(?:choose|select|pick|tick)\\s+(?:from\\s+)?${NUMBER_PATTERN}\\s*(?:or|to|–|-)\\s*${NUMBER_PATTERN}\\b`,
  'gi',
)
const LENGTH_LIMIT =
  /\b(?:at most|up ?to|maximum(?: of)?|max\.?(?: of)?|not more than|no more than|within)\s*:?\s*(\d{1,5}) characters\b/gi
const NUMBER_RANGE =
  /\b(?:from|between)\s+(\d{1,6}) (?:to|and) (\d{1,6})\b(?!\s*(?:%|[ap]\.?m\b|years?|hours?|minutes?|january|february|march|april|may|june|july|august|september|october|november|december))/gi

const textLimitCheck: Check = {
  slug: 'text-limit',
  severity: 'warning',
  why: 'A delegate who follows the text gives an answer that the form rejects, or that the organisers do not allow.',
  after: ['EV503', 'EV523'],
  find: (model) => {
    const texts = collectEventTexts(model)
    const fieldDrafts = model.fields.flatMap((field) => {
      const fieldTexts = texts.filter(
        ({ path }) =>
          path.startsWith(`${field.path}.`) &&
          /\.(?:label|hint|invalid|required|message)$/.test(path) &&
          !/\.(?:fields|options)\.\d+\./.test(path.slice(field.path.length)),
      )
      const compareWithLimit = (pattern: RegExp, limit: Limit | null, limitName: string) =>
        limit === null
          ? []
          : fieldTexts.flatMap(({ path, text, at }) =>
              findMatches(text, pattern).flatMap((match): Draft[] => {
                const statedLimit = readNumber(match[1] ?? '')
                const { left, right } = findStatement(text, {
                  start: match.index,
                  end: match.index + match[0].length,
                })
                return statedLimit === limit.value ||
                  (pattern !== CHOICE_LIMIT && /\b(?:per|each|every)\b/i.test(`${left} ${right}`))
                  ? []
                  : [
                      {
                        at: path,
                        span: [at + match.index, at + match.index + match[0].length],
                        message: `the text says “${match[0]}”, but the field's ${limitName} is ${limit.value}`,
                        related: [{ at: limit.at, message: 'the limit' }],
                        help: 'write the same number in both places',
                      },
                    ]
              }),
            )
      const [min, max] = [findLimit(field, 'min'), findLimit(field, 'max')]
      const maxLength = field.raw.max_length
      const rangeDrafts =
        field.field.type !== 'number' || min === null || max === null
          ? []
          : fieldTexts.flatMap(({ path, text, at }) =>
              findMatches(text, NUMBER_RANGE).flatMap((match): Draft[] =>
                (Number(match[1]) === min.value && Number(match[2]) === max.value) ||
                !path.endsWith('.invalid')
                  ? []
                  : [
                      {
                        at: path,
                        span: [at + match.index, at + match.index + match[0].length],
                        message: `the text says “${match[0]}”, but the field accepts ${min.value} to ${max.value}`,
                        related: [{ at: max.at, message: 'the limit' }],
                        help: 'write the same numbers in both places',
                      },
                    ],
              ),
            )
      const choiceDrafts =
        field.field.type !== 'many' || max === null
          ? []
          : fieldTexts.flatMap(({ path, text, at }) =>
              findMatches(text, CHOICE_RANGE).flatMap((match): Draft[] =>
                readNumber(match[2] ?? '') === max.value &&
                (min === null || readNumber(match[1] ?? '') === min.value)
                  ? []
                  : [
                      {
                        at: path,
                        span: [at + match.index, at + match.index + match[0].length],
                        message: `the text says “${match[0]}”, but the field accepts ${min === null ? 'up' : min.value} to ${max.value}`,
                        related: [{ at: max.at, message: 'the limit' }],
                        help: 'write the same numbers in both places',
                      },
                    ],
              ),
            )
      return [
        ...choiceDrafts,
        ...compareWithLimit(UPPER_LIMIT, max, 'maximum'),
        ...(field.field.type === 'many' ? compareWithLimit(CHOICE_LIMIT, max, 'maximum') : []),
        ...compareWithLimit(LOWER_LIMIT, min, 'minimum'),
        ...compareWithLimit(
          LENGTH_LIMIT,
          maxLength === undefined ? null : { value: maxLength, at: `${field.path}.max_length` },
          'maximum length',
        ),
        ...rangeDrafts,
      ]
    })
    return [...fieldDrafts, ...findLimitsInProse(model)]
  },
}

const textAgesCheck: Check = {
  ...categoryAgeCheck,
  find: (model) => [...categoryAgeCheck.find(model), ...findAgeLimits(model)],
}

export const textLimitChecks = {
  EV633: textSeatsCheck,
  EV634: textLimitCheck,
  EV635: textAgesCheck,
}
