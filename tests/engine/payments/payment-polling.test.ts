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

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const YEAR_MS = 365 * DAY_MS
const startedAt = instant(Date.UTC(2026, 10, 21))

/** Returns the times of the polls of a payment, in milliseconds after its watch started. */
function listPolls(status: PaymentStatus, review: string | null = null): readonly number[] {
  const { nextPollAt, watchUntil } = startWatch(status, startedAt)
  const polls: number[] = []
  for (let pollTime: Instant | null = nextPollAt; pollTime !== null;) {
    polls.push(pollTime - startedAt)
    pollTime = getNextPollTime({ status, review, createdAt: startedAt, watchUntil }, pollTime, true)
  }
  return polls
}

describe('the polling schedule', () => {
  test('a failed payment is polled after ten minutes, then at intervals that double up to twelve hours, for ten days', () => {
    const polls = listPolls('failed')
    expect(polls.slice(0, 5)).toEqual([10, 20, 40, 80, 160].map((minutes) => minutes * MINUTE_MS))
    const gaps = polls.slice(1).map((pollTime, index) => pollTime - (polls[index] ?? 0))
    expect(Math.max(...gaps)).toBe(12 * HOUR_MS)
    expect(polls.at(-1)).toBeGreaterThan(WATCH_MS - 12 * HOUR_MS)
    expect(polls.at(-1)).toBeLessThanOrEqual(WATCH_MS)
    expect(polls.length).toBe(27)
  })

  test('a payment under review is polled like a failed payment', () => {
    expect(listPolls('pending', 'Underpaid.')).toEqual(listPolls('failed'))
  })

  test('a successful payment is polled after an hour, then at intervals that double, and once more after ten days', () => {
    expect(listPolls('success').map((pollTime) => pollTime / HOUR_MS)).toEqual([
      1, 2, 4, 8, 16, 32, 64, 128, 240,
    ])
    expect(listPolls('refunded')).toEqual(listPolls('success'))
  })

  test('a payment is still polled for ten days if the clock jumped forward by weeks', () => {
    const { nextPollAt, watchUntil } = startWatch('success', startedAt)
    const clockJump = 13 * DAY_MS
    const watchEndAfterJump = adjustWatchEnd(
      watchUntil,
      nextPollAt,
      instant(nextPollAt + clockJump),
    )
    expect(watchEndAfterJump).toBe(watchUntil + clockJump)
    expect(adjustWatchEnd(watchUntil, nextPollAt, instant(nextPollAt + MINUTE_MS))).toBe(watchUntil)
    expect(adjustWatchEnd(null, nextPollAt, instant(nextPollAt + clockJump))).toBe(null)
  })

  test('if the gateway cannot be reached, the next poll is ten minutes later', () => {
    const { watchUntil } = startWatch('failed', startedAt)
    for (const status of ['failed', 'success'] as const)
      expect(
        getNextPollTime(
          { status, review: null, createdAt: startedAt, watchUntil },
          instant(startedAt + 3 * DAY_MS),
          false,
        ),
      ).toBe(startedAt + 3 * DAY_MS + 10 * MINUTE_MS)
  })

  test('if the final poll gets no response, it is repeated for a day, so that a refund in the merchant panel is found', () => {
    const payment = { status: 'success', review: null, createdAt: startedAt } as const
    const watchUntil = instant(startedAt + WATCH_MS)
    const polls: number[] = []
    for (let pollTime: Instant | null = watchUntil; pollTime !== null;) {
      polls.push(pollTime - watchUntil)
      pollTime = getNextPollTime({ ...payment, watchUntil }, pollTime, false)
    }
    expect(polls.slice(0, 3)).toEqual([0, 10 * MINUTE_MS, 20 * MINUTE_MS])
    expect(polls.at(-1)).toBe(DAY_MS)
    expect(getNextPollTime({ ...payment, watchUntil }, instant(watchUntil + MINUTE_MS), true)).toBe(
      null,
    )
  })

  test('a payment that was never polled is not scheduled', () => {
    const payment = {
      status: 'success',
      review: null,
      createdAt: startedAt,
      watchUntil: null,
    } as const
    expect(getNextPollTime(payment, startedAt, true)).toBe(null)
  })
})

test('an open payment is polled again after half its age (at least a minute, at most six hours), even if the clock went back', () => {
  const openPayment = {
    status: 'pending',
    review: null,
    createdAt: startedAt,
    watchUntil: null,
  } as const
  const intervals = [
    -YEAR_MS,
    -1000,
    0,
    MINUTE_MS,
    4 * MINUTE_MS,
    2 * HOUR_MS,
    20 * HOUR_MS,
    4 * DAY_MS,
  ].map((age) => {
    const now = instant(startedAt + age)
    return (getNextPollTime(openPayment, now, true) ?? 0) - now
  })
  expect(intervals).toEqual([
    HOUR_MS,
    MINUTE_MS,
    MINUTE_MS,
    MINUTE_MS,
    2 * MINUTE_MS,
    HOUR_MS,
    6 * HOUR_MS,
    6 * HOUR_MS,
  ])
})

test('an open payment with a date in the future is polled every hour, and a failed payment every twelve hours', () => {
  const futureDate = instant(startedAt + 86_400_000)
  const openPayment = {
    status: 'pending',
    review: null,
    createdAt: futureDate,
    watchUntil: null,
  } as const
  expect(getNextPollTime(openPayment, startedAt, true)).toBe(startedAt + 3_600_000)
  const watchUntil = instant(futureDate + WATCH_MS)
  expect(getNextPollTime({ ...openPayment, status: 'failed', watchUntil }, startedAt, true)).toBe(
    startedAt + 43_200_000,
  )
})
