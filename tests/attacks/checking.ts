/** Runs the validator of the organisers' page in a worker thread, which a test can terminate if it hangs. */
import { parentPort, workerData } from 'node:worker_threads'
import { checkEventFile } from '../../web/organisers/editor/check-event-file.ts'
import type { CheckRequest } from '../../web/organisers/editor/check-event-file.ts'

for (const request of workerData as readonly CheckRequest[]) {
  const { findings, event } = checkEventFile(request)
  const result = {
    number: request.number,
    codes: findings.map(({ code }) => code),
    isServed: event !== null && findings.every(({ severity }) => severity !== 'error'),
  }
  parentPort?.postMessage(result)
}
