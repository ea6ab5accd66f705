/**
 * Limits the memory that unfinished request bodies hold, and their duration.
 * A client that never finishes costs only what it has sent. At the limit, the largest bodies are aborted. These
 * are never a delegate's: answers have some kilobytes and arrive at once, and files go to disk.
 */
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { err, ok } from '../../engine/index.ts'
import type { Result } from '../../engine/index.ts'

/** A quarter of the memory of an idle server; thousands of forms at the same moment. */
const HELD_BYTES_MAX = 64 * 1024 * 1024
/** The part that is freed at once, so that a flood does not cause a search for every chunk. */
const FREED_PART = 0.25
/** Answers arrive quickly, even from a slow phone. */
const BODY_MS_MAX = 90_000
/** A client with this rate may take longer: a proof of 5 MB from a phone with weak reception. */
const BYTES_PER_SECOND_MIN = 20_000

/** A body that is no longer awaited: 408 too slow, 503 no memory for it. */
export class GivenUp extends Error {
  readonly statusCode: 408 | 503
  constructor(statusCode: 408 | 503) {
    super('a body was given up')
    this.statusCode = statusCode
  }
}

export type Holding = {
  /** Counts received bytes; `isHeld`: they are in memory until the body is complete. */
  came(bytes: number, isHeld: boolean): void
  /** Rejects with GivenUp; never resolves. */
  readonly givenUp: Promise<never>
  end(): void
}
export type Bodies = {
  /** Returns the bytes that unfinished bodies hold now. */
  heldBytes(): number
  hold(): Holding
  /** Reads a whole body up to this many bytes. The rest of a longer one is read and discarded. Throws GivenUp. */
  read(body: Readable, bytesMax: number): Promise<Result<Buffer, 'too_large' | 'cut_off'>>
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The single budget of all bodies that are read into memory. */
    bodies: Bodies
  }
}

/** Creates the budget of a server. A connection whose body was aborted is closed with the error response. */
export function addBodies(
  app: FastifyInstance,
  limits: { readonly heldBytesMax?: number; readonly bodyMsMax?: number } = {},
): void {
  app.decorate('bodies', openBodies(limits))
  app.addHook('onError', (request: FastifyRequest, reply, error, done) => {
    if (error instanceof GivenUp) reply.raw.once('finish', () => request.raw.socket.destroySoon())
    done()
  })
}

type Held = { bytes: number; readonly giveUp: (statusCode: 408 | 503) => void }

function openBodies({
  heldBytesMax = HELD_BYTES_MAX,
  bodyMsMax = BODY_MS_MAX,
}: {
  readonly heldBytesMax?: number
  readonly bodyMsMax?: number
}): Bodies {
  const bodies = new Set<Held>()
  let heldBytes = 0

  const makeRoom = (): void => {
    for (const body of [...bodies].sort((a, b) => b.bytes - a.bytes)) {
      if (heldBytes <= heldBytesMax * (1 - FREED_PART)) return
      body.giveUp(503)
    }
  }

  /** `giveUp` is called at most once. */
  const begin = (giveUp: (error: GivenUp) => void): Pick<Holding, 'came' | 'end'> => {
    const since = performance.now()
    let cameBytes = 0
    const end = (): void => {
      clearTimeout(patience)
      if (bodies.delete(body)) heldBytes -= body.bytes
    }
    const body: Held = {
      bytes: 0,
      giveUp: (statusCode) => {
        end()
        giveUp(new GivenUp(statusCode))
      },
    }
    const judge = (): void => {
      const seconds = (performance.now() - since) / 1000
      if (cameBytes < seconds * BYTES_PER_SECOND_MIN) body.giveUp(408)
      else patience.refresh()
    }
    const patience = setTimeout(judge, bodyMsMax)
    patience.unref()
    bodies.add(body)
    return {
      came: (bytes, isHeld) => {
        cameBytes += bytes
        if (!isHeld || !bodies.has(body)) return
        body.bytes += bytes
        heldBytes += bytes
        if (heldBytes > heldBytesMax) makeRoom()
      },
      end,
    }
  }

  return {
    heldBytes: () => heldBytes,
    hold: () => {
      const { promise: givenUp, reject } = Promise.withResolvers<never>()
      givenUp.catch(() => {})
      return { ...begin(reject), givenUp }
    },
    read: (body, bytesMax) =>
      new Promise((resolve, reject) => {
        let pieces: Buffer[] = []
        let length = 0
        let isWanted = true
        const stop = (): void => {
          isWanted = false
          pieces = []
        }
        const holding = begin((error) => {
          stop()
          reject(error)
        })
        const done = (read: Result<Buffer, 'too_large' | 'cut_off'>): void => {
          holding.end()
          resolve(read)
        }
        body.on('data', (piece: Buffer) => {
          if (!isWanted) return
          length += piece.length
          if (length <= bytesMax) {
            pieces.push(piece)
            holding.came(piece.length, true)
          } else {
            stop()
            done(err('too_large'))
          }
        })
        body.on('end', () => {
          const [first] = pieces
          done(ok(first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces)))
        })
        body.on('error', () => done(err('cut_off')))
        body.on('close', () => done(err('cut_off')))
      }),
  }
}
