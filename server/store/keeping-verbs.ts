/** What the store knows of files that delegates sent, and of the clock by which they and answers are kept. */
import type { Instant } from '../../engine/index.ts'
import type { DraftProof } from './shapes.ts'

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
  /** Those sent at that instant or before; answers how many. */
  forgetOldDrafts(before: Instant): Promise<number>
  /** Which of these files a draft refers to, or a registration that has not dropped them; for the sweeper. */
  uploadsInUse(sha256s: readonly string[]): Promise<readonly string[]>
}
