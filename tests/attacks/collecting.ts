/** Preloaded into the server of the random attack: collects garbage and reports the remaining memory. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  process.on('SIGUSR2', () => {
    collectGarbage()
    const { heapUsed, external, rss } = process.memoryUsage()
    const memory = { heapBytes: heapUsed + external, residentBytes: rss }
    process.stdout.write(`collected ${JSON.stringify(memory)}\n`)
  })
}
