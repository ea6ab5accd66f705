/** EV415 to EV442: the tax of the file is one that there is, and what it is split into agrees everywhere. */
import { split, splitTotal } from '../../money.ts'
import type { Check } from '../model.ts'
import { AFTER_TABLE, cellsOf, plain } from './fees.ts'

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
        message: `the form shows a base of ${plain(one.form)}, the result page ${plain(one.page)}`,
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
        message: `${tax.name} of ${plain(one.gst)}: ${what}`,
        notes: odd.length > 1 ? [`and ${odd.length - 1} more`] : [],
        help: 'to round the tax, say round: rupee',
      },
    ]
  },
}

export const tax = {
  EV415: splitDisagrees,
  EV416: taxInPaise,
}
