/** The one rule for paying, over every combination of what is stored, what was learnt and what holds on the day. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ATTEMPTS_MAX,
  day,
  heldUntil,
  instant,
  inTime,
  isOver,
  mayPay,
  mayTry,
  paise,
  standing,
  startOf,
  type Instant,
  type Learnt,
  type OrderId,
} from '../../../engine/index.ts'
import type { Attempt, Payable, Terms } from '../../../engine/payments/can-pay.ts'
import { eventOf } from '../fixtures.ts'

const hour = 3_600_000
const now = startOf(day('2026-01-10'))
const after = (ms: number): Instant => instant(now + ms)
const [held, dearer] = [paise(708_000), paise(944_000)]

const attempt = (more: Partial<Attempt> = {}): Attempt => ({
  orderId: 'DEMO101' as OrderId,
  amount: held,
  status: 'pending',
  review: null,
  createdAt: after(-20 * 24 * hour),
  handedOffAt: null,
  holdUntil: null,
  watchUntil: null,
  lastAnswer: null,
  claimedAt: null,
  ...more,
})
const failed = (more: Partial<Attempt> = {}): Attempt =>
  attempt({ status: 'failed', watchUntil: after(hour), ...more })
/** The newest first. */
const registrationOf = (...payments: readonly Attempt[]): Payable => ({
  paymentStatus:
    payments.find(({ status }) => status === 'success')?.status ?? payments[0]?.status ?? 'success',
  inReview: payments.some(({ review }) => review !== null),
  answers: {},
  category: 'member',
  payments: payments.map((one, index) => ({
    ...one,
    orderId: `DEMO1${String(payments.length - index).padStart(2, '0')}` as OrderId,
  })),
})
const quoteOf = (total = held): Terms['quote'] => ({
  ok: true,
  value: { category: 'member', period: 'late', base: total, gst: paise(0), total, lines: [] },
})
const terms = (more: Partial<Terms> = {}): Terms => ({
  opening: 'open',
  closedText: 'Closed.',
  quote: quoteOf(),
  holdUntil: null,
  accepted: null,
  merchantId: null,
  ...more,
})
const learntOf = (
  { payments }: Payable,
  told: readonly (Learnt | undefined)[],
): ReadonlyMap<OrderId, Learnt> =>
  new Map(
    payments.flatMap(({ orderId }, index) => {
      const learnt = told[index]
      return learnt === undefined ? [] : [[orderId, learnt] as const]
    }),
  )
const rule = (
  registration: Payable,
  told: readonly (Learnt | undefined)[] = registration.payments.map(() => 'no-record' as const),
  on: Partial<Terms> = {},
) => mayPay(registration, learntOf(registration, told), terms(on), now)

describe('what was learnt of every attempt', () => {
  const told: readonly (Learnt | undefined)[] = [
    'no-record',
    'ended',
    'in-process',
    'unreachable',
    undefined,
  ]
  // Newest across, the one before down; both failed, or the newest open.
  const expected = {
    failed: ['N N w u u', 'N N w u u', 'w w w u u', 'u u u u u', 'u u u u u'],
    pending: ['S S w u u', 'S S w u u', 'w w w u u', 'u u u u u', 'u u u u u'],
  }
  const letters = { S: 'same-order', N: 'new-attempt', w: 'wait', u: 'unsure' } as const
  test.each(['failed', 'pending'] as const)('decides when the newest is %s', (status) => {
    const both = registrationOf(status === 'failed' ? failed() : attempt(), failed())
    const answers = told.map((older) => told.map((newest) => rule(both, [newest, older]).is))
    expect(answers).toEqual(
      expected[status].map((row) =>
        row.split(' ').map((letter) => letters[letter as keyof typeof letters]),
      ),
    )
  })

  test('is not needed of what is over, nor of an order placed this very moment', () => {
    const over = failed({ watchUntil: now })
    expect([isOver(over, now), isOver(failed(), now)]).toEqual([true, false])
    expect(rule(registrationOf(over), [])).toEqual({
      is: 'new-attempt',
      quote: null,
      replaces: null,
    })
    expect(rule(registrationOf(attempt({ createdAt: now })), []).is).toBe('same-order')
    expect(rule(registrationOf(failed({ createdAt: now })), []).is).toBe('unsure')
  })

  test('does not count against money that a message has just claimed', () => {
    const claimed = registrationOf(attempt({ claimedAt: after(-29 * 60_000) }))
    expect(rule(claimed).is).toBe('wait')
    expect(rule(registrationOf(attempt({ claimedAt: after(-31 * 60_000) }))).is).toBe('same-order')
  })
})

