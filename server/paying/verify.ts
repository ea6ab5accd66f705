/**
 * Verification: a return, a notice and the reconciler all end here. Nothing but the gateway's own
 * answer to our question makes a payment a success or a failure.
 */
import { addDays, dayOf, instant, mailFor, openOn } from '../../engine/index.ts'
import type { EventConfig, Instant, OrderId, PaymentFact } from '../../engine/index.ts'
import type { Deps, Payments, StatusAnswer } from '../deps.ts'
import { registrationView } from '../registering/view.ts'
import type { NewMail, StoredPayment } from '../store/store.ts'

/** "No record" is normal while the buyer is on the way to the gateway or at the bank; after a day nobody comes back. */
const noRecordMs = 24 * 60 * 60 * 1000
/** The shortest and the longest time between two questions about one payment. */
const askAgainMs = { least: 60_000, most: 6 * 60 * 60 * 1000 } as const
/** While the gateway cannot be reached; an outage must not make everybody wait for hours afterwards. */
const unreachableMsMax = 10 * 60 * 1000
/** How often the reconciler looks whether a payment is due. */
const tickMs = 10_000
const askedAtOnce = 4
const batch = 100
const reconcileTimeoutMs = 20_000
const endOfTime = instant(8_640_000_000_000_000)

export type PaymentsDeps = Pick<Deps, 'store' | 'events' | 'gateway' | 'clock' | 'log'>

/** `reconciles` false: nothing is asked unless somebody calls. */
export function openPayments(
  deps: PaymentsDeps,
  { reconciles }: { readonly reconciles: boolean } = { reconciles: true },
): Payments {
  const running = new Map<OrderId, Promise<Verified>>()
  const following = new Map<OrderId, Promise<Verified>>()

  /**
   * One question at a time per order. Who comes while one is on its way waits for the next, because what
   * brought him may have happened after the question was asked; all who wait share that next one.
   */
  const verify = (orderId: OrderId, timeoutMs: number): Promise<Verified> => {
    const current = running.get(orderId)
    if (current === undefined) {
      const work = verifyOnce(deps, orderId, timeoutMs).finally(() => running.delete(orderId))
      running.set(orderId, work)
      return work
    }
    const waiting = following.get(orderId)
    if (waiting !== undefined) return waiting
    const next = current
      .catch(() => null)
      .then(() => {
        following.delete(orderId)
        return verify(orderId, timeoutMs)
      })
    following.set(orderId, next)
    return next
  }

  const reconcile = async (
    all = false,
  ): Promise<{ readonly asked: number; readonly ended: number }> => {
    const at = deps.clock()
    // A fresh payment is due at once, but its buyer is still typing: everything waits one shortest interval.
    const dueBefore = all ? endOfTime : instant(at - askAgainMs.least)
    const seen = new Set<OrderId>()
    let ended = 0
    for (;;) {
      const due = (await deps.store.pendingPayments(dueBefore, seen.size + batch)).filter(
        ({ orderId }) => !seen.has(orderId),
      )
      if (due.length === 0) return { asked: seen.size, ended }
      for (const { orderId } of due) seen.add(orderId)
      const waiting = [...due]
      const worker = async (): Promise<void> => {
        for (let payment = waiting.shift(); payment !== undefined; payment = waiting.shift()) {
          const status = await verify(payment.orderId, reconcileTimeoutMs).catch(
            (error: unknown) => {
              deps.log.error({ error: String(error) }, 'a payment could not be verified')
              return 'pending' as const
            },
          )
          if (status !== 'pending') ended += 1
        }
      }
      await Promise.all(Array.from({ length: askedAtOnce }, worker))
    }
  }

  let timer: NodeJS.Timeout | null = null
  let ticking: Promise<unknown> = Promise.resolve()
  let closed = false
  const tick = (): void => {
    if (closed) return
    timer = setTimeout(() => {
      ticking = reconcile()
        .catch((error: unknown) =>
          deps.log.error({ error: String(error) }, 'the reconciler stumbled'),
        )
        .finally(tick)
    }, tickMs)
    timer.unref()
  }
  if (reconciles) tick()
  const idle = async (): Promise<void> => {
    while (running.size + following.size > 0)
      await Promise.allSettled([...running.values(), ...following.values()])
  }

  return {
    verify,
    reconcile,
    idle,
    close: async () => {
      closed = true
      if (timer !== null) clearTimeout(timer)
      await ticking
      await idle()
    },
  }
}

