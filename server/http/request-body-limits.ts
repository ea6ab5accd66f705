/**
 * Limits the memory and time that unfinished request bodies may take. A client that never finishes uses memory only
 * for the bytes that it has sent. At the limit, the largest bodies are aborted. These are never delegates' bodies,
 * because answers are a few kilobytes and arrive quickly, and files are written to disk.
 */
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { err, ok } from '../../engine/index.ts'
import type { Result } from '../../engine/index.ts'

/** A quarter of an idle server's memory; enough for thousands of concurrent forms. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024
/** The fraction that is freed at a time, so that a flood of requests does not cause a search for every chunk. */
const FREED_SHARE = 0.25
/** Answers arrive quickly, even from a slow phone. */
const MAX_BODY_MS = 90_000
/**
 * A client that sends at least this fast may take longer, such as a phone with weak reception that uploads a 5 MB
 * file.
 */
const MIN_BYTES_PER_SECOND = 20_000

/** Thrown for an aborted body: 408 if it was too slow, 503 if there was no memory for it. */
export class BodyAborted extends Error {
  readonly statusCode: 408 | 503
  constructor(statusCode: 408 | 503) {
    super('a request body was aborted')
    this.statusCode = statusCode
  }
}

export type BodyReservation = {
  /** Counts received bytes; `isInMemory` is true if they stay in memory until the body is complete. */
  countReceived(bytes: number, isInMemory: boolean): void
  /** Rejects with BodyAborted; never resolves. */
  readonly aborted: Promise<never>
  end(): void
}
export type BodyBudget = {
  /** Returns the bytes of unfinished bodies in memory. */
  heldBytes(): number
  reserve(): BodyReservation
  /** Reads a body of at most this many bytes. Reads and discards the rest of a longer one. Throws BodyAborted. */
  read(body: Readable, maxBytes: number): Promise<Result<Buffer, 'too_large' | 'cut_off'>>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The single budget for all bodies that are read into memory. */
    bodies: BodyBudget
  }
}

/** Creates a server's budget. A connection whose body was aborted is closed with the error response. */
export function addBodyBudget(
  app: FastifyInstance,
  limits: { readonly maxBufferedBytes?: number; readonly maxBodyMs?: number } = {},
): void {
  app.decorate('bodies', createBodyBudget(limits))
  app.addHook('onError', (request: FastifyRequest, reply, error, done) => {
    if (error instanceof BodyAborted)
      reply.raw.once('finish', () => request.raw.socket.destroySoon())
    done()
  })
}

type OpenBody = { bytes: number; readonly abort: (statusCode: 408 | 503) => void }

function createBodyBudget({
  maxBufferedBytes = MAX_BUFFERED_BYTES,
  maxBodyMs = MAX_BODY_MS,
}: {
  readonly maxBufferedBytes?: number
  readonly maxBodyMs?: number
}): BodyBudget {
  const bodies = new Set<OpenBody>()
  let heldBytes = 0

  const freeMemory = (): void => {
    for (const body of [...bodies].sort((a, b) => b.bytes - a.bytes)) {
      if (heldBytes <= maxBufferedBytes * (1 - FREED_SHARE)) return
      body.abort(503)
    }
  }

  /** `onAbort` is called at most once. */
  const track = (
    onAbort: (error: BodyAborted) => void,
  ): Pick<BodyReservation, 'countReceived' | 'end'> => {
    const startedAt = performance.now()
    let receivedBytes = 0
    const end = (): void => {
      clearTimeout(timer)
      if (bodies.delete(body)) heldBytes -= body.bytes
    }
    const body: OpenBody = {
      bytes: 0,
      abort: (statusCode) => {
        end()
        onAbort(new BodyAborted(statusCode))
      },
    }
    const checkSpeed = (): void => {
      const seconds = (performance.now() - startedAt) / 1000
      if (receivedBytes < seconds * MIN_BYTES_PER_SECOND) body.abort(408)
      else timer.refresh()
    }
    const timer = setTimeout(checkSpeed, maxBodyMs)
    timer.unref()
    bodies.add(body)
    return {
      countReceived: (bytes, isInMemory) => {
        receivedBytes += bytes
        if (!isInMemory || !bodies.has(body)) return
        body.bytes += bytes
        heldBytes += bytes
        if (heldBytes > maxBufferedBytes) freeMemory()
      },
      end,
    }
  }

  return {
    heldBytes: () => heldBytes,
    reserve: () => {
      const { promise: aborted, reject } = Promise.withResolvers<never>()
      aborted.catch(() => {})
      return { ...track(reject), aborted }
    },
    read: (body, maxBytes) =>
      new Promise((resolve, reject) => {
        let chunks: Buffer[] = []
        let length = 0
        let isReading = true
        const discard = (): void => {
          isReading = false
          chunks = []
        }
        const reservation = track((error) => {
          discard()
          reject(error)
        })
        const finish = (result: Result<Buffer, 'too_large' | 'cut_off'>): void => {
          reservation.end()
          resolve(result)
        }
        body.on('data', (chunk: Buffer) => {
          if (!isReading) return
          length += chunk.length
          if (length <= maxBytes) {
            chunks.push(chunk)
            reservation.countReceived(chunk.length, true)
          } else {
            discard()
            finish(err('too_large'))
          }
        })
        body.on('end', () => {
          const [firstChunk] = chunks
          finish(
            ok(
              firstChunk !== undefined && chunks.length === 1 ? firstChunk : Buffer.concat(chunks),
            ),
          )
        })
        body.on('error', () => finish(err('cut_off')))
        body.on('close', () => finish(err('cut_off')))
      }),
  }
}
