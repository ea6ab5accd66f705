/** Worker thread that checks changed event files: returns one result, then exits. */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../../engine/index.ts'
import { judgeFolder } from './check-files.ts'
import type { ToJudge } from './check-files-in-worker.ts'

assert(parentPort !== null, 'files are judged in a thread of the server')
const { folder, production, known } = workerData as ToJudge
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort.postMessage(
  await judgeFolder(folder, { production }, ({ path }) => known.get(path) ?? null),
)
