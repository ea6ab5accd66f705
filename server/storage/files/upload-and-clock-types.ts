/** Defines the store's functions for uploads and for the clock that determines their retention. */
import type { Instant } from '../../../engine/index.ts'
import type { NewRecovery } from '../recovery/recovery-types.ts'
import type { DraftProof } from '../registrations/registration-types.ts'

/** The data that a server saved after losing its database. */
export type RescuedRows = {
  readonly file: string
  /** The number of rows per table. */
  readonly rows: Readonly<Record<string, number>>
  /** True if no data is missing. */
  readonly isComplete: boolean
}

export type RescuePlan = {
  readonly dataDir: string
  /** Fallback folders if the data folder is not writable. */
  readonly spareDirs: readonly string[]
  /** The recovery that starts in the rescued database if rows may be missing. */
  readonly recovery: NewRecovery
}

/** The latest trusted time. `waitsSince`: when erasure was paused because the clock was days ahead. */
export type ClockSeen = { readonly at: Instant; readonly waitsSince: Instant | null }

/**
 * `movedMs`: negative if the clock was set back, positive if it returned to a later time that was recorded before,
 * otherwise 0.
 */
export type ClockComparison = ClockSeen & { readonly movedMs: number }

/** `no_room`: too many drafts are stored. `link_revoked`: the link that sent the file ended in the meantime. */
export type DraftSaveResult = 'saved' | 'no_room' | 'link_revoked'

export interface RetentionStore {
  /**
   * Marks the files of unpaid registrations for deletion and records this in the audit log, if all their attempts
   * failed before `failedBefore` and there is no payment, open query or review. Returns the number of registrations.
   */
  dropFilesOfUnpaid(failedBefore: Instant, at: Instant, reason: string): Promise<number>
  /** Stores an upload sent ahead of its registration, or by its page, under the hash of its token. */
  saveDraftUpload(tokenHash: string, draft: DraftProof): Promise<DraftSaveResult>
  draftUpload(tokenHash: string): Promise<DraftProof | null>
  deleteDraftUpload(eventId: string, tokenHash: string): Promise<void>
  /** Deletes drafts sent at or before that instant; returns the hashes of their files. */
  deleteOldDraftUploads(sentBefore: Instant): Promise<readonly string[]>
  /** For the sweep: returns which of these files a draft or a registration still refers to. */
  uploadsInUse(sha256s: readonly string[]): Promise<readonly string[]>
  /** Returns which of these files were deleted from registrations and have no reference left. */
  uploadsDropped(sha256s: readonly string[]): Promise<readonly string[]>
  /** Returns the time at which this database first served an event file. Null if it never served one. */
  databaseSince(): Promise<Instant | null>
  /**
   * Compares the clock with the last trusted time. Updates that time unless the clock is further ahead than allowed.
   */
  recordClock(at: Instant, maxAheadMs: number): Promise<ClockComparison>
  /** Returns null if the clock has never been checked against a recorded time. */
  lastTrustedTime(): Promise<ClockSeen | null>
  /** Records that staff confirmed the clock. */
  confirmClock(at: Instant): Promise<void>
}
