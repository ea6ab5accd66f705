/** Recognises lines in an event file that say that no money was charged. */
import { expect, test } from 'vitest'
import { statesNoCharge } from '../../../engine/messages.ts'

test.each([
  ['No amount has been deducted from your account', true],
  ['Nothing was charged.', true],
  ['Your card has not been debited', true],
  ["You haven't been charged", true],
  ['You haven’t been charged', true],
  ['Your money was never taken', true],
  ['Your registration is not confirmed', false],
  ['You can try the payment again', false],
  ['Any amount deducted is returned within seven days', false],
  ['Your registration is not confirmed. If an amount was deducted, write to us', false],
  ['Please contact support and quote the transaction ID {order_id}', false],
])('%s: %s', (line, expected) => expect(statesNoCharge(line)).toBe(expected))
