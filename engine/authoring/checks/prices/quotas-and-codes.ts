/**
 * Checks EV472, EV476 to EV478, EV1170: discount codes have an effect, and quotas and their offers are consistent.
 *
 * EV521 checks messages about member lists.
 */
import type { Condition } from '../../../event/answer-types.ts'
import { passesTest } from '../../../rules/conditions-and-operators.ts'
import { CODE_NAME } from '../../../rules/pricing-context.ts'
import type { Draft } from '../../finding.ts'
import type { Check, Checks, Model } from '../../checked-file.ts'

/** Returns whether the conditions of an adjustment refer to this kind of discount code. */
function refersToCode(when: Condition | undefined, kind: string): boolean {
  return (when ?? []).some((map) =>
    map.some(
      ({ field, test }) =>
        field === CODE_NAME && passesTest(test, kind) && !passesTest(test, undefined),
    ),
  )
}

function findCodesWithoutEffect({ config }: Model): readonly Draft[] {
  const { adjustments } = config.fees
  return config.codeKinds.flatMap(({ id, gives }, i): Draft[] => {
    if ('category' in gives) return []
    const index = adjustments.findIndex((adjustment) => adjustment.id === gives.adjustment)
    const adjustment = adjustments[index]
    if (adjustment === undefined || refersToCode(adjustment.when, id)) return []
    return [
      {
        at: `codes.kinds.${i}.gives.adjustment`,
        message: `a code of kind \`${id}\` changes nothing: \`${adjustment.id}\` has no condition on the code`,
        related: [{ at: `fees.adjustments.${index}`, message: 'this adjustment' }],
        help: `write when: {code: ${id}} in the adjustment`,
      },
    ]
  })
}

/** Reports offers of a category that itself needs a seat of the full quota. */
function findCircularOffers({ config }: Model): readonly Draft[] {
  return config.quotas.flatMap(({ id, when, full: { offer } }, index): Draft[] => {
    if (offer === undefined) return []
    const needsSameQuota =
      when === undefined ||
      when.some((map) =>
        map.every(({ field, test }) => field !== 'category' || passesTest(test, offer)),
      )
    return needsSameQuota
      ? [
          {
            at: `quotas.${index}.full.offer`,
            message: `a delegate who registers as \`${offer}\` also needs a seat of \`${id}\``,
            help: 'offer a category to which the quota does not apply, or offer none',
          },
        ]
      : []
  })
}

function findQuotasWithoutOptions({ file }: Model): readonly Draft[] {
  return (file.quotas ?? []).flatMap(({ each_option_of: by, max, id }, index): Draft[] =>
    by === undefined && typeof max === 'object'
      ? [
          {
            at: `quotas.${index}.max`,
            part: 'key',
            message: `\`${id}\` has a number of seats for each option, but does not specify a field`,
            help: 'add each_option_of: <a field>, or write one number',
          },
        ]
      : [],
  )
}

const offerWithoutEffectCheck: Check = {
  slug: 'offer-without-effect',
  severity: 'error',
  why: 'A code without effect, or an offer that delegates cannot accept, is of no use to them.',
  after: ['EV201', 'EV203', 'EV206', 'EV216', 'EV217'],
  find: (model) => [
    ...findCodesWithoutEffect(model),
    ...findCircularOffers(model),
    ...findQuotasWithoutOptions(model),
  ],
}

const alwaysFewLeftCheck: Check = {
  slug: 'always-few-left',
  severity: 'warning',
  why: 'The form would show “few left” from the first day.',
  find: ({ file }) =>
    (file.quotas ?? []).flatMap(({ id, few, max }, index): Draft[] => {
      const maxima: readonly (readonly [string | null, number])[] =
        typeof max === 'number' ? [[null, max]] : Object.entries(max)
      const smallestMaximum = maxima
        .filter(([, seats]) => few !== undefined && seats <= few)
        .toSorted(([, a], [, b]) => a - b)[0]
      if (smallestMaximum === undefined) return []
      const [option, seats] = smallestMaximum
      const optionText = option === null ? '' : ` for \`${option}\``
      return [
        {
          at: `quotas.${index}.few`,
          message:
            seats === 0
              ? `\`${id}\` has no seats${optionText}, so “few left” is never shown`
              : `\`${id}\` has ${seats} ${seats === 1 ? 'seat' : 'seats'}${optionText}, and “few left” is shown from the first day`,
          related: [
            {
              at: `quotas.${index}.max${option === null ? '' : `.${option}`}`,
              message: 'the seats',
            },
          ],
          help: seats < 2 ? 'remove `few`' : `write fewer than ${seats}`,
        },
      ]
    }),
}

