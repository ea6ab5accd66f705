/** Serves health checks and Prometheus metrics. Only the operator gets details and metrics. */
import type { FastifyInstance } from 'fastify'
import { Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { formatIsoIndia, memoize } from '../../../engine/index.ts'
import type { HealthChecks } from './health-checks.ts'
import type { EmailState } from './email-delivery-state.ts'
import type { Deps } from '../../dependencies.ts'
import { createAddressLimit } from '../../http/rate-limit.ts'
import type { Allowance } from '../../http/rate-limit.ts'
import { isOperator } from '../../http/operator-access.ts'
import { sendError, getErrorForStatus } from '../../http/error-response.ts'
import { createMetricsUpdater } from './metrics.ts'

/** Ten per second, because a whole cluster may share one address. */
const CHECK_LIMIT: Allowance = { maxAttempts: 600, windowMs: 60_000 }
/**
 * The default of 10 ms would wake an idle server a few hundred times a second, which uses as much CPU as a
 * registration.
 */
const LOOP_SAMPLE_MS = 100
/** Metrics are expensive to collect, and are usually requested every 15 seconds. */
const METRICS_LIMIT: Allowance = { maxAttempts: 60, windowMs: 60_000 }

export function registerHealthRoutes(
  app: FastifyInstance,
  deps: Deps,
  healthChecks: HealthChecks,
): void {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS })
  const requests = new Counter({
    name: 'rollcall_requests_total',
    help: 'Completed requests, by method and status',
    labelNames: ['method', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'rollcall_request_seconds',
    help: 'Response time, by method',
    labelNames: ['method'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })
  const updateMetrics = createMetricsUpdater(registry, deps)

  // Memoized, because looking up a metric by its labels takes longer than counting. There are few methods and statuses.
  const getCounter = memoize((key: string) => requests.labels(...key.split(' ')))
  const getTimer = memoize((method: string) => durations.labels(method))
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request
    getCounter(`${method} ${reply.statusCode}`).inc()
    getTimer(method).observe(reply.elapsedTime / 1000)
    done()
  })

  // This server counts these requests itself, because its health must be checkable even when the database does not
  // respond.
  const { environment, clock } = deps
  const isOverCheckLimit = createAddressLimit({ environment, clock }, CHECK_LIMIT)
  const isOverMetricsLimit = createAddressLimit({ environment, clock }, METRICS_LIMIT)
  for (const suffix of ['', '/']) {
    app.get(`/healthz${suffix}`, async (request, reply) => {
      reply.header('cache-control', 'no-store')
      if (await isOverCheckLimit(request, reply)) return reply
      const shouldShowDetails = isOperator(request, environment)
      const problems = await healthChecks.check()
      const outage = problems.find(({ isDown }) => isDown)
      // Only the operator may see the location of files and the commands that restore them.
      if (outage !== undefined) {
        const visibleProblems = shouldShowDetails ? problems : [outage]
        return sendError(reply, 503, outage.code, visibleProblems.map(({ text }) => text).join(' '))
      }
      const { mail: emailState, notes } = await healthChecks.notes()
      return {
        status: 'success',
        health: problems.length === 0 ? 'good' : 'degraded',
        ...(shouldShowDetails
          ? {
              process: process.pid,
              events: deps.events.all().length,
              troubles: problems.map(({ text }) => text),
              ...(emailState === null ? {} : { mail: toWire(emailState) }),
              ...(notes.length === 0 ? {} : { notes }),
            }
          : {}),
      }
    })
    app.get(`/metrics${suffix}`, async (request, reply) => {
      if (await isOverMetricsLimit(request, reply)) return reply
      if (!isOperator(request, deps.environment))
        return sendError(reply, 401, getErrorForStatus(401).code, getErrorForStatus(401).message)
      await updateMetrics()
      return reply.type(registry.contentType).send(await registry.metrics())
    })
  }
}

const toWire = ({
  queued: waiting,
  failed: givenUp,
  unreachableSince: silentSince,
}: EmailState): object => ({
  waiting,
  given_up: givenUp,
  silent_since: silentSince === null ? null : formatIsoIndia(silentSince),
})
