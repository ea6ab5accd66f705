/** What the gateways accept: the table that checker and requests share. */
import { expect, test } from 'vitest'
import { GATEWAY_CAPABILITIES, INR, readCurrency } from '../../../engine/index.ts'
import {
  cardCapabilities,
  gatewayCapabilities,
  gatewayMinimum,
} from '../../../engine/payments/gateways/capabilities.ts'

test('every listed currency exists, and the rupee is among them', () => {
  for (const { currencies } of Object.values(GATEWAY_CAPABILITIES)) {
    expect(currencies.map(readCurrency)).toEqual(currencies)
    expect(currencies).toContain(INR)
    expect(new Set(currencies).size).toBe(currencies.length)
  }
})
test('a gateway without a kind, as in files from before there was another, is Airpay', () => {
  expect(gatewayCapabilities({}).label).toBe('Airpay')
  expect(cardCapabilities({}).currencies).toEqual([INR])
  expect(cardCapabilities({ gateway: 'razorpay' }).currencies).toContain('USD')
})
test('the smallest payment is one unit of the currency', () => {
  const { razorpay } = GATEWAY_CAPABILITIES
  const minimum = (code: string) => gatewayMinimum(razorpay, readCurrency(code) ?? INR)
  expect(['INR', 'USD', 'JPY', 'KWD'].map(minimum)).toEqual([100, 100, 1, 1000])
})
