/** Check EV636: percentages of discounts and surcharges in texts agree with adjustments or the price table. */
import { findMatches } from '../../prose/pattern-matches.ts'
import { findStatement } from '../../prose/subject-of-day.ts'
import { collectEventTexts } from '../../prose/event-texts.ts'
import { collectWords } from '../form/labels.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Model } from '../../checked-file.ts'
import {
  TABLE_ERRORS,
  listAdjustmentAmounts,
  listItemCells,
  listTableCells,
} from '../prices/fees.ts'

const PERCENT_PATTERN = '(\\d{1,3}(?:\\.\\d+)?)\\s*(?:%|per ?cent\\b)'
const DEDUCTION_PATTERN = new RegExp(
  `${PERCENT_PATTERN}\\s*(?:off\\b|discounts?\\b|less\\b|concession|rebate|waiver|reduction|cheaper)|\\b(?:discounts?|concession|rebate|waiver|reduction)\\s*(?:of|@|:|-|–)?\\s*${PERCENT_PATTERN}|\\bsave\\s+${PERCENT_PATTERN}|${PERCENT_PATTERN}\\s*(?:lower|lesser|reduced)\\s+(?:fees?|prices?|rates?|charges?)|\\b(?:fees?|prices?|rates?|pays?)\\b[^.%;:\\n]{0,30}\\b(?:less|lower(?:ed)?|lesser|reduced|cheaper)\\s+(?:by\\s+)?${PERCENT_PATTERN}`,
  'gi',
)
const SURCHARGE_PATTERN = new RegExp(
  `${PERCENT_PATTERN}\\s*(?:extra\\b|more\\b|surcharge|additional|(?:convenience|gateway|transaction|processing|card|late)\\s+(?:fees?|charges?))|\\b(?:surcharge|(?:convenience|gateway|transaction|processing|card|payment|late|online)\\s+(?:fees?|charges?)|(?:fee|charge) of)\\s*(?:of|@|:|-|–|is)?\\s*${PERCENT_PATTERN}`,
  'gi',
)
/** Words for percentages of something other than the price of the registration or its items. */
const OTHER_SHARE_WORDS =
  /\b(?:refund\w*|cancel\w*|withdraw\w*|hotels?|rooms?|editions?|proceedings|travel|rail\w*|fares?|the (?:society|organi[sz]ers?) (?:pays?|bears?)|borne by (?:us|the (?:society|organi[sz]ers?))|airlines?|airfare|flights?|trains?|books?|journal|publisher|sponsor\w*|exhibit\w*|gst|vat|tax|tds|marks?|attend\w*|similarity|acceptance|membership|shop|store|restaurant|food|up ?to|credit|next|last|previous|late papers?)\b/i

type PercentAdjustment = {
  readonly id: string
  readonly name: string
  readonly percent: number
  readonly at: string
}

/** Returns the adjustments that add or deduct a percentage. */
const listPercentAdjustments = ({ file }: Model): readonly PercentAdjustment[] =>
  (file.fees.adjustments ?? []).flatMap(({ id, label, percent }, index) =>
    percent === undefined
      ? []
      : [{ id, name: label ?? id, percent, at: `fees.adjustments.${index}.percent` }],
  )

/** Words that occur in the names of many adjustments and do not identify one of them. */
const COMMON_WORDS =
  /^(?:discount|off|less|charge|fee|extra|surcharge|concession|coupon|for|with|more|two|three|early|late|first|from|the|and|of|or|on|bird|per|each|all|payment)$/
/** Returns whether a statement contains all identifying words of an adjustment's name: "co-operatives pay 20% less". */
function namesAdjustment(name: string, statement: string): boolean {
  const words = [...collectWords(name)].filter(
    (word) => word.length > 3 && !COMMON_WORDS.test(word),
  )
  const statementWords = collectWords(statement)
  return words.length > 0 && words.every((word) => statementWords.has(word))
}

/**
 * Returns whether two prices differ by a percentage, or whether a deduction is that percentage of a price: "students
 * pay 50% less".
 */
