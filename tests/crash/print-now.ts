/** Prints the progress of a process that will be killed. */
import { writeSync } from 'node:fs'

/** The pause before another attempt to write to a full pipe. */
const RETRY_MS = 1
const waitBuffer = new Int32Array(new SharedArrayBuffer(4))

/** Writes one line synchronously, waiting for the reader while the pipe is full. */
export function printNow(line: string): void {
  for (let remaining = Buffer.from(`${line}\n`); remaining.length > 0;)
    try {
      remaining = remaining.subarray(writeSync(1, remaining))
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'EAGAIN') throw error
      Atomics.wait(waitBuffer, 0, 0, RETRY_MS)
    }
}
