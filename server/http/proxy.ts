/** A proxy in front that TRUST_PROXY does not name: all who come through it share the limits of one visitor, and nothing else would say so. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'

/** The headers in which proxies name the address of the visitor. */
const PASSED_ON = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const
/** Every header that only proxies write: `via`, `x-forwarded-host`, `cf-connecting-ip`, `true-client-ip` and their like. */
const OF_PROXIES =
  /^(?:via$|cdn-|forwarded|x-(?:forwarded|original|envoy|amzn|arr|proxy|nginx|varnish)|cf-|fly-|x-(?:host|scheme)$|.*(?:client|real|remote|user|visitor|cluster)-?(?:ip|addr)$)/
/** What the machine calls itself. A proxy that writes no header of its own may still pass on the visitor's host. */
const OWN_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/** Whether a request was passed on by a proxy, or looks as if it was. */
export const isPassedOn = ({ headers, raw }: Pick<FastifyRequest, 'headers' | 'raw'>): boolean =>
  Object.keys(headers).some((name) => OF_PROXIES.test(name)) ||
  !OWN_HOST.test(headers.host ?? '') ||
  // nginx with `proxy_pass` and nothing else writes our own host, no header, and this version of HTTP.
  raw.httpVersion === '1.0'

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
