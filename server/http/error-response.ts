/** Defines the single format of error responses. */
import { SERVER_MESSAGES, UPLOAD_REFUSAL_MESSAGES } from '../../engine/messages.ts'
import type { FastifyReply } from 'fastify'
import type { ErrorResponse } from '../../engine/api.ts'

/** Fields that an error response may have in addition to its code and message. */
export type ErrorDetails = Omit<ErrorResponse, 'status' | 'code' | 'message'>

/** Sends `{status: 'error', code, message}` with any further fields; for internal errors, also the request id. */
export function sendError(
  reply: FastifyReply,
  status: number,
  code: string,
  message: string,
  details: ErrorDetails = {},
): FastifyReply {
  const { id } = reply.request
  // The id allows an error report to be matched with the log.
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .header('x-request-id', id)
    .send(buildErrorBody(code, message, status < 500 ? details : { ...details, request_id: id }))
}

export function buildErrorBody(
  code: string,
  message: string,
  details: ErrorDetails = {},
): ErrorResponse {
  return { status: 'error', code, message, ...details }
}

const { status: text } = SERVER_MESSAGES

type ErrorText = { readonly code: string; readonly message: string }

/** The default meaning of a status, for errors thrown by the framework. */
const ERRORS_BY_STATUS: Readonly<Record<number, ErrorText>> = {
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
  // Sent as 503, because more clients retry after this status.
  507: {
    code: 'no_room',
    message: UPLOAD_REFUSAL_MESSAGES.noRoom,
  },
  503: { code: 'busy', message: text.busy },
}
/** Seconds after which to retry: the time to catch up with writing, or to free disk space. */
export const RETRY_SECONDS: Readonly<Record<number, number>> = { 503: 2, 507: 60 }

const INTERNAL_ERROR: ErrorText = {
  code: 'internal',
  message: text.internal,
}

/** Returns code and message for a status; the message never reveals internal details. */
export function getErrorForStatus(status: number): ErrorText {
  return (
    ERRORS_BY_STATUS[status] ??
    (status < 500 ? { code: 'bad_request', message: text.unreadable } : INTERNAL_ERROR)
  )
}
