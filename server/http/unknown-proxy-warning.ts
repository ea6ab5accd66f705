/**
 * Warns about a proxy that TRUST_PROXY does not list. Without the warning, it would go unnoticed that all visitors
 * behind the proxy share the rate limits of one address.
 */
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../dependencies.ts'

/** The headers in which proxies send the visitor's address. */
const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const
/** Warns once. Otherwise, a client that sends such a header without a proxy could fill the log. */
export function warnAboutUnknownProxy(app: FastifyInstance, { environment, log }: Deps): void {
  if (!environment.rateLimits) return
  let isLogged = false
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isLogged) {
      const header = PROXY_HEADERS.find((name) => request.headers[name] !== undefined)
      // Behind a trusted proxy, the address is the one that the proxy reports.
      if (header !== undefined && request.ip === request.raw.socket.remoteAddress) {
        isLogged = true
        log.warn(
          { header },
          'a request was forwarded by a proxy that TRUST_PROXY does not list: if it is your proxy, all visitors share the rate limits of one address until TRUST_PROXY is set to its address',
        )
      }
    }
    done()
  })
}