test.each([
  ['a success', registrationOf(attempt({ status: 'success' }))],
  ['a success before a failure', registrationOf(failed(), attempt({ status: 'success' }))],
  ['a success before an open order', registrationOf(attempt(), attempt({ status: 'success' }))],
  ['money that went back', registrationOf(attempt({ status: 'refunded' }))],
  ['a person who decides', registrationOf(failed(), failed({ review: 'Too little came.' }))],
  ['no attempt at all', registrationOf()],
])('nothing is due after %s', (_name, registration) => {
  expect(rule(registration)).toEqual({ is: 'nothing-due' })
})

describe('an order that was asked for by whoever gets the money no more', () => {
  test.each([
    ['A', 'A', 'same-order'],
    ['A', 'B', 'new-attempt'],
    [null, 'B', 'same-order'],
    ['A', null, 'same-order'],
  ] as const)('asked by %s, now of %s: %s', (was, is, expected) => {
    const newest = attempt({ merchantId: was })
    const [{ orderId } = newest] = registrationOf(newest).payments
    const answer =
      expected === 'same-order'
        ? { is: expected, orderId }
        : { is: expected, quote: null, replaces: orderId }
    expect(rule(registrationOf(newest), undefined, { merchantId: is })).toEqual(answer)
    const difference = registrationOf({ ...newest, isDifference: true })
    const owes = { ...difference, paymentStatus: 'success' as const, due: paise(100) }
    expect(rule(owes, undefined, { merchantId: is })).toEqual(answer)
  })
})

describe('days and prices', () => {
  const holds = { held: after(1), over: now, endless: null }
  const quotes: readonly Terms['quote'][] = [
    quoteOf(),
    quoteOf(dearer),
    {
      ok: false,
      error: {
        code: 'not_on_sale',
        category: 'member',
        period: 'late',
        item: null,
        option: null,
      },
    },
  ]
  // For the price as before, a dearer one, and none today.
  test.each([
    ['open', 'held', 'pending', 'same-order same-order same-order'],
    ['open', 'held', 'failed', 'new-attempt new-attempt new-attempt'],
    ['open', 'endless', 'pending', 'same-order same-order same-order'],
    ['open', 'endless', 'failed', 'new-attempt new-attempt new-attempt'],
    ['open', 'over', 'pending', 'same-order price-moved not-on-sale'],
    ['open', 'over', 'failed', 'new-attempt price-moved not-on-sale'],
    ['ended', 'held', 'pending', 'same-order same-order same-order'],
    ['ended', 'held', 'failed', 'new-attempt new-attempt new-attempt'],
    ['ended', 'endless', 'pending', 'closed closed closed'],
    ['ended', 'endless', 'failed', 'closed closed closed'],
    ['ended', 'over', 'pending', 'closed closed closed'],
    ['ended', 'over', 'failed', 'closed closed closed'],
    ['closed', 'held', 'pending', 'same-order same-order same-order'],
    ['closed', 'held', 'failed', 'closed closed closed'],
    ['closed', 'endless', 'pending', 'closed closed closed'],
    ['closed', 'endless', 'failed', 'closed closed closed'],
    ['closed', 'over', 'pending', 'closed closed closed'],
    ['closed', 'over', 'failed', 'closed closed closed'],
  ] as const)('%s, the price %s, the newest attempt %s: %s', (opening, hold, status, expected) => {
    const registration = registrationOf(status === 'failed' ? failed() : attempt())
    const on = { opening, holdUntil: holds[hold] }
    const answers = quotes.map((quote) => rule(registration, undefined, { ...on, quote }).is)
    expect(answers.join(' ')).toBe(expected)
  })

  test('whoever was sent to pay on the last day may still do so on the next, and not on the one after', () => {
    const placed = (ms: number): Payable => registrationOf(attempt({ createdAt: after(ms) }))
    for (const opening of ['ended', 'closed'] as const) {
      expect(rule(placed(-24 * hour), undefined, { opening }).is).toBe('same-order')
      expect(rule(placed(-24 * hour - 1), undefined, { opening })).toEqual({
        is: 'closed',
        text: 'Closed.',
      })
    }
  })

  test('a dearer price is paid once it is agreed to, and no other', () => {
    const on = { holdUntil: now, quote: quoteOf(dearer) }
    const again = (registration: Payable, accepted: Terms['accepted']) =>
      rule(registration, undefined, { ...on, accepted })
    for (const accepted of [null, held, paise(dearer - 1)])
      expect(again(registrationOf(attempt()), accepted)).toMatchObject({
        is: 'price-moved',
        was: held,
        now: { total: dearer },
      })
    expect(again(registrationOf(failed()), dearer)).toMatchObject({
      is: 'new-attempt',
      quote: { total: dearer },
      replaces: null,
    })
    expect(again(registrationOf(attempt()), dearer)).toMatchObject({
      is: 'new-attempt',
      quote: { total: dearer },
      replaces: 'DEMO101',
    })
  })

  test('the ninety-ninth attempt is the last one', () => {
    const many = (newest: Attempt): Payable =>
      registrationOf(newest, ...Array.from({ length: ATTEMPTS_MAX - 1 }, () => failed()))
    expect(rule(many(failed())).is).toBe('too-many-attempts')
    expect(rule(many(attempt())).is).toBe('same-order')
    const dear = { holdUntil: now, quote: quoteOf(dearer), accepted: dearer }
    expect(rule(many(attempt()), undefined, dear).is).toBe('too-many-attempts')
  })
})

