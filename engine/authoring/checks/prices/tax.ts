/** Checks tax rates, the split of totals, and statements about tax in texts. */
import { INR, formatMoney, type Currency, type Tax } from '../../../lib/money.ts'
import { splitPrice, splitTotal } from '../../../pricing/line-tax-and-rounding.ts'
import type { Item } from '../../../event/pricing-types.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Model } from '../../checked-file.ts'
import { collectEventTexts, type EventText } from '../../prose/event-texts.ts'
import { findStatement } from '../../prose/subject-of-day.ts'
import { findTaxClaims, findTaxPercentages, type TaxClaim } from '../../prose/tax-claims.ts'
import { findSignedAmounts } from '../../prose/find-amounts.ts'
import { meansNoTax, suggestPercent } from '../../suggestions/tax-values.ts'
import { listAdjustmentAmounts, TABLE_ERRORS, listTableCells, listItemCells } from './fees.ts'

const splitMismatchCheck: Check = {
  slug: 'split-mismatch',
  severity: 'warning',
  why: 'The form and the result page would show different base amounts for one payment.',
  after: TABLE_ERRORS,
  find: (model) => {
    const { fees, results } = model.config
    if (results.amounts !== 'split-total') return []
    const differences = listTableCells(model).flatMap(({ at, amount, currency }) => {
      if (amount === null) return []
      const form = splitPrice(fees.tax, amount)
      const page = splitTotal(fees.tax, form.total, currency)
      return form.base === page.base ? [] : [{ at, currency, form: form.base, page: page.base }]
    })
    const [firstDifference] = differences
    if (firstDifference === undefined) return []
    return [
      {
        at: firstDifference.at,
        message: `the form shows a base of ${formatMoney(firstDifference.form, firstDifference.currency)}, the result page ${formatMoney(firstDifference.page, firstDifference.currency)}`,
        related: [{ at: 'results.amounts', message: 'calculated here' }],
        notes: differences.length > 1 ? [`and ${differences.length - 1} more`] : [],
        help:
          firstDifference.currency === INR
            ? 'remove results.amounts, or choose prices whose tax is whole rupees'
            : 'remove results.amounts',
      },
    ]
  },
}

const taxInPaiseCheck: Check = {
  slug: 'tax-in-paise',
  severity: 'note',
  why: 'Prices with paise are valid, but unusual in a published price list.',
  after: TABLE_ERRORS,
  find: (model) => {
    const { tax } = model.config.fees
    // Only rupees can be rounded to whole units. Price lists in other currencies often have decimals.
    if (tax === null || tax.round === 'rupee') return []
    const unroundedPrices = listTableCells(model).flatMap(({ at, amount, currency }) =>
      amount !== null && currency === INR && splitPrice(tax, amount).gst % 100 !== 0
        ? [{ at, gst: splitPrice(tax, amount).gst }]
        : [],
    )
    const [firstPrice] = unroundedPrices
    if (firstPrice === undefined) return []
    const problem =
      tax.prices === 'exclusive'
        ? 'the total is not in whole rupees'
        : 'the base is not in whole rupees'
    return [
      {
        at: firstPrice.at,
        message: `${tax.name} of ${formatMoney(firstPrice.gst, INR)}: ${problem}`,
        notes: unroundedPrices.length > 1 ? [`and ${unroundedPrices.length - 1} more`] : [],
        help: 'to round the tax, write round: rupee',
      },
    ]
  },
}

/** Indian GST rates that can apply to the sales of a conference. */
const GST_RATES: readonly number[] = [0, 5, 12, 18, 28, 40]
/** A tax outside this range, if it is not GST, probably has a wrong digit or decimal point. */
const MIN_PERCENT = 1
const MAX_PERCENT = 45

const unusualTaxRateCheck: Check = {
  slug: 'unusual-tax-rate',
  severity: 'warning',
  why: 'If the tax has a wrong digit or decimal point, every total is wrong.',
  find: (model) =>
    [...listFeesTax(model), ...listItemTaxes(model)].flatMap((taxAt) =>
      // A rule without a name uses the name of the usual tax, which is checked separately.
      findUnusualPercent(taxAt, model.config.currency).filter(({ at }) => model.source.has(at)),
    ),
}

/** A tax as written in the file, with its location. */
type TaxAt = { readonly tax: Tax; readonly at: string }
const listFeesTax = ({ config }: Model): readonly TaxAt[] =>
  config.fees.tax === null
    ? []
    : [
        { tax: config.fees.tax, at: 'fees.tax' },
        ...(config.fees.taxRules ?? []).map(({ tax }, i) => ({ tax, at: `fees.tax_rules.${i}` })),
      ]
