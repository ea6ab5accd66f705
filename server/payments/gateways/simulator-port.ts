/** Opens the port of the gateways' simulators. */
import formbody from '@fastify/formbody'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { MAX_MESSAGE_BYTES } from './message-fields.ts'
import { RETURN_SCRIPT, STYLE } from './simulator-page.ts'

// The port serves the simulators' pages, a redirect that precedes them, and our server's requests. It has its own
// origin, and the redirect has a third one, so that cookies, form-action and cross-site posts behave as in production.

/**
 * The origins, without a trailing slash, of the pages, of the redirect that precedes them, and for our server's
 * requests.
 */
export type SimulatorOrigins = {
  readonly page: string
  readonly hop: string
  readonly server: string
}
export type SimulatorPort = {
  readonly origins: SimulatorOrigins
  close(): Promise<void>
}

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Returns the origins. On one machine, the app, the pages and the redirect use two host names and two ports; behind a
 * public host name, only their ports differ. `publicUrl` is the app's URL in the browser.
 */
export function getSimulatorOrigins(options: {
  readonly publicUrl: string
  readonly host: string
  readonly port: number
}): SimulatorOrigins {
  const app = new URL(options.publicUrl).hostname
  const page = !LOOPBACK_HOSTS.includes(app) ? app : app === 'localhost' ? '127.0.0.1' : 'localhost'
  const hop = !LOOPBACK_HOSTS.includes(app) ? app : page === 'localhost' ? '127.0.0.1' : 'localhost'
  const isAnyHost = options.host === '0.0.0.0' || options.host === '::'
  const server = isAnyHost
    ? '127.0.0.1'
    : options.host.includes(':')
      ? `[${options.host}]`
      : options.host
  const buildOrigin = (host: string): string => `http://${host}:${options.port}`
  return { page: buildOrigin(page), hop: buildOrigin(hop), server: buildOrigin(server) }
}

/** Opens the port. Throws EADDRINUSE if it is in use. `port` 0 picks a free port. */
export async function openSimulatorPort(options: {
  readonly publicUrl: string
  readonly host: string
  readonly port: number
  readonly addRoutes: (app: FastifyInstance) => void
}): Promise<SimulatorPort> {
  const app = Fastify({ logger: false, bodyLimit: MAX_MESSAGE_BYTES, forceCloseConnections: true })
  await app.register(formbody)
  app.get('/style.css', async (_request, reply) =>
    reply.type('text/css; charset=utf-8').send(STYLE),
  )
  app.get('/return.js', async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(RETURN_SCRIPT),
  )
  options.addRoutes(app)
  await app.listen({ port: options.port, host: options.host })
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  return {
    origins: getSimulatorOrigins({ ...options, port }),
    close: async () => app.close(),
  }
}
