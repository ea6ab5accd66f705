/** Defines the storage of uploads under their hashes, if it is not the disk of a single server. */
import type { Readable } from 'node:stream'
import type { Instant } from '../../../engine/index.ts'

/** A complete file on this server's disk, which stays there. */
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
export type ShelfSweep = {
  readonly at: Instant
  readonly keptBefore: Instant
  readonly deleteBefore: Instant | null
  /** Returns why this many unknown files of all may not be moved; null: they may be set aside. */
  readonly mayMove: (unknown: number, all: number) => Held | null
}
export type ProofShelf = {
  /** Durable before it resolves. The same bytes sent twice are one file. */
  keep(file: KeptFile, at: Instant): Promise<void>
  /** Returns true if it exists; it is then protected from the sweep while a request uses it. */
  hold(sha256: string, at: Instant): Promise<boolean>
  /** Null: no such file. The content must be read or destroyed. */
  read(sha256: string): Promise<{ readonly bytes: number; readonly content: Readable } | null>
  /** Returns the hash of every stored file. */
  hashes(): Promise<readonly string[]>
  /** Removes these at once, except those still referenced. */
  forget(sha256s: readonly string[]): Promise<void>
  /**
   * Handles files submitted earlier and no longer referenced: removes those that registrations have dropped, and
   * sets aside unknown ones if `mayMove` allows it. Removes files whose time aside is over, unless `deleteBefore`
   * is null.
   */
  sweep(how: ShelfSweep): Promise<Omit<Swept, 'dropped'>>
}
