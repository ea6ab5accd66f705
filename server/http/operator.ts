/** Whether a request comes from whoever runs the machine: from the machine itself, or with the token for figures. */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Environment } from '../deps.ts'
import { isPassedOn } from './proxy.ts'

export function isOperator(
  request: FastifyRequest,
  { metricsToken }: Pick<Environment, 'metricsToken'>,
): boolean {
  const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  if (metricsToken !== null && given !== undefined) return isSame(given, metricsToken)
  // What a proxy on this machine passes on comes from here too, and says so.
  return isOwn(request.raw.socket.remoteAddress) && !isPassedOn(request)
}

const isOwn = (address: string | undefined): boolean =>
  /^(?:::ffff:)?127\.|^::1$/.test(address ?? '')

/** In a time that tells nothing about either. */
function isSame(a: string, b: string): boolean {
  const [first, second] = [a, b].map((text) => createHash('sha256').update(text).digest())
  return first !== undefined && second !== undefined && timingSafeEqual(first, second)
}
