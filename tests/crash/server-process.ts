/** Runs the server like `rollcall start`, without building the web app. */
import { boot } from '../../server/main.ts'
import { loadEnvironment } from '../../server/ops/environment.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const environmentResult = loadEnvironment()
if (!environmentResult.ok) throw new Error(environmentResult.error.join('\n'))
const started = await boot(environmentResult.value, {
  print,
  printError: print,
  environment: () => environmentResult.value,
})
if (!started.ok) throw new Error(started.error.text)
await started.value.stopped
