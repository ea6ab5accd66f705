/** Flushes folders to disk; concurrent callers for the same folder share one flush. */
import { open } from 'node:fs/promises'

export type Flushes = {
  /**
   * Resolves once everything that was in the folder at the time of the call is on disk; rejects if the disk
   * fails.
   */
  flush(folder: string): Promise<void>
  /** The same, once per process: for a folder whose entries are created once and stay. */
  flushOnce(folder: string, entry: string): Promise<void>
}

type Running = { readonly now: Promise<void>; next: Promise<void> | null }

/** `sync` flushes one folder to disk. */
export function openFlushes(sync: (folder: string) => Promise<void> = syncFolder): Flushes {
  const running = new Map<string, Running>()
  const settled = new Map<string, Promise<void>>()

  const begin = (folder: string): Promise<void> => {
    const now = sync(folder).finally(() => {
      if (running.get(folder)?.now === now && running.get(folder)?.next === null)
        running.delete(folder)
    })
    running.set(folder, { now, next: null })
    return now
  }
  const flush = (folder: string): Promise<void> => {
    const one = running.get(folder)
    if (one === undefined) return begin(folder)
    // A running flush may have started before this entry was in the folder, so all callers until its end share
    // the next one.
    one.next ??= one.now.then(
      () => begin(folder),
      () => begin(folder),
    )
    return one.next
  }
  return {
    flush,
    flushOnce: (folder, entry) => {
      const key = `${folder}\0${entry}`
      const known = settled.get(key)
      if (known !== undefined) return known
      const done = flush(folder)
      settled.set(key, done)
      // After a failure the next caller tries again.
      done.catch(() => settled.delete(key))
      return done
    },
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
