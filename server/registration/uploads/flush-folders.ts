/** Folders brought to the disk: whoever waits for the same folder waits for one flush. */
import { open } from 'node:fs/promises'

export type Flushes = {
  /** Resolves once all that was in the folder at the call is on the disk; rejects where the disk refuses. */
  flush(folder: string): Promise<void>
  /** The same, once for the life of the process: for a folder whose entries come once and stay. */
  flushOnce(folder: string, entry: string): Promise<void>
}

type Running = { readonly now: Promise<void>; next: Promise<void> | null }

/** `sync` brings one folder to the disk. */
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
    // What is under way may have begun before this was in the folder: the next counts, for all who come until then.
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
      // Whoever comes after a failure tries again.
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
