/** A proxy to PostgreSQL that delays packets, counts round trips, and cuts connections around a COMMIT. */
import { createConnection, createServer } from 'node:net'
import type { Socket } from 'node:net'
import {
  createMessageReader,
  createStatementReader,
  isCommit,
  isCommitted,
  isTlsRequest,
} from './postgres-messages.ts'

/** The folder of PostgreSQL's socket, or a local port. */
export type Target = { readonly folder: string } | { readonly port: number }
/**
 * `before`: PostgreSQL never gets the COMMIT. `during`: its response is lost. `after`: the client
 * gets the response and then loses the connection.
 */
export type CutMoment = 'before' | 'during' | 'after'
export type CutOptions = {
  /** Cuts the connection at one COMMIT out of this many. */
  readonly oneIn?: number
  /** The maximum number of cuts. */
  readonly maxCuts?: number
}
export type Traffic = {
  /**
   * The number of round trips. Each starts with the first packet sent to PostgreSQL after a response has reached the
   * client.
   */
  readonly roundTrips: number
  readonly packetsToServer: number
  readonly packetsToClient: number
}
/** The statements of one round trip, in order. */
export type Trip = {
  readonly connection: number
  readonly atMs: number
  readonly statements: readonly string[]
}
export type DelayingProxy = {
  readonly port: number
  /** Returns the total traffic of all connections, including closed ones. */
  traffic(): Traffic
  trafficByConnection(): readonly Traffic[]
  /** Starts recording the statements of each round trip. */
  startTrace(): void
  /** Returns the round trips since the previous call, or since the start of the trace. */
  takeTrips(): readonly Trip[]
  setDelay(delayMs: number): void
  /** Redirects new connections, as when an address moves to another machine. */
  setTarget(target: Target): void
  /** Sets at which commits to cut the connection. Replaces the previous plan. */
  cutCommits(moment: CutMoment, options?: CutOptions): void
  stopCutting(): void
  cuts(): Readonly<Record<CutMoment, number>>
  /** Cuts all open connections. New ones are still accepted. */
  cutAll(): void
  close(): Promise<void>
}

const DELAY_MS = 2
const POSTGRES_PORT = 5432
/** Timers have millisecond resolution: everything due within this time is delivered. */
const TIMER_TOLERANCE_MS = 0.5

/** Returns the URL of the same database through a proxy. */
export function buildProxyUrl(port: number, directUrl: string): string {
  const parts = /^(postgres(?:ql)?:\/\/[^@/]*@)[^/]*\/([^?]*)/.exec(directUrl)
  if (parts === null) throw new Error(`not a database URL: ${directUrl}`)
  return `${parts[1]}127.0.0.1:${port}/${parts[2]}`
}

