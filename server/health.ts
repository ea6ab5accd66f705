/** Liveness with a real write now and then, and figures for Prometheus. */
import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { remember } from '../engine/index.ts'
import type { Instant } from '../engine/index.ts'
import type { Deps } from './deps.ts'
import { limitByAddress } from './http/limit.ts'
import type { Allowance } from './http/limit.ts'
import { refuse } from './http/refuse.ts'

/** A disk that takes longer than this to take one row is not healthy. */
const WRITE_MS_MAX = 5_000
/** Whoever watches us asks every some seconds; more writes than that tell nobody more. */
const WRITE_EVERY_MS = 5_000
/** Ten a second, from a whole cluster behind one address. */
const CHECKS_PER_ADDRESS: Allowance = { triesMax: 600, windowMs: 60_000 }
/** The figures are dear to collect, and asked for every 15 seconds. */
const FIGURES_PER_ADDRESS: Allowance = { triesMax: 60, windowMs: 60_000 }

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

  const reviews = new Gauge({
    name: 'rollcall_reviews',
    help: 'What waits for a person about money: all of it, undecided payments, refunds in doubt',
    labelNames: ['is'],
    registers: [registry],
  })

  // There are few methods and statuses; to look a figure up by its labels takes longer than to count.
  const counterOf = remember((answered: string) => requests.labels(...answered.split(' ')))
  const timerOf = remember((method: string) => seconds.labels(method))
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request
    counterOf(`${method} ${reply.statusCode}`).inc()
    timerOf(method).observe(reply.elapsedTime / 1000)
    done()
  })

  const check = openCheck(deps)
  const tooManyChecks = limitByAddress(deps, CHECKS_PER_ADDRESS)
  const tooManyFigures = limitByAddress(deps, FIGURES_PER_ADDRESS)
  for (const slash of ['', '/']) {
    app.get(`/healthz${slash}`, async (request, reply) => {
      reply.header('cache-control', 'no-store')
      if (tooManyChecks(request, reply)) return reply
      try {
        await check()
      } catch (error) {
        deps.log.error({ error: String(error) }, 'the health check could not write')
        return refuse(reply, 503, 'cannot_write', 'The database does not take writes.')
      }
      return { status: 'success', events: deps.events.all().length }
    })
    app.get(`/metrics${slash}`, async (request, reply) => {
      if (tooManyFigures(request, reply)) return reply
      events.set(deps.events.all().length)
      const waiting = await deps.store.reviewCounts()
      reviews.set({ is: 'all' }, waiting.reviews)
      reviews.set({ is: 'undecided' }, waiting.undecided)
      reviews.set({ is: 'unsure' }, waiting.unsure)
      return reply.type(registry.contentType).send(await registry.metrics())
    })
  }
}

/**
 * Rejects when the database does not work: found by a write, which everybody who asks within some
 * seconds shares, and by a read of each of them, which costs no fsync.
 */
function openCheck({ store, clock }: Pick<Deps, 'store' | 'clock'>): () => Promise<void> {
  let last: { readonly at: Instant; readonly written: Promise<void> } | null = null
  return async () => {
    const at = clock()
    if (last === null || at - last.at >= WRITE_EVERY_MS || at < last.at)
      last = { at, written: within(WRITE_MS_MAX, store.ping(at)) }
    await last.written
    await store.adminCount()
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