/** Returns the taxes of items that have their own tax, such as a room, each with its item. */
const listItemTaxes = (model: Model): readonly (TaxAt & { readonly item: Item })[] =>
  model.config.fees.items.flatMap((item, i) => [
    ...(item.tax === null || model.file.fees.items?.[i]?.tax === undefined
      ? []
      : [{ item, tax: item.tax, at: `fees.items.${i}.tax` }]),
    ...(item.ownTaxRules ?? []).map(({ tax }, r) => {
      return { item, tax, at: `fees.items.${i}.tax_rules.${r}` }
    }),
  ])

function findUnusualPercent({ tax, at }: TaxAt, currency: Currency): readonly Draft[] {
  if (meansNoTax(tax.name))
    return [
      {
        at: `${at}.name`,
        message: `the tax is named \`${tax.name}\`, and pages would show this name`,
        help: 'an event without tax has no `tax`: remove it',
      },
    ]
  const statedPercent = /(\d+(?:\.\d+)?)\s*%/.exec(tax.name)
  if (statedPercent !== null)
    return [
      {
        at: `${at}.name`,
        message:
          Number(statedPercent[1]) === tax.percent
            ? `the name of the tax includes ${statedPercent[0]}, and pages add the percentage again`
            : `the name of the tax says ${statedPercent[0]}, but the tax is ${tax.percent}%`,
        related: [{ at: `${at}.percent`, message: 'the percentage' }],
        help: 'write only the name, such as GST: pages add the percentage',
      },
    ]
  if (tax.percent === 0) return []
  // Other countries also have a tax called GST, with different rates.
  const isGst = currency === INR && /^[ics]?gst\b/i.test(tax.name)
  const isUnusual = isGst
    ? !GST_RATES.includes(tax.percent)
    : tax.percent < MIN_PERCENT || tax.percent > MAX_PERCENT
  const suggestedPercent = suggestPercent(tax.percent)
  return isUnusual
    ? [
        {
          at: `${at}.percent`,
          message: `${tax.name} of ${tax.percent} percent${isGst ? ': there is no such rate' : ' is unusual'}`,
          notes: isGst ? [`rates: ${GST_RATES.slice(1).join(', ')}`] : [],
          help:
            suggestedPercent === null || !isGst
              ? isGst && Number.isInteger(tax.percent)
                ? 'write the current rate, such as 18'
                : 'write the percentage as a whole number, such as 18'
              : `for ${suggestedPercent}% write ${suggestedPercent}`,
        },
      ]
    : []
}

/** Returns the taxes of the items to which the text belongs. The list is empty if no such item has its own tax. */
function findTaxesOfText(model: Model, path: string): readonly TaxAt[] {
  const eventTaxes = listItemTaxes(model)
  if (eventTaxes.length === 0) return []
  const { items } = model.config.fees
  const labelIndex = /^fees\.items\.(\d+)\.label/.exec(path)?.[1]
  const [, s, f] = /^form\.sections\.(\d+)\.fields\.(\d+)\./.exec(path) ?? []
  const fieldId = model.file.form.sections[Number(s)]?.fields[Number(f)]?.id
  const labelledItems = items.filter((item, i) =>
    labelIndex === undefined
      ? fieldId !== undefined &&
        [item.by, item.count?.field, item.times, item.amountIn].includes(fieldId)
      : i === Number(labelIndex),
  )
  return labelledItems.some((item) => eventTaxes.some((candidate) => candidate.item === item))
    ? labelledItems.flatMap((item) => {
        const ownTaxes = eventTaxes.filter((candidate) => candidate.item === item)
        const isStated = model.file.fees.items?.[items.indexOf(item)]?.tax !== undefined
        return isStated ? ownTaxes : [...ownTaxes, ...listFeesTax(model)]
      })
    : []
}

/** Words for fees other than the registration fee, which may have a different tax. */
const OTHER_FEE_WORDS =
  /\b(?:hotels?|rooms?|accommodation|stay|lodging|tours?|banquet|stalls?|exhibit\w*|sponsor\w*|workshops?|advertis\w*|bank|gateway|convenience|transaction|travel|food|meals?|taxi|80g|donat\w*|tds|refund\w*|cancel\w*|gstin)\b/i
/** A tax next to an item's name belongs to the item unless the text contains one of these words. */
const NON_ITEM_WORDS =
  /\b(?:bank|gateway|convenience|transaction|80g|donat\w*|tds|refund\w*|cancel\w*|gstin)\b/i
