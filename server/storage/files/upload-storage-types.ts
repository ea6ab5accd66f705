/** Defines the storage of uploads under their hashes: on disk, in PostgreSQL or in object storage. */
import type { Readable } from 'node:stream'
import type { Instant } from '../../../engine/index.ts'

/** A complete file on this server's disk. */
export type StagedFile = { readonly path: string; readonly sha256: string; readonly bytes: number }
/** `young`: the database was recently restored or created; `many`: more than a few are unknown at once. */
export type HeldFiles = { readonly count: number; readonly why: 'young' | 'many' }
export type SweepResult = {
  /** The number of long unpaid registrations whose files are deleted. */
  readonly dropped: number
  /** Deleted files: the database no longer needs them, or their retention period has ended. */
  readonly removed: number
  readonly setAside: number
  /** Unknown files that are not set aside, with the reason. Null if there are none. */
  readonly held: HeldFiles | null
  /** The number of files that are set aside now. */
  readonly aside: number
}
export type SweptFiles = Omit<SweepResult, 'dropped'>
export type SweepOptions = {
  readonly at: Instant
  readonly keptBefore: Instant
  readonly deleteBefore: Instant | null
  /** Returns true if this server received the file recently: its registration may still be in progress. */
  readonly isSubmitted: (sha256: string) => boolean
  /** Files that this server received for no registration: they do not indicate a wrong database. */
  readonly expected: ReadonlySet<string>
  /** Returns why this many unknown files of the total may not be set aside. Null if they may be. */
  readonly mayMove: (unknown: number, unexpected: number, total: number) => HeldFiles | null
}
export type UploadStorage = {
  /** The location of files that were set aside, for the operator. */
  readonly location: string
  /** Durable before it resolves. Duplicate content is one file. May move the file away. */
  keep(file: StagedFile, at: Instant): Promise<void>
  /** Returns true if it exists. It is then protected from the sweep while a request uses it. */
  hold(sha256: string, at: Instant): Promise<boolean>
  /** Null if there is no such file. The content must be read or destroyed. */
  read(sha256: string): Promise<{ readonly bytes: number; readonly content: Readable } | null>
  /** Returns the hash of every stored file. */
  hashes(): Promise<readonly string[]>
  /**
   * Removes these immediately, except files still referenced and files that this server received recently. Returns how
   * many.
   */
  forget(sha256s: readonly string[], isSubmitted?: (sha256: string) => boolean): Promise<number>
  /**
   * Handles files submitted earlier and no longer referenced: removes those that are deleted from registrations, and
   * sets aside unknown ones if `mayMove` allows it. Removes files whose time aside is over, unless `deleteBefore` is
   * null.
   */
  sweep(options: SweepOptions): Promise<SweptFiles>
  /**
   * Moves back files that are referenced again, and returns how many remain set aside. Null if the storage never sets
   * files aside.
   */
  reclaim(): Promise<number | null>
  /** Returns in a sentence why files cannot be stored. Null if they can, or if another check reports it. */
  check(): Promise<string | null>
}
