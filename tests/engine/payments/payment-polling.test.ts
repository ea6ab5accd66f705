/** When the gateway is asked: the plan of questions for what is open, failed, paid, and with a person. */
import { describe, expect, test } from 'vitest'
import {
  WATCHED_MS,
  instant,
  nextQuestion,
  watchAsAsked,
  watchFrom,
} from '../../../engine/index.ts'
import type { Instant, PaymentStatus } from '../../../engine/index.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const start = instant(Date.UTC(2026, 10, 21))

/** The questions after an end, in milliseconds from it. */
function questions(status: PaymentStatus, review: string | null = null): readonly number[] {
  const { askAt, watchUntil } = watchFrom(status, start)
  const asked: number[] = []
  for (let at: Instant | null = askAt; at !== null;) {
    asked.push(at - start)
    at = nextQuestion({ status, review, createdAt: start, watchUntil }, at, true)
  }
  return asked
}

describe('the watch list', () => {
  test('a failed payment: after ten minutes, doubling to twelve hours, for ten days', () => {
    const asked = questions('failed')
    expect(asked.slice(0, 5)).toEqual([10, 20, 40, 80, 160].map((minutes) => minutes * minute))
    const gaps = asked.slice(1).map((at, index) => at - (asked[index] ?? 0))
    expect(Math.max(...gaps)).toBe(12 * hour)
    expect(asked.at(-1)).toBeGreaterThan(WATCHED_MS - 12 * hour)
    expect(asked.at(-1)).toBeLessThanOrEqual(WATCHED_MS)
    expect(asked.length).toBe(27)
  })

  test('what is with a person is watched like a failed one', () => {
    expect(questions('pending', 'Less came.')).toEqual(questions('failed'))
  })

  test('a success: after an hour, doubling, and at the end of the ten days', () => {
    expect(questions('success').map((at) => at / hour)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 240])
    expect(questions('refunded')).toEqual(questions('success'))
  })

  test('a watch that a clock was put forward over by weeks still lasts ten days', () => {
    const { askAt, watchUntil } = watchFrom('success', start)
    const put = 13 * day
    const late = watchAsAsked(watchUntil, askAt, instant(askAt + put))
    expect(late).toBe(watchUntil + put)
    expect(watchAsAsked(watchUntil, askAt, instant(askAt + minute))).toBe(watchUntil)
    expect(watchAsAsked(null, askAt, instant(askAt + put))).toBe(null)
  })

  test('while the gateway cannot be reached, ten minutes at most, whatever the plan was', () => {
    const { watchUntil } = watchFrom('failed', start)
    for (const status of ['failed', 'success'] as const)
      expect(
        nextQuestion(
          { status, review: null, createdAt: start, watchUntil },
          instant(start + 3 * day),
          false,
        ),
      ).toBe(start + 3 * day + 10 * minute)
  })

  test('what was never watched is never asked about', () => {
    const payment = { status: 'success', review: null, createdAt: start, watchUntil: null } as const
    expect(nextQuestion(payment, start, true)).toBe(null)
  })
})

test('an open payment: after half its age, between a minute and six hours, also when the clock went back', () => {
  const open = { status: 'pending', review: null, createdAt: start, watchUntil: null } as const
  const waits = [-year(), -1000, 0, minute, 4 * minute, 2 * hour, 20 * hour, 4 * day].map((age) => {
    const at = instant(start + age)
    return (nextQuestion(open, at, true) ?? 0) - at
  })
  expect(waits).toEqual([hour, minute, minute, minute, 2 * minute, hour, 6 * hour, 6 * hour])
})
const year = (): number => 365 * day

test('a payment with a date in the future is asked about every hour, not every minute for weeks; every half day once it has ended', () => {
  const tomorrow = instant(start + 86_400_000)
  const open = { status: 'pending', review: null, createdAt: tomorrow, watchUntil: null } as const
  expect(nextQuestion(open, start, true)).toBe(start + 3_600_000)
  const watchUntil = instant(tomorrow + WATCHED_MS)
  expect(nextQuestion({ ...open, status: 'failed', watchUntil }, start, true)).toBe(
    start + 43_200_000,
  )
})
