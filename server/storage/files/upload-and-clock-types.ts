/** Defines the store's data about uploads, and about the clock that determines their retention. */
import type { Instant } from '../../../engine/index.ts'
import type { NewRecovery } from '../recovery/recovery-types.ts'
import type { DraftProof } from '../registrations/registration-types.ts'

/** The data that a server wrote after losing its database. */
export type RescuedRows = {
  readonly file: string
  /** The number of rows by table. */
  readonly rows: Readonly<Record<string, number>>
  /** True if nothing is missing. */
  readonly isWhole: boolean
}

export type RescuePlan = {
  readonly dataDir: string
  /** Fallback folders if the data folder is not writable. */
  readonly spareDirs: readonly string[]
  /** The recovery to start in the rescued database if rows may be missing. */
  readonly recovery: NewRecovery
}

/** The latest trusted time. `waitsSince`: since then the clock has been days ahead of it, and erasure is paused. */
export type ClockSeen = { readonly at: Instant; readonly waitsSince: Instant | null }

/** `movedMs`: how far the clock was set back (negative), or forward to a time that was recorded; 0 if neither. */
export type ClockCompared = ClockSeen & { readonly movedMs: number }

export interface KeepingStore {
  /**
   * Marks the files of unpaid registrations for deletion, with an audit log entry: all their attempts failed before
   * the instant, and there is no payment, open query or review. Returns the number of registrations.
   */
  dropFilesOfUnpaid(failedBefore: Instant, at: Instant, reason: string): Promise<number>
  /** Stores an upload sent ahead of its registration, under the hash of its token. False if too many are stored. */
  saveDraftUpload(tokenHash: string, draft: DraftProof): Promise<boolean>
  draftUpload(tokenHash: string): Promise<DraftProof | null>
  deleteDraftUpload(eventId: string, tokenHash: string): Promise<void>
  /** Deletes drafts sent at that instant or before; returns the hashes of their files. */
  deleteOldDraftUploads(sentBefore: Instant): Promise<readonly string[]>
  /**
   * Returns which of these files are referenced by a draft, or by a registration for which they are not deleted; for
   * the sweep.
   */
  uploadsInUse(sha256s: readonly string[]): Promise<readonly string[]>
  /** Returns which of these files are deleted from registrations and no longer referenced. */
  uploadsDropped(sha256s: readonly string[]): Promise<readonly string[]>
  /** Returns when this database first served an event file. Null if it never did. */
  databaseSince(): Promise<Instant | null>
  /**
   * Compares the clock with the last trusted time, and updates that unless the clock is further ahead than
   * allowed.
   */
  recordClock(at: Instant, aheadMsMax: number): Promise<ClockCompared>
  /** Null if the clock was never compared. */
  lastTrustedTime(): Promise<ClockSeen | null>
  /** Records that staff confirm the clock. */
  confirmClock(at: Instant): Promise<void>
}
