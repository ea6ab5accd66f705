/** The table of gateway capabilities, which the checker and the payment requests share. */
import { expect, test } from 'vitest'
import { GATEWAY_CAPABILITIES, INR, day, instant, readCurrency } from '../../../engine/index.ts'
import { compileEvent } from '../../../engine/authoring.ts'
import { compilePayment } from '../../../engine/authoring/compile/payment-methods.ts'
import {
  getCardCapabilities,
  explainWhyTooLateToRefund,
  getGatewayCapabilities,
  getGatewayMinimum,
  getLastRefundDay,
} from '../../../engine/payments/gateways/capabilities.ts'
import { readSource, sharedFiles } from '../event-files.ts'

test('every listed currency exists, and the rupee is among them', () => {
  for (const { currencies } of Object.values(GATEWAY_CAPABILITIES)) {
    expect(currencies.map(readCurrency)).toEqual(currencies)
    expect(currencies).toContain(INR)
    expect(new Set(currencies).size).toBe(currencies.length)
  }
})
test('a gateway without a kind is Airpay, as in older files', () => {
  expect(getGatewayCapabilities({}).label).toBe('Airpay')
  expect(getCardCapabilities({}).currencies).toEqual([INR])
  expect(getCardCapabilities({ gateway: 'razorpay' }).currencies).toContain('USD')
})
test('the minimum payment is one unit of the currency', () => {
  const { razorpay } = GATEWAY_CAPABILITIES
  const getMinimum = (code: string) => getGatewayMinimum(razorpay, readCurrency(code) ?? INR)
  expect(['INR', 'USD', 'JPY', 'KWD'].map(getMinimum)).toEqual([100, 100, 1, 1000])
})

test('the maximum age of a refundable payment depends on the kind of its gateway, whatever its name', () => {
  const at = instant(Date.parse('2026-07-11T12:00:00+05:30'))
  const explainAge = (source: string, paidOn: string) =>
    explainWhyTooLateToRefund(
      { source, paidAt: instant(Date.parse(`${paidOn}T12:00:00+05:30`)) },
      { 'cards-abroad': 'razorpay', razorpay: 'airpay' },
      at,
    )
  expect(explainAge('cards-abroad', '2026-01-10')).toMatch(/more than 6 months old, so Razorpay/)
  expect(explainAge('cards-abroad', '2026-01-11')).toBeNull()
  expect(explainAge('razorpay', '2020-01-01')).toBeNull()
  expect(explainAge('', '2020-01-01')).toBeNull()
})
test('a refund period is in days or months; if the last month is too short, it ends on that month’s last day', () => {
  expect(getLastRefundDay({ months: 6 }, day('2026-08-31'))).toBe('2027-02-28')
  expect(getLastRefundDay({ days: 90 }, day('2026-01-01'))).toBe('2026-04-01')
})
test('a gateway of an unknown kind is rejected, and never treated as another kind', () => {
  const gateways = sharedFiles.gateways.text.replace('kind: razorpay', 'kind: another')
  expect(gateways).not.toBe(sharedFiles.gateways.text)
  const { uncheckedEvent, findings } = compileEvent(readSource('events/afpicon2026.yaml').text, {
    ...sharedFiles,
    gateways: { ...sharedFiles.gateways, text: gateways },
  })
  expect(uncheckedEvent).toBeNull()
  expect(findings.map(({ at }) => at.path)).toContain('events/_shared/gateways.yaml')
  // The gateway is also rejected if the file has not been checked.
  const shared = { gateways: { gateways: { cards: { kind: 'another' } } } }
  const compile = () => compilePayment({ gateway: 'cards', account: 'demo' }, { shared } as never)
  expect(compile).toThrow('a gateway of an unknown kind')
})
