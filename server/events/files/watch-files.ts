/** Detects changes to event files, by system notifications and by polling. */
import { watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { stat } from 'node:fs/promises'
import { listPaths } from './event-folder.ts'
import { withTimeout } from './disk-timeout.ts'

/** The delay before a changed file is read, because editors write a file in several steps. */
const SETTLE_DELAY_MS = 150
/** The folder is polled at this interval, because some systems send no notifications (network drives, containers). */
const POLL_INTERVAL_MS = 2_000

/** Returns names, sizes and times of all files that events are built from. */
export async function readSignature(folder: string, sharedFolder: string): Promise<string> {
  // A missing folder has a different signature from every existing folder.
  const paths = await listPaths(folder, sharedFolder).catch(() => [])
  const parts = await Promise.all(
    paths.map(async (file) => {
      const fileStats = await withTimeout(file, () => stat(file)).catch(() => null)
      return fileStats === null ? `${file}:gone` : `${file}:${fileStats.size}:${fileStats.mtimeMs}`
    }),
  )
  return parts.join('\n')
}

/** Watches and polls: watching is fast, polling is reliable. Returns a function that stops both. */
export function watchFolders(
  folders: readonly string[],
  reload: () => Promise<void>,
  hasChanged: () => Promise<boolean>,
): () => void {
  let reloadTimer: NodeJS.Timeout | null = null
  const scheduleReload = (): void => {
    if (reloadTimer !== null) clearTimeout(reloadTimer)
    reloadTimer = setTimeout(() => void reload(), SETTLE_DELAY_MS)
  }
  const watchers: FSWatcher[] = []
  for (const folder of folders) {
    try {
      const watcher = watch(folder, scheduleReload)
      watcher.on('error', () => watcher.close())
      watchers.push(watcher)
    } catch {
      // Not every file system sends change notifications. Polling detects these changes.
    }
  }
  let isStopped = false
  let pollTimer = setTimeout(pollOnce, POLL_INTERVAL_MS)
  function pollOnce(): void {
    void hasChanged()
      .catch(() => false)
      .then((isChanged) => {
        if (isStopped) return
        if (isChanged) scheduleReload()
        pollTimer = setTimeout(pollOnce, POLL_INTERVAL_MS)
        pollTimer.unref()
      })
  }
  pollTimer.unref()
  return () => {
    isStopped = true
    clearTimeout(pollTimer)
    if (reloadTimer !== null) clearTimeout(reloadTimer)
    for (const watcher of watchers) watcher.close()
  }
}
