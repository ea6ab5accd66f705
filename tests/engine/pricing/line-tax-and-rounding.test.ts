/** The tax on a price: rounding, and prices stated with or without tax. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toAmount, splitPrice, splitTotal } from '../../../engine/index.ts'
import type { Tax } from '../../../engine/lib/money.ts'
import { toRupees } from '../fixtures.ts'

const createTax = (percent: number, prices: Tax['prices'], round: Tax['round'] = 'paise'): Tax => ({
  name: 'GST',
  percent,
  prices,
  round,
})

describe('split', () => {
  test.each([
    [createTax(18, 'exclusive'), 5000, 5000, 900, 5900],
    [createTax(18, 'exclusive'), 4250, 4250, 765, 5015],
    [createTax(18, 'exclusive'), 0.03, 0.03, 0.01, 0.04],
    [createTax(18, 'exclusive', 'rupee'), 75.5, 75.5, 14, 89.5],
    [createTax(12.5, 'exclusive'), 100.04, 100.04, 12.51, 112.55],
    [createTax(18, 'inclusive', 'rupee'), 5000, 4237, 763, 5000],
    [createTax(18, 'inclusive'), 5000, 4237.29, 762.71, 5000],
    [createTax(0, 'inclusive'), 5000, 5000, 0, 5000],
    [null, 5000, 5000, 0, 5000],
  ])('%j on a price of %d', (taxTerms, price, base, gst, total) => {
    expect(splitPrice(taxTerms, toRupees(price))).toEqual({
      base: toRupees(base),
      gst: toRupees(gst),
      total: toRupees(total),
    })
  })

  test('half a paisa is rounded up, even if the percentage has decimals', () => {
    // 12.5% of 0.20 is 0.025
    expect(splitPrice(createTax(12.5, 'exclusive'), toAmount(20)).gst).toBe(3)
    // 0.7% of 50.00 is 0.35; floating-point arithmetic would give slightly more or less
    expect(splitPrice(createTax(0.7, 'exclusive'), toRupees(50)).gst).toBe(35)
  })

  test('base and GST add up to the total at every rate', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 99_999_999 }),
        fc.constantFrom(0, 5, 12, 12.5, 18, 28, 0.25),
        fc.constantFrom('exclusive' as const, 'inclusive' as const),
        fc.constantFrom('paise' as const, 'rupee' as const),
        (price, percent, prices, round) => {
          const parts = splitPrice(createTax(percent, prices, round), toAmount(price))
          expect(parts.base + parts.gst).toBe(parts.total)
          expect(parts[prices === 'exclusive' ? 'base' : 'total']).toBe(price)
          // The tax differs from its unrounded value by at most half a rounding step.
          const deviation = Math.abs(parts.gst - (parts.base * percent) / 100)
          expect(deviation).toBeLessThanOrEqual(
            (round === 'rupee' ? 50 : 0.5) * (prices === 'inclusive' ? 1 + percent / 100 : 1) +
              1e-6,
          )
        },
      ),
      { seed: 20261121, numRuns: 2000 },
    )
  })

  test('a total is split into whole rupees, rounded as the specification requires', () => {
    for (let total = 0; total <= 20_000; total++) {
      const parts = splitTotal(createTax(18, 'exclusive'), toRupees(total))
      expect(parts.base).toBe(toRupees(Math.round(total / 1.18)))
      expect(parts.gst).toBe(toRupees(Math.round((total * 0.18) / 1.18)))
    }
  })
})

test('the tax included in a tiny price is never negative', () => {
  const inclusiveTax = createTax(18, 'inclusive', 'rupee')
  expect(splitPrice(inclusiveTax, toAmount(60))).toEqual({ base: 60, gst: 0, total: 60 })
  for (let total = 0; total <= 1000; total += 1)
    for (const parts of [
      splitPrice(inclusiveTax, toAmount(total)),
      splitTotal(inclusiveTax, toAmount(total)),
    ]) {
      expect(parts.gst).toBeGreaterThanOrEqual(0)
      expect(parts.base + parts.gst).toBe(total)
    }
})