/** Words for a total, which includes the tax even if the prices do not. */
const TOTAL_WORDS =
  /\{(?:total|amount|gst)\}|\b(?:total|amount paid|amount payable|net payable|you (?:have )?paid?|sum paid)\b/i
const BASE_WORDS = /\{base\}|\bbase\b/i

const CLAIM_PHRASES = {
  inclusive: 'the text says that fees include',
  exclusive: 'the text says that fees do not include',
  none: 'the text says that there is no',
} as const

/** A claim about tax in text, with the taxes that it may mean: those of the text's items, or else of the fees. */
type ClaimInText = {
  readonly eventText: EventText
  readonly claim: TaxClaim
  readonly taxes: readonly TaxAt[]
}
const findClaims = (model: Model): readonly ClaimInText[] =>
  collectEventTexts(model).flatMap((eventText) => {
    const localTaxes = findTaxesOfText(model, eventText.path)
    const taxes = localTaxes.length > 0 ? localTaxes : listFeesTax(model)
    return findClaimsIn(
      eventText,
      taxes[0]?.tax.name ?? 'GST',
      localTaxes.length > 0 ? NON_ITEM_WORDS : OTHER_FEE_WORDS,
    ).map((claim): ClaimInText => ({ eventText, claim, taxes }))
  })
const findClaimsIn = (
  eventText: EventText,
  name: string,
  otherWords: RegExp,
): readonly TaxClaim[] =>
  findTaxClaims(eventText.text, name).filter(
    ({ statement }) => !otherWords.test(`${eventText.heading} ${statement}`),
  )

const createLocation = (
  { path, at }: EventText,
  { start, end }: TaxClaim,
): Pick<Draft, 'at' | 'span'> => ({
  at: path,
  span: [at + start, at + end],
})

/** Returns whether a claim correctly states an amount with or without tax: "Members pay ₹5,900 with GST". */
function statesAmountPaid(model: Model, { is, statement }: TaxClaim): boolean {
  const statedAmounts = findSignedAmounts(statement, model.config.currency)
  const { items, tax } = model.config.fees
  const knownAmounts = [
    ...listTableCells(model).map(({ amount }) => ({ amount, of: tax })),
    ...listItemCells(model).map(({ amount, item }) => ({ amount, of: items[item]?.tax ?? tax })),
    ...listAdjustmentAmounts(model).map(({ amount }) => ({ amount, of: tax })),
  ].flatMap(({ amount, of }) => {
    if (amount === null) return []
    const { base, total } = splitPrice(of, amount)
    return [is === 'inclusive' ? total : base]
  })
  return statedAmounts.length > 0 && statedAmounts.every((amount) => knownAmounts.includes(amount))
}

const textTaxInclusionCheck: Check = {
  slug: 'text-tax-inclusion',
  severity: 'warning',
  why: 'If the texts wrongly say that the fee includes the tax, delegates pay more than they expect, or the organiser gets less.',
  find: (model) => {
    return findClaims(model).flatMap(({ eventText, claim, taxes }): Draft[] => {
      const [firstTax] = taxes
      if (firstTax === undefined || firstTax.tax.percent === 0) return []
      const { tax, at } = firstTax
      const context = `${eventText.heading} ${claim.statement}`
      const shownValue = eventText.shownValue ?? ''
      if (claim.is === 'mentioned' || taxes.some((tax) => tax.tax.prices === claim.is)) return []
      if (
        claim.is === 'inclusive' &&
        (TOTAL_WORDS.test(context) || /^(?:total|amount|gst)$/.test(shownValue))
      )
        return []
      if (claim.is === 'exclusive' && (BASE_WORDS.test(context) || shownValue === 'base')) return []
      if (statesAmountPaid(model, claim)) return []
      const actualRule =
        tax.prices === 'inclusive' ? 'the prices include the tax' : 'the tax is added to the prices'
      return [
        {
          ...createLocation(eventText, claim),
          message: `${CLAIM_PHRASES[claim.is]} ${tax.name}; in this file ${actualRule}`,
          related: [{ at: `${at}.prices`, message: actualRule }],
          help:
            claim.is === 'none'
              ? `leave \`tax\` out of ${at === 'fees.tax' ? 'fees' : 'the item'}, or remove this from the text`
              : `correct the text, or write prices: ${claim.is}`,
        },
      ]
    })
  },
}

