/** The colours of a theme are readable for every colour that an event may choose. */
import { expect, it, test } from 'vitest'
import { computeContrast, computeThemeColors } from '../../../engine/index.ts'

test.each([
  ['#E0A100', '#886105', 5.1],
  ['#0E7C7B', '#047878', 4.9],
  ['#B23A5B', '#A5435B', 5.4],
  ['#2B6CB0', '#2A6BAF', 5.1],
])('the accent of %s is %s', (colour, accent, ratio) => {
  const theme = computeThemeColors(colour)
  expect(theme.accent).toBe(accent)
  expect(Math.round(computeContrast(theme.accent, theme.tint) * 10) / 10).toBe(ratio)
})

it('text is readable on any colour', () => {
  const steps = ['00', '33', '66', '99', 'CC', 'FF']
  for (const r of steps)
    for (const g of steps)
      for (const b of steps) {
        const theme = computeThemeColors(`#${r}${g}${b}`)
        expect(computeContrast(theme.accent, theme.tint)).toBeGreaterThanOrEqual(4.5)
        expect(computeContrast(theme.accent, '#F4F8FA')).toBeGreaterThanOrEqual(4.5)
        expect(computeContrast(theme.onBand, theme.band)).toBeGreaterThanOrEqual(4.5)
        expect(computeContrast('#434E5B', theme.tint)).toBeGreaterThanOrEqual(4.5)
      }
})
