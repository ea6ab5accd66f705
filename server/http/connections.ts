/** Overrides defaults of Node's HTTP server: closing connections, and Expect headers. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/**
 * Answers a request with an unknown Expect header like every other. Node's default is 417 without a body, our
 * headers or a log line.
 */
export function answerWhateverIsExpected(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    app.server.emit('request', request, response),
  )
}

/**
 * A client that connected before the server was told to stop, and sends a request within this time, gets a
 * response: a proxy sends one as soon as it is connected. A browser may connect ahead of time, or keep a
 * connection open, without sending anything.
 */
const SILENT_MS_MAX = 250

/**
 * A closing server accepts no new connections from the first moment: new clients wait for the next server, if the
 * process manager holds the socket. It waits for open connections, including those that a browser keeps open or
 * opened ahead without a request: these are closed after a moment, and those with a request as soon as it is
 * answered.
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
    // Not Fastify's own close, which ends unused connections at once, while a proxy may be sending.
    Server.prototype.close.call(app.server)
    while (unused.size > 0) {
      const heard = new Map([...unused].map((socket) => [socket, socket.bytesRead]))
      await setTimeout(SILENT_MS_MAX)
      for (const [socket, bytes] of heard)
        if (unused.has(socket) && socket.bytesRead === bytes) socket.destroy()
    }
  })
}
