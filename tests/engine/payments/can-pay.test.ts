/** Decides whether a delegate can pay, for every combination of stored payments, gateway status and date. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  INR,
  MAX_ATTEMPTS,
  day,
  getPriceHoldEnd,
  getPriceUntil,
  instant,
  isInTime,
  isOver,
  canPay,
  canRetry,
  toAmount,
  getPaymentState,
  startOfDay,
  type EventConfig,
  type Instant,
  type PollResult,
  type OrderId,
} from '../../../engine/index.ts'
import type {
  Attempt,
  PayableRegistration,
  PaymentTerms,
} from '../../../engine/payments/can-pay.ts'
import { createEvent } from '../fixtures.ts'

const HOUR_MS = 3_600_000
const now = startOfDay(day('2026-01-10'))
const addMilliseconds = (ms: number): Instant => instant(now + ms)
const [heldPrice, higherPrice] = [toAmount(708_000), toAmount(944_000)]

const createAttempt = (overrides: Partial<Attempt> = {}): Attempt => ({
  orderId: 'DEMO101' as OrderId,
  amount: heldPrice,
  status: 'pending',
  review: null,
  createdAt: addMilliseconds(-20 * 24 * HOUR_MS),
  handedOffAt: null,
  holdUntil: null,
  watchUntil: null,
  lastResponse: null,
  claimedAt: null,
  ...overrides,
})
const createFailedAttempt = (overrides: Partial<Attempt> = {}): Attempt =>
  createAttempt({ status: 'failed', watchUntil: addMilliseconds(HOUR_MS), ...overrides })
/** Creates a registration with the given payments, newest first. */
const createRegistration = (...payments: readonly Attempt[]): PayableRegistration => ({
  paymentStatus:
    payments.find(({ status }) => status === 'success')?.status ?? payments[0]?.status ?? 'success',
  inReview: payments.some(({ review }) => review !== null),
  answers: {},
  category: 'member',
  payments: payments.map((payment, index) => ({
    ...payment,
    orderId: `DEMO1${String(payments.length - index).padStart(2, '0')}` as OrderId,
  })),
})
const createQuote = (total = heldPrice): PaymentTerms['quote'] => ({
  ok: true,
  value: {
    category: 'member',
    period: 'late',
    base: total,
    gst: toAmount(0),
    total,
    currency: INR,
    lines: [],
  },
})
const createTerms = (overrides: Partial<PaymentTerms> = {}): PaymentTerms => ({
  opening: 'open',
  closedText: 'Closed.',
  quote: createQuote(),
  holdUntil: null,
  accepted: null,
  merchantId: null,
  ...overrides,
})
const mapPollResults = (
  { payments }: PayableRegistration,
  statuses: readonly (PollResult | undefined)[],
): ReadonlyMap<OrderId, PollResult> =>
  new Map(
    payments.flatMap(({ orderId }, index) => {
      const status = statuses[index]
      return status === undefined ? [] : [[orderId, status] as const]
    }),
  )
const decideWithStatuses = (
  registration: PayableRegistration,
  statuses: readonly (PollResult | undefined)[] = registration.payments.map(
    () => 'no-record' as const,
  ),
  terms: Partial<PaymentTerms> = {},
) => canPay(registration, mapPollResults(registration, statuses), createTerms(terms), now)

