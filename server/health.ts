/** Liveness with a real write, and figures for Prometheus. */
import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { refuse } from './http/refuse.ts'
import type { Deps } from './deps.ts'

/** A disk that takes longer than this to take one row is not healthy. */
const WRITE_MS_MAX = 5_000

export function healthRoutes(app: FastifyInstance, deps: Deps): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'rollcall_requests_total',
    help: 'Requests answered, by method and status',
    labelNames: ['method', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'rollcall_request_seconds',
    help: 'Time to answer, by method',
    labelNames: ['method'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })
  const events = new Gauge({
    name: 'rollcall_events',
    help: 'Event files served',
    registers: [registry],
  })

  app.addHook('onResponse', (request, reply, done) => {
    requests.inc({ method: request.method, status: reply.statusCode })
    seconds.observe({ method: request.method }, reply.elapsedTime / 1000)
    done()
  })

  for (const slash of ['', '/']) {
    app.get(`/healthz${slash}`, async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      try {
        await within(WRITE_MS_MAX, deps.store.ping(deps.clock()))
      } catch (error) {
        deps.log.error({ error: String(error) }, 'the health check could not write')
        return refuse(reply, 503, 'cannot_write', 'The database does not take writes.')
      }
      return { status: 'success', events: deps.events.all().length }
    })
    app.get(`/metrics${slash}`, async (_request, reply) => {
      events.set(deps.events.all().length)
      return reply.type(registry.contentType).send(await registry.metrics())
    })
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(new Error(`no answer in ${ms} ms`)), ms)
  try {
    return await Promise.race([work, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
