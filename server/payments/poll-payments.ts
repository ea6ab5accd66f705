/**
 * Polls the gateway for open payments; verifies returns and webhooks.
 * Only the gateway's own answer to our query makes a payment a success or a failure.
 */
import { POLL_MS_MIN, instant, isOpen } from '../../engine/index.ts'
import type { EventConfig, Instant, PollResult, OrderId } from '../../engine/index.ts'
import type { Payments } from '../dependencies.ts'
import { versionOf } from '../events/versions/version-approval.ts'
import { repeating, within } from '../ops/clock.ts'
import type { StoredPayment } from '../storage/index.ts'
import { openBreaker } from './circuit-breaker.ts'
import { ask } from './verify-payment.ts'
import { sendRefunds } from './send-gateway-refunds.ts'
import { lookUp, lookUpAll } from './query-unknown-orders.ts'
import type { PaymentsDeps, QueryResult, Verified, Versions } from './verify-payment.ts'

/** How often polling looks for due payments. */
const TICK_MS = 10_000
/** Concurrent queries: a slow gateway must not delay every payment. */
const ASKED_AT_ONCE_MAX = 4
/** Payments read from the store at a time: few, so that a new one is soon among them. */
const BATCH_ROWS = 16
/** No browser waits for polling; a gateway that takes longer is queried again later. */
const RECONCILE_TIMEOUT_MS = 20_000
/** The latest instant that a date can hold: everything is due before it. */
const END_OF_TIME = instant(8_640_000_000_000_000)

/** Compiled older versions of event files kept in memory; more are rarely in use. */
const VERSIONS_MAX = 50

