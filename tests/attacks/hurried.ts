/**
 * Preloaded into the server of the slow clients: runs timers of at least 30 seconds two hundred times faster, so that timeouts expire
 * during a test. A missing timeout remains missing.
 */
import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'

const SPEED_UP = 200
const LONG_MS = 30_000
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
    server.headersTimeout /= SPEED_UP
    server.requestTimeout /= SPEED_UP
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
    ms !== undefined && ms >= LONG_MS ? ms / SPEED_UP : ms,
    ...callbackArguments,
  )
globalThis.setTimeout = Object.assign(
  setTimeoutFaster,
  originalSetTimeout,
) as unknown as typeof originalSetTimeout
