/** The refundable part of a payment by the scale of the file. */
import { expect, test } from 'vitest'
import { cancellationRefund, day, instant, toAmount, startOfDay } from '../../../engine/index.ts'

const scale = {
  steps: [
    { until: day('2026-12-31'), percent: 75 },
    { until: day('2027-01-31'), percent: 50 },
  ],
  otherwise: 0,
}
const buildNoon = (date: string) => instant(startOfDay(day(date)) + 12 * 3_600_000)

const computeRefund = (
  price: number,
  paidAmount: number,
  refunded: number,
  cancelledAt = buildNoon('2026-10-01'),
) =>
  cancellationRefund(
    scale,
    { price: toAmount(price), paid: toAmount(paidAmount), refunded: toAmount(refunded) },
    cancelledAt,
  ).proposed

test.each([
  ['nothing was refunded before', 0, 437_287],
  ['the reduction was refunded first', 91_777, 345_510],
  ['a part of the reduction was refunded first', 50_000, 387_287],
  ['goodwill was refunded in addition', 101_777, 335_510],
  ['more was refunded than the scale allows', 500_000, 0],
])(
  'a companion of 917.77 was removed and %s: the refunds have the same sum',
  (_, refunded, proposedRefund) => {
    expect(computeRefund(460_680, 552_457, refunded)).toBe(proposedRefund)
  },
)

test('an overpayment is refunded in full, and a part payment by the scale of that part', () => {
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
])('on %s of %i paise: %i', (cancellationDay, paidPaise, refundPaise) => {
  expect(computeRefund(paidPaise, paidPaise, 0, buildNoon(cancellationDay))).toBe(refundPaise)
})

test('a file without a scale proposes no refund', () => {
  const sums = { price: toAmount(501_500), paid: toAmount(501_500), refunded: toAmount(0) }
  expect(cancellationRefund(null, sums, buildNoon('2026-10-01')).proposed).toBeNull()
})

test('a step applies until its last minute, in Indian time', () => {
  const midnight = startOfDay(day('2027-01-01'))
  expect(computeRefund(100, 100, 0, instant(midnight - 1))).toBe(75)
  expect(computeRefund(100, 100, 0, midnight)).toBe(50)
})
