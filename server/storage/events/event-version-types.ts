/** Defines stored event versions, and the active versions that all servers of a database serve. */
import type { Instant, Issuer, Quota, UniqueRule } from '../../../engine/index.ts'
import type { NewEventFile } from '../registrations/registration-types.ts'

/** A served version. `shared` is the JSON of the shared files with which it was compiled. */
export type ServedFile = {
  readonly hash: string
  readonly eventId: string
  readonly text: string
  readonly shared: string
  readonly at: Instant
  /** The quotas. None if omitted. */
  readonly limits?: readonly Quota[]
  readonly holdPlaceMs?: number
  /** Labels of the quotas by id. If omitted, the ids are used. */
  readonly placeNames?: Readonly<Record<string, string>>
  /** The rules for unique answers. Unchanged if omitted. */
  readonly unique?: readonly UniqueRule[]
  /** The issuer of the event's documents. Unchanged if omitted. */
  readonly issuer?: Issuer
  /** True if the event's file was removed. */
  readonly isGone?: boolean
}
/** A version in stored form, with the times when it was first and last loaded. */
export type StoredVersion = Pick<ServedFile, 'hash' | 'text' | 'shared'> & {
  readonly firstServedAt: Instant
  readonly lastServedAt: Instant
}
export type ActiveEvent = {
  readonly eventId: string
  readonly hash: string
  /** True if the event's file was removed, so that registration is closed. */
  readonly isGone: boolean
}
export type ActiveVersions = {
  /** Incremented with each change. 0 if no version was ever activated. */
  readonly number: number
  /** The texts of the landing page as JSON. Null if it has no texts. */
  readonly site: string | null
  /** The events in serving order. */
  readonly events: readonly ActiveEvent[]
}
export type Activation = Omit<ActiveVersions, 'number'> & {
  /** The activation number on which the change is based. If that number has changed, nothing is activated. */
  readonly after: number
  /** New versions, and versions whose quotas and issuers must be stored again. */
  readonly files: readonly ServedFile[]
}

export type EventVersionStore = {
  /** Stores a served version under its hash. If the hash is already stored, only `served_at` changes. */
  saveEventFile(file: ServedFile): Promise<void>
  eventFile(hash: string): Promise<NewEventFile | null>
  /** Returns the hashes of an event's most recently served versions, newest first. */
  lastVersions(eventId: string, limit: number): Promise<readonly string[]>
  lastEventFile(eventId: string): Promise<NewEventFile | null>
  /**
   * Returns the versions of an event, most recently served first. `before`: the hash of the last row of the previous
   * page.
   */
  eventVersions(
    eventId: string,
    before: string | null,
    limit: number,
  ): Promise<readonly StoredVersion[]>
  /** Returns the ids of all events that were ever served, in order. */
  eventsServed(): Promise<readonly string[]>
  /**
   * Activates versions for all servers at once. Returns the new number. Null if another server activated versions
   * first.
   */
  activate(activation: Activation): Promise<number | null>
  /** Returns the active versions. Null if `knownNumber` is still the active number. */
  activeEvents(knownNumber: number): Promise<ActiveVersions | null>
  /**
   * Processes a batch of registrations affected by a changed event file: counts them for new quotas, and indexes their
   * unique answers. Returns false if no registrations are left.
   */
  applyNewRulesToEarlierRegistrations(at: Instant): Promise<boolean>
}
