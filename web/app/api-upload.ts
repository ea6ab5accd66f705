/** The part of api-client.ts that sends a file and says how much of it has gone; it is loaded with the first file. */
import { answered, failedCall } from './api-client.ts'
import type { Answered, Reader } from './api-client.ts'

/** A line on which nothing moves for so long is dead, milliseconds. */
const STILL_MS = 20_000
/** What has left the browser may still lie in the telephone: so slowly it goes on a line that is alive, in bytes per millisecond. */
const CRAWL_BYTES_PER_MS = 4

/** By XMLHttpRequest, because `fetch` does not say how far it is. Never throws; gives up a line that is dead. */
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
): Promise<Answered<T>> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    const stop = () => request.abort()
    let still: ReturnType<typeof setTimeout> | undefined
    const wait = () => {
      clearTimeout(still)
      still = setTimeout(stop, STILL_MS + file.size / CRAWL_BYTES_PER_MS)
    }
    const end = (answer: Answered<T>) => {
      clearTimeout(still)
      signal.removeEventListener('abort', stop)
      resolve(answer)
    }
    signal.addEventListener('abort', stop)
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      wait()
      // The last of it is said when the server has it.
      onPercent(Math.min(99, Math.floor((100 * loaded) / Math.max(1, total))))
    })
    request.addEventListener('load', () =>
      end(answered(request.status, request.responseText, read)),
    )
    for (const broken of ['error', 'abort', 'timeout'])
      request.addEventListener(broken, () => end(failedCall()))
    request.open('POST', path)
    request.setRequestHeader('accept', 'application/json')
    const form = new FormData()
    form.append(field, file, file.name)
    wait()
    request.send(form)
  })
}
