/** Reads the inputs of a request: the only parser of the query and of the body that office routes have. */
import type { FastifyRequest } from 'fastify'
import { pathOf } from './event-route-table.ts'

export type Sent = {
  /** Without the query. */
  readonly path: string
  readonly params: Readonly<Record<string, unknown>>
  readonly query: URLSearchParams
  /** Empty where no JSON object and no form was sent. */
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

/** The query of a request. A second question mark belongs to the first name: `??event=a` sets `?event`. */
export function queryOf({ url }: Pick<FastifyRequest, 'url'>): URLSearchParams {
  const start = url.indexOf('?')
  // URLSearchParams drops one leading question mark, which is the one that begins the query.
  return new URLSearchParams(start === -1 ? '' : url.slice(start))
}

/** Empty where the value is no JSON object. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
