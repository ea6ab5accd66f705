/** What goes back of a payment by the scale of the file. */
import { expect, test } from 'vitest'
import { day, instant, paise, proposedBack, startOf } from '../../engine/index.ts'

const scale = {
  steps: [
    { to: day('2026-12-31'), percent: 75 },
    { to: day('2027-01-31'), percent: 50 },
  ],
  otherwise: 0,
}
const noonOf = (on: string) => instant(startOf(day(on)) + 12 * 3_600_000)

test.each([
  ['2026-10-01', 501_500, 376_125],
  ['2026-12-31', 501_500, 376_125],
  ['2027-01-01', 501_500, 250_750],
  ['2027-01-31', 1, 1],
  ['2027-02-01', 501_500, 0],
  ['2026-10-01', 0, 0],
])('on %s of %i paise: %i', (on, kept, back) => {
  expect(proposedBack(scale, paise(kept), noonOf(on))).toBe(back)
})

test('a file without a scale proposes nothing', () => {
  expect(proposedBack(null, paise(501_500), noonOf('2026-10-01'))).toBeNull()
})

test('the last minute of a step counts, in India', () => {
  const midnight = startOf(day('2027-01-01'))
  expect(proposedBack(scale, paise(100), instant(midnight - 1))).toBe(75)
  expect(proposedBack(scale, paise(100), midnight)).toBe(50)
})
