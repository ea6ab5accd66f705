/** One question over the network: what came back, or why nothing did and whether it can have arrived there. */
import { MESSAGE_BYTES_MAX } from './parse-message.ts'

/**
 * What became of a question. `failed`: no answer of status 200 to 299 that could be read; `sent` false only
 * where no connection came about, so that nothing can have happened at the other end.
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

/** What the network says when no connection came about; a certificate that does not fit is seen before anything is sent. */
const NEVER_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$|CERT|SIGNATURE|^ERR_SSL/

/** Never throws: what goes wrong between two machines is an answer too. The timeout is for the whole answer. */
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
      // Another address would learn the private key, and whatever it says is not the gateway's word.
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

/** Null, and no more is read, once it is longer: an answer without end must not fill the memory. */
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

/** The system's own code for what went wrong; "" where there is none. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}

function wordsOf(error: unknown, code: string): string {
  if (!(error instanceof Error)) return String(error)
  return `${error.name}: ${error.message}${code === '' ? '' : ` (${code})`}`
}