describe('the gateway status of every attempt', () => {
  const statuses: readonly (PollResult | undefined)[] = [
    'no-record',
    'ended',
    'in-process',
    'unreachable',
    undefined,
  ]
  // Each column is a poll result of the newest attempt, and each row a poll result of the previous attempt. The
  // previous attempt has failed; the newest has failed or is open.
  const expected = {
    failed: ['N N w u u', 'N N w u u', 'w w w u u', 'u u u u u', 'u u u u u'],
    pending: ['S S w u u', 'S S w u u', 'w w w u u', 'u u u u u', 'u u u u u'],
  }
  const letters = { S: 'same-order', N: 'new-attempt', w: 'wait', u: 'unsure' } as const
  test.each(['failed', 'pending'] as const)(
    'decides whether the delegate can pay if the newest attempt is %s',
    (status) => {
      const closedRegistration = createRegistration(
        status === 'failed' ? createFailedAttempt() : createAttempt(),
        createFailedAttempt(),
      )
      const decisions = statuses.map((olderStatus) =>
        statuses.map((newest) => decideWithStatuses(closedRegistration, [newest, olderStatus]).is),
      )
      expect(decisions).toEqual(
        expected[status].map((row) =>
          row.split(' ').map((letter) => letters[letter as keyof typeof letters]),
        ),
      )
    },
  )

  test('is not needed for an attempt that is no longer polled, or for an order that was placed at this moment', () => {
    const unpolledAttempt = createFailedAttempt({ watchUntil: now })
    expect([isOver(unpolledAttempt, now), isOver(createFailedAttempt(), now)]).toEqual([
      true,
      false,
    ])
    expect(decideWithStatuses(createRegistration(unpolledAttempt), [])).toEqual({
      is: 'new-attempt',
      quote: null,
      replaces: null,
    })
    expect(decideWithStatuses(createRegistration(createAttempt({ createdAt: now })), []).is).toBe(
      'same-order',
    )
    expect(
      decideWithStatuses(createRegistration(createFailedAttempt({ createdAt: now })), []).is,
    ).toBe('unsure')
  })

  test('does not allow another payment for half an hour after a gateway message reported one', () => {
    const claimedRegistration = createRegistration(
      createAttempt({ claimedAt: addMilliseconds(-29 * 60_000) }),
    )
    expect(decideWithStatuses(claimedRegistration).is).toBe('wait')
    expect(
      decideWithStatuses(
        createRegistration(createAttempt({ claimedAt: addMilliseconds(-31 * 60_000) })),
      ).is,
    ).toBe('same-order')
  })
})

test.each([
  ['a success', createRegistration(createAttempt({ status: 'success' }))],
  [
    'a success before a failure',
    createRegistration(createFailedAttempt(), createAttempt({ status: 'success' })),
  ],
  [
    'a success before an open order',
    createRegistration(createAttempt(), createAttempt({ status: 'success' })),
  ],
  ['a refund', createRegistration(createAttempt({ status: 'refunded' }))],
  [
    'a payment review',
    createRegistration(createFailedAttempt(), createFailedAttempt({ review: 'Too little came.' })),
  ],
  ['no attempt', createRegistration()],
])('nothing is due after %s', (_name, registration) => {
  expect(decideWithStatuses(registration)).toEqual({ is: 'nothing-due' })
})

describe('an order in an account that no longer receives payments', () => {
  test.each([
    ['A', 'A', 'same-order'],
    ['A', 'B', 'new-attempt'],
    [null, 'B', 'same-order'],
    ['A', null, 'same-order'],
  ] as const)(
    'ordered in account %s, payments now go to %s: %s',
    (orderMerchant, currentMerchant, expected) => {
      const newest = createAttempt({ merchantId: orderMerchant })
      const [{ orderId } = newest] = createRegistration(newest).payments
      const payResult =
        expected === 'same-order'
          ? { is: expected, orderId }
          : { is: expected, quote: null, replaces: orderId }
      expect(
        decideWithStatuses(createRegistration(newest), undefined, { merchantId: currentMerchant }),
      ).toEqual(payResult)
      const difference = createRegistration({ ...newest, isDifference: true })
      const registrationWithBalance = {
        ...difference,
        paymentStatus: 'success' as const,
        due: toAmount(100),
      }
      expect(
        decideWithStatuses(registrationWithBalance, undefined, { merchantId: currentMerchant }),
      ).toEqual(payResult)
    },
  )
})

