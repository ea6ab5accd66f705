/** Detects changes of event files, by system notifications and by polling. */
import { watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pathsIn } from './event-folder.ts'
import { inTime } from './disk-timeout.ts'

/** Editors write a file in several steps; it is read this long after the last one. */
const SETTLE_MS = 150
/** Where the system does not notify (network drives, containers), the folder is polled this often. */
const POLL_MS = 2_000

/** Returns names, sizes and times of all files that events are built from. */
export async function signatureOf(folder: string, shared: string): Promise<string> {
  // A missing folder differs from every existing one.
  const paths = await pathsIn(folder, shared).catch(() => [])
  const parts = await Promise.all(
    paths.map(async (file) => {
      const found = await inTime(file, () => stat(file)).catch(() => null)
      return found === null ? `${file}:gone` : `${file}:${found.size}:${found.mtimeMs}`
    }),
  )
  return parts.join('\n')
}

/** Watches and polls: watching is fast, polling is reliable. Returns a function that stops both. */
export function watchFolders(
  folders: readonly string[],
  reload: () => Promise<void>,
  changed: () => Promise<boolean>,
): () => void {
  let settling: NodeJS.Timeout | null = null
  const soon = (): void => {
    if (settling !== null) clearTimeout(settling)
    settling = setTimeout(() => void reload(), SETTLE_MS)
  }
  const watchers: FSWatcher[] = []
  for (const place of folders) {
    try {
      const watcher = watch(place, soon)
      watcher.on('error', () => watcher.close())
      watchers.push(watcher)
    } catch {
      // Not every file system notifies of changes; polling detects them.
    }
  }
  let stopped = false
  let poll = setTimeout(look, POLL_MS)
  function look(): void {
    void changed()
      .catch(() => false)
      .then((isChanged) => {
        if (stopped) return
        if (isChanged) soon()
        poll = setTimeout(look, POLL_MS)
        poll.unref()
      })
  }
  poll.unref()
  return () => {
    stopped = true
    clearTimeout(poll)
    if (settling !== null) clearTimeout(settling)
    for (const watcher of watchers) watcher.close()
  }
}
