/**
 * Checks a folder in a worker thread with a time limit.
 * Requests are handled in the meantime, and a file designed to keep the checker busy does not delay delegates.
 */
import { Worker } from 'node:worker_threads'
import { err, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'
import type { EventFolder, CheckedFolder, CachedEvent } from '../../../engine/authoring.ts'

/** Checking a file takes about fifty milliseconds. This limit includes the start of the thread. */
const MAX_CHECK_MS = 20_000
/** Additional time for each new or changed file; a change in `_shared` changes all of them. */
const MAX_FILE_MS = 500

export type FolderCheckInput = {
  readonly folder: EventFolder
  readonly production: boolean
  /** Unchanged files that had no findings, by path. */
  readonly cachedEvents: ReadonlyMap<string, CachedEvent>
}

/** Returns the time limit for checking a folder, in milliseconds. */
export function calculateTimeoutMs({ folder, cachedEvents }: FolderCheckInput): number {
  return MAX_CHECK_MS + MAX_FILE_MS * (folder.files.length - cachedEvents.size)
}

/** Checks a folder in a thread. Fails with a message if the check takes longer than `maxMs`, or if the thread dies. */
export function checkFolderInWorker(
  input: FolderCheckInput,
  maxMs = calculateTimeoutMs(input),
): Promise<Result<CheckedFolder, string>> {
  const changedFiles = input.folder.files.filter(({ path }) => !input.cachedEvents.has(path))
  // If no file has changed, only conflicts between the files are checked.
  const names =
    changedFiles.length === 0 ? 'the event files' : changedFiles.map(({ path }) => path).join(', ')
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./check-files-worker.ts', import.meta.url), {
      workerData: input,
    })
    const finish = (result: Result<CheckedFolder, string>): void => {
      clearTimeout(timeout)
      resolve(result)
      void worker.terminate()
    }
    const timeout = setTimeout(
      () =>
        finish(
          err(
            `Checking ${names} took longer than ${maxMs / 1000} seconds and was stopped: the machine is busy, or a file takes too long to check. The previous versions stay live, and the files are checked again in two minutes. rollcall validate shows the cause.`,
          ),
        ),
      maxMs,
    )
    worker.on('message', (checkedFolder: CheckedFolder) => finish(ok(checkedFolder)))
    worker.on('error', (error) =>
      finish(
        err(
          `Checking ${names} failed (${error instanceof Error ? error.message : String(error)}). The previous versions stay live.`,
        ),
      ),
    )
  })
}
