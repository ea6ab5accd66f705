/**
 * Keeps audit entries of views and exports in memory while the database accepts no writes.
 * They are written later, so that a full disk does not prevent reading. Actions that change something are refused
 * instead.
 */
import type { Instant } from '../../../engine/index.ts'
import type { AuditEntry } from './staff-types.ts'
import { StoreBusy } from '../database/store-busy-error.ts'
import type { Call, writes } from '../operations/writes.ts'

/** A whole office, for a night; whoever looks at more is refused. */
const OWED_MAX = 10_000
/** So often it is tried again. */
const AGAIN_MS = 5_000

export type Owed = {
  audit(entry: AuditEntry): Promise<void>
  touchSession(tokenHash: string, at: Instant): Promise<void>
  /** Returns when a session was last used, if that is not stored yet. */
  seenAt(tokenHash: string): Instant | null
  /** Writes what it can; for closing the store. */
  settle(): Promise<void>
  /** Returns true if nothing waits to be written. */
  isEmpty(): boolean
}

export function openOwed(write: Call<typeof writes>): Owed {
  const entries: AuditEntry[] = []
  const seen = new Map<string, Instant>()
  let again: NodeJS.Timeout | null = null
  const later = (): void => {
    again ??= setTimeout(() => {
      again = null
      void settle()
    }, AGAIN_MS).unref()
  }
  const settle = async (): Promise<void> => {
    try {
      for (let [entry] = entries; entry !== undefined; [entry] = entries) {
        await write('addAuditEntry', entry)
        entries.shift()
      }
      for (const [tokenHash, at] of seen) {
        await write('touchSession', tokenHash, at)
        if (seen.get(tokenHash) === at) seen.delete(tokenHash)
      }
    } catch {
      later()
    }
  }
  const orOwe = async (work: Promise<void>, owe: () => void): Promise<void> => {
    try {
      await work
    } catch (error) {
      if (!(error instanceof StoreBusy) || entries.length + seen.size >= OWED_MAX) throw error
      owe()
      later()
    }
  }
  return {
    audit: (entry) => orOwe(write('addAuditEntry', entry), () => void entries.push(entry)),
    touchSession: (tokenHash, at) =>
      orOwe(write('touchSession', tokenHash, at), () => void seen.set(tokenHash, at)),
    seenAt: (tokenHash) => seen.get(tokenHash) ?? null,
    isEmpty: () => entries.length + seen.size === 0,
    async settle() {
      if (again !== null) clearTimeout(again)
      if (entries.length + seen.size > 0) await settle()
      if (again !== null) clearTimeout(again)
    },
  }
}
