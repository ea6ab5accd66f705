/** What has to have been paid for a bill after staff accepted less, and how much of the money is the price. */
import { describe, expect, test } from 'vitest'
import { balanceOf, paise, pricePaidOf, requiredOf } from '../../../engine/index.ts'

const letGo = (...all: readonly (readonly [bill: number, amount: number])[]) =>
  all.map(([bill, amount]) => ({ bill: paise(bill), amount: paise(amount) }))

test.each([
  // 4,000 accepted for 5,900.
  [5900, 4000],
  [7080, 5180],
  [4720, 4000],
  [4000, 4000],
  [3540, 3540],
  [0, 0],
])('4,000 was accepted for 5,900; a bill of %i takes %i', (bill, required) => {
  expect(requiredOf(paise(bill), letGo([5900, 1900]))).toBe(required)
})

test.each([
  [5900, 5000],
  [4720, 4000],
  [3540, 3540],
  [7080, 6180],
])('720 was let go of 4,720, then 180 of 5,900; a bill of %i takes %i', (bill, required) => {
  expect(requiredOf(paise(bill), letGo([4720, 720], [5900, 180]))).toBe(required)
})

describe('the price that was paid', () => {
  const money = (came: number, paidBack: number, billPaid: number) => ({
    came: paise(came),
    paidBack: paise(paidBack),
    letGo: [],
    billPaid: paise(billPaid),
  })

  test.each([
    ['exactly', 4720, money(4720, 0, 4720), 0, 4720],
    ['more came', 4720, money(5000, 0, 4720), -280, 4720],
    ['more came, and a dearer bill waits', 5900, money(5000, 0, 4720), 900, 4720],
    ['the dearer bill is paid', 5900, money(5900, 0, 5900), 0, 5900],
    ['the surplus went back, and a dearer bill waits', 5900, money(5900, 1180, 4720), 1180, 4720],
    ['it was dear, cheap, and is dearer', 6500, money(5900, 0, 5900), 600, 5900],
    ['nothing came', 4720, money(0, 0, 0), 4720, 0],
  ])('%s', (_, bill, of, due, price) => {
    expect([balanceOf(paise(bill), of), pricePaidOf(paise(bill), of)]).toEqual([due, price])
  })
})
