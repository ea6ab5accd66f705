/** Checks changed event files in a worker thread: returns one result, then exits. */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../../engine/index.ts'
import { checkFolder } from './check-files.ts'
import type { FolderCheckInput } from './check-files-in-worker.ts'

assert(parentPort !== null, 'this module must run in a worker thread')
const { folder, production, cachedEvents } = workerData as FolderCheckInput
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort.postMessage(
  await checkFolder(folder, { production }, ({ path }) => cachedEvents.get(path) ?? null),
)
