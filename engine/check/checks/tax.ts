/** The tax: a rate that there is, split alike everywhere, and what texts say of it. */
import { formatMoney, readAmount, split, splitTotal } from '../../money.ts'
import type { Draft } from '../finding.ts'
import type { Check, Model } from '../model.ts'
import { readables, type Readable } from '../said/readable.ts'
import { taxClaims, taxPercents, type TaxClaim } from '../said/tax.ts'
import { isNone, likelyPercent } from '../meant/tax.ts'
import { AFTER_TABLE, cellsOf } from './fees.ts'

const splitDisagrees: Check = {
  slug: 'split-disagrees',
  severity: 'warning',
  why: 'The form and the result page would name two different bases for one payment.',
  after: AFTER_TABLE,
  find: (model) => {
    const { fees, results } = model.config
    if (results.amounts !== 'split-total') return []
    const differing = cellsOf(model).flatMap(({ at, amount }) => {
      if (amount === null) return []
      const form = split(fees.tax, amount)
      const page = splitTotal(fees.tax, form.total)
      return form.base === page.base ? [] : [{ at, form: form.base, page: page.base }]
    })
    const [one] = differing
    if (one === undefined) return []
    return [
      {
        at: one.at,
        message: `the form shows a base of ${formatMoney(one.form)}, the result page ${formatMoney(one.page)}`,
        related: [{ at: 'results.amounts', message: 'worked back here' }],
        notes: differing.length > 1 ? [`and ${differing.length - 1} more`] : [],
        help: 'leave results.amounts out, or choose prices whose tax is whole rupees',
      },
    ]
  },
}

const taxInPaise: Check = {
  slug: 'tax-in-paise',
  severity: 'note',
  why: 'Totals with paise are right, but nobody prints them on a poster.',
  after: AFTER_TABLE,
  find: (model) => {
    const { tax } = model.config.fees
    if (tax === null || tax.round === 'rupee') return []
    const odd = cellsOf(model).flatMap(({ at, amount }) =>
      amount !== null && split(tax, amount).gst % 100 !== 0
        ? [{ at, gst: split(tax, amount).gst }]
        : [],
    )
    const [one] = odd
    if (one === undefined) return []
    const what =
      tax.prices === 'exclusive' ? 'the total is not whole rupees' : 'the base is not whole rupees'
    return [
      {
        at: one.at,
        message: `${tax.name} of ${formatMoney(one.gst)}: ${what}`,
        notes: odd.length > 1 ? [`and ${odd.length - 1} more`] : [],
        help: 'to round the tax, say round: rupee',
      },
    ]
  },
}

/** Rates at which India taxes what a conference sells. */
const GST_RATES: readonly number[] = [0, 5, 12, 18, 28, 40]
/** A tax of another name below or above is a slip of the point or of a digit. */
const PERCENT_MIN = 1
const PERCENT_MAX = 45

const taxPercentOdd: Check = {
  slug: 'tax-percent-odd',
  severity: 'warning',
  why: 'A point or a digit in the wrong place, and every total is wrong.',
  find: ({ config }) => {
    const { tax } = config.fees
    if (tax === null) return []
    if (isNone(tax.name))
      return [
        {
          at: 'fees.tax.name',
          message: `the tax is called \`${tax.name}\`, and pages would name it so`,
          help: 'an event without tax has no `tax`: take it out',
        },
      ]
    const said = /(\d+(?:\.\d+)?)\s*%/.exec(tax.name)
    if (said !== null)
      return [
        {
          at: 'fees.tax.name',
          message:
            Number(said[1]) === tax.percent
              ? `the name of the tax says ${said[0]}, and pages add it once more`
              : `the name of the tax says ${said[0]}, the tax is ${tax.percent}%`,
          related: [{ at: 'fees.tax.percent', message: 'the percent' }],
          help: 'write the name alone, such as GST: pages add the percent',
        },
      ]
    if (tax.percent === 0) return []
    const isGst = /^[ics]?gst\b/i.test(tax.name)
    const isOdd = isGst
      ? !GST_RATES.includes(tax.percent)
      : tax.percent < PERCENT_MIN || tax.percent > PERCENT_MAX
    const likely = likelyPercent(tax.percent)
    return isOdd
      ? [
          {
            at: 'fees.tax.percent',
            message: `${tax.name} of ${tax.percent} percent${isGst ? ': there is no such rate' : ' is unusual'}`,
            notes: isGst ? [`rates: ${GST_RATES.slice(1).join(', ')}`] : [],
            help:
              likely === null || !isGst
                ? isGst && Number.isInteger(tax.percent)
                  ? 'write the rate that holds, such as 18'
                  : 'write the percent as a whole number, such as 18'
                : `for ${likely}% write ${likely}`,
          },
        ]
      : []
  },
}