describe('how a registration stands', () => {
  test.each([
    ['complete', registrationOf(attempt({ status: 'success' }))],
    ['complete', registrationOf(failed({ review: 'Paid twice.' }), attempt({ status: 'success' }))],
    ['complete', registrationOf()],
    ['organisers', registrationOf(failed({ review: 'Too little came.' }))],
    ['organisers', registrationOf(attempt(), failed({ review: 'Too little came.' }))],
    ['refunded', registrationOf(attempt({ status: 'refunded' }))],
    ['not-paid', registrationOf(attempt())],
    ['not-paid', registrationOf(attempt({ lastAnswer: 'no-record' }), failed())],
    ['at-bank', registrationOf(attempt({ lastAnswer: 'in-process' }))],
    ['at-bank', registrationOf(attempt({ lastAnswer: 'unreachable' }))],
    ['at-bank', registrationOf(attempt({ lastAnswer: 'no-record', claimedAt: now }))],
    ['at-bank', registrationOf(attempt(), failed({ lastAnswer: 'in-process' }))],
    ['at-bank', registrationOf(failed({ claimedAt: now }))],
    ['failed', registrationOf(failed())],
    ['failed', registrationOf(failed({ lastAnswer: 'unreachable' }))],
    ['failed', registrationOf(failed({ lastAnswer: 'in-process', watchUntil: now }))],
  ] as const)('%s', (expected, registration) => {
    expect(standing(registration, now)).toBe(expected)
  })
})

describe('how long a price is held', () => {
  const event = eventOf({
    registration: { closes: day('2026-01-31') },
    fees: {
      ...eventOf().fees,
      prices: { member: { early: paise(600_000), late: paise(800_000) } },
      periods: [
        { id: 'early', label: 'Early', to: day('2026-01-10') },
        { id: 'late', label: 'Late', from: day('2026-01-11') },
      ],
    },
  })
  const endless = { ...event, registration: {} }
  const at = (text: string): Instant => startOf(day(text))

  test('until its period ends and a day, or registration closes and a day, or without an end', () => {
    expect(heldUntil(event, at('2026-01-01'))).toBe(at('2026-01-12'))
    expect(heldUntil(event, instant(at('2026-01-11') - 1))).toBe(at('2026-01-12'))
    expect(heldUntil(event, at('2026-01-11'))).toBe(at('2026-02-02'))
    expect(heldUntil(endless, at('2026-01-11'))).toBeNull()
  })

  test.each([
    ['in-time', '2026-01-11', {}],
    ['in-time', '2026-01-12', { amount: paise(800_000) }],
    ['after-hold', '2026-01-12', {}],
    // Sent to pay while it was held, or while registration was open: whoever is in front of the gateway's page may end.
    ['in-time', '2026-01-12', { handedOffAt: at('2026-01-11') }],
    ['after-closing', '2026-02-02', {}],
    ['in-time', '2026-02-01', { createdAt: at('2026-01-20') }],
    ['after-closing', '2026-02-03', { createdAt: at('2026-01-20') }],
  ] as const)('money is %s on %s', (expected, on, more) => {
    const placed = attempt({ createdAt: at('2026-01-05'), amount: paise(600_000), ...more })
    expect(inTime(event, { answers: {}, category: 'member' }, placed, at(on))).toBe(expected)
  })

  test('money is in time for a price without an end, whatever is asked for today', () => {
    const placed = attempt({ createdAt: at('2026-01-12'), amount: paise(600_000) })
    expect(inTime(endless, { answers: {}, category: 'member' }, placed, at('2026-03-01'))).toBe(
      'in-time',
    )
  })

  test('no try is offered where none would be let through', () => {
    const paying = {
      ...event,
      payment: { account: 'demo', gateway: { minimum: 100 } as never },
    }
    const offered = (registration: Payable, on: string) => mayTry(paying, registration, at(on))
    const left = registrationOf(attempt({ createdAt: at('2026-01-05') }))
    expect([offered(left, '2026-01-10'), offered(left, '2026-01-20')]).toEqual([true, true])
    expect(offered(left, '2026-02-02')).toBe(false)
    expect(mayTry(event, left, at('2026-01-10'))).toBe(false)
    expect(offered(registrationOf(attempt({ lastAnswer: 'in-process' })), '2026-01-10')).toBe(false)
    expect(offered(registrationOf(attempt({ status: 'success' })), '2026-01-10')).toBe(false)
  })
})

