/**
 * Runs the page's validator in a worker thread that can be terminated, like the page's own: it must not hang or
 * throw.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { checkEventFile } from '../../web/organisers/editor/check-event-file.ts'
import type { CheckRequest } from '../../web/organisers/editor/check-event-file.ts'

for (const question of workerData as readonly CheckRequest[]) {
  const { findings, event } = checkEventFile(question)
  const result = {
    number: question.number,
    codes: findings.map(({ code }) => code),
    isServed: event !== null && findings.every(({ severity }) => severity !== 'error'),
  }
  parentPort?.postMessage(result)
}
