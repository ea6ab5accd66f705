/**
 * Preloaded into the server of the slow clients: time runs two hundred times faster for all that waits for
 * half a minute or longer, so that its patience ends while a test watches. What has no end stays without one.
 */
import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'

const FASTER = 200
const LONG_MS = 30_000
/** Node looks for expired connections every half minute. */
const LOOK_MS = 50

const create = http.createServer
const hurried = (...given: Parameters<typeof create>): ReturnType<typeof create> => {
  const [options, listener] = given
  const server = create({ ...options, connectionsCheckingInterval: LOOK_MS }, listener)
  server.on('listening', () => {
    server.headersTimeout /= FASTER
    server.requestTimeout /= FASTER
  })
  return server
}
http.createServer = hurried as typeof create
syncBuiltinESMExports()

const wait = globalThis.setTimeout
type Work = (...given: unknown[]) => void
const sooner = (work: Work, ms?: number, ...given: unknown[]): unknown =>
  wait(work, ms !== undefined && ms >= LONG_MS ? ms / FASTER : ms, ...given)
globalThis.setTimeout = Object.assign(sooner, wait) as unknown as typeof wait
