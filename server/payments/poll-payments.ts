/** Polls the gateway about open payments, and verifies returns and webhooks. */
import { MIN_POLL_MS, instant, isOpen } from '../../engine/index.ts'
import type { EventConfig, Instant, PollResult, OrderId } from '../../engine/index.ts'
import type { Payments } from '../dependencies.ts'
import { readVersion } from '../events/versions/version-approval.ts'
import { repeatTask, waitAtMost } from '../ops/clock.ts'
import type { StoredPayment, StoredRegistration } from '../storage/index.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { BACKGROUND_QUERY_TIMEOUT_MS } from './gateways/request-timeouts.ts'
import { queryPayment } from './verify-payment.ts'
import { sendRefunds } from './send-gateway-refunds.ts'
import { queryDispute, queryDueDisputes } from './query-disputes.ts'
import { lookUpOrder, lookUpDueOrders } from './query-unknown-orders.ts'
import type { PaymentsDeps, QueryResult, VerifiedPayment, Versions } from './verify-payment.ts'

// Only the gateway's own response to our query makes a payment a success or a failure.

/** The interval between polls of due payments. */
const POLL_INTERVAL_MS = 10_000
/** The number of concurrent queries, so that a slow gateway does not delay every payment. */
const MAX_CONCURRENT_QUERIES = 4
/** The number of payments read from the store at a time: a small number, so that new payments are soon included. */
const BATCH_ROWS = 16
/** The latest instant that a date can represent; every payment is due before it. */
const END_OF_TIME = instant(8_640_000_000_000_000)

/** The number of older event file versions that are kept in memory after compilation. More are rarely in use. */
const MAX_CACHED_VERSIONS = 50

