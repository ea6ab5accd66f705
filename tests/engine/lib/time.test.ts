/** Days and instants in Indian time. */
import * as fc from 'fast-check'
import { expect, it, test } from 'vitest'
import {
  addDays,
  day,
  dayOf,
  formatDay,
  formatDays,
  formatDayShort,
  formatInstant,
  formatTime,
  instant,
  isDay,
  formatIsoIndia,
  readInstant,
  startOfDay,
} from '../../../engine/index.ts'

test.each([
  ['2026-11-20T18:29:59Z', '2026-11-20'],
  ['2026-11-20T18:30:00Z', '2026-11-21'],
  ['2025-08-31T23:59:59+05:30', '2025-08-31'],
  ['2025-09-01T00:00:00+05:30', '2025-09-01'],
  ['2025-08-31T20:00:00+01:00', '2025-09-01'],
  ['2024-02-29', '2024-02-29'],
])('%s is %s in India', (text, expected) => {
  const instantResult = readInstant(text)
  expect(instantResult).not.toBeNull()
  if (instantResult !== null) expect(dayOf(instantResult)).toBe(expected)
})

test.each([
  '',
  '2026-02-30',
  '2026-1-1',
  '21 November 2026',
  '2026-11-21T10:00',
  '2026-11-21T25:00:00Z',
  '2026-11-21T10:60:00Z',
  '2026-11-21T10:00:00',
  '2026-11-21 10:00:00Z',
])('"%s" is not an instant', (text) => {
  expect(readInstant(text)).toBeNull()
})

it('only dates that exist in the calendar are valid', () => {
  for (const text of ['2024-02-29', '2000-02-29', '2026-12-31']) expect(isDay(text)).toBe(true)
  for (const text of [
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    ' 2026-01-01',
    '2026-01-01\n',
    '٢٠٢٦-٠١-٠١',
  ])
    expect(isDay(text)).toBe(false)
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 9999 }),
      fc.integer({ min: 0, max: 13 }),
      fc.integer({ min: 0, max: 32 }),
      (y, m, d) => {
        const text = `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`
        const parsedDate = new Date(`${text}T00:00:00Z`)
        expect(isDay(text)).toBe(
          !Number.isNaN(parsedDate.getTime()) && parsedDate.toISOString().startsWith(text),
        )
      },
    ),
    { seed: 20261121, numRuns: 5000 },
  )
})

it('the day in India matches the time zone database, and an ISO string is parsed to the same instant', () => {
  const zone = new Intl.DateTimeFormat('en-CA', {
    timeZone: 'Asia/Kolkata',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
      const time = instant(seconds * 1000)
      expect(dayOf(time)).toBe(zone.format(time))
      expect(readInstant(formatIsoIndia(time))).toBe(time)
      expect(startOfDay(dayOf(time))).toBeLessThanOrEqual(time)
      expect(startOfDay(addDays(dayOf(time), 1))).toBeGreaterThan(time)
    }),
    { seed: 20261121, numRuns: 3000 },
  )
})

it('formats days and instants in words', () => {
  const instantResult = readInstant('2026-11-21T04:23:00Z')
  expect(instantResult && formatIsoIndia(instantResult)).toBe('2026-11-21T09:53:00+05:30')
  expect(instantResult && formatInstant(instantResult)).toBe('21 November 2026, 9:53 am')
  expect(formatInstant(startOfDay(day('2026-01-01')))).toBe('1 January 2026, 12:00 am')
  expect(formatInstant(readInstant('2026-01-01') ?? instant(0))).toBe('1 January 2026, 12:00 pm')
  expect(formatDay(day('2026-01-31'))).toBe('31 January 2026')
  expect(formatDayShort(day('2025-09-05'))).toBe('5 Sep 2025')
  expect(formatTime(startOfDay(day('2026-01-01')))).toBe('12:00 am')
  expect(formatDays(day('2026-01-31'), day('2026-02-01'))).toBe('31 January – 1 February 2026')
  expect(formatDays(day('2025-09-12'), day('2025-09-14'))).toBe('12–14 September 2025')
  expect(formatDays(day('2025-12-31'), day('2026-01-01'))).toBe('31 December 2025 – 1 January 2026')
  expect(formatDays(day('2025-11-23'), day('2025-11-23'))).toBe('23 November 2025')
  expect(addDays(day('2024-02-28'), 2)).toBe('2024-03-01')
})
