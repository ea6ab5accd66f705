/**
 * Verification: a return, a notice and the reconciler all end here. Nothing but the gateway's own
 * answer to our question makes a payment a success or a failure.
 */
import {
  addDays,
  assert,
  assertNever,
  dayOf,
  instant,
  mailFor,
  openOn,
} from '../../engine/index.ts'
import type { EventConfig, Instant, OrderId, PaymentFact } from '../../engine/index.ts'
import type { Deps, Payments, StatusAnswer } from '../deps.ts'
import { registrationView } from '../registering/view.ts'
import type { NewMail, RawAnswer, StoredPayment, StoredRegistration } from '../store/store.ts'

/** "No record" is normal while the buyer is on the way to the gateway or at the bank; after a day nobody comes back. */
const NO_RECORD_MS = 24 * 60 * 60 * 1000
/** The shortest and the longest time between two questions about one payment. */
const ASK_AGAIN_MS_MIN = 60_000
const ASK_AGAIN_MS_MAX = 6 * 60 * 60 * 1000
/** While the gateway cannot be reached; an outage must not make everybody wait for hours afterwards. */
const UNREACHABLE_MS_MAX = 10 * 60 * 1000
/** How often the reconciler looks whether a payment is due. */
const TICK_MS = 10_000
/** Questions on their way at the same time: a gateway that is slow must not hold up everybody. */
const ASKED_AT_ONCE_MAX = 4
/** Payments read from the store at a time. */
const BATCH_ROWS = 100
/** Nobody waits for the reconciler; a gateway that takes longer is asked again later. */
const RECONCILE_TIMEOUT_MS = 20_000
/** Two machines' clocks agree within this; a time of payment that is further off is of another zone, or none. */
const CLOCKS_APART_MS = 10 * 60_000
/** The latest instant that a date can hold: everything is due before it. */
const END_OF_TIME = instant(8_640_000_000_000_000)

export type PaymentsDeps = Pick<Deps, 'store' | 'events' | 'gateway' | 'clock' | 'log'>

