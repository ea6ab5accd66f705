/** Recognises a bank reference in any format, and finds references in statement lines. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  INR,
  toBankKey,
  day,
  formatMoney,
  isUtr,
  findReferenceKeys,
  listPossibleNumbers,
  listReferenceKeys,
  readStatement,
  reconcileStatement,
  findStatementReferences,
} from '../../../engine/index.ts'
import type { UnpaidOrder, BankKey, KnownPayment, RegNo } from '../../../engine/index.ts'
import { FORMATS } from '../../../engine/event/identifier-patterns.ts'
import { readLines, STATEMENT_LIMITS } from '../../../server/office/spreadsheets/parse-csv.ts'
import { toRupees } from '../fixtures.ts'
import { chooseRuns } from '../../runs.ts'
import { anyCharacter } from '../../any-character.ts'

const UTR = '526123456702'

test.each([
  '526123456702',
  '5261 2345 6702',
  '5261-2345-6702',
  '5261.2345.6702.',
  '5261\u200b2345\u00ad6702\u2060',
  '\u200d5261\u200c2345\ufe0f6702\u{E0100}',
  '5\ufe0f\u20e326123456702\u{E0030}',
  '5261\u3164\u28002345\u180e6702',
  '５２６１２３４５６７０２',
  '000526123456702',
  'UTR 526123456702',
  'utr: 526123456702',
  'UTR526123456702',
  'Ref no. 526123456702',
  'Ref.No.000526123456702',
  'UPI Ref ID 5261/2345/6702',
  'Cheque no 526123456702',
  '#526123456702',
  '५२६१२३४५६७०२',
  '٥٢٦١٢٣٤٥٦٧٠٢',
  '५२６123456702',
  '526123456702 UPI',
  '526123456702 / paid by Sharma',
  'Sharma, UTR:526123456702',
])('%j is the same reference as 526123456702', (text) => {
  expect(toBankKey(text)).toBe(UTR)
})

test.each([
  ['HDFCN52027010912', 'hdfc n5 2027 010912'],
  ['HDFCN52027010912', 'NEFT HDFCN52027010912'],
  ['HDFCN52027010912', 'UTRHDFCN52027010912'],
  ['IDIBN52027010912', 'IDIB-N5-2027010912'],
  ['N328261234567890', 'n328 2612 3456 7890'],
  ['N328261234567890', 'NEFT N328261234567890'],
  ['N328261234567890', 'UTR no. N328261234567890 Sharma'],
  ['P240101234567890', 'NEFT P240101234567890'],
  ['CMS4123456789', 'NEFT CMS4123456789'],
  ['AXISCN0123456789', 'NEFT/AXISCN0123456789'],
  ['000123 HDFC Bank', '123 hdfc bank'],
])('%j and %j are the same reference', (firstText, secondText) => {
  expect(toBankKey(firstText)).toBe(toBankKey(secondText))
})

test.each([
  ['526123456702', '526123456703'],
  ['526123456702', '5261234567020'],
  ['123 HDFC', '123 SBI'],
  ['HDFCN52027010912', 'ICICN52027010912'],
  ['526123456702', '526123456702 3'],
])('%j and %j are different references', (firstText, secondText) => {
  expect(toBankKey(firstText)).not.toBe(toBankKey(secondText))
})

test.each(['', ' ', '—', '000', '\u200b'])('%j contains no reference', (text) => {
  expect(toBankKey(text)).toBe('')
})

/** Generates references: twelve digits; a bank code, a channel and a number; or a channel and a number. */
const anyUtr = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.stringMatching(/^\d{11}$/))
    .map((parts) => parts.join('')),
  fc
    .tuple(
      fc.constantFrom('HDFCN', 'ICICR', 'IDIBN', 'UTIBH', 'SBINN'),
      fc.stringMatching(/^\d{11}$/),
    )
    .map((parts) => parts.join('')),
  fc
    .tuple(fc.constantFrom('N', 'P', 'AXISCN'), fc.stringMatching(/^\d{15}$/))
    .map(([letters, digits]) => `${letters}${digits}`.slice(0, 16)),
)
const separators = fc.constantFrom('', ' ', '-', '.', '/', '\u200b', '\u00ad', '  ', ' - ')
/** Generates the same reference in a different format. */
const generateFormat = (utr: string) =>
  fc
    .tuple(
      fc.constantFrom('', 'UTR ', 'utr no: ', 'Ref. No. ', 'UPI-', 'Txn ID ', 'cheque no. '),
      fc.constantFrom('', '0', '000'),
      fc.array(separators, { minLength: utr.length, maxLength: utr.length }),
      fc.boolean(),
    )
    .map(([prefix, zeros, separatorsAfter, isLowerCase]) => {
      const text = [...utr]
        .map((letter, index) => `${letter}${separatorsAfter[index] ?? ''}`)
        .join('')
      return `${prefix}${zeros}${isLowerCase ? text.toLowerCase() : text}`
    })

