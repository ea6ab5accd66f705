/** Runs the server like `rollcall start`, without building the web app. */
import { boot } from '../../server/main.ts'
import { loadEnvironment } from '../../server/ops/environment.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const read = loadEnvironment()
if (!read.ok) throw new Error(read.error.join('\n'))
const started = await boot(read.value, {
  print,
  printError: print,
  environment: () => read.value,
})
if (!started.ok) throw new Error(started.error.text)
await started.value.stopped