/** If at least this many options have a maximum, the other options probably need one too. */
const MIN_OPTIONS_WITH_SEATS = 2

/** Words of options that need no seat: "None needed", "I do not attend". */
const NO_SEAT_WORDS = /\b(?:no|none|not|nothing|without|neither|online|virtual|don['’]?t)\b/i

const optionWithoutMaximumCheck: Check = {
  slug: 'option-without-maximum',
  severity: 'note',
  why: 'The other options have a number of seats. This option has no maximum.',
  after: ['EV202', 'EV206', 'EV216', 'EV217'],
  find: ({ file, config }) =>
    (file.quotas ?? []).flatMap(({ each_option_of: by, max }, index): Draft[] => {
      if (typeof max === 'number' || Object.keys(max).length < MIN_OPTIONS_WITH_SEATS) return []
      const { options = [], default: defaultOption } =
        config.fields.find(({ id }) => id === by) ?? {}
      const optionsWithoutMaximum = options.filter(({ id }) => !Object.hasOwn(max, id))
      const [onlyOption] = optionsWithoutMaximum
      return onlyOption === undefined ||
        optionsWithoutMaximum.length > 1 ||
        onlyOption.id === defaultOption ||
        [onlyOption.id, onlyOption.label].some((name) => NO_SEAT_WORDS.test(name))
        ? []
        : [
            {
              at: `quotas.${index}.max`,
              part: 'key',
              message: `\`${onlyOption.id}\` is the only option of \`${by}\` without a number of seats: it has no maximum`,
              help: `add ${onlyOption.id}: <seats> if it has a maximum`,
            },
          ]
    }),
}

const quotaExceedsTotalCheck: Check = {
  slug: 'quota-exceeds-total',
  severity: 'warning',
  why: 'A quota that is larger than the quota for all delegates never applies. One of the two numbers is wrong.',
  find: ({ file }) => {
    const quotas = file.quotas ?? []
    const totalIndex = quotas.findIndex(
      ({ when, max, count }) =>
        when === undefined && count === undefined && typeof max === 'number' && max > 0,
    )
    const totalQuota = quotas[totalIndex]
    if (totalQuota === undefined || typeof totalQuota.max !== 'number') return []
    const { id: totalId, max: totalMax } = totalQuota
    return quotas.flatMap(({ id, when, max, count }, index): Draft[] =>
      when === undefined || count !== undefined || typeof max !== 'number' || max <= totalMax
        ? []
        : [
            {
              at: `quotas.${index}.max`,
              message: `\`${id}\` has ${max} seats, but the quota \`${totalId}\` for all delegates has ${totalMax}`,
              related: [{ at: `quotas.${totalIndex}.max`, message: 'the quota for all delegates' }],
              help: `write ${totalMax} or fewer, or raise \`${totalId}\``,
            },
          ],
    )
  },
}

/** Reports quotas that combine `count` or `with_delegate` with keys that contradict them. */
const quotaCountCheck: Check = {
  slug: 'quota-count',
  severity: 'error',
  why: 'A quota counts the registrations that choose an option, or the people and tickets of a registration, not both.',
  after: ['EV201', 'EV206'],
  find: ({ file, config }) =>
    (file.quotas ?? []).flatMap((quota, index): Draft[] => {
      const { id, count, each_option_of: by, with_delegate: withDelegate, max } = quota
      const at = `quotas.${index}`
      if (count === undefined)
        return withDelegate === undefined
          ? []
          : [
              {
                at: `${at}.with_delegate`,
                part: 'key',
                message: `\`${id}\` counts registrations: each delegate already uses a seat`,
                help: 'remove `with_delegate`, or add count: <a number field or a list of people>',
              },
            ]
      if (by !== undefined)
        return [
          {
            at: `${at}.count`,
            part: 'key',
            message: '`count` and `each_option_of` cannot be combined',
            related: [{ at: `${at}.each_option_of`, message: 'counts the chosen options' }],
            help: 'write two quotas',
          },
        ]
      const field = config.fields.find((candidate) => candidate.id === count)
      const minSeats = (field?.min ?? 0) + (withDelegate === true ? 1 : 0)
      return typeof max === 'number' && max > 0 && minSeats > max
        ? [
            {
              at: `${at}.max`,
              message: `each registration needs at least ${minSeats} seats of \`${id}\`, which has ${max}`,
              help: `write ${minSeats} or more`,
            },
          ]
        : []
    }),
}

export const quotaAndCodeChecks = {
  EV472: offerWithoutEffectCheck,
  EV476: alwaysFewLeftCheck,
  EV477: optionWithoutMaximumCheck,
  EV478: quotaExceedsTotalCheck,
  EV1170: quotaCountCheck,
} satisfies Checks
