/** Preloaded into the server of the slow-client tests: shortens its long timeouts by a factor of 200. */
import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'

const SPEED_FACTOR = 200
/** Only timers of at least this length are shortened, so that timeouts expire during a test. */
const MIN_SHORTENED_MS = 30_000
/** Node checks for expired connections every 30 seconds. */
const CHECK_INTERVAL_MS = 50

const createServer = http.createServer
const createFastServer = (
  ...createArguments: Parameters<typeof createServer>
): ReturnType<typeof createServer> => {
  const [options, listener] = createArguments
  const server = createServer(
    { ...options, connectionsCheckingInterval: CHECK_INTERVAL_MS },
    listener,
  )
  server.on('listening', () => {
    server.headersTimeout /= SPEED_FACTOR
    server.requestTimeout /= SPEED_FACTOR
  })
  return server
}
http.createServer = createFastServer as typeof createServer
syncBuiltinESMExports()

const originalSetTimeout = globalThis.setTimeout
type Callback = (...callbackArguments: unknown[]) => void
const setTimeoutFaster = (
  callback: Callback,
  ms?: number,
  ...callbackArguments: unknown[]
): unknown =>
  originalSetTimeout(
    callback,
    ms !== undefined && ms >= MIN_SHORTENED_MS ? ms / SPEED_FACTOR : ms,
    ...callbackArguments,
  )
globalThis.setTimeout = Object.assign(
  setTimeoutFaster,
  originalSetTimeout,
) as unknown as typeof originalSetTimeout
