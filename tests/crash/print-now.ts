/** How a process that will be killed says what it did. */
import { writeSync } from 'node:fs'

const FULL_MS = 1
const nothing = new Int32Array(new SharedArrayBuffer(4))

/** One line, out before anything else is done. While whoever listens has no time to read, it waits: a full pipe is no error. */
export function say(line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0;)
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'EAGAIN') throw error
      Atomics.wait(nothing, 0, 0, FULL_MS)
    }
}
