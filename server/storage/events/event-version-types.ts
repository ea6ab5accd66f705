/** Defines stored event versions, and which of them the servers of a database serve. */
import type { Instant, Issuer, Quota, UniqueRule } from '../../../engine/index.ts'
import type { NewEventFile } from '../registrations/registration-types.ts'

/** A served version. `shared` is the JSON of the shared files it was compiled with. */
export type ServedFile = {
  readonly hash: string
  readonly eventId: string
  readonly text: string
  readonly shared: string
  readonly at: Instant
  /** Quotas, and how long a seat is held during payment. None if omitted. */
  readonly limits?: readonly Quota[]
  readonly holdPlaceMs?: number
  /** Names of the quotas by id. If omitted, the ids are used. */
  readonly placeNames?: Readonly<Record<string, string>>
  /** Answers that must be unique. Unchanged if omitted. */
  readonly unique?: readonly UniqueRule[]
  /** The issuer of the event's documents. Unchanged if omitted. */
  readonly issuer?: Issuer
  /** Its file was removed. */
  readonly isGone?: boolean
}
/** A version as it was stored, with the first and the last time it was loaded. */
export type StoredVersion = Pick<ServedFile, 'hash' | 'text' | 'shared'> & {
  readonly firstAt: Instant
  readonly lastAt: Instant
}
export type ActiveEvent = {
  readonly eventId: string
  readonly hash: string
  /** Its file was removed: registration is closed. */
  readonly isGone: boolean
}
export type Active = {
  /** Incremented with each change; 0 if nothing was ever activated. */
  readonly number: number
  /** The texts of the landing page as JSON. Null if there are none. */
  readonly site: string | null
  /** In the order in which they are served. */
  readonly events: readonly ActiveEvent[]
}
export type Activation = Omit<Active, 'number'> & {
  /** The number that the change is based on: if it has changed since, nothing is activated. */
  readonly after: number
  /** Versions that are new, or whose quotas and issuers must be set again. */
  readonly files: readonly ServedFile[]
}

export type EventVersionStore = {
  /** Stores a served version by hash (a known hash only updates served_at). `shared`: JSON of its shared files. */
  saveEventFile(file: ServedFile): Promise<void>
  eventFile(hash: string): Promise<NewEventFile | null>
  /** Returns the hashes of an event's last served versions, newest first. */
  lastVersions(eventId: string, limit: number): Promise<readonly string[]>
  lastEventFile(eventId: string): Promise<NewEventFile | null>
  /**
   * Returns the versions of an event, most recently loaded first; `before`: the hash of the last row of the previous
   * page.
   */
  eventVersions(
    eventId: string,
    before: string | null,
    limit: number,
  ): Promise<readonly StoredVersion[]>
  /** Returns the ids of all events that were ever served, in order. */
  eventsServed(): Promise<readonly string[]>
  /** Activates versions for all servers at once. Returns the new number. Null if another server was first. */
  activate(activation: Activation): Promise<number | null>
  /** Returns the active versions. Null if `known` is still the active number. */
  activeEvents(known: number): Promise<Active | null>
  /**
   * Processes a batch of registrations that a changed event file affects: counts them for new quotas, and indexes their
   * unique answers. Returns false if nothing is left to do.
   */
  processEarlierRegistrations(at: Instant): Promise<boolean>
}
