/** The times at which the gateway is polled about open, failed, paid and reviewed payments. */
import { describe, expect, test } from 'vitest'
import {
  WATCH_MS,
  instant,
  getNextPollTime,
  adjustWatchEnd,
  startWatch,
} from '../../../engine/index.ts'
import type { Instant, PaymentStatus } from '../../../engine/index.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const YEAR = 365 * day
const start = instant(Date.UTC(2026, 10, 21))

/** The times of the polls after a payment ended, in milliseconds after its end. */
function listPolls(status: PaymentStatus, review: string | null = null): readonly number[] {
  const { askAt, watchUntil } = startWatch(status, start)
  const polls: number[] = []
  for (let pollTime: Instant | null = askAt; pollTime !== null;) {
    polls.push(pollTime - start)
    pollTime = getNextPollTime({ status, review, createdAt: start, watchUntil }, pollTime, true)
  }
  return polls
}

describe('the polling schedule', () => {
  test('a failed payment: after ten minutes, doubling to twelve hours, for ten days', () => {
    const polls = listPolls('failed')
    expect(polls.slice(0, 5)).toEqual([10, 20, 40, 80, 160].map((minutes) => minutes * minute))
    const gaps = polls.slice(1).map((pollTime, index) => pollTime - (polls[index] ?? 0))
    expect(Math.max(...gaps)).toBe(12 * hour)
    expect(polls.at(-1)).toBeGreaterThan(WATCH_MS - 12 * hour)
    expect(polls.at(-1)).toBeLessThanOrEqual(WATCH_MS)
    expect(polls.length).toBe(27)
  })

  test('a payment under review is polled like a failed one', () => {
    expect(listPolls('pending', 'Underpaid.')).toEqual(listPolls('failed'))
  })

  test('a success: after an hour, doubling, and at the end of the ten days', () => {
    expect(listPolls('success').map((pollTime) => pollTime / hour)).toEqual([
      1, 2, 4, 8, 16, 32, 64, 128, 240,
    ])
    expect(listPolls('refunded')).toEqual(listPolls('success'))
  })

  test('a payment is still polled for ten days if the clock jumped forward by weeks', () => {
    const { askAt, watchUntil } = startWatch('success', start)
    const clockJump = 13 * day
    const watchAfterJump = adjustWatchEnd(watchUntil, askAt, instant(askAt + clockJump))
    expect(watchAfterJump).toBe(watchUntil + clockJump)
    expect(adjustWatchEnd(watchUntil, askAt, instant(askAt + minute))).toBe(watchUntil)
    expect(adjustWatchEnd(null, askAt, instant(askAt + clockJump))).toBe(null)
  })

  test('while the gateway cannot be reached, at most every ten minutes, whatever the schedule', () => {
    const { watchUntil } = startWatch('failed', start)
    for (const status of ['failed', 'success'] as const)
      expect(
        getNextPollTime(
          { status, review: null, createdAt: start, watchUntil },
          instant(start + 3 * day),
          false,
        ),
      ).toBe(start + 3 * day + 10 * minute)
  })

  test('a refund in the merchant panel was missed if the last poll got no answer: it is repeated for a day', () => {
    const payment = { status: 'success', review: null, createdAt: start } as const
    const watchUntil = instant(start + WATCH_MS)
    const polls: number[] = []
    for (let pollTime: Instant | null = watchUntil; pollTime !== null;) {
      polls.push(pollTime - watchUntil)
      pollTime = getNextPollTime({ ...payment, watchUntil }, pollTime, false)
    }
    expect(polls.slice(0, 3)).toEqual([0, 10 * minute, 20 * minute])
    expect(polls.at(-1)).toBe(day)
    expect(getNextPollTime({ ...payment, watchUntil }, instant(watchUntil + minute), true)).toBe(
      null,
    )
  })

  test('a payment that was never polled is not scheduled', () => {
    const payment = { status: 'success', review: null, createdAt: start, watchUntil: null } as const
    expect(getNextPollTime(payment, start, true)).toBe(null)
  })
})

test('an open payment: after half its age, between a minute and six hours, even if the clock went back', () => {
  const openPayment = {
    status: 'pending',
    review: null,
    createdAt: start,
    watchUntil: null,
  } as const
  const intervals = [-YEAR, -1000, 0, minute, 4 * minute, 2 * hour, 20 * hour, 4 * day].map(
    (age) => {
      const now = instant(start + age)
      return (getNextPollTime(openPayment, now, true) ?? 0) - now
    },
  )
  expect(intervals).toEqual([hour, minute, minute, minute, 2 * minute, hour, 6 * hour, 6 * hour])
})

test('a payment with a date in the future is polled every hour, not every minute for weeks; after it has ended, every half day', () => {
  const futureDate = instant(start + 86_400_000)
  const openPayment = {
    status: 'pending',
    review: null,
    createdAt: futureDate,
    watchUntil: null,
  } as const
  expect(getNextPollTime(openPayment, start, true)).toBe(start + 3_600_000)
  const watchUntil = instant(futureDate + WATCH_MS)
  expect(getNextPollTime({ ...openPayment, status: 'failed', watchUntil }, start, true)).toBe(
    start + 43_200_000,
  )
})