/** Starts polling. If it is disabled, payments are queried only when a caller requests it. */
export function openPayments(
  deps: PaymentsDeps,
  { isEnabled }: { readonly isEnabled: boolean } = { isEnabled: true },
): Payments {
  const runningQueries = new Map<OrderId, Promise<QueryResult>>()
  const queuedQueries = new Map<OrderId, Promise<QueryResult>>()
  const versions = openVersionCache(deps)
  const breaker = createCircuitBreaker(deps.clock)
  /** Null before the first run, because the clock may have been set back while the server was stopped. */
  let lastRunAt: Instant | null = null

  /**
   * Runs one query at a time per order. A call during a query waits for the next one, because the event that caused
   * the call may have happened after the query was sent. All waiting calls share the next query.
   */
  const queryOnce = (
    orderId: OrderId,
    timeoutMs: number,
    includesPaid: boolean,
    loadedRegistration: StoredRegistration | null = null,
  ): Promise<QueryResult> => {
    const runningQuery = runningQueries.get(orderId)
    if (runningQuery === undefined) {
      const query = queryPayment(
        deps,
        versions,
        orderId,
        { timeoutMs, includesPaid },
        loadedRegistration,
      ).finally(() => runningQueries.delete(orderId))
      runningQueries.set(orderId, query)
      return query
    }
    const queuedQuery = queuedQueries.get(orderId)
    if (queuedQuery !== undefined) return queuedQuery
    const nextQuery = runningQuery
      .catch(() => null)
      .then(() => {
        queuedQueries.delete(orderId)
        return queryOnce(orderId, timeoutMs, includesPaid)
      })
    queuedQueries.set(orderId, nextQuery)
    return nextQuery
  }
  const verify: Payments['verify'] = async (orderId, timeoutMs, loadedRegistration = null) =>
    (await queryOnce(orderId, timeoutMs, false, loadedRegistration)).verified

  const queryOrders = async (
    orderIds: readonly OrderId[],
    timeoutMs: number,
  ): Promise<ReadonlyMap<OrderId, PollResult>> => {
    const results = new Map<OrderId, PollResult>()
    const queries = orderIds.map(async (orderId) => {
      const result = await queryOnce(orderId, timeoutMs, false)
      results.set(orderId, result.outcome)
    })
    await waitAtMost(timeoutMs, Promise.all(queries), (error) =>
      deps.log.error({ error: String(error) }, 'a payment could not be verified'),
    )
    return new Map(results)
  }

  /**
   * Reserves the query about a payment, so that servers that share a database query different payments. A payment that
   * cannot be reserved now is due at the next run.
   */
  const reserveQuery = (orderId: OrderId, dueBefore: Instant): Promise<boolean> =>
    deps.store.claimStatusQuery(orderId, dueBefore, deps.clock()).catch(() => false)

  const queryAll = async (
    duePayments: readonly StoredPayment[],
    dueBefore: Instant,
    onVerified: (verifiedPayment: VerifiedPayment) => void,
  ): Promise<void> => {
    const queue = [...duePayments]
    const runWorker = async (): Promise<void> => {
      for (let payment = queue.shift(); payment !== undefined; payment = queue.shift()) {
        const account = payment.account ?? ''
        if (breaker.pausedAccounts().includes(account)) continue
        if (deps.store.isShared && !(await reserveQuery(payment.orderId, dueBefore))) continue
        const result = await queryOnce(
          payment.orderId,
          BACKGROUND_QUERY_TIMEOUT_MS,
          !isOpen(payment),
        ).catch((error: unknown): QueryResult => {
          deps.log.error({ error: String(error) }, 'a payment could not be verified')
          return { verified: 'pending', isReachable: null, outcome: 'unreachable' }
        })
        if (result.isReachable !== null && breaker.recordResult(account, result.isReachable))
          deps.log.warn(
            { account },
            'the gateway does not respond for this account; queries are paused',
          )
        onVerified(result.verified)
      }
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_QUERIES }, runWorker))
  }

  let refundRun: Promise<number> = Promise.resolve(0)
  /**
   * Sends pending refunds, one run at a time. A call during a run starts another run, because the first may have
   * missed the caller's refund.
   */
  const sendPendingRefunds = (): Promise<number> => {
    const nextRun = refundRun.then(() => sendRefunds(deps, versions))
    refundRun = nextRun.catch((error: unknown) => {
      deps.log.error({ error: String(error) }, 'refunds could not be sent')
      return 0
    })
    return refundRun
  }

  const queryDuePayments = async (
    includesAll = false,
  ): Promise<{ readonly queriedCount: number; readonly finalCount: number }> => {
    const at = deps.clock()
    if (lastRunAt === null || at < lastRunAt) await deps.store.rescheduleAfterClockChange(at)
    lastRunAt = at
    // The buyer of a new payment is still entering data, so every payment waits at least the shortest interval.
    const dueBefore = includesAll ? END_OF_TIME : instant(at - MIN_POLL_MS)
    const seenOrders = new Set<OrderId>()
    let finalCount = 0
    await sendPendingRefunds()
    for (;;) {
      const duePayments = (
        await deps.store.pendingPayments(
          dueBefore,
          seenOrders.size + BATCH_ROWS,
          breaker.pausedAccounts(),
        )
      ).filter(({ orderId }) => !seenOrders.has(orderId))
      if (duePayments.length === 0) break
      for (const { orderId } of duePayments) seenOrders.add(orderId)
      await queryAll(duePayments, dueBefore, (verifiedPayment) => {
        if (verifiedPayment !== 'pending') finalCount += 1
      })
    }
    // Payments in a final state are queried last: no delegate is waiting for them.
    const watchedOrders = new Set<OrderId>()
    for (;;) {
      const duePayments = (
        await deps.store.watchedPayments(
          at,
          watchedOrders.size + BATCH_ROWS,
          breaker.pausedAccounts(),
        )
      ).filter(({ orderId }) => !watchedOrders.has(orderId))
      if (duePayments.length === 0) break
      for (const { orderId } of duePayments) watchedOrders.add(orderId)
      await queryAll(duePayments, at, () => {})
    }
    await lookUpDueOrders(deps)
    await queryDueDisputes(deps, versions)
    return { queriedCount: seenOrders.size, finalCount }
  }

  const stopPolling = isEnabled
    ? repeatTask(
        POLL_INTERVAL_MS,
        () => queryDuePayments(),
        (error) => deps.log.error({ error: String(error) }, 'polling payments failed'),
      )
    : null
  let disputeRun: Promise<void> = Promise.resolve()
  const queryReportedDispute: Payments['queryDispute'] = (dispute) => {
    disputeRun = disputeRun
      .then(() => queryDispute(deps, versions, dispute))
      .catch((error: unknown) =>
        deps.log.error({ error: String(error) }, 'a dispute could not be queried'),
      )
  }
  const waitUntilIdle = async (): Promise<void> => {
    await refundRun
    await disputeRun
    while (runningQueries.size + queuedQueries.size > 0)
      await Promise.allSettled([...runningQueries.values(), ...queuedQueries.values()])
  }

  return {
    verify,
    queryOrders,
    queryDue: queryDuePayments,
    lookUpOrder: (event, orderId, timeoutMs) =>
      lookUpOrder(deps, event, orderId as OrderId, timeoutMs),
    queryDispute: queryReportedDispute,
    sendRefunds: sendPendingRefunds,
    pausedAccounts: () => breaker.pausedAccounts(),
    waitUntilIdle,
    close: async () => {
      await stopPolling?.()
      await waitUntilIdle()
    },
  }
}

/** Opens a cache of older versions of event files, which are compiled when first needed. */
function openVersionCache({ store }: Pick<PaymentsDeps, 'store'>): Versions {
  const cache = new Map<string, EventConfig | null>()
  return async (hash) => {
    const cachedVersion = cache.get(hash)
    if (cachedVersion !== undefined) return cachedVersion
    const event = (await readVersion(store, hash))?.config ?? null
    if (cache.size >= MAX_CACHED_VERSIONS) cache.clear()
    cache.set(hash, event)
    return event
  }
}
