/** The stored data with which a new version of an event file is compared. */
import type { EventConfig, Field } from '../../../event/config.ts'
import type { Draft, Meta } from '../../finding.ts'

/** Numbers of stored registrations by field, option, category, item and code kind, and of seats in use. */
export type UsageCounts = {
  readonly registrations: number
  readonly pending: number
  readonly fields: Readonly<Record<string, number>>
  /** Field → answer → number of registrations with it. */
  readonly options: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly categories: Readonly<Record<string, number>>
  /** Item → number of registrations with it on the bill. */
  readonly items: Readonly<Record<string, number>>
  /** Seat type (a quota's id, or `limit.option`) → seats taken. */
  readonly places: Readonly<Record<string, number>>
  /** Kind → number of registrations that used such a discount code. */
  readonly codes: Readonly<Record<string, number>>
}

/**
 * The values whose use must be counted in all registrations. Only values that the new version changes are counted,
 * because counting takes longer with each registration.
 */
export type CountedValues = {
  /** Fields whose answers are counted. */
  readonly fields: readonly string[]
  /** Fields whose answers are counted by option. */
  readonly options: readonly string[]
  readonly items: boolean
}

/** Returns the fields, options and items that `compareWithServedVersion` counts. */
export function collectChangedValues(next: EventConfig, old: EventConfig): CountedValues {
  const findInNextVersion = (oldField: Field): Field | undefined =>
    next.fields.find(({ id }) => id === oldField.id)
  const hasAll = <T extends { readonly id: string }>(now: readonly T[], before: readonly T[]) =>
    before.every(({ id }) => now.some((candidate) => candidate.id === id))
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
      return current === undefined || hasAll(current.options ?? [], previous.options ?? [])
        ? []
        : [previous.id]
    }),
    items: !hasAll(next.fees.items, old.fees.items),
  }
}

export type VersionComparison = {
  readonly old: EventConfig
  readonly next: EventConfig
  readonly use: UsageCounts
  readonly fieldPath: (id: string) => string
}
export type VersionCheck = Meta & {
  readonly find: (compared: VersionComparison) => readonly Draft[]
}

export const formatRegistrationCount = (count: number): string =>
  `${count} registration${count === 1 ? '' : 's'}`
export const pairKeptFields = ({
  old,
  next,
}: VersionComparison): readonly (readonly [Field, Field])[] =>
  old.fields.flatMap((previous) => {
    const current = next.fields.find(({ id }) => id === previous.id)
    return current === undefined ? [] : [[previous, current] as const]
  })
