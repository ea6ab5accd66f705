/**
 * Reports the progress of long operations to the command that displays it.
 * Without a listener, a report costs a comparison.
 */
import { channel } from 'node:diagnostics_channel'

export type ProgressReport = {
  /** What is being done, as a gerund phrase: “Copying files”. Reports of the same step follow each other. */
  readonly step: string
  readonly done: number
  readonly total: number
}

const reports = channel('rollcall:progress')

export const reportProgress = (report: ProgressReport): void => {
  if (reports.hasSubscribers) reports.publish(report)
}

/** Yields each item, and reports before it how many were yielded. */
export function* reportEach<T>(items: readonly T[], step: string): Generator<T> {
  for (const [done, item] of items.entries()) {
    reportProgress({ step, done, total: items.length })
    yield item
  }
}

/** Calls the listener with each report of this thread until the returned function is called. */
export function onProgress(listener: (report: ProgressReport) => void): () => void {
  const onMessage = (message: unknown): void => listener(message as ProgressReport)
  reports.subscribe(onMessage)
  return () => {
    reports.unsubscribe(onMessage)
  }
}
