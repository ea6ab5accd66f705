/** Finds field limits in texts outside the field: "at most 4 accompanying persons", "a minimum of 2 nights". */
import { collectEventTexts } from '../../prose/event-texts.ts'
import { ONES_WORDS } from '../../../documents/amount-in-words.ts'
import { findAllNamed } from '../../prose/named-in-text.ts'
import { findMatches } from '../../prose/pattern-matches.ts'
import { findStatement } from '../../prose/subject-of-day.ts'
import type { Draft } from '../../finding.ts'
import type { FieldAt, Model } from '../../checked-file.ts'

const NUMBER_WORDS = ONES_WORDS.slice(0, 11)
export const NUMBER_PATTERN = `(\\d{1,4}|${NUMBER_WORDS.join('|')})`
export const readNumber = (text: string): number => {
  const word = NUMBER_WORDS.indexOf(text.toLowerCase())
  return word >= 0 ? word : Number(text)
}

export type Limit = { readonly value: number; readonly at: string }

/** Returns the limit that a field sets for its answer, with its path. */
export function findLimit({ raw, path, field }: FieldAt, bound: 'max' | 'min'): Limit | null {
  if (field.type === 'many') {
    const key = bound === 'max' ? 'at_most' : 'at_least'
    const value = raw.choose?.[key]
    return value === undefined ? null : { value, at: `${path}.choose.${key}` }
  }
  const value = field.type === 'number' || field.type === 'people' ? raw[bound] : undefined
  return typeof value === 'number' ? { value, at: `${path}.${bound}` } : null
}

const MAXIMUM_WORDS =
  '(?:at most|up ?to|maximum(?: of)?|max\\.?(?: of)?|not more than|no more than)'
const MINIMUM_WORDS = '(?:at least|minimum(?: of)?|min\\.?(?: of)?|not less than|no less than)'
const COMPANION_WORDS =
  '(?:accompanying (?:persons?|people|delegates?|guests?|members?)|family members?|companions|relatives)'
/** Matches a maximum number of companions. A number of companions or nights applies to one registration. */
const COMPANION_LIMIT = new RegExp(
  `\\b${MAXIMUM_WORDS}\\s*:?\\s*${NUMBER_PATTERN} ${COMPANION_WORDS}\\b`,
  'gi',
)
const buildNightLimitPattern = (words: string): RegExp =>
  new RegExp(`\\b${words}\\s*:?\\s*${NUMBER_PATTERN} nights?\\b`, 'gi')
const MAX_NIGHTS_PATTERN = buildNightLimitPattern(MAXIMUM_WORDS)
const MIN_NIGHTS_PATTERN = buildNightLimitPattern(MINIMUM_WORDS)
/** Matches a maximum number of tickets per delegate. Other numbers of tickets apply to all delegates together. */
const TICKET_LIMIT = new RegExp(
  `\\b${MAXIMUM_WORDS}\\s*:?\\s*${NUMBER_PATTERN} (?:\\w+ ){0,3}?tickets? (?:per|for each|for every) (?:delegate|person|participant|registration|member)\\b`,
  'gi',
)
/** Words for limits that the event file does not set, such as those of a visa or a hotel. */
const OTHER_LIMIT_WORDS =
  /\b(?:invitation|visa|bus(?:es)?|tours?|previous|last year|earlier|extra nights?|directly|sponsor\w*|exhibitors?|stalls?|free|complimentary|includ\w*|covers?|discount\w*|rates?|dinner|banquet|lunch|lounge|takes?|before|after)\b/i

/** Reports limits in panels, emails and result pages that differ from the limit of the one field that matches. */
export function findLimitsInProse(model: Model): readonly Draft[] {
  const isNights = ({ id, field, raw }: FieldAt): boolean =>
    field.type === 'number' && /\bnights?\b/i.test(`${id.replaceAll('_', ' ')} ${raw.label ?? ''}`)
  const findSingleField = (test: (field: FieldAt) => boolean): FieldAt | null => {
    const [matchingField, ...otherFields] = model.fields.filter(test)
    return otherFields.length > 0 ? null : (matchingField ?? null)
  }
  const companionsField = findSingleField(({ field }) => field.type === 'people')
  const nightsField = findSingleField(isNights)
  const ticketFields = model.fields.filter(
    ({ field, raw, id }) => field.type === 'number' && /ticket/i.test(`${id} ${raw.label ?? ''}`),
  )
  const findTicketField = (statement: string): FieldAt | null => {
    const fieldNames = ticketFields.map(({ id, raw }) => [
      ...(raw.label === undefined ? [] : [raw.label]),
      ...model.config.fees.items.flatMap((item) => (item.count?.field === id ? [item.label] : [])),
    ])
    const [foundIndex, ...otherIndexes] = findAllNamed(fieldNames, statement)
    return foundIndex === undefined || otherIndexes.length > 0
      ? null
      : (ticketFields[foundIndex] ?? null)
  }
  const limitPatterns: readonly (readonly [
    RegExp,
    'max' | 'min',
    (text: string) => FieldAt | null,
  ])[] = [
    [COMPANION_LIMIT, 'max', () => companionsField],
    [MAX_NIGHTS_PATTERN, 'max', () => nightsField],
    [MIN_NIGHTS_PATTERN, 'min', () => nightsField],
    [TICKET_LIMIT, 'max', findTicketField],
  ]
  return collectEventTexts(model).flatMap(({ path, text, at, heading }) =>
    !/^(?:form\.panel|email|results)\./.test(path)
      ? []
      : limitPatterns.flatMap(([pattern, bound, findField]) =>
          findMatches(text, pattern).flatMap((match): Draft[] => {
            const [start, end] = [match.index, match.index + match[0].length]
            const { left, right } = findStatement(text, { start, end })
            const statement = `${left} ${match[0]} ${right}`
            const field = findField(statement)
            const limit = field === null ? null : findLimit(field, bound)
            return limit === null ||
              limit.value === readNumber(match[1] ?? '') ||
              (pattern !== TICKET_LIMIT && OTHER_LIMIT_WORDS.test(`${heading} ${statement}`))
              ? []
              : [
                  {
                    at: path,
                    span: [at + start, at + end],
                    message: `the text says “${match[0]}”, but the field's ${bound === 'min' ? 'minimum' : 'maximum'} is ${limit.value}`,
                    related: [{ at: limit.at, message: 'the limit' }],
                    help: 'write the same number in both places',
                  },
                ]
          }),
        ),
  )
}
