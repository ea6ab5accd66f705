/** Calls with retries, for requests that are safe to repeat. */
import { err } from '../../engine/index.ts'
import { CONNECTION_ERROR_MESSAGES } from '../../engine/messages.ts'
import { call } from './api-client.ts'
import type { Answered, CallOptions, Reader } from './api-client.ts'

/** Timeout in milliseconds: later answers are rare on any connection. */
const PATIENCE_MS = 20_000
/** A file may take as long as a connection of 200 kbit/s needs for it. */
const SLOWEST_BYTES_PER_MS = 25
/** Three timeouts make one minute; after that, users would rather press again. */
const TRIES_MAX = 3

/**
 * Like `call`, for requests that the server recognises as repeated (same key, same order). `waits`
 * is called each time that a request timed out and is sent again. The error is `no_answer` if none
 * of them was answered.
 */
export async function callUntilAnswered<T>(
  path: string,
  read: Reader<T>,
  options: Omit<CallOptions, 'signal' | 'form'> & { readonly form?: FormData },
  waits: () => void,
): Promise<Answered<T>> {
  for (let tried = 1; ; tried++) {
    const patience = new AbortController()
    const timer = setTimeout(() => patience.abort(), patienceMs(options.form))
    const answer = await call(path, read, { ...options, signal: patience.signal })
    clearTimeout(timer)
    if (answer.ok || answer.error.code !== 'aborted') return answer
    if (tried === TRIES_MAX)
      return err({
        status: 0,
        code: 'no_answer',
        message: CONNECTION_ERROR_MESSAGES.serverNotResponding,
        answer: null,
      })
    waits()
  }
}

function patienceMs(form: FormData | undefined): number {
  const bytes = [...(form?.values() ?? [])].reduce(
    (sum, value) => sum + (typeof value === 'string' ? 0 : value.size),
    0,
  )
  return PATIENCE_MS + bytes / SLOWEST_BYTES_PER_MS
}
