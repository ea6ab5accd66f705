/**
 * Simulates the treasurer, who decides on payment reviews and makes refunds, in Rollcall or in the merchant panel. The
 * panel is always right, and no decision contradicts it.
 */
import {
  INR,
  formatPlainAmount,
  assertNever,
  listAllowedDecisions,
  instant,
  toAmount,
  getReviewVersion,
} from '../../engine/index.ts'
import type { Instant, RegNo, Review } from '../../engine/index.ts'
import { decideReview, refundPayment } from '../../server/payments/decide-payment-review.ts'
import type { DecisionInput } from '../../server/payments/decide-payment-review.ts'
import { STAFF } from './expected-permissions.ts'
import type { Timeline } from './virtual-time.ts'
import { hasFailed, refundCapture, isCapture, isUndecided } from './gateway.ts'
import type { Gateway, GatewayRefund, Order, Transaction } from './gateway.ts'
import type { SimulatedServer } from './server.ts'
import type { OfficeStep, Plan } from './plan.ts'
import { createRandom } from './random.ts'
import type { Random } from './random.ts'
import type { Tally } from './tally.ts'

export type TreasurerContext = {
  readonly plan: Plan
  readonly timeline: Timeline
  readonly server: SimulatedServer
  readonly gateway: Gateway
  readonly tally: Tally
  readonly writeTrace: (describe: () => string) => void
  readonly extendHistory: (ms: number) => void
  /** Lists the registration numbers of all registrations. */
  readonly listRegNos: () => readonly string[]
}

export function createTreasurer(context: TreasurerContext): { begin(): void } {
  const { plan, timeline, server, gateway, tally, writeTrace, extendHistory } = context

  const decide = async (
    review: Review,
    decisionInput: DecisionInput,
    username: string,
  ): Promise<void> => {
    const input = { ...decisionInput, version: getReviewVersion(review) }
    const decideResult = await server.runJob((deps) =>
      decideReview(deps, review.id, input, username),
    )
    if (decideResult?.ok === true) tally.decisions += 1
    writeTrace(
      () =>
        `${username} decides ${review.is} ${review.id}: ${JSON.stringify(decisionInput)}: ${JSON.stringify(decideResult)}`,
    )
  }
  const decideReviews = async (random: Random, isConcurrent: boolean): Promise<void> => {
    const reviews = (await server.runJob(({ store }) => store.reviews(null))) ?? []
    for (const review of reviews) {
      const decision = chooseDecision(review, random, context)
      if (decision === null) continue
      const staffNames = isConcurrent ? ['Asha', 'Ravi'] : ['Asha']
      await Promise.all(
        staffNames.map((username) =>
          decide(review, { ...decision, why: 'As seen in the panel' }, username),
        ),
      )
    }
  }
  const requestRefund = async (random: Random): Promise<void> => {
    const regNos = context.listRegNos()
    if (regNos.length === 0) return
    const regNo = random.pick(regNos)
    const isPartial = random.chance(0.3)
    const refundInput = { why: 'Cannot come', ...(isPartial ? { amount: '100.00' } : {}) }
    const result = await server.runJob((deps) => refundPayment(deps, regNo, refundInput, 'Asha'))
    writeTrace(() => `refund of ${regNo}: ${JSON.stringify(result)}`)
  }
  /** Records lost disputes: some of them twice at the same time, some only in part, and some only as a note. */
  const recordLostDisputes = async (random: Random): Promise<void> => {
    for (const text of context.listRegNos()) {
      const regNo = text as RegNo
      const disputes = (await server.runJob(({ store }) => store.disputesOf(regNo))) ?? []
      for (const { disputeId, status, amount } of disputes) {
        if (status !== 'lost') continue
        const [isNote, isPartial, isDuplicated] = [0.15, 0.15, 0.3].map((probability) =>
          random.chance(probability),
        )
        if (isNote === true) {
          await addNote(regNo, `Dispute lost: ${disputeId} at ${timeline.now()}`)
          continue
        }
        const part = isPartial === true ? toAmount(10_000) : amount
        const record = (click: number) =>
          server.runJob(({ store, clock }) =>
            store.requestRefund({
              of: regNo,
              amount: part,
              manualReference: disputeId,
              why: `Dispute lost: click ${click} at ${timeline.now()}`,
              who: 'Asha',
              at: clock(),
            }),
          )
        const results = await Promise.all(
          isDuplicated === true ? [record(1), record(2)] : [record(1)],
        )
        writeTrace(() => `records ${disputeId} of ${regNo}: ${JSON.stringify(results)}`)
      }
    }
  }
  const addNote = (regNo: RegNo, why: string): Promise<unknown> =>
    server.runJob(({ store, clock }) =>
      store.addNote({
        regNo,
        act: 'note',
        actor: STAFF.Omar.role,
        who: 'Omar',
        why,
        at: clock(),
        idempotencyKey: null,
      }),
    )
  const refundInPanel = (random: Random): void => {
    const captures = [...gateway.orders.values()].flatMap((order) =>
      order.transactions.filter(isCapture).map((capture) => ({ order, capture })),
    )
    if (captures.length === 0) return
    const { order, capture } = random.pick(captures)
    const amount = random.chance(0.3) ? toAmount(10_000) : capture.amount
    const request = { amount, by: 'panel', failureShare: plan.profile.failedRefunds } as const
    const gatewayRefund = refundCapture(gateway, order, capture, request, timeline.now(), random)
    writeTrace(() => `refund of ${order.orderId} in the panel: ${JSON.stringify(gatewayRefund)}`)
  }
  const performStep = async ({ is }: OfficeStep, random: Random): Promise<void> => {
    switch (is) {
      case 'reviews':
        return decideReviews(random, false)
      case 'reviews, two at once':
        return decideReviews(random, true)
      case 'refund':
        return requestRefund(random)
      case 'panel':
        return refundInPanel(random)
      case 'disputes':
        return recordLostDisputes(random)
      default:
        return assertNever(is)
    }
  }
  return {
    begin: () => {
      for (const [index, step] of plan.office.entries()) {
        extendHistory(step.afterMs)
        const random = createRandom(plan.profile.name, plan.seed, plan.history, 'office', index)
        timeline.schedule(step.afterMs, () => void performStep(step, random))
      }
    },
  }
}

