/** A proxy in front that TRUST_PROXY does not name: all who come through it share the limits of one visitor, and nothing else would say so. */
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../dependencies.ts'

/** The headers in which proxies name the address of the visitor. */
const PASSED_ON = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const
/** Says so once; whoever writes such a header without a proxy gets no more lines out of us than that. */
export function tellUnknownProxy(app: FastifyInstance, { environment, log }: Deps): void {
  if (!environment.rateLimits) return
  let isTold = false
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isTold) {
      const header = PASSED_ON.find((name) => request.headers[name] !== undefined)
      // Of a proxy that is trusted, the address is the one that it names.
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