describe('the day and the price', () => {
  const holdEnds = { held: addMilliseconds(1), over: now, endless: null }
  const quotes: readonly PaymentTerms['quote'][] = [
    createQuote(),
    createQuote(higherPrice),
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
  // The results if today's price is the same, is higher, or does not exist.
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
  ] as const)(
    'registration %s, the price %s, the newest attempt %s: %s',
    (registrationState, holdState, status, expected) => {
      const registration = createRegistration(
        status === 'failed' ? createFailedAttempt() : createAttempt(),
      )
      const terms = { opening: registrationState, holdUntil: holdEnds[holdState] }
      const decisions = quotes.map(
        (quote) => decideWithStatuses(registration, undefined, { ...terms, quote }).is,
      )
      expect(decisions.join(' ')).toBe(expected)
    },
  )

  test('a delegate who was sent to the gateway on the last day can pay within 24 hours, but not later', () => {
    const createRegistrationAt = (ms: number): PayableRegistration =>
      createRegistration(createAttempt({ createdAt: addMilliseconds(ms) }))
    for (const opening of ['ended', 'closed'] as const) {
      expect(
        decideWithStatuses(createRegistrationAt(-24 * HOUR_MS), undefined, { opening }).is,
      ).toBe('same-order')
      expect(
        decideWithStatuses(createRegistrationAt(-24 * HOUR_MS - 1), undefined, { opening }),
      ).toEqual({
        is: 'closed',
        text: 'Closed.',
      })
    }
  })

  test('a higher price can be paid only after the delegate agrees to exactly that price', () => {
    const terms = { holdUntil: now, quote: createQuote(higherPrice) }
    const payAgain = (registration: PayableRegistration, accepted: PaymentTerms['accepted']) =>
      decideWithStatuses(registration, undefined, { ...terms, accepted })
    for (const accepted of [null, heldPrice, toAmount(higherPrice - 1)])
      expect(payAgain(createRegistration(createAttempt()), accepted)).toMatchObject({
        is: 'price-moved',
        was: heldPrice,
        now: { total: higherPrice },
      })
    expect(payAgain(createRegistration(createFailedAttempt()), higherPrice)).toMatchObject({
      is: 'new-attempt',
      quote: { total: higherPrice },
      replaces: null,
    })
    expect(payAgain(createRegistration(createAttempt()), higherPrice)).toMatchObject({
      is: 'new-attempt',
      quote: { total: higherPrice },
      replaces: 'DEMO101',
    })
  })

  test('no attempt is allowed after the ninety-ninth', () => {
    const withManyAttempts = (newest: Attempt): PayableRegistration =>
      createRegistration(
        newest,
        ...Array.from({ length: MAX_ATTEMPTS - 1 }, () => createFailedAttempt()),
      )
    expect(decideWithStatuses(withManyAttempts(createFailedAttempt())).is).toBe('too-many-attempts')
    expect(decideWithStatuses(withManyAttempts(createAttempt())).is).toBe('same-order')
    const higherTerms = { holdUntil: now, quote: createQuote(higherPrice), accepted: higherPrice }
    expect(decideWithStatuses(withManyAttempts(createAttempt()), undefined, higherTerms).is).toBe(
      'too-many-attempts',
    )
  })
})

describe('the payment state of a registration', () => {
  test.each([
    ['complete', createRegistration(createAttempt({ status: 'success' }))],
    [
      'complete',
      createRegistration(
        createFailedAttempt({ review: 'Paid twice.' }),
        createAttempt({ status: 'success' }),
      ),
    ],
    ['complete', createRegistration()],
    ['organisers', createRegistration(createFailedAttempt({ review: 'Too little came.' }))],
    [
      'organisers',
      createRegistration(createAttempt(), createFailedAttempt({ review: 'Too little came.' })),
    ],
    ['refunded', createRegistration(createAttempt({ status: 'refunded' }))],
    ['not-paid', createRegistration(createAttempt())],
    [
      'not-paid',
      createRegistration(createAttempt({ lastResponse: 'no-record' }), createFailedAttempt()),
    ],
    ['at-bank', createRegistration(createAttempt({ lastResponse: 'in-process' }))],
    ['at-bank', createRegistration(createAttempt({ lastResponse: 'unreachable' }))],
    ['at-bank', createRegistration(createAttempt({ lastResponse: 'no-record', claimedAt: now }))],
    [
      'at-bank',
      createRegistration(createAttempt(), createFailedAttempt({ lastResponse: 'in-process' })),
    ],
    ['at-bank', createRegistration(createFailedAttempt({ claimedAt: now }))],
    ['failed', createRegistration(createFailedAttempt())],
    ['failed', createRegistration(createFailedAttempt({ lastResponse: 'unreachable' }))],
    [
      'failed',
      createRegistration(createFailedAttempt({ lastResponse: 'in-process', watchUntil: now })),
    ],
  ] as const)('%s', (expected, registration) => {
    expect(getPaymentState(registration, now)).toBe(expected)
  })
})

type PriceUntilCase = {
  readonly event?: EventConfig
  readonly payUntil?: string
  readonly late?: number
  readonly amount?: number
}