test('whatever happens, two orders are never open, nothing begins unverified, after the ninety-ninth, or after closing unless it is held', () => {
  const told = fc.constantFrom<(Learnt | undefined)[]>(
    'no-record',
    'ended',
    'in-process',
    'unreachable',
    undefined,
  )
  const instants = fc.integer({ min: -40, max: 40 }).map((hours) => after(hours * hour))
  const one = fc.record({
    status: fc.constantFrom('failed' as const, 'failed' as const, 'success' as const),
    review: fc.constantFrom(null, null, null, 'Too little came.'),
    watchUntil: fc.option(instants),
    claimedAt: fc.option(instants, { freq: 1 }),
    createdAt: instants,
  })
  const history = fc.record({
    older: fc.oneof(
      fc.array(one, { maxLength: 4 }),
      fc.array(one, { minLength: 97, maxLength: 99 }),
    ),
    isOpen: fc.boolean(),
    createdAt: instants,
    told: fc.array(told, { minLength: 100, maxLength: 100 }),
    terms: fc.record({
      opening: fc.constantFrom('open' as const, 'ended' as const, 'closed' as const),
      closedText: fc.constant('Closed.'),
      quote: fc.constantFrom(quoteOf(), quoteOf(dearer)),
      holdUntil: fc.option(instants),
      accepted: fc.constantFrom(null, held, dearer),
      merchantId: fc.constantFrom(null, 'A', 'B'),
    }),
    asked: fc.constantFrom(null, 'A'),
  })
  let paid = 0
  fc.assert(
    fc.property(history, ({ older, isOpen, createdAt, told: all, terms: on, asked }) => {
      const more = { createdAt, merchantId: asked }
      const newest = isOpen ? attempt(more) : failed(more)
      const registration = registrationOf(newest, ...older.map((more) => failed(more)))
      const [first] = registration.payments
      const learnt = learntOf(registration, all)
      const paying = mayPay(registration, learnt, on, now)
      if (paying.is !== 'same-order' && paying.is !== 'new-attempt') return
      paid += 1
      const { payments } = registration
      expect(payments.some(({ status, review }) => status === 'success' || review !== null)).toBe(
        false,
      )
      for (const each of payments) {
        const isFresh = each.status === 'pending' && each.createdAt >= now
        if (isOver(each, now) || isFresh) continue
        expect(['no-record', 'ended']).toContain(learnt.get(each.orderId))
      }
      const isHeld = on.holdUntil !== null && now < on.holdUntil
      const isOfYesterday = isOpen && createdAt >= after(-24 * hour)
      if (on.opening !== 'open') expect(isHeld || isOfYesterday).toBe(true)
      const isOfOthers = asked === 'A' && on.merchantId === 'B'
      if (paying.is === 'same-order') {
        expect(isOfOthers).toBe(false)
        expect(first).toMatchObject({ orderId: paying.orderId, status: 'pending' })
        return
      }
      expect(payments.length).toBeLessThan(ATTEMPTS_MAX)
      expect(paying.replaces).toBe(isOpen ? first?.orderId : null)
      const total = paying.quote?.total ?? held
      if (total !== held) expect(on.accepted).toBe(total)
      // One who has an open order goes on with it, whoever gets the money now.
      if (on.opening === 'closed' && !(isOpen && isOfOthers))
        expect.fail('an order began after the organisers had closed')
    }),
    { numRuns: 3000, seed: 20260110 },
  )
  expect(paid).toBeGreaterThan(100)
})
