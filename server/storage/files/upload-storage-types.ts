/** Defines the storage of uploads under their hashes: on disk, in PostgreSQL or in object storage. */
import type { Readable } from 'node:stream'
import type { Instant } from '../../../engine/index.ts'

/** A complete file on this server's disk. */
export type KeptFile = { readonly path: string; readonly sha256: string; readonly bytes: number }
/** `young`: the database was recently restored or created; `many`: more than a few are unknown at once. */
export type Held = { readonly count: number; readonly why: 'young' | 'many' }
export type Swept = {
  /** Registrations long unpaid, whose files are dropped. */
  readonly dropped: number
  /** Deleted: the database no longer needs them, or their time aside is over. */
  readonly removed: number
  readonly setAside: number
  /** Unknown files that are not moved, and why; null: there are none. */
  readonly held: Held | null
  /** How many are aside now. */
  readonly aside: number
}
export type SweptFiles = Omit<Swept, 'dropped'>
export type ShelfSweep = {
  readonly at: Instant
  readonly keptBefore: Instant
  readonly deleteBefore: Instant | null
  /** Returns true if this server received the file recently: its registration may still be in progress. */
  readonly isSubmitted: (sha256: string) => boolean
  /** Files that this server received for no registration: they do not indicate a wrong database. */
  readonly expected: ReadonlySet<string>
  /** Returns why this many unknown files of all may not be moved; null: they may be set aside. */
  readonly mayMove: (unknown: number, unexpected: number, all: number) => Held | null
}
export type UploadStorage = {
  /** Where files that were set aside are, for the operator. */
  readonly location: string
  /** Durable before it resolves. The same bytes sent twice are one file. May move the file away. */
  keep(file: KeptFile, at: Instant): Promise<void>
  /** Returns true if it exists; it is then protected from the sweep while a request uses it. */
  hold(sha256: string, at: Instant): Promise<boolean>
  /** Null: no such file. The content must be read or destroyed. */
  read(sha256: string): Promise<{ readonly bytes: number; readonly content: Readable } | null>
  /** Returns the hash of every stored file. */
  hashes(): Promise<readonly string[]>
  /**
   * Removes these immediately, except those still referenced and those that this server received recently. Returns how
   * many.
   */
  forget(sha256s: readonly string[], isSubmitted?: (sha256: string) => boolean): Promise<number>
  /**
   * Handles files submitted earlier and no longer referenced: removes those that registrations have dropped, and
   * sets aside unknown ones if `mayMove` allows it. Removes files whose time aside is over, unless `deleteBefore`
   * is null.
   */
  sweep(how: ShelfSweep): Promise<SweptFiles>
  /** Moves back files that are referenced again; returns how many are aside. Null if none ever moves. */
  reclaim(): Promise<number | null>
  /** Returns in a sentence why files cannot be stored; null if they can, or if another check reports it. */
  check(): Promise<string | null>
}
