/** The worked example in docs/pricing.md matches the engine. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { INR, formatPlainAmount, readAmount, splitPrice } from '../../../engine/index.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'pricing.md'), 'utf8')
const rows = [
  ...page.matchAll(
    /^\| ([\d.]+) \| ([\d.]+) \| (exclusive|inclusive) \| (paise|rupee) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$/gm,
  ),
].map((found) => found.slice(1))

test('the page has examples of both tax modes and both rounding rules', () => {
  const kinds = new Set(rows.map(([, , prices, round]) => `${prices} ${round}`))
  expect(kinds.size).toBe(4)
})

test.each(rows)('%s with %s percent, %s, %s', (price, percent, prices, round, base, gst, total) => {
  const amount = readAmount(price ?? '', INR)
  if (amount === null) throw new Error(`${price} is not an amount`)
  const tax = {
    name: 'GST',
    percent: Number(percent),
    prices: prices === 'inclusive' ? 'inclusive' : 'exclusive',
    round: round === 'rupee' ? 'rupee' : 'paise',
  } as const
  const parts = splitPrice(tax, amount)
  expect([parts.base, parts.gst, parts.total].map((part) => formatPlainAmount(part, INR))).toEqual([
    base,
    gst,
    total,
  ])
})
