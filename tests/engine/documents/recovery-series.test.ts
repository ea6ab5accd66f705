/** After a restore, document numbers have a legal length and do not repeat numbers that may have been issued. */
import { describe, expect, test } from 'vitest'
import { instant, createRecoveryCode, buildSeriesAfterRecovery } from '../../../engine/index.ts'
import { MAX_SERIAL_CHARACTERS, formatSerial } from '../../../engine/documents/document-number.ts'

const AT = instant(Date.UTC(2026, 0, 10))
const YEAR = '25-26'

describe('the number series after a restore', () => {
  test.each([
    ['A/{n}', 'A/{n}-R3SQ'],
    ['AFPI-26/{n}', 'AFPI-26/{n}R3SQ'],
    ['SMPL/{year}/{n}', 'SMPL/R3SQ/{n}'],
    ['CONFERENCE26{n}', 'CONFEREN{n}R3SQ'],
    ['{n}', '{n}-R3SQ'],
    ['{n}/CONFERENCE2', '{n}R3SQ'],
  ])('of %s is %s', (pattern, expected) =>
    expect(buildSeriesAfterRecovery(pattern, 'R3SQ')).toBe(expected),
  )

  test(
    'has numbers of at most 16 characters that do not occur in the previous series',
    { tags: ['slow'] },
    () => {
      const prefixes = [
        '',
        'A',
        'R',
        'AR',
        'SMPL/',
        'C/SMPL-',
        'R1R1R1R1',
        'CONFERENCE/',
        'AB1R1/{year}/',
        '{year}/',
      ]
      const suffixes = ['', 'R1', '/1', '-{year}', '/K']
      const code = createRecoveryCode(AT)
      for (const seriesHead of prefixes)
        for (const seriesTail of suffixes) {
          const pattern = `${seriesHead}{n}${seriesTail}`
          if (formatSerial(pattern, 9_999, YEAR).length > MAX_SERIAL_CHARACTERS) continue
          const seriesAfter = buildSeriesAfterRecovery(pattern, code)
          const serialsBefore = new Set<string>()
          for (let n = 1; n <= 9_999; n += 1) serialsBefore.add(formatSerial(pattern, n, YEAR))
          for (let n = 1; n <= 9_999; n += 7) {
            const serial = formatSerial(seriesAfter, n, YEAR)
            expect(serial.length).toBeLessThanOrEqual(MAX_SERIAL_CHARACTERS)
            expect(serialsBefore.has(serial), `${pattern}: ${serial}`).toBe(false)
          }
        }
    },
  )

  test('is different for every restore in a year, even for two restores within a quarter of an hour', () => {
    const codes = new Set<string>()
    for (let quarter = 0; quarter < 366 * 96; quarter += 1)
      codes.add(createRecoveryCode(instant(AT + quarter * 15 * 60_000)))
    expect(codes.size).toBe(366 * 96)
    const firstCode = createRecoveryCode(AT)
    expect(firstCode).toMatch(/^R[0-9A-Z]{3}$/)
    expect(createRecoveryCode(AT, [firstCode])).not.toBe(firstCode)
  })
})
