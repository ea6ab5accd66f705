/** Checks EV481 to EV484: cancellation refunds follow one scale, ordered by day, that never rises. */
import { day, formatDay } from '../../../lib/time.ts'
import { percentOfRefund } from '../../compile/cancellation.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Model } from '../../checked-file.ts'

type Step = {
  readonly until?: string
  readonly refund?: string
  readonly otherwise?: string
}
const stepsOf = ({ file }: Model): readonly Step[] => file.cancellation?.steps ?? []
const at = (index: number, key: string): string => `cancellation.steps.${index}.${key}`

const stepIncomplete: Check = {
  slug: 'cancellation-step-incomplete',
  severity: 'error',
  why: 'A step without its day or its share says nothing about a cancellation; two of them may say it twice.',
  find: (model) =>
    stepsOf(model).flatMap(({ until, refund, otherwise }, index): Draft[] => {
      const isWhole = otherwise === undefined ? until !== undefined && refund !== undefined : true
      const isMixed = otherwise !== undefined && (until !== undefined || refund !== undefined)
      return isWhole && !isMixed
        ? []
        : [
            {
              at: `cancellation.steps.${index}`,
              message: isMixed
                ? '`otherwise` stands beside a day or a share'
                : `this step has no ${until === undefined ? 'day' : 'share'}`,
              help: 'write {until: 2026-12-31, refund: 75%}, and {otherwise: none} as the last step',
            },
          ]
    }),
}

const scaleHasGap: Check = {
  slug: 'cancellation-gap',
  severity: 'error',
  why: 'Without a last step for all other days nobody knows what goes back then, and steps after it count on no day.',
  after: ['EV481'],
  find: (model) => {
    const steps = stepsOf(model)
    if (steps.length === 0) return []
    const last = steps.findIndex(({ otherwise }) => otherwise !== undefined)
    if (last === steps.length - 1) return []
    return last === -1
      ? [
          {
            at: at(steps.length - 1, 'until'),
            message: 'after this day nobody knows what goes back',
            help: 'add {otherwise: none}, or another share, as the last step',
          },
        ]
      : [
          {
            at: at(last, 'otherwise'),
            message: 'the steps after this one count on no day',
            help: 'make it the last step',
          },
        ]
  },
}

/** Steps with the day and the percentage before them. */
const pairs = (
  model: Model,
): readonly { readonly index: number; readonly a: Step; readonly b: Step }[] =>
  stepsOf(model).flatMap((b, index, steps) => {
    const a = steps[index - 1]
    return a === undefined ? [] : [{ index, a, b }]
  })

const stepsOutOfOrder: Check = {
  slug: 'cancellation-order',
  severity: 'error',
  why: 'The first step whose day is not over counts, so that one below a later day would never count.',
  after: ['EV481', 'EV482'],
  find: (model) =>
    pairs(model).flatMap(({ index, a, b }): Draft[] =>
      a.until === undefined || b.until === undefined || a.until < b.until
        ? []
        : [
            {
              at: at(index, 'until'),
              message: `this step counts on no day: the one above it counts until ${formatDay(day(a.until))}`,
              related: [{ at: at(index - 1, 'until'), message: 'until here' }],
              help: 'write the earlier day first',
            },
          ],
    ),
}

const refundRises: Check = {
  slug: 'cancellation-rises',
  severity: 'error',
  why: 'Whoever cancels later gets no more back: otherwise it pays to wait, and two figures are exchanged.',
  after: ['EV481', 'EV482', 'EV483'],
  find: (model) =>
    pairs(model).flatMap(({ index, a, b }): Draft[] => {
      const key = b.otherwise === undefined ? 'refund' : 'otherwise'
      return percentOfRefund(b[key]) <= percentOfRefund(a.refund)
        ? []
        : [
            {
              at: at(index, key),
              message: `more goes back here (${b[key]}) than for an earlier cancellation (${a.refund})`,
              related: [{ at: at(index - 1, 'refund'), message: 'earlier' }],
              help: 'let the shares fall from step to step',
            },
          ]
    }),
}

export const cancellation = {
  EV481: stepIncomplete,
  EV482: scaleHasGap,
  EV483: stepsOutOfOrder,
  EV484: refundRises,
}
