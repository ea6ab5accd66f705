/** How much of a payment is refundable under the event file's refund scale. */
import { expect, test } from 'vitest'
import fc from 'fast-check'
import type { Cancellation } from '../../../engine/event/approval-and-cancellation-types.ts'
import {
  compileEvent,
  diffEvents,
  explainPrice,
  formatDiff,
  formatExplanation,
  showEvent,
} from '../../../engine/authoring.ts'
import { readGolden } from '../authoring/goldens.ts'
import { sharedFiles } from '../event-files.ts'
import {
  computeCancellationRefund,
  day,
  instant,
  INR,
  readCurrency,
  startOfDay,
  toAmount,
  type Currency,
  type EventConfig,
} from '../../../engine/index.ts'

const REFUND_SCALE = {
  steps: [
    { until: day('2026-12-31'), percent: 75 },
    { until: day('2027-01-31'), percent: 50 },
  ],
  otherwise: { percent: 0 },
}
const getNoon = (date: string) => instant(startOfDay(day(date)) + 12 * 3_600_000)

const UNTAXED = { total: null, gst: null, currency: INR }

const computeRefund = (
  price: number,
  paidAmount: number,
  refunded: number,
  cancelledAt = getNoon('2026-10-01'),
) =>
  computeCancellationRefund(
    REFUND_SCALE,
    {
      price: toAmount(price),
      paid: toAmount(paidAmount),
      refunded: toAmount(refunded),
      ...UNTAXED,
    },
    cancelledAt,
  ).proposed

test.each([
  ['nothing was refunded before', 0, 437_287],
  ['the reduction was refunded first', 91_777, 345_510],
  ['part of the reduction was refunded first', 50_000, 387_287],
  ['goodwill was refunded in addition', 101_777, 335_510],
  ['more was refunded than the scale allows', 500_000, 0],
])(
  'after a companion for 917.77 is removed, the refunds have the same total if %s',
  (_, refunded, proposedRefund) => {
    expect(computeRefund(460_680, 552_457, refunded)).toBe(proposedRefund)
  },
)

test('an overpayment is refunded in full, a part payment according to the scale', () => {
  expect(computeRefund(118_000, 128_000, 0)).toBe(10_000 + 88_500)
  expect(computeRefund(150_000, 100_000, 0)).toBe(75_000)
})

test.each([
  ['2026-10-01', 501_500, 376_125],
  ['2026-12-31', 501_500, 376_125],
  ['2027-01-01', 501_500, 250_750],
  ['2027-01-31', 1, 1],
  ['2027-02-01', 501_500, 0],
  ['2026-10-01', 0, 0],
])('on %s, the refund of %i paise is %i', (cancellationDay, paidPaise, refundPaise) => {
  expect(computeRefund(paidPaise, paidPaise, 0, getNoon(cancellationDay))).toBe(refundPaise)
})

test('no refund is proposed if the file has no scale', () => {
  const sums = {
    price: toAmount(501_500),
    paid: toAmount(501_500),
    refunded: toAmount(0),
    ...UNTAXED,
  }
  expect(computeCancellationRefund(null, sums, getNoon('2026-10-01')).proposed).toBeNull()
})

test('a step of the scale applies until the end of its last day in Indian time', () => {
  const midnight = startOfDay(day('2027-01-01'))
  expect(computeRefund(100, 100, 0, instant(midnight - 1))).toBe(75)
  expect(computeRefund(100, 100, 0, midnight)).toBe(50)
})

const EUR = readCurrency('EUR') ?? INR
const createBill = (base: number, gst: number, currency: Currency = INR) => ({
  price: toAmount(base + gst),
  paid: toAmount(base + gst),
  refunded: toAmount(0),
  total: toAmount(base + gst),
  gst: toAmount(gst),
  currency,
})
const createCancellation = (terms: Cancellation['otherwise']): Cancellation => ({
  steps: [],
  otherwise: terms,
})

