/** Checks EV1160 to EV1162: refund charges, and texts about refunds, agree with the refund scale. */
import { computeRefundOfPrice } from '../../../registration/cancellation-refund.ts'
import {
  formatCurrency,
  getDecimals,
  formatMoney,
  fromMajorUnits,
  readCurrency,
  type Currency,
} from '../../../lib/money.ts'
import { formatList } from '../../suggestions/nearest-name.ts'
import { findAmounts } from '../../prose/find-amounts.ts'
import { findMatches } from '../../prose/pattern-matches.ts'
import { collectEventTexts } from '../../prose/event-texts.ts'
import type { RefundTerms } from '../../../event/approval-and-cancellation-types.ts'
import type { RefundCharge } from '../../schema/office-section-types.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Model } from '../../checked-file.ts'
import { TABLE_ERRORS } from '../prices/fees.ts'
import { listPaidPrices } from './cancellation.ts'

const listCharges = ({ file }: Model): readonly { at: string; charge: RefundCharge }[] =>
  [
    { at: 'cancellation.charge', charge: file.cancellation?.charge },
    ...(file.cancellation?.steps ?? []).map(({ charge }, index) => ({
      at: `cancellation.steps.${index}.charge`,
      charge,
    })),
  ].flatMap(({ at, charge }) => (charge === undefined ? [] : [{ at, charge }]))

const listCurrencies = ({ config }: Model): readonly Currency[] => [
  ...new Set([
    ...(config.categories.length === 0 ? [config.currency] : []),
    ...config.categories.map(({ currency }) => currency ?? config.currency),
  ]),
]

const refundChargeCurrencyCheck: Check = {
  slug: 'refund-charge-currency',
  severity: 'error',
  why: 'A charge is deducted in the currency of the payment. Without an amount in that currency, no refund is proposed.',
  find: (model) => {
    const currencies = listCurrencies(model)
    const example = `{${currencies.map((currency) => `${currency}: …`).join(', ')}}`
    return listCharges(model).flatMap(({ at, charge }): readonly Draft[] => {
      if (typeof charge === 'number') {
        if (charge === 0) return []
        const otherCurrencies = currencies.filter((currency) => currency !== model.config.currency)
        return otherCurrencies.length === 0
          ? checkDecimals(at, charge, model.config.currency)
          : [
              {
                at,
                message: `this charge is in ${formatCurrency(model.config.currency)}, but other categories pay in ${formatList(otherCurrencies)}`,
                help: `write an amount for each currency: ${example}`,
              },
            ]
      }
      const unknownCurrencies = Object.keys(charge).filter(
        (code) => !currencies.some((currency) => currency === code),
      )
      const missingCurrencies = currencies.filter((currency) => charge[currency] === undefined)
      return [
        ...unknownCurrencies.map((code): Draft => ({
          at: `${at}.${code}`,
          part: 'key',
          message: `no category pays in ${code}`,
          help: `write the currencies of the categories: ${example}`,
        })),
        ...(missingCurrencies.length === 0
          ? []
          : [
              {
                at,
                message: `this charge has no amount in ${formatList(missingCurrencies)}`,
                help: `write an amount for each currency: ${example}`,
              },
            ]),
        ...Object.entries(charge).flatMap(([code, amount]) => {
          const currency = readCurrency(code)
          return currency === null ? [] : checkDecimals(`${at}.${code}`, amount, currency)
        }),
      ]
    })
  },
}

function checkDecimals(at: string, amount: number, currency: Currency): readonly Draft[] {
  const decimals = getDecimals(currency)
  return fromMajorUnits(amount, currency) !== null
    ? []
    : [
        {
          at,
          message: `amounts in ${formatCurrency(currency)} have at most ${decimals} decimals`,
          help: `write ${amount.toFixed(decimals)}`,
        },
      ]
}

const chargeExceedsRefundCheck: Check = {
  slug: 'charge-exceeds-refund',
  severity: 'warning',
  why: 'A delegate who reads “50% less a charge” expects a refund. If the charge is as high as the refund, nothing is left to refund.',
  after: ['EV481', 'EV482', 'EV1160', ...TABLE_ERRORS],
  find: (model) => {
    const { cancellation } = model.config
    if (cancellation === null) return []
    const terms = [...cancellation.steps, cancellation.otherwise]
    return terms.flatMap((step, index): Draft[] => {
      if (step.charge === undefined) return []
      const bill = listPaidPrices(model).find((bill) => computeRefundOfPrice(step, bill) === 0)
      const charge = bill === undefined ? undefined : step.charge[bill.currency]
      if (bill === undefined || charge === undefined) return []
      const { charge: _charge, ...withoutCharge } = step
      const share = computeRefundOfPrice(withoutCharge, bill)
      const ownPath = `cancellation.steps.${index}.charge`
      return [
        {
          at: model.source.getScalar(ownPath) === null ? 'cancellation.charge' : ownPath,
          message: `${step.percent}% of ${formatMoney(bill.total, bill.currency)}${step.withoutTax === true ? ' without tax' : ''}${share === null ? '' : ` is ${formatMoney(share, bill.currency)}`}, less ${formatMoney(charge, bill.currency)}: nothing is refunded`,
          help: 'lower the charge, or write `refund: none` if nothing is refunded',
        },
      ]
    })
  },
}

