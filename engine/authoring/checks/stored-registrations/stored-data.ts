/** The stored data with which a new version of an event file is compared: the ids that registrations use. */
import type { EventConfig, Field } from '../../../event/config.ts'
import type { Draft, Meta } from '../../finding.ts'

/** Numbers of stored registrations by field, option, category, item and code kind, and of seats in use. */
export type UsageCounts = {
  readonly registrations: number
  readonly pending: number
  readonly fields: Readonly<Record<string, number>>
  /** Field → answer → number of registrations with this answer. */
  readonly options: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly categories: Readonly<Record<string, number>>
  /** Item → number of registrations with this item on the bill. */
  readonly items: Readonly<Record<string, number>>
  /** Quota id, or `quota.option` → number of seats in use. */
  readonly places: Readonly<Record<string, number>>
  /** Code kind → number of registrations that used a discount code of this kind. */
  readonly codes: Readonly<Record<string, number>>
}

/**
 * The values whose use must be counted in all registrations. Only values that the new version changes are counted,
 * because counting is slow for many registrations.
 */
export type CountedValues = {
  /** Fields whose answers are counted. */
  readonly fields: readonly string[]
  /** Fields whose answers are counted by option. */
  readonly options: readonly string[]
  readonly items: boolean
}

/** Returns the fields, options and items whose use must be counted for `compareWithServedVersion`. */
export function collectChangedValues(next: EventConfig, old: EventConfig): CountedValues {
  const findInNextVersion = (oldField: Field): Field | undefined =>
    next.fields.find(({ id }) => id === oldField.id)
  const keepsAll = <T extends { readonly id: string }>(
    currentEntries: readonly T[],
    previousEntries: readonly T[],
  ) => previousEntries.every(({ id }) => currentEntries.some((candidate) => candidate.id === id))
  return {
    fields: old.fields.flatMap((previous) => {
      const current = findInNextVersion(previous)
      return current !== undefined &&
        current.type === previous.type &&
        current.roll === previous.roll
        ? []
        : [previous.id]
    }),
    options: old.fields.flatMap((previous) => {
      const current = findInNextVersion(previous)
      return current === undefined || keepsAll(current.options ?? [], previous.options ?? [])
        ? []
        : [previous.id]
    }),
    items: !keepsAll(next.fees.items, old.fees.items),
  }
}

export type VersionComparison = {
  readonly old: EventConfig
  readonly next: EventConfig
  readonly use: UsageCounts
  readonly fieldPath: (id: string) => string
}
export type VersionCheck = Meta & {
  readonly find: (comparison: VersionComparison) => readonly Draft[]
}

export const formatRegistrationCount = (count: number): string =>
  `${count} registration${count === 1 ? '' : 's'}`
/** Formats the subject and verb: "1 registration has", "5 registrations have". */
export const formatRegistrationsHave = (count: number): string =>
  `${formatRegistrationCount(count)} ${count === 1 ? 'has' : 'have'}`
export const pairKeptFields = ({
  old,
  next,
}: VersionComparison): readonly (readonly [Field, Field])[] =>
  old.fields.flatMap((previous) => {
    const current = next.fields.find(({ id }) => id === previous.id)
    return current === undefined ? [] : [[previous, current] as const]
  })