/** `reconciles` false: nothing is queried unless a caller asks for it. */
export function openPayments(
  deps: PaymentsDeps,
  { reconciles }: { readonly reconciles: boolean } = { reconciles: true },
): Payments {
  const running = new Map<OrderId, Promise<QueryResult>>()
  const following = new Map<OrderId, Promise<QueryResult>>()
  const versions = versionsIn(deps)
  const breaker = openBreaker(deps.clock)
  /** Null until the first run: the clock may have been set back while the server was stopped. */
  let lookedAt: Instant | null = null

  /**
   * Runs one query at a time per order. A call during a query waits for the next one, because its cause may have
   * happened after the query was sent; all waiting calls share the next query.
   */
  const askOnce = (
    orderId: OrderId,
    timeoutMs: number,
    compares: boolean,
  ): Promise<QueryResult> => {
    const current = running.get(orderId)
    if (current === undefined) {
      const work = ask(deps, versions, orderId, { timeoutMs, compares }).finally(() =>
        running.delete(orderId),
      )
      running.set(orderId, work)
      return work
    }
    const waiting = following.get(orderId)
    if (waiting !== undefined) return waiting
    const next = current
      .catch(() => null)
      .then(() => {
        following.delete(orderId)
        return askOnce(orderId, timeoutMs, compares)
      })
    following.set(orderId, next)
    return next
  }
  const verify = async (orderId: OrderId, timeoutMs: number): Promise<Verified> =>
    (await askOnce(orderId, timeoutMs, false)).verified

  const learn = async (
    orderIds: readonly OrderId[],
    timeoutMs: number,
  ): Promise<ReadonlyMap<OrderId, PollResult>> => {
    const learnt = new Map<OrderId, PollResult>()
    const asking = orderIds.map(async (orderId) => {
      const told = await askOnce(orderId, timeoutMs, false)
      learnt.set(orderId, told.learnt)
    })
    await within(timeoutMs, Promise.all(asking), (error) =>
      deps.log.error({ error: String(error) }, 'a payment could not be verified'),
    )
    return new Map(learnt)
  }

  /**
   * Servers of one database query different payments. A payment that cannot be claimed now is due at the next
   * run.
   */
  const isOurs = (orderId: OrderId, dueBefore: Instant): Promise<boolean> =>
    deps.store.claimQuestion(orderId, dueBefore, deps.clock()).catch(() => false)

  const askAll = async (
    due: readonly StoredPayment[],
    dueBefore: Instant,
    ended: (verified: Verified) => void,
  ): Promise<void> => {
    const waiting = [...due]
    const worker = async (): Promise<void> => {
      for (let payment = waiting.shift(); payment !== undefined; payment = waiting.shift()) {
        const account = payment.account ?? ''
        if (breaker.resting().includes(account)) continue
        if (deps.store.isShared && !(await isOurs(payment.orderId, dueBefore))) continue
        const told = await askOnce(payment.orderId, RECONCILE_TIMEOUT_MS, !isOpen(payment)).catch(
          (error: unknown): QueryResult => {
            deps.log.error({ error: String(error) }, 'a payment could not be verified')
            return { verified: 'pending', isReachable: null, learnt: 'unreachable' }
          },
        )
        if (told.isReachable !== null && breaker.told(account, told.isReachable))
          deps.log.warn({ account }, 'the gateway does not answer this account, which rests')
        ended(told.verified)
      }
    }
    await Promise.all(Array.from({ length: ASKED_AT_ONCE_MAX }, worker))
  }

  let refunding: Promise<number> = Promise.resolve(0)
  /** Runs one after the other: a caller has written a refund that an earlier run may have missed. */
  const refund = (): Promise<number> => {
    const next = refunding.then(() => sendRefunds(deps, versions))
    refunding = next.catch((error: unknown) => {
      deps.log.error({ error: String(error) }, 'refunds could not be sent')
      return 0
    })
    return refunding
  }

  const reconcile = async (
    all = false,
  ): Promise<{ readonly asked: number; readonly ended: number }> => {
    const at = deps.clock()
    if (lookedAt === null || at < lookedAt) await deps.store.clockWentBack(at)
    lookedAt = at
    // A new payment is due at once, but its buyer is still typing: every payment waits one shortest interval.
    const dueBefore = all ? END_OF_TIME : instant(at - POLL_MS_MIN)
    const seen = new Set<OrderId>()
    let ended = 0
    await refund()
    for (;;) {
      const due = (
        await deps.store.pendingPayments(dueBefore, seen.size + BATCH_ROWS, breaker.resting())
      ).filter(({ orderId }) => !seen.has(orderId))
      if (due.length === 0) break
      for (const { orderId } of due) seen.add(orderId)
      await askAll(due, dueBefore, (verified) => {
        if (verified !== 'pending') ended += 1
      })
    }
    // Ended payments wait until no payment with a waiting delegate is left.
    const watched = new Set<OrderId>()
    for (;;) {
      const due = (
        await deps.store.watchedPayments(at, watched.size + BATCH_ROWS, breaker.resting())
      ).filter(({ orderId }) => !watched.has(orderId))
      if (due.length === 0) break
      for (const { orderId } of due) watched.add(orderId)
      await askAll(due, at, () => {})
    }
    await lookUpAll(deps)
    return { asked: seen.size, ended }
  }

  const stop = reconciles
    ? repeating(
        TICK_MS,
        () => reconcile(),
        (error) => deps.log.error({ error: String(error) }, 'the reconciler stumbled'),
      )
    : null
  const idle = async (): Promise<void> => {
    await refunding
    while (running.size + following.size > 0)
      await Promise.allSettled([...running.values(), ...following.values()])
  }

  return {
    verify,
    learn,
    reconcile,
    lookUp: (event, orderId, timeoutMs) => lookUp(deps, event, orderId as OrderId, timeoutMs),
    sendRefunds: refund,
    resting: () => breaker.resting(),
    idle,
    close: async () => {
      await stop?.()
      await idle()
    },
  }
}

/** Older versions of event files, compiled when first needed. */
function versionsIn({ store }: Pick<PaymentsDeps, 'store'>): Versions {
  const known = new Map<string, EventConfig | null>()
  return async (hash) => {
    const there = known.get(hash)
    if (there !== undefined) return there
    const event = (await versionOf(store, hash))?.config ?? null
    if (known.size >= VERSIONS_MAX) known.clear()
    known.set(hash, event)
    return event
  }
}