test('every format of a reference has the same key, and computing a key is idempotent', () => {
  const texts = anyUtr.chain((utr) => fc.tuple(fc.constant(utr), generateFormat(utr)))
  fc.assert(
    fc.property(texts, ([utr, text]) => {
      expect(toBankKey(text)).toBe(toBankKey(utr))
      expect(toBankKey(toBankKey(text))).toBe(toBankKey(text))
    }),
    { numRuns: chooseRuns(2000) },
  )
})

test('toBankKey is idempotent for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(toBankKey(toBankKey(text))).toBe(toBankKey(text))
    }),
    { numRuns: chooseRuns(2000) },
  )
})

test('references that differ in one character have different keys', () => {
  fc.assert(
    fc.property(anyUtr, anyUtr, (firstUtr, secondUtr) => {
      expect(toBankKey(firstUtr) === toBankKey(secondUtr)).toBe(firstUtr === secondUtr)
    }),
    { numRuns: chooseRuns(2000) },
  )
})

test('a reference is found in a line as a whole word or in groups, but never as part of a longer reference', () => {
  expect([...findReferenceKeys(`UPI/CR/${UTR}/ASHA`)]).toContain(UTR)
  expect([...findReferenceKeys('IMPS 5261 2345 6702 ASHA')]).toContain(UTR)
  for (const longerNumber of [`9${UTR}`, `${UTR}9`, `A${UTR}`, '50200012345678'])
    expect([...findReferenceKeys(`NEFT ${longerNumber} ASHA`)]).not.toContain(UTR)
  expect([...findReferenceKeys('TO 50200012345678')]).not.toContain('502000123456')
})

test.each([
  ['beta9289970597851', 'BETA9289970597851'],
  ['#BETA 9289-9705 97851', 'BETA9289970597851'],
  ['order_BE\u200bTA9289970597851', 'BETA9289970597851'],
  ['Txn１２', '12'],
])('the order id %j may stand for %s', (order, number) => {
  expect(listPossibleNumbers(order)).toContain(number)
})

test.each(['', ' ', '#-_'])('the order id %j stands for no number', (order) => {
  expect(listPossibleNumbers(order)).toEqual([])
})

test.each([
  '526123456702',
  'N328261234567890',
  'P240101234567890',
  'CMS4123456789',
  'AXISCN0123456789',
  'SBIN324123456789',
  'HDFCN52027010912',
  'HDFCR52027010912345678',
])('%s is a valid bank reference', (reference) => {
  expect(isUtr(toBankKey(reference))).toBe(true)
})

test.each(['5261 2345 6702', 'N328 2612 3456 7890', 'CMS4123456789', 'hdfcr5-20270109-12345678'])(
  'a form accepts %j, the format in which payment apps show a reference',
  (reference) => {
    expect(new RegExp(FORMATS.utr, 'u').test(reference)).toBe(true)
  },
)

test.each([
  '00526123456702',
  'UTR 526123456702',
  'utr no: 5261 2345 6702',
  'UTR581533705572',
  'utrHDFCN52027010912',
  'Ref no. 00526123456702',
])('delegates as well as staff can enter the reference %j', (reference) => {
  expect(new RegExp(FORMATS.utr, 'u').test(reference)).toBe(true)
  expect(isUtr(toBankKey(reference))).toBe(true)
})

test.each(['UTR', 'UTR Sharma'])('a form does not accept %j, which has no number', (reference) => {
  expect(new RegExp(FORMATS.utr, 'u').test(reference)).toBe(false)
})

test.each(['Sharma', '52612345670', 'N32826123456789', '5261234567020'])(
  'a form does not accept %j as a reference',
  (reference) => {
    expect(new RegExp(FORMATS.utr, 'u').test(reference)).toBe(false)
  },
)

