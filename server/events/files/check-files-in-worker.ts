/**
 * The verdict on a folder, made in a thread of its own while requests are answered, and given up after a
 * time: a file that somebody made to keep the checker busy must not keep delegates waiting.
 */
import { Worker } from 'node:worker_threads'
import { err, ok } from '../../../engine/index.ts'
import type { Result } from '../../../engine/index.ts'
import type { EventFolder, FolderVerdict, KnownEvent } from '../../../engine/authoring.ts'

/** A file takes some fifty milliseconds; what the thread needs to begin is in it. */
const JUDGING_MS_MAX = 20_000
/** Of each file that was not known before, because a change in `_shared` is a change of all of them. */
const FILE_MS_MAX = 500

export type ToJudge = {
  readonly folder: EventFolder
  readonly production: boolean
  /** By path, what was clean before and reads the same. */
  readonly known: ReadonlyMap<string, KnownEvent>
}

/** How long a folder may take, in milliseconds. */
export function judgingMs({ folder, known }: ToJudge): number {
  return JUDGING_MS_MAX + FILE_MS_MAX * (folder.files.length - known.size)
}

/** Refused with a sentence when it takes longer than `msMax`, or when the thread dies of it. */
export function judgeApart(
  toJudge: ToJudge,
  msMax = judgingMs(toJudge),
): Promise<Result<FolderVerdict, string>> {
  const fresh = toJudge.folder.files.filter(({ path }) => !toJudge.known.has(path))
  const names = fresh.map(({ path }) => path).join(', ')
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./check-files-worker.ts', import.meta.url), {
      workerData: toJudge,
    })
    const done = (result: Result<FolderVerdict, string>): void => {
      clearTimeout(late)
      resolve(result)
      void worker.terminate()
    }
    const late = setTimeout(
      () =>
        done(
          err(
            `Checking ${names} took longer than ${msMax / 1000} seconds and was stopped: one of them asks for too much. What was served before stays; rollcall validate takes its time and says more.`,
          ),
        ),
      msMax,
    )
    worker.on('message', (verdict: FolderVerdict) => done(ok(verdict)))
    worker.on('error', (error) =>
      done(
        err(
          `Checking ${names} failed (${error instanceof Error ? error.message : String(error)}). What was served before stays.`,
        ),
      ),
    )
  })
}
