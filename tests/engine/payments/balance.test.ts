/** The balance of a bill after staff waived part of it, and how much of the payments counts toward the bill. */
import { describe, expect, test } from 'vitest'
import {
  calculateBalance,
  toAmount,
  computePricePartOfPayments,
  computeRequiredAmount,
} from '../../../engine/index.ts'

const toWaivedAmounts = (...waivers: readonly (readonly [bill: number, amount: number])[]) =>
  waivers.map(([bill, amount]) => ({ bill: toAmount(bill), amount: toAmount(amount) }))

test.each([
  [5900, 4000],
  [7080, 5180],
  [4720, 4000],
  [4000, 4000],
  [3540, 3540],
  [0, 0],
])('after staff accepted 4,000 for a bill of 5,900, a bill of %i requires %i', (bill, required) => {
  expect(computeRequiredAmount(toAmount(bill), toWaivedAmounts([5900, 1900]))).toBe(required)
})

test.each([
  [5900, 5000],
  [4720, 4000],
  [3540, 3540],
  [7080, 6180],
])(
  'after staff waived 720 of 4,720 and then 180 of 5,900, a bill of %i requires %i',
  (bill, required) => {
    expect(computeRequiredAmount(toAmount(bill), toWaivedAmounts([4720, 720], [5900, 180]))).toBe(
      required,
    )
  },
)

describe('the balance and the paid part of the price', () => {
  const createPaymentSums = (received: number, refundedSum: number, highestPaidBill: number) => ({
    received: toAmount(received),
    refundedAsOwed: toAmount(refundedSum),
    left: toAmount(received - refundedSum),
    acceptedShortfalls: [],
    highestPaidBill: toAmount(highestPaidBill),
  })

  test.each([
    ['the exact amount was received', 4720, createPaymentSums(4720, 0, 4720), 0, 4720],
    ['more was received', 4720, createPaymentSums(5000, 0, 4720), -280, 4720],
    [
      'more was received, and a higher bill is not fully paid',
      5900,
      createPaymentSums(5000, 0, 4720),
      900,
      4720,
    ],
    ['a higher bill is fully paid', 5900, createPaymentSums(5900, 0, 5900), 0, 5900],
    [
      'the surplus was refunded, and a higher bill is not fully paid',
      5900,
      createPaymentSums(5900, 1180, 4720),
      1180,
      4720,
    ],
    [
      'the bill was lowered, then raised above the amount paid',
      6500,
      createPaymentSums(5900, 0, 5900),
      600,
      5900,
    ],
    ['nothing was received', 4720, createPaymentSums(0, 0, 0), 4720, 0],
  ])('is computed if %s', (_, bill, sums, due, price) => {
    expect([
      calculateBalance(toAmount(bill), sums),
      computePricePartOfPayments(toAmount(bill), sums),
    ]).toEqual([due, price])
  })
})

test('after a goodwill refund of ₹ 10,000 of ₹ 10,620, a lower bill has at most ₹ 620 to refund, and the original bill has no balance', () => {
  const sums = {
    received: toAmount(10_620),
    refundedAsOwed: toAmount(0),
    left: toAmount(620),
    acceptedShortfalls: [],
    highestPaidBill: toAmount(10_620),
  }
  const balances = [10_620, 8_850, 10_100, 10_620, 11_000].map((bill) =>
    calculateBalance(toAmount(bill), sums),
  )
  expect(balances).toEqual([0, -620, -520, 0, 380])
})
