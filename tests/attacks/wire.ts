/** Raw HTTP client that sends exact bytes; ordinary clients correct or reject malformed requests. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export type HttpResponse = {
  readonly status: number
  /** By lower-case name; the values of a repeated header are joined by a line break. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}
/** `closed`: the server disconnected before the response was complete. `late`: no response within the timeout. */
export type Outcome = HttpResponse | 'closed' | 'late'

/** A connection that is reopened if the server has closed it. */
export type Connection = {
  /** Writes the bytes and waits for one response. */
  send(bytes: Buffer | string, options?: SendOptions): Promise<Outcome>
  close(): void
}
export type SendOptions = {
  /** Timeout in milliseconds. */
  readonly timeoutMs?: number
  /** The response to HEAD has no body, whatever its length header says. */
  readonly isHead?: boolean
  /** Closes the connection after the response, because a second response would belong to a smuggled request. */
  readonly shouldCloseConnection?: boolean
}

const MAX_WAIT_MS = 100_000
const HEAD_END = Buffer.from('\r\n\r\n')

export function openConnection(url: string): Connection {
  const { hostname, port } = new URL(url)
  let socket: Socket | null = null
  const getSocket = async (): Promise<Socket> => {
    if (socket !== null && !socket.destroyed && socket.writable && socket.readable) return socket
    const newSocket = connect(Number(port), hostname)
    newSocket.setNoDelay(true)
    newSocket.on('error', () => {})
    await once(newSocket, 'connect')
    socket = newSocket
    return newSocket
  }
  return {
    async send(
      bytes,
      { timeoutMs = MAX_WAIT_MS, isHead = false, shouldCloseConnection = false } = {},
    ) {
      const openSocket = await getSocket()
      const outcomePromise = readResponse(openSocket, isHead, timeoutMs)
      openSocket.write(bytes)
      const result = await outcomePromise
      const isClosing =
        shouldCloseConnection ||
        typeof result === 'string' ||
        result.headers.get('connection') === 'close'
      if (isClosing) {
        openSocket.destroy()
        socket = null
      }
      return result
    },
    close: () => void socket?.destroy(),
  }
}

/** Sends one request on a new connection. */
export async function sendOnce(
  url: string,
  bytes: Buffer | string,
  options: SendOptions = {},
): Promise<Outcome> {
  const connection = openConnection(url)
  try {
    return await connection.send(bytes, options)
  } finally {
    connection.close()
  }
}

/** Reads the next response that arrives on a connection. */
export function readResponse(socket: Socket, isHead: boolean, timeoutMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const finish = (outcome: Outcome): void => {
      clearTimeout(timer)
      socket.off('data', appendChunk)
      socket.off('close', handleClose)
      resolve(outcome)
    }
    const appendChunk = (chunk: Buffer): void => {
      chunks.push(chunk)
      const response = parseResponse(Buffer.concat(chunks), isHead, false)
      if (response !== null) finish(response)
    }
    const handleClose = (): void =>
      finish(parseResponse(Buffer.concat(chunks), isHead, true) ?? 'closed')
    const timer = setTimeout(() => finish('late'), timeoutMs)
    socket.on('data', appendChunk)
    socket.on('close', handleClose)
    if (socket.destroyed) handleClose()
  })
}

/** Parses a response. Returns null if it is not complete yet. */
function parseResponse(bytes: Buffer, isHead: boolean, hasEnded: boolean): HttpResponse | null {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd === -1) return null
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1])
  const bodyBytes = bytes.subarray(headEnd + HEAD_END.length)
  if (status >= 100 && status < 200) return parseResponse(bodyBytes, isHead, hasEnded)
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colonAt = line.indexOf(':')
    const name = line.slice(0, colonAt).toLowerCase()
    const value = line.slice(colonAt + 1).trim()
    const previousValue = headers.get(name)
    headers.set(name, previousValue === undefined ? value : `${previousValue}\n${value}`)
  }
  const buildResponse = (body: Buffer): HttpResponse => ({
    status,
    headers,
    body: body.toString('utf8'),
  })
  if (isHead || status === 204 || status === 304) return buildResponse(Buffer.alloc(0))
  const length = headers.get('content-length')
  if (length !== undefined)
    return bodyBytes.length < Number(length)
      ? null
      : buildResponse(bodyBytes.subarray(0, Number(length)))
  if (headers.get('transfer-encoding') === 'chunked') {
    const body = decodeChunks(bodyBytes)
    return body === null ? null : buildResponse(body)
  }
  return hasEnded ? buildResponse(bodyBytes) : null
}

/** Decodes a chunked body. Returns null if it is not complete yet. */
function decodeChunks(bytes: Buffer): Buffer | null {
  const chunks: Buffer[] = []
  for (let index = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', index)
    if (lineEnd === -1) return null
    const length = Number.parseInt(bytes.toString('latin1', index, lineEnd), 16)
    const nextPosition = lineEnd + 2 + length + 2
    if (bytes.length < nextPosition) return null
    if (length === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + length))
    index = nextPosition
  }
}

export type RequestParts = {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
}

/** Builds a request with a correct length header. */
export function buildRequest({ method = 'GET', path, headers = {}, body }: RequestParts): Buffer {
  const content = body === undefined ? null : Buffer.from(body)
  const headerValues = {
    host: 'rollcall.test',
    ...headers,
    ...(content === null ? {} : { 'content-length': String(content.length) }),
  }
  const headLines = Object.entries(headerValues).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${headLines.join('')}\r\n`, 'latin1'),
    content ?? Buffer.alloc(0),
  ])
}
