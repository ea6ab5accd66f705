/**
 * The treasurer: looks at what waits for a person and ends it, gives back what somebody asks for, here or in the
 * gateway's panel. What the panel shows is true, and nobody decides against it.
 */
import { amountText, assertNever, instant, paise } from '../../engine/index.ts'
import type { Instant, Review } from '../../engine/index.ts'
import { decideReview, refundPayment } from '../../server/payments/decide-payment-review.ts'
import type { DecisionWords } from '../../server/payments/decide-payment-review.ts'
import type { Course } from './virtual-time.ts'
import { giveBack, isMoney } from './gateway.ts'
import type { Gateway, GivenBack, Order, Transaction } from './gateway.ts'
import type { Machine } from './server.ts'
import type { OfficeStep, Plan } from './plan.ts'
import { randomOf } from './random.ts'
import type { Random } from './random.ts'
import type { Tally } from './tally.ts'

export type OfficeGiven = {
  readonly plan: Plan
  readonly course: Course
  readonly machine: Machine
  readonly gateway: Gateway
  readonly tally: Tally
  readonly say: (what: () => string) => void
  readonly lasts: (ms: number) => void
  /** Numbers of those who registered. */
  readonly numbers: () => readonly string[]
}

export function openOffice(given: OfficeGiven): { begin(): void } {
  const { plan, course, machine, gateway, tally, say, lasts } = given

  const decide = async (review: Review, words: DecisionWords, who: string): Promise<void> => {
    const answer = await machine.inside((deps) => decideReview(deps, review.id, words, who))
    if (answer?.ok === true) tally.decisions += 1
    say(
      () =>
        `${who} decides ${review.is} ${review.id}: ${JSON.stringify(words)}: ${JSON.stringify(answer)}`,
    )
  }
  const look = async (random: Random, isTwo: boolean): Promise<void> => {
    const reviews = (await machine.inside(({ store }) => store.reviews(null))) ?? []
    for (const review of reviews) {
      const words = wordsFor(review, random, given)
      if (words === null) continue
      const people = isTwo ? ['Asha', 'Ravi'] : ['Asha']
      await Promise.all(
        people.map((who) => decide(review, { ...words, why: 'As seen in the panel' }, who)),
      )
    }
  }
  const refund = async (random: Random): Promise<void> => {
    const numbers = given.numbers()
    if (numbers.length === 0) return
    const number = random.pick(numbers)
    const isPart = random.chance(0.3)
    const words = { why: 'Cannot come', ...(isPart ? { amount: '100.00' } : {}) }
    const answer = await machine.inside((deps) => refundPayment(deps, number, words, 'Asha'))
    say(() => `refund of ${number}: ${JSON.stringify(answer)}`)
  }
  const inPanel = (random: Random): void => {
    const came = [...gateway.orders.values()].flatMap((order) =>
      order.transactions.filter(isMoney).map((of) => ({ order, of })),
    )
    if (came.length === 0) return
    const { order, of } = random.pick(came)
    const amount = random.chance(0.3) ? paise(10_000) : of.amount
    const made = giveBack(gateway, order, of, amount, course.now(), 'panel', random)
    say(() => `panel gives back of ${order.orderId}: ${JSON.stringify(made)}`)
  }
  const step = async ({ is }: OfficeStep, random: Random): Promise<void> => {
    switch (is) {
      case 'reviews':
        return look(random, false)
      case 'reviews, two at once':
        return look(random, true)
      case 'refund':
        return refund(random)
      case 'panel':
        return inPanel(random)
      default:
        return assertNever(is)
    }
  }
  return {
    begin: () => {
      for (const [at, one] of plan.office.entries()) {
        lasts(one.afterMs)
        const random = randomOf(plan.profile.name, plan.seed, plan.history, 'office', at)
        course.after(one.afterMs, () => void step(one, random))
      }
    },
  }
}

/** What the panel shows of a refund that we doubt. */
function refundIn(order: Order | undefined, amount: number, at: Instant): GivenBack | undefined {
  return order?.givenBack.find(
    (back) => back.amount === amount && back.by === 'call' && back.at <= at,
  )
}

/** Null: not to be decided now. */
export function wordsFor(
  review: Review,
  random: Random,
  { gateway, course, numbers }: Pick<OfficeGiven, 'gateway' | 'course' | 'numbers'>,
): DecisionWords | null {
  const order = gateway.orders.get(review.orderId ?? '')
  const shown = order?.transactions.find((made: Transaction) => isMoney(made))
  switch (review.is) {
    case 'misfit':
    case 'rest':
    case 'ended':
    case 'second': {
      const others = numbers().filter((number) => number !== review.regNo)
      const decision = random.pick(['accept', 'refund', 'refund', 'move', 'dismiss'] as const)
      if (decision === 'move')
        return others.length === 0 ? null : { decision, to: random.pick(others) }
      if (decision === 'accept' && review.is !== 'misfit' && review.is !== 'rest') return null
      return { decision }
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
      if (shown !== undefined)
        return { decision: 'accept', reference: shown.reference, amount: amountText(shown.amount) }
      return order !== undefined && course.now() < order.heldUntil ? null : { decision: 'dismiss' }
    case 'refund-unsure': {
      const back = refundIn(order, review.left, course.now())
      if (back === undefined) return { decision: random.pick(['refund', 'dismiss']) }
      return instant(course.now()) >= back.doneAt
        ? { decision: 'accept', reference: back.reference }
        : null
    }
    default:
      return assertNever(review.is)
  }
}