test.each([
  ['50% without the GST', { percent: 50, withoutTax: true }, createBill(600_000, 108_000), 300_000],
  ['all but the GST', { percent: 100, withoutTax: true }, createBill(600_000, 108_000), 600_000],
  [
    '50% less ₹ 500',
    { percent: 50, charge: { INR: 50_000 } },
    createBill(600_000, 108_000),
    304_000,
  ],
  [
    'all but the GST, less ₹ 500',
    { percent: 100, withoutTax: true, charge: { INR: 50_000 } },
    createBill(600_000, 108_000),
    550_000,
  ],
  [
    '50% less EUR 25',
    { percent: 50, charge: { INR: 50_000, EUR: 2_500 } },
    createBill(10_000, 0, EUR),
    2_500,
  ],
  [
    '50% less a higher charge',
    { percent: 50, charge: { INR: 500_000 } },
    createBill(600_000, 0),
    0,
  ],
  [
    'a charge that is not stated in euro',
    { percent: 50, charge: { INR: 1 } },
    createBill(1, 0, EUR),
    null,
  ],
] as const)('%s', (_, terms, paid, refund) => {
  const { charge, ...rest } = { charge: undefined, ...terms }
  const cancellation = createCancellation(
    charge === undefined ? rest : { ...rest, charge: charge as never },
  )
  expect(computeCancellationRefund(cancellation, paid, getNoon('2027-01-01')).proposed).toBe(refund)
})

test('an overpayment is refunded with its tax; from a part payment, only its share of the tax is withheld', () => {
  const cancellation = createCancellation({ percent: 100, withoutTax: true })
  const at = getNoon('2027-01-01')
  const paidBill = createBill(600_000, 108_000)
  const overpaymentRefund = computeCancellationRefund(
    cancellation,
    { ...paidBill, paid: toAmount(718_000) },
    at,
  )
  expect(overpaymentRefund).toMatchObject({ owed: 10_000, taxKept: 108_000, proposed: 610_000 })
  const partPaymentRefund = computeCancellationRefund(
    cancellation,
    { ...paidBill, paid: toAmount(354_000) },
    at,
  )
  expect(partPaymentRefund).toMatchObject({ owed: 0, taxKept: 54_000, proposed: 300_000 })
})

test('a refund is never negative and never more than was paid', () => {
  const amount = fc.integer({ min: 0, max: 99_999_999 })
  fc.assert(
    fc.property(
      amount,
      amount,
      amount,
      amount,
      fc.integer({ min: 0, max: 100 }),
      fc.boolean(),
      amount,
      (base, gst, paid, refunded, percent, isNet, charge) => {
        const terms = {
          percent,
          charge: { INR: toAmount(charge) },
          ...(isNet && { withoutTax: true as const }),
        }
        const sums = {
          ...createBill(base, gst),
          paid: toAmount(paid),
          refunded: toAmount(Math.min(paid, refunded)),
        }
        const { proposed } = computeCancellationRefund(
          createCancellation(terms),
          sums,
          getNoon('2027-01-01'),
        )
        expect(proposed).toBeGreaterThanOrEqual(0)
        expect(proposed).toBeLessThanOrEqual(paid - sums.refunded)
      },
    ),
  )
})

const compileWithScale = (scale: string): EventConfig => {
  const { event, findings } = compileEvent(
    `${readGolden('_base.yaml').replace('card-gateway', 'airpay')}cancellation:\n  ${scale}\n`,
    sharedFiles,
    { path: 'sample2026.yaml' },
  )
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
  return event as EventConfig
}
const SCALE =
  'without_tax: true\n  charge: 100\n  steps: [{until: 2026-01-15, refund: 90%, charge: 0}, {until: 2026-01-31, refund: 50%}, {otherwise: none}]'

test.each([
  ['2026-01-10', 'refund    ₹ 900, if cancelled on this day: 90% of ₹ 1,000, without GST'],
  [
    '2026-01-20',
    'refund    ₹ 400, if cancelled on this day: 50% of ₹ 1,000, without GST, less ₹ 100',
  ],
  ['2026-02-20', 'refund    none, if cancelled on this day'],
])('explain states the refund for a cancellation on %s', (on, line) => {
  const event = compileWithScale(SCALE)
  const explanation = explainPrice(event, { is_member: 'true' }, startOfDay(day(on)))
  expect(formatExplanation(event, explanation).replaceAll('\u00a0', ' ')).toContain(line)
})

test('`event show` writes a scale with the same refunds, and `diff` lists each change to the scale', () => {
  const event = compileWithScale(SCALE)
  const { event: shownEvent } = compileEvent(showEvent(event), sharedFiles, {
    path: 'sample2026.yaml',
  })
  expect(shownEvent?.cancellation).toEqual(event.cancellation)
  const changedEvent = compileWithScale(SCALE.replace('charge: 100', 'charge: 250'))
  expect(formatDiff(diffEvents(event, changedEvent)).replaceAll('\u00a0', ' ')).toBe(
    'Event\n  cancellation.steps.2.charge.INR: "₹ 100" → "₹ 250"',
  )
})