/** Fees of others than the delegate's registration: they have a tax of their own. */
const ELSEWHERE =
  /\b(?:hotels?|rooms?|accommodation|stay|lodging|tours?|banquet|stalls?|exhibit\w*|sponsor\w*|workshops?|advertis\w*|bank|gateway|convenience|transaction|travel|food|meals?|taxi|80g|donat\w*|tds|refund\w*|cancel\w*|gstin)\b/i
/** What has been paid contains its tax, however the prices are written. */
const TOTAL =
  /\{(?:total|amount|gst)\}|\b(?:total|amount paid|amount payable|net payable|you (?:have )?paid?|sum paid)\b/i
const BASE = /\{base\}|\bbase\b/i

const SAYS = {
  inclusive: 'the text says that fees include',
  exclusive: 'the text says that fees do not include',
  none: 'the text says that there is no',
} as const

const claimsOf = (
  model: Model,
  name: string,
): readonly { readonly readable: Readable; readonly claim: TaxClaim }[] =>
  readables(model).flatMap((readable) => claimsIn(readable, name))
const claimsIn = (
  readable: Readable,
  name: string,
): readonly { readonly readable: Readable; readonly claim: TaxClaim }[] =>
  taxClaims(readable.text, name)
    .filter(({ statement }) => !ELSEWHERE.test(`${readable.heading} ${statement}`))
    .map((claim) => ({ readable, claim }))

const spanOf = ({ path, at }: Readable, { start, end }: TaxClaim): Pick<Draft, 'at' | 'span'> => ({
  at: path,
  span: [at + start, at + end],
})

/** "Members pay ₹5,900 with GST": what one pays in the end, or what is left of it without the tax, is told rightly. */
function saysAmountPaid(model: Model, { is, statement }: TaxClaim): boolean {
  const said = [...statement.matchAll(/(?:₹|\brs\.?|\binr)\s*(\d[\d,]*(?:\.\d\d?)?)/gi)].flatMap(
    (match) => readAmount((match[1] ?? '').replaceAll(',', '')) ?? [],
  )
  const known = cellsOf(model).flatMap(({ amount }) => {
    if (amount === null) return []
    const { base, total } = split(model.config.fees.tax, amount)
    return [is === 'inclusive' ? total : base]
  })
  return said.length > 0 && said.every((amount) => known.includes(amount))
}

const textTaxSide: Check = {
  slug: 'text-tax-side',
  severity: 'warning',
  why: 'A delegate who was told that the fee includes the tax pays more than was promised, or the organiser gets less.',
  find: (model) => {
    const { tax } = model.config.fees
    if (tax === null || tax.percent === 0) return []
    return claimsOf(model, tax.name).flatMap(({ readable, claim }): Draft[] => {
      const around = `${readable.heading} ${claim.statement}`
      const shows = readable.shows ?? ''
      if (claim.is === 'mentioned' || claim.is === tax.prices) return []
      if (claim.is === 'inclusive' && (TOTAL.test(around) || /^(?:total|amount|gst)$/.test(shows)))
        return []
      if (claim.is === 'exclusive' && (BASE.test(around) || shows === 'base')) return []
      if (saysAmountPaid(model, claim)) return []
      const now = tax.prices === 'inclusive' ? 'the prices include it' : 'it is added to the prices'
      return [
        {
          ...spanOf(readable, claim),
          message: `${SAYS[claim.is]} ${tax.name}; in this file ${now}`,
          related: [{ at: 'fees.tax.prices', message: now }],
          help:
            claim.is === 'none'
              ? 'leave `tax` out of fees, or take this out of the text'
              : `mend the text, or write prices: ${claim.is}`,
        },
      ]
    })
  },
}

