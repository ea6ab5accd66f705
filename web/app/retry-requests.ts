/** Calls with retries, for requests that are safe to repeat. */
import { err } from '../../engine/index.ts'
import { CONNECTION_ERROR_MESSAGES } from '../../engine/messages.ts'
import { call } from './api-client.ts'
import type { CallResult, CallOptions, Reader } from './api-client.ts'

/** Timeout in milliseconds. Responses rarely take longer, even on a slow connection. */
const TIMEOUT_MS = 20_000
/** The timeout for a file allows for an upload at 200 kbit/s. */
const SLOWEST_BYTES_PER_MS = 25
/** Three timeouts add up to one minute. After that, users would rather press the button again. */
const MAX_ATTEMPTS = 3

/**
 * Makes a call, and repeats it after a timeout. Use it only for requests that the server recognises as repeated (same
 * key, same order). Calls `onRetry` before each retry. The error is `no_response` if the server never responded.
 */
export async function callWithRetries<T>(
  path: string,
  read: Reader<T>,
  options: Omit<CallOptions, 'signal' | 'form'> & { readonly form?: FormData },
  onRetry: () => void,
): Promise<CallResult<T>> {
  for (let attempt = 1; ; attempt++) {
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), computeTimeoutMs(options.form))
    const result = await call(path, read, { ...options, signal: timeout.signal })
    clearTimeout(timer)
    if (result.ok || result.error.code !== 'aborted') return result
    if (attempt === MAX_ATTEMPTS)
      return err({
        status: 0,
        code: 'no_response',
        message: CONNECTION_ERROR_MESSAGES.serverNotResponding,
        errorResponse: null,
      })
    onRetry()
  }
}

function computeTimeoutMs(form: FormData | undefined): number {
  const bytes = [...(form?.values() ?? [])].reduce(
    (sum, value) => sum + (typeof value === 'string' ? 0 : value.size),
    0,
  )
  return TIMEOUT_MS + bytes / SLOWEST_BYTES_PER_MS
}