const REFUND_WORDS = /\b(?:refund\w*|cancel\w*)\b/i
/** Words for services that other companies sell and refund, such as flights. */
const EXTERNAL_SERVICE_WORDS = /\b(?:hotels?|airlines?|railways?|flights?|trains?)\b/i
const SENTENCE = /[^.;!?\n]+(?:\.\d[^.;!?\n]*)*/g
const STATED_PERCENT = /(?<![\d.])(\d{1,3})\s*(?:%|per ?cent\b)(?!\s*(?:gst|vat|tax))/gi
const CHARGE_WORDS =
  /\b(?:less|minus|deduct\w*|charges?|fees?|administrati\w+|processing|retain\w*|kept)\b/i
const TAX_NOT_REFUNDED =
  /\b(?:without|excluding|excl\.?|exclusive of|less|minus|net of|deducting)\s+(?:the\s+)?(?:\d+\s*%\s*)?(?:gst|vat|tax(?:es)?)\b|\b(?:gst|vat|tax(?:es)?)\b[^.]*\b(?:not|non-?|never)\s*(?:be\s+)?refund\w*/i

const refundTextDiffersCheck: Check = {
  slug: 'refund-text-differs',
  severity: 'warning',
  why: 'Delegates insist on the refund that they were promised, but the refund proposed to staff follows the scale.',
  after: ['EV481', 'EV482', 'EV1160'],
  find: (model) => {
    const { cancellation, status, currency } = model.config
    if (cancellation === null || status === 'closed') return []
    const terms: readonly RefundTerms[] = [...cancellation.steps, cancellation.otherwise]
    const percents = terms.flatMap(({ percent }) => [percent, 100 - percent])
    const charges = terms.flatMap(({ charge }) => Object.entries(charge ?? {}))
    const prices = listPaidPrices(model).flatMap(({ total, base }) => [total, base])
    const related = [
      { at: 'cancellation.steps', part: 'key' as const, message: 'the refund scale' },
    ]
    return collectEventTexts(model).flatMap(({ path, text, at }) =>
      findMatches(text, SENTENCE).flatMap((match): Draft[] => {
        const sentence = match[0]
        if (!REFUND_WORDS.test(sentence) || EXTERNAL_SERVICE_WORDS.test(sentence)) return []
        const createLocation = (start: number, end: number) => ({
          at: path,
          span: [at + match.index + start, at + match.index + end] as const,
          related,
        })
        const otherPercentages = findMatches(sentence, STATED_PERCENT).filter(
          (found) => !percents.includes(Number(found[1])),
        )
        const otherCharges = CHARGE_WORDS.test(sentence)
          ? findAmounts(sentence, currency).filter(
              (mention) =>
                !prices.includes(mention.amount) &&
                !charges.some(
                  ([code, amount]) => code === mention.currency && amount === mention.amount,
                ),
            )
          : []
        const taxMatch = TAX_NOT_REFUNDED.exec(sentence)
        return [
          ...otherPercentages.map((found): Draft => ({
            ...createLocation(found.index, found.index + found[0].length),
            message: `the text says ${found[1]}%, but no step of the refund scale refunds or keeps ${found[1]}%`,
            help: 'write the same percentage in both places',
          })),
          ...otherCharges.map(({ start, end, amount, currency: statedCurrency }): Draft => ({
            ...createLocation(start, end),
            message: `the text says ${formatMoney(amount, statedCurrency)}, but the refund scale ${charges.length === 0 ? 'deducts no charge' : 'deducts a different charge'}`,
            help: `write \`charge\` in \`cancellation\`, or in a step: {until: …, refund: 50%, charge: ${toMajorUnits(amount, statedCurrency)}}`,
          })),
          ...(taxMatch === null || terms.some(({ withoutTax }) => withoutTax === true)
            ? []
            : [
                {
                  ...createLocation(taxMatch.index, taxMatch.index + taxMatch[0].length),
                  message:
                    'the text says that tax is not refunded, but the refund scale includes tax',
                  help: 'write `without_tax: true` in `cancellation`, or in a step',
                },
              ]),
        ]
      }),
    )
  },
}

const toMajorUnits = (amount: number, currency: Currency): number =>
  amount / 10 ** getDecimals(currency)

export const refundChargeChecks = {
  EV1160: refundChargeCurrencyCheck,
  EV1161: chargeExceedsRefundCheck,
  EV1162: refundTextDiffersCheck,
}
