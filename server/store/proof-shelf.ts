/** Where files that delegates sent are kept under their hashes, when that is not the disk of one server. */
import type { Readable } from 'node:stream'
import type { Instant } from '../../engine/index.ts'

/** A whole file on the disk of this server, which stays there. */
export type KeptFile = { readonly path: string; readonly sha256: string; readonly bytes: number }
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
  /** Removes what was handed in at that instant or before and nothing refers to; answers how many. */
  sweep(keptBefore: Instant): Promise<number>
}
