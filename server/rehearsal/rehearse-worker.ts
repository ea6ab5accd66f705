/** Rehearses one event file in a worker thread: returns one result, then exits. */
import { parentPort, workerData } from 'node:worker_threads'
import { assert, err, ok } from '../../engine/index.ts'
import type { Result } from '../../engine/index.ts'
import { readEvent } from '../../engine/authoring.ts'
import { readSharedFolder } from '../events/files/event-folder.ts'
import type { Rehearsal, RehearsalInput } from './rehearse-in-worker.ts'

assert(parentPort !== null, 'this module must run in a worker thread')
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort.postMessage(await rehearse(workerData as RehearsalInput))

async function rehearse(input: RehearsalInput): Promise<Result<Rehearsal, string>> {
  const { shared } = await readSharedFolder(input.sharedFolder)
  const event = readEvent(input.text, shared)
  if (event === null) return err('The file has errors. Fix them first, then rehearse it.')
  // The server's code is loaded later, so that a file with errors is reported without waiting for it.
  const { rehearseEvent } = await import('./rehearse-event.ts')
  const rehearsalResult = await rehearseEvent({ ...input, event })
  return rehearsalResult.ok
    ? ok({ title: event.title, days: rehearsalResult.value })
    : rehearsalResult
}
