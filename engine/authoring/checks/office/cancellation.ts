/** Checks EV481 to EV484: cancellation refunds follow one scale, which is in date order and never rises. */
import { getCurrency } from '../../../rules/category.ts'
import { computeRefundOfPrice } from '../../../registration/cancellation-refund.ts'
import { day, formatDay } from '../../../lib/time.ts'
import { formatMoney, toAmount } from '../../../lib/money.ts'
import { splitPrice } from '../../../pricing/line-tax-and-rounding.ts'
import { toRefundTerms } from '../../compile/cancellation.ts'
import { asMap } from '../../compile/read-checked-values.ts'
import type { CancellationStep as Step } from '../../schema/office-section-types.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Model } from '../../checked-file.ts'
import { TABLE_ERRORS, listTableCells } from '../prices/fees.ts'

const listSteps = ({ file }: Model): readonly Step[] => file.cancellation?.steps ?? []
const getStepPath = (index: number, key: string): string => `cancellation.steps.${index}.${key}`

const cancellationStepIncompleteCheck: Check = {
  slug: 'cancellation-step-incomplete',
  severity: 'error',
  why: 'Each step of the refund scale needs one date and one percentage.',
  find: (model) =>
    listSteps(model).flatMap(({ until, refund, otherwise }, index): Draft[] => {
      const isComplete =
        otherwise === undefined ? until !== undefined && refund !== undefined : true
      const isMixed = otherwise !== undefined && (until !== undefined || refund !== undefined)
      return isComplete && !isMixed
        ? []
        : [
            {
              at: `cancellation.steps.${index}`,
              message: isMixed
                ? '`otherwise` cannot be combined with a date or a percentage'
                : `this step has no ${until === undefined ? 'date' : 'percentage'}`,
              help: 'write {until: 2026-12-31, refund: 75%}, and {otherwise: none} as the last step',
            },
          ]
    }),
}

const cancellationGapCheck: Check = {
  slug: 'cancellation-gap',
  severity: 'error',
  why: 'The last step must be `otherwise`. Without `otherwise`, later dates have no refund rule; steps after `otherwise` never apply.',
  after: ['EV481'],
  find: (model) => {
    const steps = listSteps(model)
    if (steps.length === 0) return []
    const otherwiseIndex = steps.findIndex(({ otherwise }) => otherwise !== undefined)
    if (otherwiseIndex === steps.length - 1) return []
    return otherwiseIndex === -1
      ? [
          {
            at: getStepPath(steps.length - 1, 'until'),
            message: 'no refund is defined after this date',
            help: 'add {otherwise: none}, or another percentage, as the last step',
          },
        ]
      : [
          {
            at: getStepPath(otherwiseIndex, 'otherwise'),
            message: 'the steps after this one never apply',
            help: 'make it the last step',
          },
        ]
  },
}

/** Returns each step after the first, with the step before it. */
const listStepPairs = (
  model: Model,
): readonly { readonly index: number; readonly previous: Step; readonly step: Step }[] =>
  listSteps(model).flatMap((step, index, steps) => {
    const previous = steps[index - 1]
    return previous === undefined ? [] : [{ index, previous, step }]
  })

const cancellationOrderCheck: Check = {
  slug: 'cancellation-order',
  severity: 'error',
  why: 'The first step whose date has not passed applies, so a step below a step with a later date never applies.',
  after: ['EV481', 'EV482'],
  find: (model) =>
    listStepPairs(model).flatMap(({ index, previous, step }): Draft[] =>
      previous.until === undefined || step.until === undefined || previous.until < step.until
        ? []
        : [
            {
              at: getStepPath(index, 'until'),
              message: `this step never applies: the step above it applies until ${formatDay(day(previous.until))}`,
              related: [{ at: getStepPath(index - 1, 'until'), message: 'the step above' }],
              help: 'write the earlier date first',
            },
          ],
    ),
}

const buildTerms = ({ file, config }: Model, step: Step) =>
  toRefundTerms(asMap(file.cancellation), asMap(step), config.currency)

/** Returns each distinct price in the price tables, with its tax and currency. */
export function listPaidPrices(model: Model) {
  const bills = listTableCells(model).flatMap(({ category, amount }) =>
    amount === null || amount === 0
      ? []
      : [
          {
            ...splitPrice(model.config.fees.tax, amount),
            currency: getCurrency(model.config, category),
          },
        ],
  )
  return bills.filter(
    ({ total, currency }, index) =>
      bills.findIndex((bill) => bill.total === total && bill.currency === currency) === index,
  )
}

const refundIncreasesCheck: Check = {
  slug: 'refund-increases',
  severity: 'error',
  why: 'A later cancellation must not refund more than an earlier one. Two numbers are probably swapped.',
  after: ['EV481', 'EV482', 'EV483', 'EV1160', ...TABLE_ERRORS],
  find: (model) =>
    listStepPairs(model).flatMap(({ index, previous, step }): Draft[] => {
      const [earlierTerms, laterTerms] = [buildTerms(model, previous), buildTerms(model, step)]
      const key = step.otherwise === undefined ? 'refund' : 'otherwise'
      const related = [
        { at: getStepPath(index - 1, 'refund'), message: 'the earlier cancellation' },
      ]
      if (laterTerms.percent > earlierTerms.percent)
        return [
          {
            at: getStepPath(index, key),
            message: `this refund (${step[key]}) is higher than for an earlier cancellation (${previous.refund})`,
            related,
            help: 'write a lower percentage in each later step',
          },
        ]
      const higherRefund = listPaidPrices(model)
        .map((bill) => ({
          bill,
          earlierRefund: computeRefundOfPrice(earlierTerms, bill) ?? toAmount(0),
          laterRefund: computeRefundOfPrice(laterTerms, bill) ?? toAmount(0),
        }))
        .find(({ earlierRefund, laterRefund }) => laterRefund > earlierRefund)
      if (higherRefund === undefined) return []
      const formatAmount = (amount: typeof higherRefund.laterRefund): string =>
        formatMoney(amount, higherRefund.bill.currency)
      return [
        {
          at: getStepPath(index, key),
          message: `of ${formatAmount(higherRefund.bill.total)}, this step refunds ${formatAmount(higherRefund.laterRefund)}: more than for an earlier cancellation (${formatAmount(higherRefund.earlierRefund)})`,
          related,
          help: 'state the same `charge` and `without_tax` for both steps, or lower the percentage',
        },
      ]
    }),
}

export const cancellationChecks = {
  EV481: cancellationStepIncompleteCheck,
  EV482: cancellationGapCheck,
  EV483: cancellationOrderCheck,
  EV484: refundIncreasesCheck,
}