const createExpectedPayment = (n: number, reference: string | null = null): UnpaidOrder => ({
  regNo: `SMPL479999160${n}` as RegNo,
  name: `Delegate ${n}`,
  due: toRupees(1180),
  claim: reference === null ? null : { reference, day: day('2027-02-03') },
})
const createRecordedPayment = (n: number | null, amount = 1180): KnownPayment => ({
  id: n ?? 99,
  regNo: n === null ? null : createExpectedPayment(n).regNo,
  amount: toRupees(amount),
})
const CSV_HEADER = 'Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt'
const formatCreditLine = (narration: string, amount = '1180.00', reference = '') =>
  `03/02/27,${narration},${reference},,"${amount}"`
const formatDebitLine = (narration: string, amount = '1180.00') =>
  `05/02/27,${narration},,"${amount}",`
type KnownReferences = Parameters<typeof reconcileStatement>[2]
const matchLines = (
  rows: readonly string[],
  expectedPayments: readonly UnpaidOrder[],
  knownValues: Partial<Omit<KnownReferences, 'payments'>> & {
    payments?: readonly [string, KnownPayment][]
  } = {},
  linesAbove: readonly string[] = [],
) => {
  const file = readLines([...linesAbove, CSV_HEADER, ...rows].join('\n'), STATEMENT_LIMITS)
  if (!file.ok) throw new Error(file.error.message)
  const statementResult = readStatement(file.value)
  if (!statementResult.ok) throw new Error(statementResult.error.code)
  const { payments = [], ...rest } = knownValues
  const matches = reconcileStatement(statementResult.value, expectedPayments, {
    ...rest,
    payments: new Map(payments.map(([reference, payment]) => [toBankKey(reference), payment])),
  })
  return {
    ...statementResult.value,
    found: matches.map(({ as, of }) => [as, ...of.map((regNo) => regNo.at(-1))]),
    all: matches,
  }
}
const mapNumbers = (...numberPairs: readonly [string, RegNo | null][]) =>
  new Map<BankKey, RegNo | null>(numberPairs.map(([no, regNo]) => [toBankKey(no), regNo]))

