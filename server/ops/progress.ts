/**
 * Reports the progress of long operations to the command that displays it.
 * Without a listener, a report costs only a comparison.
 */
import { channel } from 'node:diagnostics_channel'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'

export type ProgressReport = {
  /** The current step as a gerund phrase, such as “Copying files”. Reports of the same step follow each other. */
  readonly step: string
  readonly done: number
  readonly total: number
}

const reports = channel('rollcall:progress')

export const reportProgress = (report: ProgressReport): void => {
  if (reports.hasSubscribers) reports.publish(report)
}

/** Yields each item, after reporting the number of items yielded so far. */
export function* reportEach<T>(items: readonly T[], step: string): Generator<T> {
  for (const [done, item] of items.entries()) {
    reportProgress({ step, done, total: items.length })
    yield item
  }
}

const BYTES_PER_KB = 1024

/** Yields the content of a file in chunks, and reports the number of KB yielded before each chunk. */
export async function* readWithProgress(file: string, step: string): AsyncGenerator<Buffer> {
  const total = Math.ceil((await stat(file)).size / BYTES_PER_KB)
  let bytes = 0
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    reportProgress({ step: `${step} (KB)`, done: Math.ceil(bytes / BYTES_PER_KB), total })
    bytes += chunk.length
    yield chunk
  }
}

/** Calls the listener with each report from this thread until the returned function is called. */
export function onProgress(listener: (report: ProgressReport) => void): () => void {
  const onMessage = (message: unknown): void => listener(message as ProgressReport)
  reports.subscribe(onMessage)
  return () => {
    reports.unsubscribe(onMessage)
  }
}
