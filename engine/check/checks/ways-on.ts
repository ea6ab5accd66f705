/** EV472, EV476: whoever meets a full place or gives a code has a way on. What is said on no roll is EV521's. */
import type { Condition } from '../../answer.ts'
import { passes } from '../../conditions.ts'
import { CODE } from '../../facts.ts'
import type { Draft } from '../finding.ts'
import type { Check, Checks, Model } from '../model.ts'

/** The conditions under which an adjustment counts ask for this kind of code. */
function asksFor(when: Condition | undefined, kind: string): boolean {
  return (when ?? []).some((map) =>
    map.some(({ field, test }) => field === CODE && passes(test, kind) && !passes(test, undefined)),
  )
}

function codesThatGiveNothing({ config }: Model): readonly Draft[] {
  const { adjustments } = config.fees
  return config.codeKinds.flatMap(({ id, gives }, at): Draft[] => {
    if ('category' in gives) return []
    const index = adjustments.findIndex((one) => one.id === gives.adjustment)
    const adjustment = adjustments[index]
    if (adjustment === undefined || asksFor(adjustment.when, id)) return []
    return [
      {
        at: `codes.kinds.${at}.gives.adjustment`,
        message: `a code of \`${id}\` changes nothing: \`${adjustment.id}\` does not ask for it`,
        related: [{ at: `fees.adjustments.${index}`, message: 'this adjustment' }],
        help: `write when: {code: ${id}} there`,
      },
    ]
  })
}

/** Whoever takes what is offered has to be outside the limit. */
function offersThatLeadBack({ config }: Model): readonly Draft[] {
  return config.limits.flatMap(({ id, when, full: { offer } }, at): Draft[] => {
    if (offer === undefined) return []
    const isStillIn =
      when === undefined ||
      when.some((map) =>
        map.every(({ field, test }) => field !== 'category' || passes(test, offer)),
      )
    return isStillIn
      ? [
          {
            at: `limits.${at}.full.offer`,
            message: `whoever registers as \`${offer}\` still needs one of the places of \`${id}\``,
            help: 'offer a category for which the limit does not count, or offer none',
          },
        ]
      : []
  })
}

function placesWithoutOptions({ file }: Model): readonly Draft[] {
  return (file.limits ?? []).flatMap(({ each_option_of: by, max, id }, at): Draft[] =>
    by === undefined && typeof max === 'object'
      ? [
          {
            at: `limits.${at}.max`,
            part: 'key',
            message: `\`${id}\` has a number for each option, and does not say of which field`,
            help: 'add each_option_of: <a field>, or write one number',
          },
        ]
      : [],
  )
}

const noWayOn: Check = {
  slug: 'no-way-on',
  severity: 'error',
  why: 'A code that gives nothing and an offer that cannot be taken leave a delegate where they were.',
  after: ['EV201', 'EV203', 'EV206', 'EV216', 'EV217'],
  find: (model) => [
    ...codesThatGiveNothing(model),
    ...offersThatLeadBack(model),
    ...placesWithoutOptions(model),
  ],
}

const fewIsAll: Check = {
  slug: 'few-is-all',
  severity: 'warning',
  why: 'The form would say from the first day on that few places are left.',
  find: ({ file }) =>
    (file.limits ?? []).flatMap(({ id, few, max }, at): Draft[] => {
      const most = typeof max === 'number' ? max : Math.max(...Object.values(max))
      return few === undefined || few < most
        ? []
        : [
            {
              at: `limits.${at}.few`,
              message: `\`${id}\` has ${most} places, and all of them are called few`,
              related: [{ at: `limits.${at}.max`, message: 'the places' }],
              help: `write fewer than ${most}`,
            },
          ]
    }),
}

export const waysOn = {
  EV472: noWayOn,
  EV476: fewIsAll,
} satisfies Checks
