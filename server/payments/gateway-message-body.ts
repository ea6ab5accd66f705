/** Reads the body or query string of gateway callbacks, which may be form-encoded or JSON. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { getPath } from '../http/event-route-table.ts'
import { MAX_MESSAGE_BYTES } from './gateways/message-fields.ts'

/** `bytes` are the bytes as received, which the gateway signs. Absent for a query string. */
export type MessageText = {
  readonly body: string
  readonly contentType: string
  readonly bytes?: Buffer
}

/** Leaves bodies unparsed in this scope, because messages are stored verbatim. */
export function keepBodiesUnparsed(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
}

/** Returns the body, or the query string of a GET request. Null if the body is too long or incomplete. */
export async function readMessage(request: FastifyRequest): Promise<MessageText | null> {
  if (request.method === 'GET')
    return {
      body: request.url.slice(getPath(request).length + 1),
      contentType: 'application/x-www-form-urlencoded',
    }
  const stream = request.body as Readable | null | undefined
  const result = await request.server.bodies.read(stream ?? Readable.from([]), MAX_MESSAGE_BYTES)
  return result.ok
    ? {
        body: result.value.toString('utf8'),
        contentType: request.headers['content-type'] ?? '',
        bytes: result.value,
      }
    : null
}
