/**
 * HTTP by hand: what is sent goes out byte by byte as it stands here, because a browser's client would
 * put right, or refuse, the very things that an attacker sends.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export type Answer = {
  readonly status: number
  /** By name in small letters; a header that comes twice has its values joined by a line break. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}
/** `closed`: the server hung up before an answer was whole. `late`: nothing for as long as was waited. */
export type Outcome = Answer | 'closed' | 'late'

/** One connection, which is opened anew whenever the server has closed it. */
export type Line = {
  /** Writes the bytes and waits for one answer. */
  ask(bytes: Buffer | string, options?: AskOptions): Promise<Outcome>
  close(): void
}
export type AskOptions = {
  /** Milliseconds after which it is late. */
  readonly patienceMs?: number
  /** The answer to HEAD has no body, whatever its length says. */
  readonly isHead?: boolean
  /** A second answer on this connection would be to something smuggled. */
  readonly endsLine?: boolean
}

const PATIENCE_MS = 100_000
const HEADS_END = Buffer.from('\r\n\r\n')

export function openLine(url: string): Line {
  const { hostname, port } = new URL(url)
  let socket: Socket | null = null
  const ready = async (): Promise<Socket> => {
    if (socket !== null && !socket.destroyed && socket.writable && socket.readable) return socket
    const fresh = connect(Number(port), hostname)
    fresh.setNoDelay(true)
    fresh.on('error', () => {})
    await once(fresh, 'connect')
    socket = fresh
    return fresh
  }
  return {
    async ask(bytes, { patienceMs = PATIENCE_MS, isHead = false, endsLine = false } = {}) {
      const going = await ready()
      const outcome = answerOn(going, isHead, patienceMs)
      going.write(bytes)
      const heard = await outcome
      const ends =
        endsLine || typeof heard === 'string' || heard.headers.get('connection') === 'close'
      if (ends) {
        going.destroy()
        socket = null
      }
      return heard
    },
    close: () => void socket?.destroy(),
  }
}

/** Asks once, on a connection of its own. */
export async function askOnce(
  url: string,
  bytes: Buffer | string,
  options: AskOptions = {},
): Promise<Outcome> {
  const line = openLine(url)
  try {
    return await line.ask(bytes, options)
  } finally {
    line.close()
  }
}

/** The next answer that arrives on a connection. */
export function answerOn(socket: Socket, isHead: boolean, patienceMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    const end = (outcome: Outcome): void => {
      clearTimeout(timer)
      socket.off('data', hear)
      socket.off('close', closed)
      resolve(outcome)
    }
    const hear = (piece: Buffer): void => {
      pieces.push(piece)
      const answer = read(Buffer.concat(pieces), isHead, false)
      if (answer !== null) end(answer)
    }
    const closed = (): void => end(read(Buffer.concat(pieces), isHead, true) ?? 'closed')
    const timer = setTimeout(() => end('late'), patienceMs)
    socket.on('data', hear)
    socket.on('close', closed)
    if (socket.destroyed) closed()
  })
}

/** Null: not whole yet. */
function read(bytes: Buffer, isHead: boolean, isAll: boolean): Answer | null {
  const end = bytes.indexOf(HEADS_END)
  if (end === -1) return null
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1])
  const rest = bytes.subarray(end + HEADS_END.length)
  if (status >= 100 && status < 200) return read(rest, isHead, isAll)
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}\n${value}`)
  }
  const answer = (body: Buffer): Answer => ({ status, headers, body: body.toString('utf8') })
  if (isHead || status === 204 || status === 304) return answer(Buffer.alloc(0))
  const length = headers.get('content-length')
  if (length !== undefined)
    return rest.length < Number(length) ? null : answer(rest.subarray(0, Number(length)))
  if (headers.get('transfer-encoding') === 'chunked') {
    const body = unchunked(rest)
    return body === null ? null : answer(body)
  }
  return isAll ? answer(rest) : null
}

/** Null: not whole yet. */
function unchunked(bytes: Buffer): Buffer | null {
  const pieces: Buffer[] = []
  for (let at = 0; ;) {
    const line = bytes.indexOf('\r\n', at)
    if (line === -1) return null
    const length = Number.parseInt(bytes.toString('latin1', at, line), 16)
    const next = line + 2 + length + 2
    if (bytes.length < next) return null
    if (length === 0) return Buffer.concat(pieces)
    pieces.push(bytes.subarray(line + 2, line + 2 + length))
    at = next
  }
}

export type Sent = {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
}

/** A request that is in order as far as the framing goes: its length is said and right. */
export function requestOf({ method = 'GET', path, headers = {}, body }: Sent): Buffer {
  const content = body === undefined ? null : Buffer.from(body)
  const said = {
    host: 'rollcall.test',
    ...headers,
    ...(content === null ? {} : { 'content-length': String(content.length) }),
  }
  const head = Object.entries(said).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n`, 'latin1'),
    content ?? Buffer.alloc(0),
  ])
}
