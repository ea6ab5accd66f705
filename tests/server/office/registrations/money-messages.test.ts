/** Messages about refunds and payments state the result and do not contradict it. */
import { expect, test } from 'vitest'
import { INR, instant, toAmount } from '../../../../engine/index.ts'
import { formatLines } from '../../../../engine/pricing/bill-lines.ts'
import { buildTimeline } from '../../../../server/office/registrations/timeline.ts'
import type { StoredRefund } from '../../../../server/storage/index.ts'
import { formatRefundResult } from '../../../../server/payments/decide-payment-review.ts'

test('a refund that the gateway rejected is not reported as refunded', () => {
  const describeRefund = (state: StoredRefund['state']) =>
    formatRefundResult('Refund of ₹ 4,719 requested.', [{ amount: toAmount(471_900), state }], INR)
  expect(describeRefund('refused')).toBe(
    'Refund of ₹ 4,719 failed. The gateway rejected the refund. Under Needs review, request it again or record a refund outside Rollcall.',
  )
  expect(describeRefund('done')).toBe('Refund of ₹ 4,719 requested. The refund is complete.')
})

test('the message about a split refund states the result of each part', () => {
  const describeSplitRefund = (...states: readonly StoredRefund['state'][]) =>
    formatRefundResult(
      'Refund of ₹ 5,000 requested, split between 2 payments.',
      states.map((state, index) => ({ amount: toAmount(index === 0 ? 400_000 : 100_000), state })),
      INR,
    ).replaceAll('\u00a0', ' ')
  expect(describeSplitRefund('refused', 'done')).toBe(
    'Refund of ₹ 5,000 requested, split between 2 payments. ₹ 4,000: The gateway rejected the refund. Under Needs review, request it again or record a refund outside Rollcall. ₹ 1,000: The refund is complete.',
  )
  expect(describeSplitRefund('done', 'done')).toBe(
    'Refund of ₹ 5,000 requested, split between 2 payments. The refund is complete.',
  )
})

test('the timeline states which of two equal refunds the gateway rejected', () => {
  const amount = toAmount(471_900)
  const buildRefundEntry = (ms: number) => ({
    at: instant(ms),
    who: 'office',
    what: 'refund' as const,
    about: null,
    amount,
    why: 'Asked.',
  })
  const timeline = buildTimeline(
    [],
    [buildRefundEntry(1), buildRefundEntry(2)] as never,
    [
      { at: instant(1), amount, state: 'refused', captureId: 1, reference: null },
      { at: instant(2), amount, state: 'done', captureId: 1, reference: null },
    ],
    INR,
  )
  expect(timeline.map(({ text }) => text.replaceAll('\u00a0', ' '))).toEqual([
    'Refund requested, ₹ 4,719',
    'Refund requested, ₹ 4,719, rejected by the gateway',
  ])
})

test('the timeline states the amount due for refund if part of the price was never paid', () => {
  const buildCorrection = (data: object) =>
    buildTimeline(
      [{ id: 1, at: instant(1), who: 'office', act: 'correct', why: '', data }] as never,
      [],
      [],
      INR,
    )
      .map(({ text }) => text.replaceAll('\u00a0', ' '))
      .join()
  expect(buildCorrection({ changes: ['Room'], difference: -472_605, due: -422_605 })).toContain(
    'Room; ₹ 4,726.05 less; ₹ 4,226.05 to refund',
  )
  expect(buildCorrection({ changes: ['Room'], difference: -472_605, due: null })).toMatch(
    /₹ 4,726\.05 less$/,
  )
})

test('the timeline shows the reference of a refund that was recorded outside the gateway', () => {
  const [amount, at] = [toAmount(902_605), instant(1)]
  const refundEntry = { at, who: 'office', what: 'refund by hand', about: 'C7', amount, why: '' }
  const refund = { at, amount, state: 'done', captureId: 7, reference: 'N329261111111111' } as const
  expect(buildTimeline([], [refundEntry] as never, [refund], INR)[0]?.text).toContain(
    ', reference N329261111111111',
  )
})

test('a receipt line shows the quantity and the unit price, which includes tax as the total does', () => {
  const line = {
    label: 'Twin room',
    quantity: 2,
    unit: toAmount(225_000),
    total: toAmount(472_500),
  }
  const formatLine = (unitPrice: number, total: number) =>
    formatLines([{ ...line, unit: unitPrice, total }] as never, INR).replaceAll('\u00a0', ' ')
  expect(formatLine(225_000, 472_500)).toBe('Twin room, 2 × ₹ 2,362.50: ₹ 4,725')
  expect(formatLine(225_050, 472_605)).toBe('Twin room, × 2: ₹ 4,726.05')
})
