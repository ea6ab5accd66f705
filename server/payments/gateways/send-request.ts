/** Sends one request over the network. Returns the response, or the failure and whether the request was sent. */

/**
 * The result of a request. `failed` means that there was no readable response with a status of 200 to 299. `wasSent` is
 * false only if no connection was made, so that the gateway cannot have acted on the request.
 */
export type RequestResult =
  | { readonly is: 'answered'; readonly status: number; readonly text: string }
  | {
      readonly is: 'failed'
      /** Null if there was no response. */
      readonly status: number | null
      readonly error: string
      readonly wasSent: boolean
      /** The body of a response with another status. Absent if it could not be read. */
      readonly text?: string
    }
export type GatewayRequest = {
  readonly address: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Aborts the request, including the reading of its response. */
  readonly signal: AbortSignal
}

/** The maximum length of a response. A list of a hundred payments is shorter. */
const MAX_RESPONSE_BYTES = 1024 * 1024
/** The maximum length of a response from Airpay. */
const MAX_AIRPAY_BYTES = 64 * 1024

/** Network errors that mean that no connection was made; an invalid certificate is detected before anything is sent. */
const NOT_SENT_ERRORS =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$|CERT|SIGNATURE|^ERR_SSL/

/** Posts a body. The timeout covers the whole response. */
export function postRequest(
  address: string,
  contentType: string,
  body: string,
  timeoutMs: number,
): Promise<RequestResult> {
  return sendRequest(
    {
      address,
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    },
    MAX_AIRPAY_BYTES,
  )
}

/** Sends a request. Never throws: a network failure is returned as a result. */
export async function sendRequest(
  { address, method, headers, body, signal }: GatewayRequest,
  maxBytes: number = MAX_RESPONSE_BYTES,
): Promise<RequestResult> {
  let status: number | null = null
  try {
    const response = await fetch(address, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      // A redirect target would receive the credentials, and its response would not be the gateway's.
      redirect: 'manual',
      signal,
    })
    status = response.status
    const text = await readBody(response, maxBytes)
    const toFailure = (error: string): RequestResult => ({
      is: 'failed',
      status,
      error,
      wasSent: true,
      ...(text === null ? {} : { text }),
    })
    if (status >= 300 && status < 400)
      return toFailure(`the gateway redirected the request (status ${status})`)
    if (!response.ok) return toFailure(`the gateway responded with status ${status}`)
    return text === null ? toFailure('the response is too long') : { is: 'answered', status, text }
  } catch (error) {
    const code = readErrorCode(error)
    return {
      is: 'failed',
      status,
      error: formatError(error, code),
      wasSent: !NOT_SENT_ERRORS.test(code),
    }
  }
}

/** Returns null and stops reading once the response is too long: an endless response must not exhaust memory. */
async function readBody(response: Response, maxBytes: number): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    const bytesRead = chunk as Uint8Array
    bytes += bytesRead.byteLength
    if (bytes > maxBytes) return null
    chunks.push(bytesRead)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Returns the system's error code, or "" if there is none. */
function readErrorCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}

function formatError(error: unknown, code: string): string {
  if (!(error instanceof Error)) return String(error)
  return `${error.name}: ${error.message}${code === '' ? '' : ` (${code})`}`
}