/** Looks up, in the merchant panel, a refund whose result Rollcall does not know. */
function findRefund(
  order: Order | undefined,
  amount: number,
  at: Instant,
): GatewayRefund | undefined {
  return order?.gatewayRefunds.find(
    (refund) =>
      refund.amount === amount && refund.by === 'call' && refund.at <= at && !hasFailed(refund, at),
  )
}

/** Chooses a decision that is consistent with the merchant panel. Null if the review cannot be decided yet. */
export function chooseDecision(
  review: Review,
  random: Random,
  { gateway, timeline, listRegNos }: Pick<TreasurerContext, 'gateway' | 'timeline' | 'listRegNos'>,
): DecisionInput | null {
  const order = gateway.orders.get(review.orderId ?? '')
  const shownTransaction = order?.transactions.find((transaction: Transaction) =>
    isCapture(transaction),
  )
  switch (review.is) {
    case 'misfit':
    case 'rest':
    case 'ended':
    case 'second': {
      const otherRegNos = listRegNos().filter((regNo) => regNo !== review.regNo)
      const decision = random.pick(['accept', 'refund', 'refund', 'move', 'dismiss'] as const)
      if (decision === 'move')
        return otherRegNos.length === 0 ? null : { decision, to: random.pick(otherRegNos) }
      if (decision === 'accept' && review.is !== 'misfit' && review.is !== 'rest') return null
      // If the payment is below the price, staff waive the balance or request it.
      const isShort = review.is === 'misfit' && listAllowedDecisions(review).includes('ask')
      return { decision: decision === 'accept' && isShort && random.chance(0.5) ? 'ask' : decision }
    }
    case 'foreign':
    case 'refund-refused':
      return { decision: random.pick(['refund', 'dismiss']) }
    case 'test':
    case 'unclear':
    case 'returned':
      return { decision: 'dismiss' }
    case 'unmatched':
      return null
    case 'undecided':
      if (shownTransaction !== undefined)
        return {
          decision: 'accept',
          reference: shownTransaction.reference,
          amount: formatPlainAmount(shownTransaction.amount, INR),
        }
      return order !== undefined &&
        (timeline.now() < order.heldUntil || order.transactions.some(isUndecided))
        ? null
        : { decision: 'dismiss' }
    case 'refund-unsure': {
      const gatewayRefund = findRefund(order, review.left, timeline.now())
      if (gatewayRefund === undefined) return { decision: random.pick(['refund', 'dismiss']) }
      return instant(timeline.now()) >= gatewayRefund.doneAt
        ? { decision: 'accept', reference: gatewayRefund.reference }
        : null
    }
    default:
      return assertNever(review.is)
  }
}
