/** Checks EV537, EV538: numbers in labels match the percentages of adjustments and the seats in quotas. */
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'
import { findMatches } from '../../prose/pattern-matches.ts'
import { join } from '../../syntax/source.ts'

const STATED_PERCENT = /(\d+(?:\.\d+)?)\s*(?:%|per ?cent\b)/gi
/** Words that show that a percentage is a tax rate, or not exact. */
const OTHER_PERCENT_WORDS = /\b(?:[cs]?gst|igst|tax|taxes|vat|up ?to)\b/i

const percentDiffersCheck: Check = {
  slug: 'percent-differs',
  severity: 'warning',
  why: 'The bill would state one percentage and charge another.',
  after: ['EV206', 'EV217'],
  find: ({ file }) => {
    const adjustments = (file.fees.adjustments ?? []).map((entry, index) => ({
      ...entry,
      path: `fees.adjustments.${index}`,
    }))
    const labelledPercentages = [
      ...adjustments.map(({ label, path, ...rest }) => ({
        label,
        at: join(path, 'label'),
        path,
        percent: rest.percent,
      })),
      ...(file.codes?.kinds ?? []).map(({ label, gives }, index) => {
        const adjustment = adjustments.find(({ id }) => id === gives.adjustment)
        return {
          label,
          at: `codes.kinds.${index}.label`,
          path: adjustment?.path ?? '',
          percent: adjustment?.percent,
        }
      }),
    ]
    return labelledPercentages.flatMap(({ label, at, path, percent }): Draft[] => {
      if (label === undefined || percent === undefined || OTHER_PERCENT_WORDS.test(label)) return []
      const statedPercentages = [
        ...new Set(findMatches(label, STATED_PERCENT).map(([, digits]) => Number(digits))),
      ]
      const [statedPercent] = statedPercentages
      const discount = Math.abs(percent)
      if (statedPercent === undefined || statedPercentages.length > 1) return []
      // A label may round 33.33% to 33%, and "pay 80%" means 20% off.
      const tolerance = Number.isInteger(discount) ? 0 : 1
      if (Math.abs(statedPercent - discount) <= tolerance || statedPercent === 100 - discount)
        return []
      return [
        {
          at,
          message: `“${label}” says ${statedPercent}%, but ${discount}% is ${percent > 0 ? 'added' : 'deducted'}`,
          related: [{ at: join(path, 'percent'), message: 'the percentage' }],
          help: 'write the same number in both places',
        },
      ]
    })
  },
}

const SEAT_NOUNS = '(?:seats|places|spots|delegates|participants)'
const COUNT_PATTERN = '(\\d{1,3}(?:,\\d{3})+|\\d+)'
const SOLD_OUT_WORDS = '(?:full|taken|sold|booked|filled|gone)'
/**
 * Matches the total number of seats: "limited to 50 seats", "all 40 seats", "40 seats only". It does not match
 * the number of seats at a table.
 */
const STATED_TOTAL_SEATS = new RegExp(
  [
    `\\b(?:limited to|maximum(?: of)?|max\\.?(?: of)?|capacity(?: of)?|only|total of)\\s*:?\\s*${COUNT_PATTERN} ${SEAT_NOUNS}\\b(?! (?:left|remain|more|per|each|every|from|in a|at a|of (?:a|each|one)))`,
    `\\ball(?: the| our| of the)? ${COUNT_PATTERN} ${SEAT_NOUNS}\\b(?=\\s*(?:$|[.,;!)"']|(?:\\w+ ){0,6}${SOLD_OUT_WORDS}\\b))`,
    `\\b${COUNT_PATTERN} ${SEAT_NOUNS} (?:only|in all|in total|(?:are|have been|were) ${SOLD_OUT_WORDS})\\b`,
  ].join('|'),
  'gi',
)
/** Words for groups that use one seat of a quota: a number in such a label is the size of the group. */
const GROUP_WORDS =
  /\b(?:teams?|groups?|tables?|pairs?|couples?|famil(?:y|ies)|hospitals?|institut\w*|colleges?|departments?|rooms?)\b/i

const seatsDifferCheck: Check = {
  slug: 'seats-differ',
  severity: 'warning',
  why: 'Delegates would read a number of seats that differs from the quota.',
  after: ['EV201', 'EV202'],
  find: (model) =>
    (model.file.quotas ?? []).flatMap((quota, index): readonly Draft[] => {
      const path = `quotas.${index}`
      const maxima = typeof quota.max === 'number' ? [quota.max] : Object.values(quota.max)
      return [
        ...findDifferingNumber(
          model,
          typeof quota.full === 'string' ? `${path}.full` : `${path}.full.message`,
          maxima,
          `${path}.max`,
        ),
        ...model.fields
          .filter(({ id }) => id === quota.each_option_of)
          .flatMap(({ raw: { options }, path: field }) =>
            Array.isArray(options)
              ? options.flatMap((option: unknown, i) =>
                  findDifferingOption(
                    model,
                    option,
                    `${field}.options.${i}`,
                    quota.max,
                    `${path}.max`,
                  ),
                )
              : [],
          ),
      ]
    }),
}

/**
 * Compares the number in an option's label with the option's own maximum. The label may also state the maximum of
 * another quota.
 */
function findDifferingOption(
  model: Model,
  option: unknown,
  at: string,
  max: number | Readonly<Record<string, number>>,
  maxAt: string,
): readonly Draft[] {
  const { id, label } =
    typeof option === 'object'
      ? (option as { id: string; label?: string })
      : { id: option, label: option }
  const optionMax = typeof max === 'number' ? max : max[String(id)]
  if (typeof label !== 'string' || optionMax === undefined || GROUP_WORDS.test(label)) return []
  const otherMaxima = (model.file.quotas ?? []).flatMap((quota) =>
    quota.each_option_of === undefined && typeof quota.max === 'number' ? [quota.max] : [],
  )
  return findDifferingNumber(
    model,
    typeof option === 'object' ? `${at}.label` : at,
    [optionMax, ...otherMaxima],
    typeof max === 'number' ? maxAt : `${maxAt}.${String(id)}`,
  )
}

function findDifferingNumber(
  model: Model,
  at: string,
  maxima: readonly number[],
  maxAt: string,
): readonly Draft[] {
  const [start, end] = model.source.span(at)
  return findMatches(model.source.text.slice(start, end), STATED_TOTAL_SEATS).flatMap(
    (found): Draft[] => {
      const statedNumber = Number((found[1] ?? found[2] ?? found[3] ?? '').replaceAll(',', ''))
      const comparedMaxima = at.startsWith('quotas.') ? [...new Set(maxima)] : maxima.slice(0, 1)
      return maxima.includes(statedNumber)
        ? []
        : [
            {
              at,
              span: [start + found.index, start + found.index + found[0].length],
              message: `the text says ${statedNumber}, but the ${comparedMaxima.length > 1 ? 'quotas are' : 'quota is'} ${comparedMaxima.join(', ').replace(/, (?=\d+$)/, ' and ')}`,
              related: [{ at: maxAt, message: 'the quota' }],
              help: 'write the same number in both places',
            },
          ]
    },
  )
}

export const numberInLabelChecks = {
  EV537: percentDiffersCheck,
  EV538: seatsDifferCheck,
} satisfies Checks