describe('the hold of a price', () => {
  const event = createEvent({
    registration: { closes: day('2026-01-31') },
    fees: {
      ...createEvent().fees,
      prices: { member: { early: toAmount(600_000), late: toAmount(800_000) } },
      periods: [
        { id: 'early', label: 'Early', to: day('2026-01-10') },
        { id: 'late', label: 'Late', from: day('2026-01-11') },
      ],
    },
  })
  const eventWithoutEnd = { ...event, registration: {} }
  const anyDelegate = { answers: {}, category: null }
  const startOfDate = (text: string): Instant => startOfDay(day(text))

  test('ends one day after its period or registration ends, or has no end', () => {
    expect(getPriceHoldEnd(event, startOfDate('2026-01-01'), anyDelegate)).toBe(
      startOfDate('2026-01-12'),
    )
    expect(getPriceHoldEnd(event, instant(startOfDate('2026-01-11') - 1), anyDelegate)).toBe(
      startOfDate('2026-01-12'),
    )
    expect(getPriceHoldEnd(event, startOfDate('2026-01-11'), anyDelegate)).toBe(
      startOfDate('2026-02-02'),
    )
    expect(getPriceHoldEnd(eventWithoutEnd, startOfDate('2026-01-11'), anyDelegate)).toBeNull()
  })

  // The page for an unpaid registration shows the same date as the form.
  test.each([
    ['the same as on the form, not the day after', '2026-01-01', '2026-01-12', {}, '2026-01-10'],
    [
      'still the same after another attempt on the next day',
      '2026-01-11',
      '2026-01-12',
      {},
      '2026-01-10',
    ],
    ['the payment deadline', '2026-01-01', '2026-01-21', { payUntil: '2026-01-21' }, '2026-01-20'],
    [
      'later, if the next period costs the same',
      '2026-01-01',
      '2026-01-12',
      { late: 600_000 },
      '2026-01-31',
    ],
    [
      'the last day of its period, if the next price differs',
      '2026-01-01',
      '2026-01-12',
      { late: 600_000, amount: 500_000 },
      '2026-01-10',
    ],
    ['not stated, if no change is planned', '2026-01-11', null, { event: eventWithoutEnd }, null],
  ] as const)(
    'the last day of a price is %s',
    (_name, created, held, changes: PriceUntilCase, expected) => {
      const { payUntil, late = 800_000, amount = 600_000 } = changes
      const { fees, ...rest } = changes.event ?? event
      const prices = { member: { early: toAmount(600_000), late: toAmount(late) } }
      const attempt = {
        amount: toAmount(amount),
        createdAt: startOfDate(created),
        holdUntil: held === null ? null : startOfDate(held),
      }
      const deadline = payUntil === undefined ? null : startOfDate(payUntil)
      const delegate = { answers: { ticket_type: 'member' }, category: 'member' }
      expect(
        getPriceUntil({ ...rest, fees: { ...fees, prices } }, attempt, delegate, deadline),
      ).toBe(expected)
    },
  )

  test.each([
    ['in-time', '2026-01-11', {}],
    ['in-time', '2026-01-12', { amount: toAmount(800_000) }],
    ['after-hold', '2026-01-12', {}],
    // The delegate was redirected to the gateway while the price was held, so payment there is still possible.
    ['in-time', '2026-01-12', { handedOffAt: startOfDate('2026-01-11') }],
    ['after-closing', '2026-02-02', {}],
    ['in-time', '2026-02-01', { createdAt: startOfDate('2026-01-20') }],
    ['after-closing', '2026-02-03', { createdAt: startOfDate('2026-01-20') }],
  ] as const)('a payment is %s on %s', (expected, paymentDay, attempt) => {
    const placedAttempt = createAttempt({
      createdAt: startOfDate('2026-01-05'),
      amount: toAmount(600_000),
      ...attempt,
    })
    expect(
      isInTime(event, { answers: {}, category: 'member' }, placedAttempt, startOfDate(paymentDay)),
    ).toBe(expected)
  })

  test('a payment for a price without an end is in time, whatever the price is today', () => {
    const placedAttempt = createAttempt({
      createdAt: startOfDate('2026-01-12'),
      amount: toAmount(600_000),
    })
    expect(
      isInTime(
        eventWithoutEnd,
        { answers: {}, category: 'member' },
        placedAttempt,
        startOfDate('2026-03-01'),
      ),
    ).toBe('in-time')
  })

  test('another attempt is offered only if the delegate would be allowed to make it', () => {
    const payableEvent = {
      ...event,
      payment: { account: 'demo', gateway: { minimum: 100 } as never },
    }
    const isOffered = (registration: PayableRegistration, paymentDay: string) =>
      canRetry(payableEvent, registration, startOfDate(paymentDay))
    const unpaidRegistration = createRegistration(
      createAttempt({ createdAt: startOfDate('2026-01-05') }),
    )
    expect([
      isOffered(unpaidRegistration, '2026-01-10'),
      isOffered(unpaidRegistration, '2026-01-20'),
    ]).toEqual([true, true])
    expect(isOffered(unpaidRegistration, '2026-02-02')).toBe(false)
    expect(canRetry(event, unpaidRegistration, startOfDate('2026-01-10'))).toBe(false)
    expect(
      isOffered(createRegistration(createAttempt({ lastResponse: 'in-process' })), '2026-01-10'),
    ).toBe(false)
    expect(isOffered(createRegistration(createAttempt({ status: 'success' })), '2026-01-10')).toBe(
      false,
    )
  })
})

