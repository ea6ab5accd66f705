/** Serves liveness checks and Prometheus metrics; details and metrics are for the operator only. */
import type { FastifyInstance } from 'fastify'
import { Counter, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { isoIndia, memoize } from '../../../engine/index.ts'
import type { Condition } from './health-checks.ts'
import type { MailState } from './email-delivery-state.ts'
import type { Deps } from '../../dependencies.ts'
import { createAddressLimit } from '../../http/rate-limit.ts'
import type { Allowance } from '../../http/rate-limit.ts'
import { isOperator } from '../../http/operator-access.ts'
import { sendError, errorForStatus } from '../../http/error-response.ts'
import { operatingFigures } from './metrics.ts'

/** Ten a second, from a whole cluster behind one address. */
const CHECKS_PER_ADDRESS: Allowance = { triesMax: 600, windowMs: 60_000 }
/** Metrics are expensive to collect, and are requested every 15 seconds. */
const FIGURES_PER_ADDRESS: Allowance = { triesMax: 60, windowMs: 60_000 }

export function healthRoutes(app: FastifyInstance, deps: Deps, condition: Condition): void {
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
  const setFigures = operatingFigures(registry, deps)

  // There are few methods and statuses, and looking up a metric by its labels takes longer than counting.
  const counterOf = memoize((answered: string) => requests.labels(...answered.split(' ')))
  const timerOf = memoize((method: string) => seconds.labels(method))
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request
    counterOf(`${method} ${reply.statusCode}`).inc()
    timerOf(method).observe(reply.elapsedTime / 1000)
    done()
  })

  // Counted by this server alone: its health is checked when the database does not respond.
  const { environment, clock } = deps
  const tooManyChecks = createAddressLimit({ environment, clock }, CHECKS_PER_ADDRESS)
  const tooManyFigures = createAddressLimit({ environment, clock }, FIGURES_PER_ADDRESS)
  for (const slash of ['', '/']) {
    app.get(`/healthz${slash}`, async (request, reply) => {
      reply.header('cache-control', 'no-store')
      if (await tooManyChecks(request, reply)) return reply
      const isTold = isOperator(request, environment)
      const troubles = await condition.look()
      const down = troubles.find(({ isDown }) => isDown)
      // Where a file is, and with which commands it is put back, is for the operator only.
      if (down !== undefined) {
        const said = isTold ? troubles : [down]
        return sendError(reply, 503, down.code, said.map(({ text }) => text).join(' '))
      }
      const { mail, notes } = await condition.notes()
      return {
        status: 'success',
        health: troubles.length === 0 ? 'good' : 'degraded',
        ...(isTold
          ? {
              process: process.pid,
              events: deps.events.all().length,
              troubles: troubles.map(({ text }) => text),
              ...(mail === null ? {} : { mail: wireOf(mail) }),
              ...(notes.length === 0 ? {} : { notes }),
            }
          : {}),
      }
    })
    app.get(`/metrics${slash}`, async (request, reply) => {
      if (await tooManyFigures(request, reply)) return reply
      if (!isOperator(request, deps.environment))
        return sendError(reply, 401, errorForStatus(401).code, errorForStatus(401).message)
      await setFigures()
      return reply.type(registry.contentType).send(await registry.metrics())
    })
  }
}

const wireOf = ({ waiting, givenUp, silentSince }: MailState): object => ({
  waiting,
  given_up: givenUp,
  silent_since: silentSince === null ? null : isoIndia(silentSince),
})
