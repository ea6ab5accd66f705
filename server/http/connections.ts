/** Overrides defaults of Node's HTTP server: closing connections, and Expect headers. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server } from 'node:net'
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/**
 * Handles a request with an unknown Expect header like any other. By default, Node sends 417 without a body, our
 * headers or a log line.
 */
export function ignoreExpectHeader(app: FastifyInstance): void {
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    app.server.emit('request', request, response),
  )
}

/**
 * A client that connected before the shutdown began gets a response if it sends a request within this time. A proxy
 * sends a request as soon as it is connected. A browser may connect early, or keep a connection open, without sending
 * a request.
 */
const MAX_FIRST_REQUEST_MS = 250

/**
 * Closes open connections when the server shuts down. It then accepts no new ones: new clients wait for the next
 * server, if the process manager keeps the socket open. Open connections are closed as soon as their request
 * has been answered; idle ones, which browsers keep open or open early, are closed after a moment.
 */
export function closeIdleConnections(app: FastifyInstance): void {
  const idleSockets = new Set<Socket>()
  let isClosing = false
  app.server.on('connection', (socket: Socket) => {
    idleSockets.add(socket)
    socket.once('close', () => idleSockets.delete(socket))
  })
  app.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    idleSockets.delete(socket)
    response.once('close', () => {
      if (isClosing) socket.destroySoon()
      else if (!socket.destroyed) idleSockets.add(socket)
    })
  })
  app.addHook('preClose', async () => {
    isClosing = true
    if (!app.server.listening) return
    // Fastify's own close would end idle connections immediately, while a proxy may be sending.
    Server.prototype.close.call(app.server)
    while (idleSockets.size > 0) {
      const bytesBefore = new Map([...idleSockets].map((socket) => [socket, socket.bytesRead]))
      await setTimeout(MAX_FIRST_REQUEST_MS)
      for (const [socket, bytes] of bytesBefore)
        if (idleSockets.has(socket) && socket.bytesRead === bytes) socket.destroy()
    }
  })
}