const textPercent: Check = {
  slug: 'text-percent',
  severity: 'warning',
  why: 'The text would promise another tax than is charged.',
  after: ['EV441'],
  find: (model) => {
    const { tax } = model.config.fees
    if (tax === null) return []
    return readables(model).flatMap((readable) =>
      taxPercents(readable.text, tax.name).flatMap((claim): Draft[] =>
        claim.percent === null ||
        claim.percent === tax.percent ||
        (claim.isHalf && claim.percent * 2 === tax.percent) ||
        ELSEWHERE.test(`${readable.heading} ${claim.statement}`)
          ? []
          : [
              {
                ...spanOf(readable, claim),
                message: `the text says ${claim.percent}%, the tax is ${tax.percent}%`,
                related: [{ at: 'fees.tax.percent', message: 'the tax' }],
                help: 'write the same percent in both places',
              },
            ],
      ),
    )
  },
}

const TAX_PLACEHOLDER = /\{(?:gst|tax\.name|tax\.percent)\}/g

const taxNotCharged: Check = {
  slug: 'tax-not-charged',
  severity: 'warning',
  why: 'A page that speaks of a tax nobody charges makes delegates ask for it.',
  find: (model) => {
    const { file, config } = model
    if (config.fees.tax !== null || config.fees.prices === null) return []
    const help = 'take it out, or say under fees: tax: {name: GST, percent: 18, prices: exclusive}'
    const related = [{ at: 'fees', part: 'key' as const, message: 'no tax here' }]
    const row = (at: string): Draft => ({
      at,
      message: '`gst` is left out: the fees have no tax',
      related,
      help,
    })
    const rows = [
      ...(file.form.summary?.lines ?? []).flatMap((line, i) =>
        line === 'gst' ? [row(`form.summary.lines.${i}`)] : [],
      ),
      ...(['success', 'failed'] as const).flatMap((page) =>
        file.results[page].details.flatMap((detail, i) => {
          const path = `results.${page}.details.${i}`
          return detail === 'gst'
            ? [row(path)]
            : typeof detail === 'object' && detail.show === 'gst'
              ? [row(`${path}.show`)]
              : []
        }),
      ),
      ...(file.admin?.lists ?? []).flatMap((list, l) =>
        list.columns.flatMap((column, i) =>
          column === 'gst' ? [row(`admin.lists.${l}.columns.${i}`)] : [],
        ),
      ),
    ]
    const texts = readables(model).flatMap((readable) => {
      const named = [...readable.text.matchAll(TAX_PLACEHOLDER)].map((match): Draft => ({
        at: readable.path,
        span: [readable.at + match.index, readable.at + match.index + match[0].length],
        message: `\`${match[0]}\` has no value: the fees have no tax`,
        related,
        help,
      }))
      if (named.length > 0) return named
      return claimsIn(readable, 'GST')
        .filter(({ claim }) => claim.is !== 'none')
        .slice(0, 1)
        .map(({ claim }): Draft => ({
          ...spanOf(readable, claim),
          message: `the text speaks of a tax: \`${readable.text.slice(claim.start, claim.end)}\`; the fees have none`,
          related,
          help,
        }))
    })
    return [...rows, ...texts]
  },
}

export const tax = {
  EV415: splitDisagrees,
  EV416: taxInPaise,
  EV441: taxPercentOdd,
  EV442: taxNotCharged,
  EV605: textPercent,
  EV624: textTaxSide,
}
