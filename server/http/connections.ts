/** What Node's server would decide by itself, beneath the app: connections at a stop, and what a request expects. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
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
 * A server that closes waits for every connection, also for those that a browser keeps open, or opened
 * ahead, without asking anything: these are ended at once, and those with a request on its way as soon
 * as it is answered.
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
    for (const socket of unused) socket.destroy()
  })
}
