/** Defines the single format of error responses. */
import { REFUSAL_MESSAGES } from '../../engine/messages.ts'
import type { FastifyReply } from 'fastify'
import type { ErrorAnswer } from '../../engine/api.ts'

/** Fields that a refusal may have besides its code and message. */
export type More = Omit<ErrorAnswer, 'status' | 'code' | 'message'>

/**
 * Sends `{status: 'error', code, message}` with any further fields of the refusal; for our own errors, also the
 * request id.
 */
export function refuse(
  reply: FastifyReply,
  status: number,
  code: string,
  message: string,
  more: More = {},
): FastifyReply {
  const { id } = reply.request
  // With the id, a user who reports the error can name the line of the log.
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .header('x-request-id', id)
    .send(errorAnswer(code, message, status < 500 ? more : { ...more, request_id: id }))
}

export function errorAnswer(code: string, message: string, more: More = {}): ErrorAnswer {
  return { status: 'error', code, message, ...more }
}

const { status: text } = REFUSAL_MESSAGES

type Told = { readonly code: string; readonly message: string }

/** The default meaning of a status, for errors thrown by the framework. */
const toldByStatus: Readonly<Record<number, Told>> = {
  400: { code: 'bad_request', message: text.unreadable },
  401: { code: 'unauthorized', message: text.unauthorized },
  403: { code: 'forbidden', message: text.forbidden },
  404: { code: 'not_found', message: text.notFound },
  405: { code: 'method_not_allowed', message: text.method },
  406: { code: 'bad_request', message: text.unreadable },
  408: { code: 'timeout', message: text.timeout },
  413: { code: 'too_large', message: text.tooLarge },
  415: {
    code: 'unsupported_media_type',
    message: text.mediaType,
  },
  // Sent as 503, which more clients know to retry.
  507: {
    code: 'no_room',
    message: text.noRoom,
  },
  503: { code: 'busy', message: text.busy },
}
/** Seconds after which to retry: when the writer has caught up, or when disk space has been freed. */
export const RETRY_SECONDS: Readonly<Record<number, number>> = { 503: 2, 507: 60 }

const internal: Told = {
  code: 'internal',
  message: text.internal,
}

/** Returns code and message for a status; the message never reveals internal details. */
export function toldOf(status: number): Told {
  return (
    toldByStatus[status] ??
    (status < 500 ? { code: 'bad_request', message: text.unreadable } : internal)
  )
}
