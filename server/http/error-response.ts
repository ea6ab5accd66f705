/** Defines the single format of error responses. */
import type { FastifyReply } from 'fastify'
import type { ErrorAnswer } from '../../engine/index.ts'

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

type Told = { readonly code: string; readonly message: string }

/** The default meaning of a status, for errors thrown by the framework. */
const toldByStatus: Readonly<Record<number, Told>> = {
  400: { code: 'bad_request', message: 'The request could not be read.' },
  401: { code: 'unauthorized', message: 'Unauthorized. Please check your credentials.' },
  403: { code: 'forbidden', message: 'Access forbidden.' },
  404: { code: 'not_found', message: 'There is nothing at this address.' },
  405: { code: 'method_not_allowed', message: 'This address does not take that kind of request.' },
  406: { code: 'bad_request', message: 'The request could not be read.' },
  408: { code: 'timeout', message: 'The request took too long to arrive. Please try again.' },
  413: { code: 'too_large', message: 'The request is larger than this address takes.' },
  415: {
    code: 'unsupported_media_type',
    message: 'Send the answers as multipart/form-data or as application/json.',
  },
  // Sent as 503, which more clients know to retry.
  507: {
    code: 'no_room',
    message:
      'The server cannot take files at the moment. Please try again later, or write to the organisers.',
  },
  503: { code: 'busy', message: 'The server is busy. Please try again in a moment.' },
}
/** Seconds after which to retry: when the writer has caught up, or when disk space has been freed. */
export const RETRY_SECONDS: Readonly<Record<number, number>> = { 503: 2, 507: 60 }

const internal: Told = {
  code: 'internal',
  message: 'Something went wrong on our side. Please try again later.',
}

/** Returns code and message for a status; the message never reveals internal details. */
export function toldOf(status: number): Told {
  return (
    toldByStatus[status] ??
    (status < 500 ? { code: 'bad_request', message: 'The request could not be read.' } : internal)
  )
}
