/** Runs a job on many rows as a series of small requests, so that it can show progress and be stopped. */
import { useRef, useState } from 'react'

/** Number of rows per request. It is small, so that each request is quick and Stop takes effect soon. */
export const BATCH_ROWS = 50

type BatchesResult<T> = {
  readonly results: readonly T[]
  /** Rows that were not processed, because the user stopped the job. */
  readonly unprocessedCount: number
}

/**
 * Returns the job's progress and the functions that run and stop it. `stop` lets the current request finish, and its
 * rows are reported as processed.
 */
export function useBatches() {
  const [progress, setProgress] = useState({ done: 0, total: 0 })
  const isStopped = useRef(false)
  const run = async <Row, T>(
    rows: readonly Row[],
    size: number,
    process: (batch: readonly Row[]) => Promise<T>,
  ): Promise<BatchesResult<T>> => {
    const results: T[] = []
    let done = 0
    isStopped.current = false
    setProgress({ done, total: rows.length })
    while (done < rows.length && !isStopped.current) {
      results.push(await process(rows.slice(done, done + size)))
      done = Math.min(done + size, rows.length)
      setProgress({ done, total: rows.length })
    }
    return { results, unprocessedCount: rows.length - done }
  }
  const stop = (): void => {
    isStopped.current = true
  }
  return { progress, run, stop }
}
