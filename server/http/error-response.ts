/** The one shape in which every call says no. */
import type { FastifyReply } from 'fastify'
import type { ErrorAnswer } from '../../engine/index.ts'

/** What a refusal may carry besides its code and its sentence. */
export type More = Omit<ErrorAnswer, 'status' | 'code' | 'message'>

/** Sends `{status: 'error', code, message}` with whatever else the refusal carries; what is our fault with the request's id, too. */
export function refuse(
  reply: FastifyReply,
  status: number,
  code: string,
  message: string,
  more: More = {},
): FastifyReply {
  const { id } = reply.request
  // Whoever writes to us about it can name the line of the log.
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

/** What a status means when nothing more is known: for errors thrown by the framework. */
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
  // Sent as 503, which more senders understand to try again.
  507: {
    code: 'no_room',
    message:
      'The server cannot take files at the moment. Please try again later, or write to the organisers.',
  },
  503: { code: 'busy', message: 'The server is busy. Please try again in a moment.' },
}
/** After how many seconds one may ask again: when the writer has caught up, when somebody has made room. */
export const RETRY_SECONDS: Readonly<Record<number, number>> = { 503: 2, 507: 60 }

const internal: Told = {
  code: 'internal',
  message: 'Something went wrong on our side. Please try again later.',
}

/** Code and sentence for a status; the sentence never tells what happened inside. */
export function toldOf(status: number): Told {
  return (
    toldByStatus[status] ??
    (status < 500 ? { code: 'bad_request', message: 'The request could not be read.' } : internal)
  )
}
