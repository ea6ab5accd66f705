/** Defines the storage of uploads by hash: on disk, in PostgreSQL or in object storage. */
import type { Readable } from 'node:stream'
import type { Instant } from '../../../engine/index.ts'

/** A complete file on this server's disk. */
export type StagedFile = { readonly path: string; readonly sha256: string; readonly bytes: number }
/** `recent`: the database was recently restored or created. `many`: too many unknown files were found at once. */
export type HeldFiles = { readonly count: number; readonly why: 'recent' | 'many' }
export type SweepResult = {
  /** The number of long-unpaid registrations whose files were deleted. */
  readonly dropped: number
  /** The number of deleted files: the database no longer needs them, or their retention period has ended. */
  readonly removed: number
  readonly setAside: number
  /** Unknown files that stay in place, with the reason. Null if no files were held. */
  readonly held: HeldFiles | null
  /** The number of files now set aside. */
  readonly asideCount: number
}
export type SweptFiles = Omit<SweepResult, 'dropped'>
export type SweepOptions = {
  readonly at: Instant
  readonly keptBefore: Instant
  readonly deleteBefore: Instant | null
  /** Returns true if this server received the file recently, so that its registration may still be in progress. */
  readonly isSubmitted: (sha256: string) => boolean
  /** Files that this server received and that no registration used. They do not indicate a wrong database. */
  readonly expected: ReadonlySet<string>
  /** Returns the reason why this number of unknown files must stay in place. Null if they may be set aside. */
  readonly findHoldReason: (unknown: number, unexpected: number, total: number) => HeldFiles | null
}
export type UploadStorage = {
  /** The location of files that are set aside, for messages to the operator. */
  readonly location: string
  /** Stores a file durably before the promise resolves. Equal content is stored once. May move the staged file. */
  storeFile(file: StagedFile, at: Instant): Promise<void>
  /** Returns true if the file exists, and protects it from the sweep while a request uses it. */
  protectFile(sha256: string, at: Instant): Promise<boolean>
  /** Returns null if there is no such file. The caller must read or destroy the content. */
  read(sha256: string): Promise<{ readonly bytes: number; readonly content: Readable } | null>
  /** Returns the hash of every stored file. */
  listHashes(): Promise<readonly string[]>
  /**
   * Removes these files immediately, except files that are still referenced or that this server received recently.
   * Returns their number.
   */
  removeFiles(
    sha256s: readonly string[],
    isSubmitted?: (sha256: string) => boolean,
  ): Promise<number>
  /**
   * Sweeps files that were submitted earlier and are no longer referenced: removes those that were deleted from
   * registrations, and sets aside unknown ones if `findHoldReason` returns null. Removes set-aside files whose
   * retention period has ended, unless `deleteBefore` is null.
   */
  sweep(options: SweepOptions): Promise<SweptFiles>
  /**
   * Moves back files that are referenced again. Returns the number of files that remain set aside. Null if the storage
   * never moves files.
   */
  reclaim(): Promise<number | null>
  /**
   * Returns a sentence that explains why files cannot be stored. Null if they can be stored, or if another check
   * reports the problem.
   */
  check(): Promise<string | null>
}