test('two orders are never open at once; no attempt begins before the previous one is verified, after the ninety-ninth, or after closing without a held price', () => {
  const statuses = fc.constantFrom<(PollResult | undefined)[]>(
    'no-record',
    'ended',
    'in-process',
    'unreachable',
    undefined,
  )
  const instants = fc
    .integer({ min: -40, max: 40 })
    .map((hours) => addMilliseconds(hours * HOUR_MS))
  const arbitraryAttempt = fc.record({
    status: fc.constantFrom('failed' as const, 'failed' as const, 'success' as const),
    review: fc.constantFrom(null, null, null, 'Too little came.'),
    watchUntil: fc.option(instants),
    claimedAt: fc.option(instants, { freq: 1 }),
    createdAt: instants,
  })
  const history = fc.record({
    earlierAttempts: fc.oneof(
      fc.array(arbitraryAttempt, { maxLength: 4 }),
      fc.array(arbitraryAttempt, { minLength: 97, maxLength: 99 }),
    ),
    isOpen: fc.boolean(),
    createdAt: instants,
    pollResults: fc.array(statuses, { minLength: 100, maxLength: 100 }),
    terms: fc.record({
      opening: fc.constantFrom('open' as const, 'ended' as const, 'closed' as const),
      closedText: fc.constant('Closed.'),
      quote: fc.constantFrom(createQuote(), createQuote(higherPrice)),
      holdUntil: fc.option(instants),
      accepted: fc.constantFrom(null, heldPrice, higherPrice),
      merchantId: fc.constantFrom(null, 'A', 'B'),
    }),
    merchant: fc.constantFrom(null, 'A'),
  })
  let paidCount = 0
  fc.assert(
    fc.property(history, ({ earlierAttempts, isOpen, createdAt, pollResults, terms, merchant }) => {
      const overrides = { createdAt, merchantId: merchant }
      const newest = isOpen ? createAttempt(overrides) : createFailedAttempt(overrides)
      const registration = createRegistration(
        newest,
        ...earlierAttempts.map((attempt) => createFailedAttempt(attempt)),
      )
      const [newestPayment] = registration.payments
      const statusByOrderId = mapPollResults(registration, pollResults)
      const payResult = canPay(registration, statusByOrderId, terms, now)
      if (payResult.is !== 'same-order' && payResult.is !== 'new-attempt') return
      paidCount += 1
      const { payments } = registration
      expect(payments.some(({ status, review }) => status === 'success' || review !== null)).toBe(
        false,
      )
      for (const payment of payments) {
        const isFresh = payment.status === 'pending' && payment.createdAt >= now
        if (isOver(payment, now) || isFresh) continue
        expect(['no-record', 'ended']).toContain(statusByOrderId.get(payment.orderId))
      }
      const isHeld = terms.holdUntil !== null && now < terms.holdUntil
      const isFromYesterday = isOpen && createdAt >= addMilliseconds(-24 * HOUR_MS)
      if (terms.opening !== 'open') expect(isHeld || isFromYesterday).toBe(true)
      const belongsToOtherMerchant = merchant === 'A' && terms.merchantId === 'B'
      if (payResult.is === 'same-order') {
        expect(belongsToOtherMerchant).toBe(false)
        expect(newestPayment).toMatchObject({ orderId: payResult.orderId, status: 'pending' })
        return
      }
      expect(payments.length).toBeLessThan(MAX_ATTEMPTS)
      expect(payResult.replaces).toBe(isOpen ? newestPayment?.orderId : null)
      const total = payResult.quote?.total ?? heldPrice
      if (total !== heldPrice) expect(terms.accepted).toBe(total)
      // A delegate with an open order continues that order, even if another account now receives the payments.
      if (terms.opening === 'closed' && !(isOpen && belongsToOtherMerchant))
        expect.fail('an order began after the organisers had closed registration')
    }),
    { numRuns: 3000, seed: 20260110 },
  )
  expect(paidCount).toBeGreaterThan(100)
})
