/** What Node's server would decide by itself, beneath the app: connections at a stop, and what a request expects. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/**
 * A request that expects something nobody knows is answered like every other. Node by itself answers 417
 * without a word, without our headers, and without a line in the log.
 */
export function answerWhateverIsExpected(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    app.server.emit('request', request, response),
  )
}

/**
 * Whoever opened a connection before the server was told to stop, and sends a request within this time, is answered: a
 * proxy asks as soon as it is connected. A browser may open one ahead, or keep one, and say nothing.
 */
const SILENT_MS_MAX = 250

/**
 * A server that closes takes no new connection from the first moment on: who comes now waits for the next server, where
 * somebody holds the socket for both. It waits for every connection that it has, also for those that a browser
 * keeps open, or opened ahead, without asking anything: these are ended after a moment, and those with a request on its
 * way as soon as it is answered.
 */
export function endConnectionsAtClose(app: FastifyInstance): void {
  const unused = new Set<Socket>()
  let closing = false
  app.server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  app.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    unused.delete(socket)
    response.once('close', () => {
      if (closing) socket.destroySoon()
      else if (!socket.destroyed) unused.add(socket)
    })
  })
  app.addHook('preClose', async () => {
    closing = true
    if (!app.server.listening) return
    // Not the server's own, which ends what is unused at once, in the middle of what a proxy sends.
    Server.prototype.close.call(app.server)
    while (unused.size > 0) {
      const heard = new Map([...unused].map((socket) => [socket, socket.bytesRead]))
      await setTimeout(SILENT_MS_MAX)
      for (const [socket, bytes] of heard)
        if (unused.has(socket) && socket.bytesRead === bytes) socket.destroy()
    }
  })
}
