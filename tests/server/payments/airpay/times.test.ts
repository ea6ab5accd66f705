/** Valid and invalid times in gateway messages. An unclear payment time is never guessed. */
import { expect, test } from 'vitest'
import { instant } from '../../../../engine/index.ts'
import { readTime } from '../../../../server/payments/gateways/airpay/status-response.ts'

const PAYMENT_TIME = instant(Date.parse('2026-11-21T14:05:09+05:30'))
test.each<[string, number | null]>([
  ['21-11-2026 14:05:09', PAYMENT_TIME],
  ['21/11/2026 14:05:09', PAYMENT_TIME],
  ['21.11.2026 14:05:09', PAYMENT_TIME],
  ['2026-11-21 14:05:09', PAYMENT_TIME],
  ['2026/11/21 14:05:09', PAYMENT_TIME],
  ['2026-11-21T14:05:09', PAYMENT_TIME],
  ['2026-11-21T14:05:09+05:30', PAYMENT_TIME],
  ['2026-11-21T08:35:09Z', PAYMENT_TIME],
  ['21-11-2026 02:05:09 PM', PAYMENT_TIME],
  ['21-11-2026 2:05:09pm', PAYMENT_TIME],
  ['21-11-2026 14:05:09.000', PAYMENT_TIME],
  ['21-11-2026 14:05', PAYMENT_TIME - 9_000],
  ['21-11-2026 12:00:00 AM', Date.parse('2026-11-21T00:00:00+05:30')],
  // Day and month are never swapped, and invalid times are rejected.
  ['11-21-2026 14:05:09', null],
  ['21-11-26 14:05:09', null],
  ['21-11/2026 14:05:09', null],
  ['31-02-2026 14:05:09', null],
  ['21-11-2026 24:00:00', null],
  ['21-11-2026 13:05:09 PM', null],
  ['21-11-2026', null],
  ['1795250109', null],
  ['', null],
])('"%s" → %s', (text, expected) => expect(readTime(text)).toBe(expected))
