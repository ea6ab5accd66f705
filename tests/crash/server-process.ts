/** The server as `rollcall start` runs it, without looking first whether the web app wants building. */
import { boot } from '../../server/main.ts'
import { loadEnvironment } from '../../server/ops/environment.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const read = loadEnvironment()
if (!read.ok) throw new Error(read.error.join('\n'))
const booted = await boot(read.value, {
  print: say,
  printError: say,
  environment: () => read.value,
})
if (!booted.ok) throw new Error(booted.error.text)
await booted.value.stopped