const textPercentCheck: Check = {
  slug: 'text-percent',
  severity: 'warning',
  why: 'The text states a different tax from the one that is charged.',
  after: ['EV441'],
  find: (model) => {
    const eventTaxes = listItemTaxes(model)
    return collectEventTexts(model).flatMap((eventText) => {
      const localTaxes = findTaxesOfText(model, eventText.path)
      const [mainTax, ...otherTaxes] = localTaxes.length > 0 ? localTaxes : listFeesTax(model)
      if (mainTax === undefined) return []
      const { tax, at } = mainTax
      return findTaxPercentages(eventText.text, tax.name).flatMap((claim): Draft[] => {
        const itemTaxes =
          localTaxes.length > 0 || isRegistrationTaxClaim(eventText, claim) ? [] : eventTaxes
        return [mainTax, ...otherTaxes, ...itemTaxes].some((candidate) =>
          isPercentOf(candidate, claim),
        ) ||
          (localTaxes.length > 0 ? NON_ITEM_WORDS : OTHER_FEE_WORDS).test(
            `${eventText.heading} ${claim.statement}`,
          )
          ? []
          : [
              {
                ...createLocation(eventText, claim),
                message: `the text says ${claim.percent}%, but the tax is ${tax.percent}%`,
                related: [{ at: `${at}.percent`, message: 'the tax' }],
                help: 'write the same percentage in both places',
              },
            ]
      })
    })
  },
}

const isPercentOf = ({ tax }: TaxAt, { percent, isHalf }: TaxClaim): boolean =>
  percent === null || percent === tax.percent || (isHalf && percent * 2 === tax.percent)

/** Returns whether a claim is about the registration fee, not about an item: "Registration fees plus 5% GST". */
function isRegistrationTaxClaim({ text }: EventText, claim: TaxClaim): boolean {
  const { left } = findStatement(text, claim)
  return /\b(?:registration|regn|delegate|conference)\b/i.test(left.split(/,|\band\b/).at(-1) ?? '')
}

const TAX_PLACEHOLDER = /\{(?:gst|tax\.name|tax\.percent)\}/g

const taxNotChargedCheck: Check = {
  slug: 'tax-not-charged',
  severity: 'warning',
  why: 'Delegates are confused by a page that mentions a tax that is not charged.',
  find: (model) => {
    const { file, config } = model
    if (config.fees.tax !== null || config.fees.prices === null) return []
    const help = 'remove this, or add under fees: tax: {name: GST, percent: 18, prices: exclusive}'
    const related = [{ at: 'fees', part: 'key' as const, message: 'no tax is set here' }]
    const createRowDraft = (at: string): Draft => ({
      at,
      message: '`gst` is not shown: the fees have no tax',
      related,
      help,
    })
    const rowDrafts = [
      ...(file.form.summary?.lines ?? []).flatMap((line, i) =>
        line === 'gst' ? [createRowDraft(`form.summary.lines.${i}`)] : [],
      ),
      ...(['success', 'failed'] as const).flatMap((page) =>
        file.results[page].details.flatMap((detail, i) => {
          const path = `results.${page}.details.${i}`
          return detail === 'gst'
            ? [createRowDraft(path)]
            : typeof detail === 'object' && detail.show === 'gst'
              ? [createRowDraft(`${path}.show`)]
              : []
        }),
      ),
      ...(file.admin?.lists ?? []).flatMap((list, l) =>
        list.columns.flatMap((column, i) =>
          column === 'gst' ? [createRowDraft(`admin.lists.${l}.columns.${i}`)] : [],
        ),
      ),
    ]
    const textDrafts = collectEventTexts(model).flatMap((eventText) => {
      const placeholderDrafts = [...eventText.text.matchAll(TAX_PLACEHOLDER)].map(
        (match): Draft => ({
          at: eventText.path,
          span: [eventText.at + match.index, eventText.at + match.index + match[0].length],
          message: `\`${match[0]}\` has no value: the fees have no tax`,
          related,
          help,
        }),
      )
      if (placeholderDrafts.length > 0) return placeholderDrafts
      // The text may refer to an item with its own tax, such as a room.
      if (listItemTaxes(model).length > 0) return []
      return findClaimsIn(eventText, 'GST', OTHER_FEE_WORDS)
        .filter((claim) => claim.is !== 'none')
        .slice(0, 1)
        .map((claim): Draft => ({
          ...createLocation(eventText, claim),
          message: `the text mentions a tax: \`${eventText.text.slice(claim.start, claim.end)}\`, but the fees have no tax`,
          related,
          help,
        }))
    })
    return [...rowDrafts, ...textDrafts]
  },
}

export const taxChecks = {
  EV415: splitMismatchCheck,
  EV416: taxInPaiseCheck,
  EV441: unusualTaxRateCheck,
  EV442: taxNotChargedCheck,
  EV605: textPercentCheck,
  EV624: textTaxInclusionCheck,
}