/** `reconciles` false: nothing is asked unless somebody calls. */
export function openPayments(
  deps: PaymentsDeps,
  { reconciles }: { readonly reconciles: boolean } = { reconciles: true },
): Payments {
  const running = new Map<OrderId, Promise<Verified>>()
  const following = new Map<OrderId, Promise<Verified>>()

  /**
   * One question at a time per order. A call that comes while one is on its way waits for the next,
   * because what caused it may have happened after the question was asked; all that wait share the next.
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
    const dueBefore = all ? END_OF_TIME : instant(at - ASK_AGAIN_MS_MIN)
    const seen = new Set<OrderId>()
    let ended = 0
    for (;;) {
      const due = (await deps.store.pendingPayments(dueBefore, seen.size + BATCH_ROWS)).filter(
        ({ orderId }) => !seen.has(orderId),
      )
      if (due.length === 0) return { asked: seen.size, ended }
      for (const { orderId } of due) seen.add(orderId)
      const waiting = [...due]
      const worker = async (): Promise<void> => {
        for (let payment = waiting.shift(); payment !== undefined; payment = waiting.shift()) {
          const status = await verify(payment.orderId, RECONCILE_TIMEOUT_MS).catch(
            (error: unknown) => {
              deps.log.error({ error: String(error) }, 'a payment could not be verified')
              return 'pending' as const
            },
          )
          if (status !== 'pending') ended += 1
        }
      }
      await Promise.all(Array.from({ length: ASKED_AT_ONCE_MAX }, worker))
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
    }, TICK_MS)
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

/** What is asked about: the payment, the registration it belongs to, and the event as it is served. */
type Asked = {
  readonly event: EventConfig
  readonly registration: StoredRegistration
  readonly payment: StoredPayment
}

async function verifyOnce(
  deps: PaymentsDeps,
  orderId: OrderId,
  timeoutMs: number,
): Promise<Verified> {
  const registration = await deps.store.registrationOf(orderId)
  const payment = registration?.payments.find((each) => each.orderId === orderId)
  assert(registration != null && payment !== undefined, 'an order to verify that is not there')
  // A failed payment is asked about again: money that comes late still came.
  if (payment.status === 'success' || payment.status === 'refunded') return payment.status
  const event = deps.events.byId(payment.eventId)?.config
  if (event === undefined || event.payment === null) {
    deps.log.warn({ event: payment.eventId }, 'a payment waits for an event that is not served')
    return await askLater(deps, payment, ASK_AGAIN_MS_MAX)
  }
  const answer = await deps.gateway.status(event, orderId, deps.clock(), timeoutMs)
  return follow(deps, { event, registration, payment }, answer)
}

/** Does what follows from an answer. */
async function follow(deps: PaymentsDeps, asked: Asked, answer: StatusAnswer): Promise<Verified> {
  const { event, payment } = asked
  const at = deps.clock()
  const age = Math.max(0, at - payment.createdAt)
  switch (answer.is) {
    case 'fact':
      return settle(deps, asked, answer.fact, answer.raw)
    case 'no-record':
      if (age >= NO_RECORD_MS && payment.status === 'pending')
        return settle(deps, asked, { type: 'expired', at }, answer.raw)
      return askLater(deps, payment, growing(age))
    case 'pending':
      return askLater(deps, payment, growing(age))
    case 'unreachable':
      deps.log.warn({ event: event.id, error: answer.error }, 'the gateway gave no usable answer')
      await askLater(deps, payment, Math.min(growing(age), UNREACHABLE_MS_MAX))
      // Also of a failed payment: whether late money came is not known.
      return 'pending'
    default:
      return assertNever(answer)
  }
}

/** Half of a payment's age: every minute at first, every six hours at last. */
function growing(ageMs: number): number {
  return Math.min(ASK_AGAIN_MS_MAX, Math.max(ASK_AGAIN_MS_MIN, Math.floor(ageMs / 2)))
}

async function askLater(deps: PaymentsDeps, payment: StoredPayment, ms: number): Promise<Verified> {
  const at = deps.clock()
  if (payment.status === 'pending') await deps.store.asked(payment.orderId, at, instant(at + ms))
  return statusOf(payment)
}

/** Stores the fact together with the answer it follows from, and tells in the log what moved. */
async function settle(
  deps: PaymentsDeps,
  asked: Asked,
  fact: PaymentFact,
  raw: string,
): Promise<Verified> {
  const { event, payment } = asked
  const answer: RawAnswer = {
    gateway: event.payment?.gateway.name ?? '',
    body: raw,
    contentType: 'text/xml',
    at: deps.clock(),
  }
  const known = fact.type === 'confirmed' ? withTimeOf(asked, fact) : fact
  const applied = await deps.store.applyFact(
    payment.orderId,
    known,
    known.type === 'confirmed'
      ? confirmationOf(asked, known.reference, known.paidAt ?? known.at)
      : null,
    answer,
  )
  if (applied.changed)
    deps.log.info(
      { event: event.id, status: applied.payment.status, review: applied.review },
      'a payment moved',
    )
  return statusOf(applied.payment)
}

type Confirmed = Extract<PaymentFact, { type: 'confirmed' }>

/**
 * With the time of payment, where the gateway says one that can be: neither before the order was placed nor
 * after now. Money that was held up on the way was still paid when it was paid.
 */
function withTimeOf({ event, payment }: Asked, fact: Confirmed): Confirmed {
  const { paidAt: stated, at, ...rest } = fact
  const from = Math.min(payment.createdAt, at)
  const canBe =
    stated !== undefined && stated >= from - CLOCKS_APART_MS && stated <= at + CLOCKS_APART_MS
  const paidAt = canBe ? instant(Math.min(Math.max(stated, from), at)) : null
  const late = cameAfterClosing(event, payment, paidAt ?? at)
  return {
    ...rest,
    at,
    ...(paidAt === null ? {} : { paidAt }),
    ...(late ? { afterClosing: true as const } : {}),
  }
}

/** A delegate handed to the gateway on the last open day may still be paying when it ends; a day later nobody is. */
function cameAfterClosing(event: EventConfig, payment: StoredPayment, at: Instant): boolean {
  return !openOn(event, dayOf(at)).open && addDays(dayOf(payment.createdAt), 1) < dayOf(at)
}

/** The mail as the registration will read once this payment is its success; the store queues it only then. */
function confirmationOf(
  { event, registration, payment }: Asked,
  reference: string,
  at: Instant,
): NewMail | null {
  const payments = registration.payments.map((each) =>
    each.orderId === payment.orderId
      ? { ...each, status: 'success' as const, reference, paidAt: at }
      : each,
  )
  return mailFor(
    event,
    registrationView(event, {
      ...registration,
      payments,
      paymentStatus: 'success',
      paymentId: reference,
      paidAt: at,
    }),
  )
}