describe('matching statement lines with registrations', () => {
  test('a reported reference that is part of a longer number matches nothing', () => {
    const { found } = matchLines(
      [formatCreditLine('NEFT 9526123456702 X'), formatCreditLine('TO A/C 50200012345678')],
      [createExpectedPayment(1, UTR), createExpectedPayment(2, '502000123456')],
    )
    expect(found.map(([as]) => as)).toEqual(['ambiguous', 'ambiguous'])
    expect(
      matchLines([formatCreditLine('NEFT 9526123456702 X', '77')], [createExpectedPayment(1, UTR)])
        .found,
    ).toEqual([['unmatched']])
  })

  test('a reported reference does not match a line that contains another registration’s number', () => {
    const line = formatCreditLine(`UPI/${UTR}/SMPL4799991602`)
    expect(
      matchLines([line], [createExpectedPayment(1, UTR), createExpectedPayment(2)]).found,
    ).toEqual([['ambiguous', '2', '1']])
    // This also holds if that registration is paid or belongs to another event.
    const knownRegistrations = {
      registrations: mapNumbers(['SMPL4799991609', createExpectedPayment(9).regNo]),
    }
    expect(
      matchLines(
        [formatCreditLine(`UPI/${UTR}/smpl 4799 9916 09`)],
        [createExpectedPayment(1, UTR)],
        knownRegistrations,
      ).found,
    ).toEqual([['ambiguous', '1', '9']])
    const otherNumbers = { registrations: mapNumbers(['LEKH4799991608', null]) }
    expect(
      matchLines(
        [formatCreditLine(`UPI/${UTR}/LEKH4799991608`)],
        [createExpectedPayment(1, UTR)],
        otherNumbers,
      ).found,
    ).toEqual([['ambiguous', '1']])
  })

  test('a line with the number of a paid registration is shown, even if a delegate of another event has reported its reference', () => {
    const knownReferences = {
      registrations: mapNumbers(['SMPL4799991609', createExpectedPayment(9).regNo]),
      claimedElsewhere: new Set([toBankKey(UTR)]),
    }
    const lines = [formatCreditLine(`UPI/${UTR}/SMPL4799991609`)]
    expect(matchLines(lines, [], knownReferences).found).toEqual([['ambiguous', '9']])
    expect(matchLines([formatCreditLine(`UPI/${UTR}`)], [], knownReferences).found).toEqual([
      ['elsewhere'],
    ])
    const reportedPayments = [createExpectedPayment(1, UTR)]
    expect(
      matchLines([...lines, formatDebitLine(UTR)], reportedPayments, knownReferences).found[0],
    ).toEqual(['ambiguous', '1', '9'])
  })

  test('a line with the number and the reported reference of the same registration is matched', () => {
    const line = formatCreditLine(`UPI/5261 2345 6702/SMPL 4799 9916 01`)
    expect(
      matchLines([line], [createExpectedPayment(1, UTR), createExpectedPayment(2)]).found,
    ).toEqual([['matched', '1']])
  })

  test('a reference in several lines identifies none of them', () => {
    const lines = [
      formatCreditLine(`NEFT ${UTR} ASHA`),
      formatCreditLine(`NEFT ${UTR} RAVI`, '590'),
    ]
    expect(matchLines(lines, [createExpectedPayment(1, UTR)]).found).toEqual([
      ['ambiguous', '1'],
      ['ambiguous', '1'],
    ])
  })

  test('a line with a reported reference and that of a recorded payment is shown with both delegates', () => {
    const recordedUtr = 'HDFCN52026020003'
    const lines = [
      formatCreditLine(`NEFT ${UTR} FOR ${recordedUtr}`),
      formatCreditLine(`NEFT ${UTR} RAVI`, '590'),
      formatCreditLine(`NEFT ${recordedUtr} ASHA`, '590'),
    ]
    const payments: [string, KnownPayment][] = [[recordedUtr, createRecordedPayment(3, 590)]]
    const [firstMatch] = matchLines(lines, [createExpectedPayment(1, UTR)], { payments }).found
    expect(firstMatch).toEqual(['ambiguous', '3', '1'])
  })

  test('a number in the bank details of the statement or the event is not used as a reference', () => {
    const lines = [
      formatCreditLine('NEFT ASHA TO 502000123456'),
      formatCreditLine('NEFT RAVI SMPL4799991602 TO 502000123456'),
    ]
    const expectedPayments = [createExpectedPayment(1, '502000123456'), createExpectedPayment(2)]
    const expected = [
      ['ambiguous', '1'],
      ['matched', '2'],
    ]
    expect(matchLines(lines, expectedPayments, {}, ['Account No: 502000123456,,,,']).found).toEqual(
      expected,
    )
    const details = ['Sample Society, account 5020 0012 3456, IFSC MLBR0000032']
    expect(matchLines(lines, expectedPayments, { details }).found).toEqual(expected)
    expect(matchLines([lines[0] ?? ''], expectedPayments, { details }).found).toEqual([
      ['ambiguous', '1'],
    ])
  })

  test('a reference of fewer than six characters, or without a digit, matches nothing', () => {
    for (const reference of ['12345', 'TRANSFER', '0000001'])
      expect(
        matchLines(
          [formatCreditLine(`NEFT ${reference} X`, '77')],
          [createExpectedPayment(1, reference)],
        ).found,
      ).toEqual([['unmatched']])
  })

  test('a reported cheque number with leading zeros matches its line', () => {
    const { found: matchedLines, all: matches } = matchLines(
      [formatCreditLine('CHQ DEP 003456')],
      [createExpectedPayment(1, '003456')],
    )
    expect(matchedLines).toEqual([['matched', '1']])
    expect(matches[0]?.reference).toBe('003456')
    for (const narration of ['ROOM 3456 CHQ', 'CHQ 1003456', 'CHQ 0003456'])
      expect(
        matchLines([formatCreditLine(narration, '77')], [createExpectedPayment(1, '003456')]).found,
      ).toEqual([['unmatched']])
  })

  test('if two delegates report the same reference, staff decide on both', () => {
    const twoClaims = [createExpectedPayment(1, UTR), createExpectedPayment(2, `UTR ${UTR}`)]
    const { found, all } = matchLines([formatCreditLine(`UPI ${UTR}`)], twoClaims)
    expect(found).toEqual([['ambiguous', '1', '2']])
    // The line contains the number of neither.
    expect(all[0]?.why).toBe(
      'This line identifies more than one registration, by number or by reported reference.',
    )
  })
})