export async function startDelayingProxy(
  firstTarget: Target,
  { delayMs = DELAY_MS }: { readonly delayMs?: number } = {},
): Promise<DelayingProxy> {
  let target = firstTarget
  let delay = delayMs
  let trips: Trip[] | null = null
  let cutPlan: { moment: CutMoment; oneIn: number; remaining: number } | null = null
  let commitCount = 0
  const cuts = { before: 0, during: 0, after: 0 }
  const connections: Connection[] = []

  /** Counts a commit under the current plan. Returns whether to cut the connection at this commit. */
  const shouldCutAt = (moment: CutMoment): boolean => {
    if (cutPlan?.moment !== moment || cutPlan.remaining <= 0) return false
    commitCount += 1
    if (commitCount % cutPlan.oneIn !== 0) return false
    cutPlan.remaining -= 1
    cuts[moment] += 1
    return true
  }
  const server = createServer({ noDelay: true }, (client) => {
    const postgres = connect(target)
    connections.push(
      joinSockets(client, postgres, {
        number: connections.length,
        delay: () => delay,
        trips: () => trips,
        shouldCutAt,
      }),
    )
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const cutAll = (): void => {
    for (const { cut: cutConnection } of connections) cutConnection()
  }
  return {
    port: address.port,
    traffic: () => connections.map(({ traffic }) => traffic()).reduce(addTraffic, NO_TRAFFIC),
    trafficByConnection: () => connections.map(({ traffic }) => traffic()),
    startTrace: () => {
      trips = []
    },
    takeTrips: () => trips?.splice(0) ?? [],
    setDelay: (next) => {
      delay = next
    },
    setTarget: (next) => {
      target = next
    },
    cutCommits: (moment, { oneIn = 1, maxCuts = Infinity } = {}) => {
      cutPlan = { moment, oneIn, remaining: maxCuts }
      commitCount = 0
    },
    stopCutting: () => {
      cutPlan = null
    },
    cuts: () => ({ ...cuts }),
    cutAll,
    close: async () => {
      cutAll()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
}

const NO_TRAFFIC: Traffic = { roundTrips: 0, packetsToServer: 0, packetsToClient: 0 }
const addTraffic = (first: Traffic, other: Traffic): Traffic => ({
  roundTrips: first.roundTrips + other.roundTrips,
  packetsToServer: first.packetsToServer + other.packetsToServer,
  packetsToClient: first.packetsToClient + other.packetsToClient,
})

function connect(target: Target): Socket {
  const socket =
    'folder' in target
      ? createConnection(`${target.folder}/.s.PGSQL.${POSTGRES_PORT}`)
      : createConnection(target.port, '127.0.0.1')
  return socket.setNoDelay(true)
}

type Connection = { traffic(): Traffic; cut(): void }
type ConnectionContext = {
  readonly number: number
  delay(): number
  trips(): Trip[] | null
  shouldCutAt(moment: CutMoment): boolean
}

function joinSockets(client: Socket, postgres: Socket, context: ConnectionContext): Connection {
  const counts = { roundTrips: 0, packetsToServer: 0, packetsToClient: 0 }
  const [toServer, toClient] = [createDelayLine(context.delay), createDelayLine(context.delay)]
  const [requestReader, responseReader] = [createMessageReader(true), createMessageReader(false)]
  const { readStatement } = createStatementReader()
  /** The statements of the current round trip. */
  let statements: string[] = []
  let hasResponse = true
  let isCut = false
  const cut = (): void => {
    isCut = true
    client.destroy()
    postgres.destroy()
  }

  client.on('data', (chunk: Buffer) => {
    if (isCut) return
    counts.packetsToServer += 1
    if (hasResponse) {
      hasResponse = false
      counts.roundTrips += 1
      statements = []
      context.trips()?.push({ connection: context.number, atMs: performance.now(), statements })
    }
    let cutFrom: number | null = null
    for (const message of requestReader.read(chunk)) {
      if (isTlsRequest(message)) responseReader.expectTlsAnswer()
      const statement = readStatement(message)
      if (statement === null) continue
      if (context.trips() !== null) statements.push(statement)
      if (cutFrom === null && isCommit(statement) && context.shouldCutAt('before'))
        cutFrom = Math.max(0, message.start)
    }
    if (cutFrom === null) {
      toServer.add(() => postgres.write(chunk))
      return
    }
    // Delivers the bytes before the COMMIT, and nothing after it.
    isCut = true
    const bytesBeforeCommit = chunk.subarray(0, cutFrom)
    toServer.add(() => postgres.end(bytesBeforeCommit))
    toServer.add(() => client.destroy())
  })
  postgres.on('data', (chunk: Buffer) => {
    if (isCut) return
    counts.packetsToClient += 1
    const hasCommitted = responseReader.read(chunk).some(isCommitted)
    if (hasCommitted && context.shouldCutAt('during')) {
      cut()
      return
    }
    const isLast = hasCommitted && context.shouldCutAt('after')
    toClient.add(() => {
      hasResponse = true
      client.write(chunk)
    })
    if (!isLast) return
    isCut = true
    toClient.add(() => {
      client.end()
      postgres.destroy()
    })
  })
  for (const [socket, other, delayLine] of [
    [client, postgres, toServer],
    [postgres, client, toClient],
  ] as const) {
    socket.on('error', () => other.destroy())
    socket.on('end', () => delayLine.add(() => other.end()))
    socket.on('close', () => delayLine.add(() => other.destroy()))
  }
  return { traffic: () => ({ ...counts }), cut }
}

type DelayLine = { add(deliver: () => void): void }

/** Creates a queue that delivers its entries in order, each after the delay. */
function createDelayLine(delay: () => number): DelayLine {
  const pending: { readonly deliver: () => void; readonly dueMs: number }[] = []
  let isScheduled = false
  const setTimer = (): void => {
    const next = pending[0]
    if (isScheduled || next === undefined) return
    isScheduled = true
    setTimeout(deliverDue, Math.max(1, Math.round(next.dueMs - performance.now())))
  }
  const deliverDue = (): void => {
    isScheduled = false
    const now = performance.now() + TIMER_TOLERANCE_MS
    for (let next = pending[0]; next !== undefined && next.dueMs <= now; next = pending[0]) {
      pending.shift()
      next.deliver()
    }
    setTimer()
  }
  return {
    add(deliver) {
      const delayMs = delay()
      if (delayMs === 0 && pending.length === 0) {
        deliver()
        return
      }
      pending.push({ deliver, dueMs: performance.now() + delayMs })
      setTimer()
    },
  }
}
