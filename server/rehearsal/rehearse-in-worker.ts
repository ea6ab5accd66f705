/**
 * Rehearses an event file in a worker thread with a time limit.
 * A running server can handle requests in the meantime, and a rehearsal that takes too long is stopped.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { err } from '../../engine/index.ts'
import type { Result } from '../../engine/index.ts'
import type { WireRehearsedDay } from '../../engine/api.ts'

/** Shorter than the time that a proxy in front of the server waits for a response. */
const MAX_REHEARSAL_MS = 50_000
/** Four times the memory that a rehearsal of the most complex event needs. */
const MAX_MEMORY_MB = 512

export type RehearsalInput = {
  readonly text: string
  readonly sharedFolder: string
  /** The folder for the files of the rehearsal. It is removed afterwards. */
  readonly folder: string
}
export type Rehearsal = { readonly title: string; readonly days: readonly WireRehearsedDay[] }

/** Rehearses a file. Fails with a message if it has errors or takes longer than `maxMs`, or the client disconnects. */
export async function rehearseInWorker(
  file: Omit<RehearsalInput, 'folder'>,
  maxMs = MAX_REHEARSAL_MS,
  disconnectSignal?: AbortSignal,
): Promise<Result<Rehearsal, string>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'rollcall-rehearsal-'))
  const worker = new Worker(new URL('./rehearse-worker.ts', import.meta.url), {
    workerData: { ...file, folder } satisfies RehearsalInput,
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  })
  const { promise, resolve } = Promise.withResolvers<Result<Rehearsal, string>>()
  const timer = setTimeout(
    () =>
      resolve(
        err(
          `The rehearsal took longer than ${maxMs / 1000} seconds and was stopped. Run rollcall event rehearse on your computer, which has no time limit.`,
        ),
      ),
    maxMs,
  )
  const stop = (): void => resolve(err('The client has disconnected.'))
  disconnectSignal?.addEventListener('abort', stop)
  if (disconnectSignal?.aborted === true) stop()
  worker.on('message', resolve)
  worker.on('error', (error) =>
    resolve(
      err(`The rehearsal failed (${error instanceof Error ? error.message : String(error)}).`),
    ),
  )
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await worker.terminate()
    await rm(folder, { recursive: true, force: true })
  }
}
