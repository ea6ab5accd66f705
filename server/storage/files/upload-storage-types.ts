/** Defines the storage of uploads by hash: on disk, in PostgreSQL or in object storage. */
import type { Readable } from 'node:stream'
import type { Instant } from '../../../engine/index.ts'

/** A complete file on this server's disk. */
export type StagedFile = { readonly path: string; readonly sha256: string; readonly bytes: number }
/** `young`: the database was recently restored or created. `many`: too many unknown files were found at once. */
export type HeldFiles = { readonly count: number; readonly why: 'young' | 'many' }
export type SweepResult = {
  /** The number of registrations, unpaid for a long time, whose files are deleted. */
  readonly dropped: number
  /** The number of deleted files: the database no longer needs them, or their retention period has ended. */
  readonly removed: number
  readonly setAside: number
  /** Unknown files that stay in place, with the reason. Null if there are none. */
  readonly held: HeldFiles | null
  /** The number of files now set aside. */
  readonly aside: number
}
export type SweptFiles = Omit<SweepResult, 'dropped'>
export type SweepOptions = {
  readonly at: Instant
  readonly keptBefore: Instant
  readonly deleteBefore: Instant | null
  /** Returns true if this server received the file recently, so that its registration may still be in progress. */
  readonly isSubmitted: (sha256: string) => boolean
  /** Files that this server received without a later registration: they do not indicate a wrong database. */
  readonly expected: ReadonlySet<string>
  /** Returns why that many unknown files must stay in place. Null if they may be set aside. */
  readonly mayMove: (unknown: number, unexpected: number, total: number) => HeldFiles | null
}
export type UploadStorage = {
  /** Where files are set aside, for the operator. */
  readonly location: string
  /** Stores a file durably before the promise resolves. Equal content is stored once. May move the staged file. */
  keep(file: StagedFile, at: Instant): Promise<void>
  /** Returns true if the file exists. It is then protected from the sweep while a request uses it. */
  hold(sha256: string, at: Instant): Promise<boolean>
  /** Returns null if there is no such file. The caller must read or destroy the content. */
  read(sha256: string): Promise<{ readonly bytes: number; readonly content: Readable } | null>
  /** Returns the hash of every stored file. */
  hashes(): Promise<readonly string[]>
  /**
   * Removes these files immediately, except files that are still referenced or that this server received recently.
   * Returns their number.
   */
  forget(sha256s: readonly string[], isSubmitted?: (sha256: string) => boolean): Promise<number>
  /**
   * Sweeps files submitted earlier and no longer referenced: removes those deleted from registrations, and sets aside
   * unknown ones if `mayMove` allows it. Removes set-aside files whose retention period is over, unless `deleteBefore`
   * is null.
   */
  sweep(options: SweepOptions): Promise<SweptFiles>
  /**
   * Moves back files that are referenced again, and returns how many remain set aside. Null if the storage never moves
   * files.
   */
  reclaim(): Promise<number | null>
  /** Returns a sentence that explains why files cannot be stored. Null if they can, or if another check reports it. */
  check(): Promise<string | null>
}