function occursInPrices(model: Model, percent: number): boolean {
  const cells = [
    ...listTableCells(model).map(({ amount }) => amount),
    ...listItemCells(model).map(({ amount }) => amount),
  ].flatMap((amount) => (amount === null || amount === 0 ? [] : [amount as number]))
  const deductions = listAdjustmentAmounts(model).flatMap(({ amount }) =>
    amount === null ? [] : [Math.abs(amount)],
  )
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) <= b * 0.02
  return cells.some(
    (price) =>
      cells.some((other) => other < price && isNear(other, (price * (100 - percent)) / 100)) ||
      deductions.some((amount) => isNear(amount, (price * percent) / 100)),
  )
}

const textPercentMismatchCheck: Check = {
  slug: 'text-percent-mismatch',
  severity: 'warning',
  why: 'Delegates rely on the discount or the charge that the text states.',
  after: [...TABLE_ERRORS, 'EV401', 'EV475', 'EV537'],
  find: (model) => {
    const { status, fees } = model.config
    if (status === 'closed' || (fees.prices === null && fees.items.length === 0)) return []
    const adjustments = listPercentAdjustments(model)
    const taxRates = [fees.tax, ...fees.items.map(({ tax }) => tax)].map((tax) => tax?.percent)
    const findWrongPercentages = (pattern: RegExp, isDeduction: boolean): readonly Draft[] => {
      const matchingAdjustments = adjustments.filter(({ percent }) =>
        isDeduction ? percent < 0 : percent > 0,
      )
      // If the file has no surcharge, a surcharge mentioned in a text may be a bank's.
      if (!isDeduction && matchingAdjustments.length === 0) return []
      return collectEventTexts(model).flatMap(({ path, text, at, heading }) =>
        /^(?:admin\.|fees\.adjustments\.|codes\.)/.test(path)
          ? []
          : findMatches(text, pattern).flatMap((match): Draft[] => {
              const [start, end] = [match.index, match.index + match[0].length]
              const { left, right } = findStatement(text, { start, end })
              const statedPercent = Number(match.slice(1).find((digits) => digits !== undefined))
              const namedAdjustments = matchingAdjustments.filter(({ name }) =>
                namesAdjustment(name, `${left} ${right}`),
              )
              if (
                namedAdjustments.length === 0 &&
                OTHER_SHARE_WORDS.test(`${heading} ${left} ${match[0]} ${right}`)
              )
                return []
              const isKnown =
                namedAdjustments.length > 0
                  ? namedAdjustments.some(({ percent }) => Math.abs(percent) === statedPercent)
                  : matchingAdjustments.some(
                      ({ percent }) => Math.abs(percent) === statedPercent,
                    ) ||
                    taxRates.includes(statedPercent) ||
                    (isDeduction && occursInPrices(model, statedPercent))
              const [reportedAdjustment] =
                namedAdjustments.length > 0 ? namedAdjustments : matchingAdjustments
              return isKnown || statedPercent === 100
                ? []
                : [
                    {
                      at: path,
                      span: [at + start, at + end],
                      message:
                        reportedAdjustment === undefined
                          ? `the text says ${statedPercent}%, but no adjustment in the file deducts ${statedPercent}%`
                          : `the text says ${statedPercent}%, but \`${reportedAdjustment.id}\` is ${Math.abs(reportedAdjustment.percent)}%`,
                      related: matchingAdjustments
                        .slice(0, 1)
                        .map(({ at: path }) => ({ at: path, message: 'the percentage' })),
                      help:
                        reportedAdjustment === undefined
                          ? `deduct the percentage with an adjustment: {id: …, label: …, when: …, percent: -${statedPercent}}, or correct the text`
                          : 'write the same percentage in both places',
                    },
                  ]
            }),
      )
    }
    return [
      ...findWrongPercentages(DEDUCTION_PATTERN, true),
      ...findWrongPercentages(SURCHARGE_PATTERN, false),
    ]
  },
}

export const textPercentChecks = { EV636: textPercentMismatchCheck }
