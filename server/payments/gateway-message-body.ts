/** Reads the text of requests to fixed addresses that accept both forms and JSON. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { pathOf } from '../http/event-route-table.ts'
import { MESSAGE_BYTES_MAX } from './gateways/airpay/parse-message.ts'

export type Read = { readonly body: string; readonly contentType: string }

/** Leaves bodies unparsed in this scope, because messages are stored verbatim. */
export function keepsBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
}

/** Returns the text of the body, or of the query for a GET; null when it is too long or incomplete. */
export async function readMessage(request: FastifyRequest): Promise<Read | null> {
  if (request.method === 'GET')
    return {
      body: request.url.slice(pathOf(request).length + 1),
      contentType: 'application/x-www-form-urlencoded',
    }
  const stream = request.body as Readable | null | undefined
  const read = await request.server.bodies.read(stream ?? Readable.from([]), MESSAGE_BYTES_MAX)
  return read.ok
    ? { body: read.value.toString('utf8'), contentType: request.headers['content-type'] ?? '' }
    : null
}
