/** What the store knows of files that delegates sent, and of the clock by which they and answers are kept. */
import type { Instant } from '../../../engine/index.ts'
import type { DraftProof } from '../registrations/registration-types.ts'

/** What a server wrote out that lost its database. */
export type Rescued = {
  readonly file: string
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>
  /** Whether it is all there was. */
  readonly isWhole: boolean
}

/** The last time that counts as right; `waitsSince`: the clock is days ahead of it since then, and erasure waits. */
export type ClockSeen = { readonly at: Instant; readonly waitsSince: Instant | null }

export interface KeepingStore {
  /**
   * Notes the files of registrations that nobody paid as dropped, with a row of the log: all their
   * attempts failed before the instant, and no money, open question or review is there. Answers of how
   * many registrations.
   */
  dropProofs(failedBefore: Instant, at: Instant, why: string): Promise<number>
  /** A proof that was sent ahead of its registration, under the hash of its token; false: there are too many of them. */
  keepDraft(tokenHash: string, draft: DraftProof): Promise<boolean>
  draft(tokenHash: string): Promise<DraftProof | null>
  forgetDraft(tokenHash: string): Promise<void>
  /** Those sent at that instant or before; answers the hashes of their files. */
  forgetOldDrafts(before: Instant): Promise<readonly string[]>
  /** Which of these files a draft refers to, or a registration that has not dropped them; for the sweeper. */
  uploadsInUse(sha256s: readonly string[]): Promise<readonly string[]>
  /** Which of these files registrations have dropped, and nothing refers to any more. */
  uploadsDropped(sha256s: readonly string[]): Promise<readonly string[]>
  /** When the first event file was served by it; null: none was. */
  databaseSince(): Promise<Instant | null>
  /** Compares the clock with the last time that counts as right, which it becomes unless it is more than that ahead. */
  seeClock(at: Instant, aheadMsMax: number): Promise<ClockSeen>
  /** Null: nobody has compared it yet. */
  clockSeen(): Promise<ClockSeen | null>
  /** Staff say that the clock is right. */
  confirmClock(at: Instant): Promise<void>
}
