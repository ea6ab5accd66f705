/** The page's own check in a thread that can be ended, as the page ends its worker: nothing may hang, and nothing may throw. */
import { parentPort, workerData } from 'node:worker_threads'
import { check } from '../../web/organisers/editor/check-event-file.ts'
import type { CheckRequest } from '../../web/organisers/editor/check-event-file.ts'

for (const question of workerData as readonly CheckRequest[]) {
  const { findings, event } = check(question)
  const told = {
    number: question.number,
    codes: findings.map(({ code }) => code),
    isServed: event !== null && findings.every(({ severity }) => severity !== 'error'),
  }
  parentPort?.postMessage(told)
}
