/**
 * Warns about a proxy that TRUST_PROXY does not name.
 * All its visitors would share the rate limits of one address, without any other sign.
 */
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../dependencies.ts'

/** The headers in which proxies name the visitor's address. */
const PASSED_ON = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const
/** Warns once, so that a client that sends such a header without a proxy cannot fill the log. */
export function tellUnknownProxy(app: FastifyInstance, { environment, log }: Deps): void {
  if (!environment.rateLimits) return
  let isTold = false
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isTold) {
      const header = PASSED_ON.find((name) => request.headers[name] !== undefined)
      // Behind a trusted proxy, the address is the one that the proxy names.
      if (header !== undefined && request.ip === request.raw.socket.remoteAddress) {
        isTold = true
        log.warn(
          { header },
          'a request says that it was passed on, and TRUST_PROXY does not name who did: if that is your proxy, all visitors share the limits of one until TRUST_PROXY is set to its address',
        )
      }
    }
    done()
  })
}
