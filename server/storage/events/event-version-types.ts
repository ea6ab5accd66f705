/** Versions of events as they are kept, and which of them all servers of a database serve. */
import type { Instant, Issuer, Limit } from '../../../engine/index.ts'

/** A version that is served. `shared` is the JSON of the shared files it was compiled with. */
export type ServedFile = {
  readonly hash: string
  readonly eventId: string
  readonly text: string
  readonly shared: string
  readonly at: Instant
  /** What there is only so much of, and how long a place is held while somebody pays; left out: nothing. */
  readonly limits?: readonly Limit[]
  readonly holdPlaceMs?: number
  /** What people call those places, by their ids; left out: by the ids. */
  readonly placeNames?: Readonly<Record<string, string>>
  /** Who issues documents of the event; left out: as before. */
  readonly issuer?: Issuer
  /** Its file was removed. */
  readonly isGone?: boolean
}
export type ActiveEvent = {
  readonly eventId: string
  readonly hash: string
  /** Its file has gone: nobody registers any more. */
  readonly isGone: boolean
}
export type Active = {
  /** Counted on with each change; 0: nothing was ever activated. */
  readonly number: number
  /** The words of the landing page as JSON; null: there are none. */
  readonly site: string | null
  /** In the order in which they are served. */
  readonly events: readonly ActiveEvent[]
}
export type Activation = Omit<Active, 'number'> & {
  /** What the change was made from: where that has changed since, nothing is. */
  readonly after: number
  /** The versions that are new, or whose limits and issuers are to be set again. */
  readonly files: readonly ServedFile[]
}