describe('a statement line for a recorded transfer', () => {
  test.each(['5261 2345 6702', 'utr 526123456702', '00526123456702'])(
    'is recognised if the transfer was recorded as %j, whatever else the line contains',
    (reference) => {
      const line = formatCreditLine(`IMPS ${UTR} ASHA`, '1180', 'S12345678')
      expect(
        matchLines([line], [], { payments: [[reference, createRecordedPayment(1)]] }).found,
      ).toEqual([['known', '1']])
    },
  )

  test('is recognised once in a file that contains it twice, and the repeated line is reported', () => {
    const line = formatCreditLine(`IMPS ${UTR} ASHA`)
    const { found, repeated: repeatedLines } = matchLines(
      [line, formatCreditLine('UPI 526100000001', '1'), line],
      [],
      {
        payments: [[UTR, createRecordedPayment(1)]],
      },
    )
    expect(found).toEqual([['known', '1'], ['unmatched']])
    expect(repeatedLines).toEqual([{ line: 4, first: 2 }])
  })

  test('is distinguished by its amount from a line with the same reference; if the amounts are equal, staff decide', () => {
    const payments: [string, KnownPayment][] = [[UTR, createRecordedPayment(1)]]
    const lines = [formatCreditLine(`IMPS ${UTR} A`), formatCreditLine(`IMPS ${UTR} B`, '590')]
    expect(matchLines(lines, [], { payments }).found).toEqual([
      ['known', '1'],
      ['ambiguous', '1'],
    ])
    const similarLines = [formatCreditLine(`IMPS ${UTR} A`), formatCreditLine(`IMPS ${UTR} B`)]
    expect(matchLines(similarLines, [], { payments }).found.map(([as]) => as)).toEqual([
      'ambiguous',
      'ambiguous',
    ])
  })

  test('with a different amount shows both amounts', () => {
    const { all } = matchLines([formatCreditLine(`IMPS ${UTR}`)], [], {
      payments: [[UTR, createRecordedPayment(1, 1000)]],
    })
    expect(all[0]?.why).toBe(
      `${formatMoney(toRupees(1000), INR)} is recorded, but the bank shows ${formatMoney(toRupees(1180), INR)}.`,
    )
  })

  test('needs a decision by staff if its two numbers match two payments', () => {
    const { found } = matchLines([formatCreditLine(`IMPS ${UTR}`, '1180', 'S12345678')], [], {
      payments: [
        [UTR, createRecordedPayment(1)],
        ['S12345678', createRecordedPayment(2)],
      ],
    })
    expect(found.map(([as, ...of]) => [as, of.toSorted()])).toEqual([['ambiguous', ['1', '2']]])
  })

  test('needs a decision by staff if it contains only the registration number, because a registration may be paid twice', () => {
    const payments: [string, KnownPayment][] = [['SMPL4799991601', createRecordedPayment(1)]]
    const knownPayments = {
      payments,
      registrations: mapNumbers(['SMPL4799991601', createExpectedPayment(1).regNo]),
    }
    expect(matchLines([formatCreditLine('NEFT SMPL4799991601')], [], knownPayments).found).toEqual([
      ['ambiguous', '1'],
    ])
  })

  test('is not recognised by the conference’s own account number, even if the transfer was recorded with that number', () => {
    const payments: [string, KnownPayment][] = [['50200012345678', createRecordedPayment(1)]]
    const details = ['account 50200012345678']
    expect(
      matchLines([formatCreditLine('UPI X TO 50200012345678', '77')], [], { payments, details })
        .found,
    ).toEqual([['unmatched']])
  })
})

