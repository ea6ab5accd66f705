/** File uploads with progress, as an extension of api-client.ts. Loaded when the first file is uploaded. */
import { readResponse, createFailedResult } from './api-client.ts'
import type { CallResult, Reader } from './api-client.ts'

/** Time in milliseconds without progress after which a connection counts as lost. */
const STALL_TIMEOUT_MS = 20_000
/**
 * The slowest working connection, in bytes per millisecond. Data sent by the browser may still be in the device's
 * buffers.
 */
const SLOWEST_BYTES_PER_MS = 4

/**
 * Uploads a file with XMLHttpRequest, because `fetch` reports no upload progress. Never throws; aborts if the
 * connection is lost.
 */
export function upload<T>(
  path: string,
  read: Reader<T>,
  {
    field,
    file,
    signal,
    onPercent,
  }: {
    readonly field: string
    readonly file: File
    readonly signal: AbortSignal
    readonly onPercent: (percent: number) => void
  },
): Promise<CallResult<T>> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    const stop = () => request.abort()
    let stallTimer: ReturnType<typeof setTimeout> | undefined
    const restartTimer = () => {
      clearTimeout(stallTimer)
      stallTimer = setTimeout(stop, STALL_TIMEOUT_MS + file.size / SLOWEST_BYTES_PER_MS)
    }
    const finish = (result: CallResult<T>) => {
      clearTimeout(stallTimer)
      signal.removeEventListener('abort', stop)
      resolve(result)
    }
    signal.addEventListener('abort', stop)
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      restartTimer()
      // Stops at 99 percent, because the server may not have the whole file yet.
      onPercent(Math.min(99, Math.floor((100 * loaded) / Math.max(1, total))))
    })
    request.addEventListener('load', () =>
      finish(readResponse(request.status, request.responseText, read)),
    )
    for (const eventName of ['error', 'abort', 'timeout'])
      request.addEventListener(eventName, () => finish(createFailedResult()))
    request.open('POST', path)
    request.setRequestHeader('accept', 'application/json')
    const form = new FormData()
    form.append(field, file, file.name)
    restartTimer()
    request.send(form)
  })
}