type Verified = Awaited<ReturnType<Payments['verify']>>

const statusOf = (payment: Pick<StoredPayment, 'status' | 'review'>): Verified =>
  payment.status === 'pending' && payment.review !== null ? 'review' : payment.status

async function verifyOnce(
  deps: PaymentsDeps,
  orderId: OrderId,
  timeoutMs: number,
): Promise<Verified> {
  const payment = await deps.store.payment(orderId)
  if (payment === null) throw new Error('verification of an order that is not there')
  // A failed payment is asked about again: money that comes late still came.
  if (payment.status === 'success' || payment.status === 'refunded') return payment.status
  const event = deps.events.byId(payment.eventId)?.config
  if (event === undefined || event.payment === null) {
    deps.log.warn({ event: payment.eventId }, 'a payment waits for an event that is not served')
    return await askLater(deps, payment, askAgainMs.most)
  }
  const answer = await deps.gateway.status(event, orderId, deps.clock(), timeoutMs)
  return apply(deps, event, payment, answer)
}

async function apply(
  deps: PaymentsDeps,
  event: EventConfig,
  payment: StoredPayment,
  answer: StatusAnswer,
): Promise<Verified> {
  const at = deps.clock()
  const age = Math.max(0, at - payment.createdAt)
  switch (answer.is) {
    case 'fact':
      await deps.store.recordNotice({
        gateway: event.payment?.gateway.name ?? '',
        kind: 'status',
        orderId: payment.orderId,
        body: answer.raw,
        contentType: 'text/xml',
        at,
      })
      return settle(deps, event, payment, answer.fact)
    case 'no-record':
      if (age >= noRecordMs && payment.status === 'pending')
        return settle(deps, event, payment, { type: 'expired', at })
      return askLater(deps, payment, growing(age))
    case 'pending':
      return askLater(deps, payment, growing(age))
    case 'unreachable':
      deps.log.warn({ event: event.id, error: answer.error }, 'the gateway gave no usable answer')
      await askLater(deps, payment, Math.min(growing(age), unreachableMsMax))
      // Also of a failed payment: whether late money came is not known.
      return 'pending'
  }
}

/** Half of a payment's age: every minute at first, every six hours at last. */
function growing(ageMs: number): number {
  return Math.min(askAgainMs.most, Math.max(askAgainMs.least, Math.floor(ageMs / 2)))
}

async function askLater(deps: PaymentsDeps, payment: StoredPayment, ms: number): Promise<Verified> {
  const at = deps.clock()
  if (payment.status === 'pending') await deps.store.asked(payment.orderId, at, instant(at + ms))
  return statusOf(payment)
}

async function settle(
  deps: PaymentsDeps,
  event: EventConfig,
  payment: StoredPayment,
  fact: PaymentFact,
): Promise<Verified> {
  const mail =
    fact.type === 'confirmed'
      ? await confirmationOf(deps, event, payment, fact.reference, fact.at)
      : null
  const applied = await deps.store.applyFact(
    payment.orderId,
    fact.type === 'confirmed' && cameAfterClosing(event, payment, fact.at)
      ? { ...fact, afterClosing: true }
      : fact,
    mail,
  )
  if (applied.changed)
    deps.log.info(
      { event: event.id, status: applied.payment.status, review: applied.review },
      'a payment moved',
    )
  return statusOf(applied.payment)
}

/** Who was handed to the gateway on the last open day may still be paying when it ends; a day later nobody is. */
function cameAfterClosing(event: EventConfig, payment: StoredPayment, at: Instant): boolean {
  return !openOn(event, dayOf(at)).open && addDays(dayOf(payment.createdAt), 1) < dayOf(at)
}

/** The mail as the registration will read once this payment is its success; the store queues it only then. */
async function confirmationOf(
  deps: PaymentsDeps,
  event: EventConfig,
  payment: StoredPayment,
  reference: string,
  at: Instant,
): Promise<NewMail | null> {
  const stored = await deps.store.registration(payment.regNo)
  if (stored === null) return null
  const payments = stored.payments.map((each) =>
    each.orderId === payment.orderId
      ? { ...each, status: 'success' as const, reference, paidAt: at }
      : each,
  )
  return mailFor(
    event,
    registrationView(event, {
      ...stored,
      payments,
      paymentStatus: 'success',
      paymentId: reference,
      paidAt: at,
    }),
  )
}
