/** Preloaded into the server of the random run: told to, it collects what nobody holds and says what is left. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  process.on('SIGUSR2', () => {
    collect()
    const { heapUsed, external, rss } = process.memoryUsage()
    const told = { heapBytes: heapUsed + external, residentBytes: rss }
    process.stdout.write(`collected ${JSON.stringify(told)}\n`)
  })
}
