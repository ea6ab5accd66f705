/** Parses the inputs of a request; office routes read query and body only through this module. */
import type { FastifyRequest } from 'fastify'
import { pathOf } from './event-route-table.ts'

export type Sent = {
  /** Without the query string. */
  readonly path: string
  readonly params: Readonly<Record<string, unknown>>
  readonly query: URLSearchParams
  /** Empty if neither a JSON object nor a form was sent. */
  readonly body: Readonly<Record<string, unknown>>
  /** The body of a route that takes a file; null: none was sent. */
  readonly file: Buffer | null
}

export function readSent(request: FastifyRequest): Sent {
  const { body } = request
  return {
    path: pathOf(request),
    params: recordOf(request.params),
    query: queryOf(request),
    body: Buffer.isBuffer(body) ? {} : recordOf(body),
    file: Buffer.isBuffer(body) ? body : null,
  }
}

/** Parses the query string. A second question mark belongs to the first name: `??event=a` sets `?event`. */
export function queryOf({ url }: Pick<FastifyRequest, 'url'>): URLSearchParams {
  const start = url.indexOf('?')
  // URLSearchParams drops one leading question mark: the one that starts the query string.
  return new URLSearchParams(start === -1 ? '' : url.slice(start))
}

/** Empty if the value is not a JSON object. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
