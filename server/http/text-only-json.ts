/** Rejects JSON with values other than text in fields where a public route expects text. */
import type { FastifyReply } from 'fastify'
import { getOwn } from '../../engine/index.ts'
import { formatMessage, SERVER_MESSAGES } from '../../engine/messages.ts'
import { sendError } from './error-response.ts'

/** Returns true if a 422 error was sent. A missing or null value is allowed, and a number counts as its text. */
export function rejectNonText(
  reply: FastifyReply,
  body: unknown,
  names: readonly string[],
): boolean {
  if (body === undefined) return false
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    sendError(reply, 422, 'bad_data', SERVER_MESSAGES.request.oneObject)
    return true
  }
  const wrongName = names.find((name) => {
    const value = getOwn(body as Readonly<Record<string, unknown>>, name) ?? null
    return value !== null && typeof value !== 'string' && typeof value !== 'number'
  })
  if (wrongName === undefined) return false
  sendError(
    reply,
    422,
    'bad_data',
    formatMessage(SERVER_MESSAGES.request.notText, { name: wrongName }),
  )
  return true
}
