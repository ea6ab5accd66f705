/** CSV and Excel exports neutralise formulas and leave other values unchanged. */
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import {
  readTableKind,
  sendTable,
  MAX_XLSX_ROWS,
} from '../../../../server/office/spreadsheets/send-table.ts'
import { formatCsvRows } from '../../../../server/office/spreadsheets/write-csv.ts'
import type { CsvCell } from '../../../../server/office/spreadsheets/write-csv.ts'
import { chooseRuns } from '../../../runs.ts'

const formatCell = (value: string): string =>
  String((parse(formatCsvRows([[value]], false)) as string[][])[0]?.[0])

test.each([
  ['=1+1', "'=1+1"],
  ['+1+cmd|calc', "'+1+cmd|calc"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t'=1"],
  ['＝1', "'＝1"],
  ['x;=1+1;y', "x;'=1+1;y"],
  ['x; "=1+1"', 'x;\' "=1+1"'],
  ['x\t@SUM(A1)', "x\t'@SUM(A1)"],
  ['two\n=1+1', "two\n'=1+1"],
  ['\u200d=1+1', "'\u200d=1+1"],
  ['\ufe0f\u200c@SUM(A1)', "'\ufe0f\u200c@SUM(A1)"],
  ['\u2800 -2+3', "'\u2800 -2+3"],
  ['\u200d+919876543210', "'\u200d+919876543210"],
  ['x;\u200d=1+1', "x;'\u200d=1+1"],
  ['\u202e=1+1', "'<U+202E>=1+1"],
])('the formula %j is neutralised', (value, expected) => expect(formatCell(value)).toBe(expected))

test.each([
  '+919876543210',
  '+91 98765 43210',
  '+91-484-2345678',
  '+91 (484) 234 5678',
  'Asha Nair',
  'a, "b"',
  'two\nlines',
  'Office; +91 484 2345678',
  'one; two - three; four',
  'അനിത',
  // Malayalam and Hindi with joiners, and emoji (a family, a heart) that consist of several characters.
  'ന്‍',
  'क्‍षमा',
  '\u200dക',
  '\u{1F468}\u200d\u{1F469}\u200d\u{1F467} ❤\ufe0f',
])('%j stays unchanged', (value) => expect(formatCell(value)).toBe(value))

test('U+202E, which would reverse a narration, is exported as <U+202E>', () => {
  expect(formatCell('UPI \u202e0001 RUPEES')).toBe('UPI <U+202E>0001 RUPEES')
})

test('the file starts with a single byte order mark', () => {
  expect(formatCsvRows([['a']], true)).toBe('\uFEFFa\r\n')
  expect(formatCsvRows([['a', null, undefined, 7080, true, false]], false)).toBe(
    'a,,,7080,Yes,No\r\n',
  )
})

test('a discount of ₹ 590 is exported as a number that a spreadsheet can add up; the same characters typed by a delegate stay text', () => {
  expect(
    formatCsvRows(
      [[{ amount: -590, decimals: 2 }, '-590.00', { amount: 7080.5, decimals: 2 }]],
      false,
    ),
  ).toBe("-590.00,'-590.00,7080.50\r\n")
})

test('a carriage return in an answer does not start a new row', () => {
  expect(parse(formatCsvRows([['x\ry', 'z']], false))).toEqual([['x\ry', 'z']])
})

/** Compares rows with the output of csv-stringify, which is six times slower. The test above covers line breaks. */
test('all other values are written as csv-stringify writes them', () => {
  const textArbitrary = fc
    .array(fc.constantFrom(...'ab12 ,"\'\r\n=+-@＝＋－＠\u{1F600}്', '\uFEFF', '\u2028'), {
      maxLength: 6,
    })
    .map((characters) => characters.join(''))
    .filter((value) => !/[\r\n]./s.test(value) && !/^\+[0-9]|^\s+[=+\-@＝＋－＠]/.test(value))
  const cellArbitrary: fc.Arbitrary<CsvCell> = fc.oneof(
    textArbitrary,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
  )
  const rowsArbitrary = fc.array(fc.array(cellArbitrary, { minLength: 1, maxLength: 4 }), {
    maxLength: 4,
  })
  fc.assert(
    fc.property(rowsArbitrary, fc.boolean(), (cells, hasByteOrderMark) => {
      const libraryOutput = stringify(
        cells.map((row) => [...row]),
        {
          bom: hasByteOrderMark,
          record_delimiter: 'windows',
          quoted_match: /[\r\n]/,
          escape_formulas: true,
          cast: { number: String, boolean: (value) => (value ? 'Yes' : 'No') },
        },
      )
      // If there are no rows, the library writes no byte order mark.
      expect(formatCsvRows(cells, hasByteOrderMark)).toBe(
        cells.length === 0 && hasByteOrderMark ? '\uFEFF' : libraryOutput,
      )
    }),
    { seed: 20261122, numRuns: chooseRuns(3000) },
  )
})

test('an Excel file of more than 10,000 rows is refused before it is built, and no export is recorded', async () => {
  const recordedExports: string[] = []
  const app = Fastify()
  app.get('/:kind', (request, reply) => {
    const kind = readTableKind((request.params as { kind: string }).kind)
    return sendTable<number>(reply, {
      kind,
      fileName: `numbers.${kind}`,
      head: ['Number'],
      chunks: (async function* () {
        yield Array.from({ length: MAX_XLSX_ROWS }, (_, n) => n)
        yield [MAX_XLSX_ROWS]
      })(),
      toCells: (row) => [row],
      advice: 'Choose fewer days',
      recordExport: async () => void recordedExports.push(kind),
    })
  })
  const refusal = await app.inject('/xlsx')
  expect(refusal.statusCode).toBe(422)
  expect(refusal.headers['content-disposition']).toBeUndefined()
  expect(refusal.json()).toMatchObject({
    code: 'too_many',
    message: 'An Excel file can have at most 10,000 rows. Choose fewer days, or export CSV.',
  })
  const csv = await app.inject('/csv')
  expect(csv.body.trimEnd().split('\r\n')).toHaveLength(MAX_XLSX_ROWS + 2)
  expect(recordedExports).toEqual(['csv'])
  await app.close()
})
