/** When event files changed on disk: told by the system where it can, and looked for where it cannot. */
import { watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pathsIn } from './event-folder.ts'
import { inTime } from './disk-timeout.ts'

/** Editors write a file in several steps; this long after the last one it is read. */
const SETTLE_MS = 150
/** Where the system does not tell of changes (network drives, containers), the folder is looked at this often. */
const POLL_MS = 2_000

/** Names, sizes and times of everything the events are made from. */
export async function signatureOf(folder: string, shared: string): Promise<string> {
  // A folder that is missing differs from each that is there.
  const paths = await pathsIn(folder, shared).catch(() => [])
  const parts = await Promise.all(
    paths.map(async (file) => {
      const found = await inTime(file, () => stat(file)).catch(() => null)
      return found === null ? `${file}:gone` : `${file}:${found.size}:${found.mtimeMs}`
    }),
  )
  return parts.join('\n')
}

/** Answers how to stop. Watching and polling both: the one is quick, the other sure. */
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
      // Not every file system tells of changes; polling sees them.
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
