/** Where files that delegates sent are kept under their hashes, when that is not the disk of one server. */
import type { Readable } from 'node:stream'
import type { Instant } from '../../../engine/index.ts'

/** A whole file on the disk of this server, which stays there. */
export type KeptFile = { readonly path: string; readonly sha256: string; readonly bytes: number }
/** `young`: the database was restored or made lately; `many`: more than a few are unknown at once. */
export type Held = { readonly count: number; readonly why: 'young' | 'many' }
export type Swept = {
  /** Of registrations nobody paid for long: their files are dropped. */
  readonly dropped: number
  /** Deleted: the database knows them and needs them no more, or they lay aside for long enough. */
  readonly removed: number
  readonly setAside: number
  /** Unknown files that stay where they are, and why; null: there are none. */
  readonly held: Held | null
  /** How many lie aside now. */
  readonly aside: number
}
export type ShelfSweep = {
  readonly at: Instant
  readonly keptBefore: Instant
  readonly deleteBefore: Instant | null
  /** How many are unknown, of all; null: they may be set aside. */
  readonly mayMove: (unknown: number, all: number) => Held | null
}
export type ProofShelf = {
  /** Durably, before it resolves. The same bytes twice are one file. */
  keep(file: KeptFile, at: Instant): Promise<void>
  /** Whether it is there; then it is not swept from under whoever takes it now. */
  hold(sha256: string, at: Instant): Promise<boolean>
  /** Null: no such file. The content must be read or destroyed. */
  read(sha256: string): Promise<{ readonly bytes: number; readonly content: Readable } | null>
  /** Of every file that is there. */
  hashes(): Promise<readonly string[]>
  /** Removes these at once, but for those that something refers to. */
  forget(sha256s: readonly string[]): Promise<void>
  /**
   * Of what was handed in before and nothing refers to: removes what registrations have dropped, and sets aside what is unknown,
   * where `mayMove` lets it. What lay aside for long enough is removed, unless `deleteBefore` is null.
   */
  sweep(how: ShelfSweep): Promise<Omit<Swept, 'dropped'>>
}
