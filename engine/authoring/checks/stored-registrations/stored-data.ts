/** What is stored of an event while a new version of its file is judged, and what both versions state. */
import type { EventConfig, Field } from '../../../event/config.ts'
import type { Draft, Meta } from '../../finding.ts'

/** How often fields, options and categories occur in stored registrations. */
export type InUse = {
  readonly registrations: number
  readonly pending: number
  readonly fields: Readonly<Record<string, number>>
  /** Field → answer → how many gave it. */
  readonly options: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly categories: Readonly<Record<string, number>>
  /** Item → registrations on whose bill it stands. */
  readonly items: Readonly<Record<string, number>>
  /** Place (a limit's id, or `limit.option`) → how many are taken. */
  readonly places: Readonly<Record<string, number>>
  /** Kind → registrations that used a code of it. */
  readonly codes: Readonly<Record<string, number>>
}

export type Compared = {
  readonly old: EventConfig
  readonly next: EventConfig
  readonly use: InUse
  readonly fieldPath: (id: string) => string
}
export type PastCheck = Meta & { readonly find: (compared: Compared) => readonly Draft[] }

export const many = (count: number): string => `${count} registration${count === 1 ? '' : 's'}`
export const keptFields = ({ old, next }: Compared): readonly (readonly [Field, Field])[] =>
  old.fields.flatMap((was) => {
    const is = next.fields.find(({ id }) => id === was.id)
    return is === undefined ? [] : [[was, is] as const]
  })
