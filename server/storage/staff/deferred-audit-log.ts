/**
 * Holds audit log entries for views and exports in memory while the database accepts no writes. The entries are written
 * later, so that a full disk does not prevent reading. Actions that change data are refused instead.
 */
import type { Instant } from '../../../engine/index.ts'
import type { AuditEntry } from './staff-types.ts'
import { StoreBusy } from '../database/store-busy-error.ts'
import type { Call, writes } from '../operations/writes.ts'

/**
 * The maximum number of entries in memory. This is enough for an entire office overnight. When it is reached, further
 * views are refused.
 */
const MAX_DEFERRED_ENTRIES = 10_000
/** The time between two attempts to write the entries. */
const RETRY_MS = 5_000

export type DeferredAuditLog = {
  audit(entry: AuditEntry): Promise<void>
  touchSession(tokenHash: string, at: Instant): Promise<void>
  /** Returns the last use of a session. Null if it is already stored. */
  seenAt(tokenHash: string): Instant | null
  /** Writes as many entries as possible before the store is closed. */
  flush(): Promise<void>
  /** Returns true if no entry is waiting to be written. */
  isEmpty(): boolean
}

export function openDeferredAuditLog(write: Call<typeof writes>): DeferredAuditLog {
  const entries: AuditEntry[] = []
  const lastSeenTimes = new Map<string, Instant>()
  let retryTimer: NodeJS.Timeout | null = null
  const scheduleRetry = (): void => {
    retryTimer ??= setTimeout(() => {
      retryTimer = null
      void flush()
    }, RETRY_MS).unref()
  }
  const flush = async (): Promise<void> => {
    try {
      for (let [entry] = entries; entry !== undefined; [entry] = entries) {
        await write('addAuditEntry', entry)
        entries.shift()
      }
      for (const [tokenHash, at] of lastSeenTimes) {
        await write('touchSession', tokenHash, at)
        if (lastSeenTimes.get(tokenHash) === at) lastSeenTimes.delete(tokenHash)
      }
    } catch {
      scheduleRetry()
    }
  }
  const writeOrDefer = async (task: Promise<void>, defer: () => void): Promise<void> => {
    try {
      await task
    } catch (error) {
      if (
        !(error instanceof StoreBusy) ||
        entries.length + lastSeenTimes.size >= MAX_DEFERRED_ENTRIES
      )
        throw error
      defer()
      scheduleRetry()
    }
  }
  return {
    audit: (entry) => writeOrDefer(write('addAuditEntry', entry), () => void entries.push(entry)),
    touchSession: (tokenHash, at) =>
      writeOrDefer(
        write('touchSession', tokenHash, at),
        () => void lastSeenTimes.set(tokenHash, at),
      ),
    seenAt: (tokenHash) => lastSeenTimes.get(tokenHash) ?? null,
    isEmpty: () => entries.length + lastSeenTimes.size === 0,
    async flush() {
      if (retryTimer !== null) clearTimeout(retryTimer)
      if (entries.length + lastSeenTimes.size > 0) await flush()
      if (retryTimer !== null) clearTimeout(retryTimer)
    },
  }
}
