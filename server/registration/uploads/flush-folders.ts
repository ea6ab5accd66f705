/** Flushes folders to disk; concurrent callers for the same folder share one flush. */
import { open } from 'node:fs/promises'

export type FolderFlusher = {
  /**
   * Resolves once all entries that were in the folder at the time of the call are on disk; rejects if the disk fails.
   */
  flush(folder: string): Promise<void>
  /** Like `flush`, but once per process, for a folder whose entries are created once and never removed. */
  flushOnce(folder: string, entry: string): Promise<void>
}

type RunningFlush = { readonly current: Promise<void>; next: Promise<void> | null }

/** `sync` flushes one folder to disk. */
export function createFolderFlusher(
  sync: (folder: string) => Promise<void> = syncFolder,
): FolderFlusher {
  const runningFlushes = new Map<string, RunningFlush>()
  const flushesByEntry = new Map<string, Promise<void>>()

  const startFlush = (folder: string): Promise<void> => {
    const current = sync(folder).finally(() => {
      if (
        runningFlushes.get(folder)?.current === current &&
        runningFlushes.get(folder)?.next === null
      )
        runningFlushes.delete(folder)
    })
    runningFlushes.set(folder, { current, next: null })
    return current
  }
  const flush = (folder: string): Promise<void> => {
    const runningFlush = runningFlushes.get(folder)
    if (runningFlush === undefined) return startFlush(folder)
    // A running flush may have started before this entry was in the folder, so all callers that arrive
    // while it is running share the next flush.
    runningFlush.next ??= runningFlush.current.then(
      () => startFlush(folder),
      () => startFlush(folder),
    )
    return runningFlush.next
  }
  return {
    flush,
    flushOnce: (folder, entry) => {
      const key = `${folder}\0${entry}`
      const earlierFlush = flushesByEntry.get(key)
      if (earlierFlush !== undefined) return earlierFlush
      const folderFlush = flush(folder)
      flushesByEntry.set(key, folderFlush)
      // After a failure, the next caller tries again.
      folderFlush.catch(() => flushesByEntry.delete(key))
      return folderFlush
    },
  }
}

async function syncFolder(folder: string): Promise<void> {
  const folderHandle = await open(folder, 'r')
  try {
    await folderHandle.sync()
  } finally {
    await folderHandle.close()
  }
}
