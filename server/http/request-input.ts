/** Parses a request's inputs; office routes read query and body only through this module. */
import type { FastifyRequest } from 'fastify'
import { getPath } from './event-route-table.ts'

export type RequestInput = {
  /** Without the query string. */
  readonly path: string
  readonly params: Readonly<Record<string, unknown>>
  readonly query: URLSearchParams
  /** Empty if neither a JSON object nor a form was sent. */
  readonly body: Readonly<Record<string, unknown>>
  /** The body of a route that accepts a file; null if none was sent. */
  readonly file: Buffer | null
}

export function readInput(request: FastifyRequest): RequestInput {
  const { body } = request
  return {
    path: getPath(request),
    params: asRecord(request.params),
    query: parseQuery(request),
    body: Buffer.isBuffer(body) ? {} : asRecord(body),
    file: Buffer.isBuffer(body) ? body : null,
  }
}

/** Parses the query string. A second question mark belongs to the first name: `??event=a` sets `?event`. */
export function parseQuery({ url }: Pick<FastifyRequest, 'url'>): URLSearchParams {
  const start = url.indexOf('?')
  // URLSearchParams drops one leading question mark: the one that starts the query string.
  return new URLSearchParams(start === -1 ? '' : url.slice(start))
}

/** Returns the value as a record. Empty if it is not a JSON object. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