describe('a transfer that the bank returned', () => {
  test('is shown with the registration that it paid for', () => {
    const { found, all } = matchLines([formatDebitLine(`RETURN IMPS ${UTR}`)], [], {
      payments: [[UTR, createRecordedPayment(1)]],
    })
    expect(found).toEqual([['returned', '1']])
    expect(all[0]?.line.amount).toBe(toRupees(1180))
  })

  test('is not matched with a registration if the return is in the same file', () => {
    const { found } = matchLines(
      [formatCreditLine(`UPI ${UTR}`), formatDebitLine(`RETURN ${UTR}`)],
      [createExpectedPayment(1, UTR)],
    )
    expect(found).toEqual([
      ['ambiguous', '1'],
      ['returned', '1'],
    ])
  })

  test('is found if one column contains the amounts and another contains Cr or Dr', () => {
    const linesResult = readLines(
      `Date,Description,Cr/Dr,Amount\n03/02/27,RETURN ${UTR},DR,1180.00\n03/02/27,RENT,DR,"5,000"\n`,
      STATEMENT_LIMITS,
    )
    const statement = linesResult.ok ? readStatement(linesResult.value) : linesResult
    if (!statement.ok) throw new Error('the statement cannot be read')
    const payments = new Map([[toBankKey(UTR), createRecordedPayment(1)]])
    expect(reconcileStatement(statement.value, [], { payments }).map(({ as }) => as)).toEqual([
      'returned',
    ])
  })
})

test('a file with one large cell of numbers does not block the server', () => {
  const cell = '1 '.repeat(400_000)
  const { lines, details } = matchLines([formatCreditLine(cell, '1', cell)], [], {}, [cell])
  const texts = [...lines.flatMap((line) => [line.narration, line.reference]), ...details]
  for (const text of texts) expect(text.length).toBeLessThanOrEqual(300)
})

test.each([
  ['the same short numbers in every line', () => '12 34 56 '.repeat(30)],
  [
    'different short numbers in every line',
    (n: number) =>
      Array.from({ length: 90 }, (_, index) => 10 + ((n * 31 + index * index) % 89)).join(' '),
  ],
  [
    'a number long enough to be a reference, thirty times per line',
    (n: number) => Array.from({ length: 30 }, (_, index) => 100_000 + n * 30 + index).join(' X '),
  ],
])('a file with %s does not block the server', (_, text) => {
  const statementResult = readStatement([
    { line: 1, cells: ['Date', 'Narration', 'Credit'] },
    ...Array.from({ length: 4_500 }, (__, n) => ({
      line: n + 2,
      cells: ['03/02/27', `${text(n)} ${n}`, '1'],
    })),
  ])
  expect(statementResult.ok && findStatementReferences(statementResult.value)).toBe(null)
})

test('a long bank statement is not too large to search', () => {
  const statementResult = readStatement([
    { line: 1, cells: ['Date', 'Narration', 'Ref No', 'Credit'] },
    ...Array.from({ length: 4_990 }, (_, n) => ({
      line: n + 2,
      cells: [
        '03/02/27',
        `UPI/${526_123_000_000 + n}/ASHA ${n}/asha${n}@okaxis/HDFC0001234/03-02-2027 14:05:33/98470 00000`,
        `00000${526_123_000_000 + n}`,
        '1180.00',
      ],
    })),
  ])
  expect(statementResult.ok && findStatementReferences(statementResult.value)).not.toBe(null)
})

test.each([
  ['IMPS-P2A-526123456702-SHARMA-XX1234', ['526123456702']],
  ['526123456702 and HDFCN52027010912', ['526123456702', 'HDFCN52027010912']],
  ['012345678901 UPI', ['12345678901']],
  ['UPI/012345678901/1', ['12345678901']],
])('a payment recorded as %j is found by the bank’s numbers in that text', (text, numbers) => {
  expect(listReferenceKeys(text)).toEqual(expect.arrayContaining(numbers))
})

test('lines without a number are distinguished by date, amount and text, and are recognised once they are recorded', () => {
  const lines = [formatCreditLine('CASH DEPOSIT', '500'), formatCreditLine('CASH DEPOSIT', '700')]
  const firstImport = matchLines(lines, [])
  const [firstReference, secondReference] = firstImport.all.map(({ reference }) => reference)
  expect(toBankKey(firstReference ?? '')).not.toBe(toBankKey(secondReference ?? ''))
  expect(findStatementReferences(firstImport)).toContain(toBankKey(firstReference ?? ''))
  const payments: [string, KnownPayment][] = [
    [firstReference ?? '', createRecordedPayment(null, 500)],
  ]
  expect(matchLines(lines, [], { payments }).found).toEqual([['known'], ['unmatched']])
  // An older version stored the key without the amount.
  const olderPayments: [string, KnownPayment][] = [
    ['2027-02-03 CASH DEPOSIT', createRecordedPayment(null, 500)],
  ]
  expect(matchLines(lines, [], { payments: olderPayments }).found).toEqual([
    ['known'],
    ['ambiguous'],
  ])
})
