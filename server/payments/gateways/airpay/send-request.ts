/** Sends one request over the network; reports the answer, or the failure and whether it was sent. */
import { MESSAGE_BYTES_MAX } from './parse-message.ts'

/**
 * The result of a request. `failed`: no readable answer with a status of 200 to 299; `sent` is false only if no
 * connection was made, so that nothing can have happened at the other end.
 */
export type Posted =
  | { readonly is: 'answered'; readonly status: number; readonly text: string }
  | {
      readonly is: 'failed'
      /** Null: no answer at all. */
      readonly status: number | null
      readonly error: string
      readonly sent: boolean
    }

/** Network errors that mean no connection was made; an invalid certificate is detected before anything is sent. */
const NEVER_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$|CERT|SIGNATURE|^ERR_SSL/

/** Never throws: a network failure is a result too. The timeout covers the whole answer. */
export async function post(
  address: string,
  contentType: string,
  body: string,
  timeoutMs: number,
): Promise<Posted> {
  let status: number | null = null
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
      // Another address would learn the private key, and its answer would not be the gateway's.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    status = response.status
    const text = await readWithin(response, MESSAGE_BYTES_MAX)
    const failed = (error: string): Posted => ({ is: 'failed', status, error, sent: true })
    if (status >= 300 && status < 400)
      return failed(`the gateway sent us elsewhere (status ${status})`)
    if (!response.ok) return failed(`the gateway answered with status ${status}`)
    return text === null ? failed('the answer is too long') : { is: 'answered', status, text }
  } catch (error) {
    const code = codeOf(error)
    return { is: 'failed', status, error: wordsOf(error, code), sent: !NEVER_SENT.test(code) }
  }
}

/** Returns null and stops reading once the answer is too long: an endless answer must not fill the memory. */
async function readWithin(response: Response, bytesMax: number): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    const part = chunk as Uint8Array
    bytes += part.byteLength
    if (bytes > bytesMax) return null
    chunks.push(part)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns the system's error code; "" if there is none. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}

function wordsOf(error: unknown, code: string): string {
  if (!(error instanceof Error)) return String(error)
  return `${error.name}: ${error.message}${code === '' ? '' : ` (${code})`}`
}
