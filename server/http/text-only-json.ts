/** Refuses JSON with a value that is not text where a public route expects text. */
import type { FastifyReply } from 'fastify'
import { getOwn } from '../../engine/index.ts'
import { formatMessage, REFUSAL_MESSAGES } from '../../engine/messages.ts'
import { refuse } from './error-response.ts'

/** True: answered with 422. A missing or null value is allowed here, and a number counts as its text. */
export function refusesOtherThanText(
  reply: FastifyReply,
  body: unknown,
  names: readonly string[],
): boolean {
  if (body === undefined) return false
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    refuse(reply, 422, 'bad_data', REFUSAL_MESSAGES.request.oneObject)
    return true
  }
  const wrong = names.find((name) => {
    const value = getOwn(body as Readonly<Record<string, unknown>>, name) ?? null
    return value !== null && typeof value !== 'string' && typeof value !== 'number'
  })
  if (wrong === undefined) return false
  refuse(reply, 422, 'bad_data', formatMessage(REFUSAL_MESSAGES.request.notText, { name: wrong }))
  return true
}
