/** Checks whether a new version would damage past sales: items, quotas, discount codes, member lists. */
import type { EventConfig } from '../../../event/config.ts'
import { getOwn } from '../../../lib/result.ts'
import type { Quota } from '../../../event/pricing-types.ts'
import type { Draft } from '../../finding.ts'
import {
  pairKeptFields,
  formatRegistrationCount,
  type UsageCounts,
  type VersionCheck,
} from './stored-data.ts'

type SeatCount = { readonly option: string | null; readonly count: number }
/** Counts the seats in use for a quota, or for each of its options. */
const countSeatsInUse = (use: UsageCounts, { id }: Quota): readonly SeatCount[] =>
  Object.entries(use.places).flatMap(([seatName, count]): readonly SeatCount[] => {
    if (count === 0) return []
    if (seatName === id) return [{ option: null, count }]
    return seatName.startsWith(`${id}.`) ? [{ option: seatName.slice(id.length + 1), count }] : []
  })

/** The checks by code, in reporting order. */
export const soldItemChecks: Readonly<Record<string, VersionCheck>> = {
  EV1009: {
    slug: 'item-in-use',
    severity: 'error',
    why: 'Lists, exports and sales reports have a column for each item. The sales of a removed item no longer appear there.',
    find: ({ old, next, use }) =>
      old.fees.items.flatMap(({ id }): Draft[] => {
        const registrationCount = getOwn(use.items, id) ?? 0
        return registrationCount === 0 || next.fees.items.some((item) => item.id === id)
          ? []
          : [
              {
                at: next.fees.items.length === 0 ? 'fees' : 'fees.items',
                part: 'key',
                message: `the item \`${id}\` was removed, but ${formatRegistrationCount(registrationCount)} bought it`,
                help: 'keep the item, and write `none` in the periods in which it is no longer on sale',
              },
            ]
      }),
  },
  EV1010: {
    slug: 'quota-in-use',
    severity: 'error',
    why: 'A quota counts the seats in use. Without the quota, more seats can be sold than exist.',
    find: ({ old, next, use }) =>
      old.quotas.flatMap((previous): Draft[] => {
        const seatsInUse = countSeatsInUse(use, previous).reduce(
          (sum, entry) => sum + entry.count,
          0,
        )
        return seatsInUse === 0 || next.quotas.some(({ id }) => id === previous.id)
          ? []
          : [
              {
                at: next.quotas.length === 0 ? 'fees' : 'quotas',
                part: 'key',
                message: `the quota \`${previous.id}\` was removed, but ${seatsInUse} of its seats are in use`,
                help: 'keep the quota with a higher max, or accept the finding under `allow`: its seats are then no longer counted',
              },
            ]
      }),
  },
  EV1011: {
    slug: 'oversold',
    severity: 'error',
    why: 'A lower quota does not free seats that are already sold.',
    find: ({ old, next, use }) =>
      next.quotas.flatMap((current, index) => {
        const previous = old.quotas.find(({ id }) => id === current.id)
        return countSeatsInUse(use, current).flatMap(({ option, count }): Draft[] => {
          const maximum = getQuotaMaximum(current, option)
          // Another check reports options that were removed from their field.
          if (
            (maximum ?? 0) >= count ||
            !isLowered(previous, maximum, option) ||
            isRemovedOption(next, current, option)
          )
            return []
          const itemText =
            option === null ? `\`${current.id}\`` : `\`${option}\` of \`${current.id}\``
          return [
            {
              at:
                option === null || maximum === null
                  ? `quotas.${index}.max`
                  : `quotas.${index}.max.${option}`,
              message:
                maximum === null
                  ? `${itemText} no longer has a separate maximum, but ${count} of its seats are in use`
                  : `${itemText} has ${maximum} seat${maximum === 1 ? '' : 's'}, but ${count} are in use`,
            },
          ]
        })
      }),
  },
  EV1012: {
    slug: 'code-kind-in-use',
    severity: 'error',
    why: 'Codes of a removed kind have no effect, and staff can no longer see which discount each code gave.',
    find: ({ old, next, use }) =>
      old.codeKinds.flatMap(({ id }): Draft[] => {
        const usageCount = getOwn(use.codes, id) ?? 0
        return usageCount === 0 || next.codeKinds.some((kind) => kind.id === id)
          ? []
          : [
              {
                at: next.codeKinds.length === 0 ? 'category' : 'codes.kinds',
                part: 'key',
                message: `the code kind \`${id}\` was removed, but ${formatRegistrationCount(usageCount)} used such a code`,
                help: 'keep the kind, and withdraw its codes',
              },
            ]
      }),
  },
  EV1013: {
    slug: 'member-list-in-use',
    severity: 'error',
    why: 'The member list determined the category of registrations. Without it, staff can no longer check the category.',
    find: (comparison) =>
      pairKeptFields(comparison).flatMap(([previous, current]): Draft[] => {
        const answerCount = getOwn(comparison.use.fields, previous.id) ?? 0
        return previous.roll === undefined || current.roll === previous.roll || answerCount === 0
          ? []
          : [
              {
                at: comparison.fieldPath(current.id),
                part: 'entry',
                message: `\`${current.id}\` is no longer looked up in the member list \`${previous.roll}\`, which ${formatRegistrationCount(answerCount)} used`,
                help: 'keep the member list, or give the new field a different id',
              },
            ]
      }),
  },
}

/**
 * Returns true if the new version adds, lowers or removes the maximum. Staff may exceed a quota, and a version that keeps
 * or raises the exceeded maximum takes no seat away.
 */
function isLowered(
  previous: Quota | undefined,
  maximum: number | null,
  option: string | null,
): boolean {
  const previousMaximum = previous === undefined ? null : getQuotaMaximum(previous, option)
  if (previousMaximum === null) return maximum !== null
  return maximum === null || maximum < previousMaximum
}

/** Returns the maximum of a quota or of one of its options, or null if there is none. */
function getQuotaMaximum({ max }: Quota, option: string | null): number | null {
  if (option === null) return typeof max === 'number' ? max : null
  return typeof max === 'number' ? null : (getOwn(max, option) ?? null)
}

function isRemovedOption(
  event: EventConfig,
  { eachOptionOf }: Quota,
  option: string | null,
): boolean {
  const field = event.fields.find(({ id }) => id === eachOptionOf)
  return (
    option !== null && field !== undefined && !(field.options ?? []).some(({ id }) => id === option)
  )
}
