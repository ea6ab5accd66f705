/** Reads statements downloaded from common Indian banks, and matches them with unpaid registrations. */
import { expect, test } from 'vitest'
import { INR, toBankKey, day, readStatement, reconcileStatement } from '../../../engine/index.ts'
import type { Currency, UnpaidOrder, RegNo } from '../../../engine/index.ts'
import type {
  Statement,
  StatementLine,
} from '../../../engine/payments/bank-statement-columns-and-lines.ts'
import { readLines, STATEMENT_LIMITS } from '../../../server/office/spreadsheets/parse-csv.ts'
import { toRupees } from '../fixtures.ts'

const readRows = (text: string) => {
  const readResult = readLines(text, STATEMENT_LIMITS)
  if (!readResult.ok) throw new Error(readResult.error.message)
  return readResult.value
}
const readCredits = (text: string) => {
  const statementResult = readStatement(readRows(text))
  if (!statementResult.ok) throw new Error(statementResult.error.code)
  return statementResult.value.lines.map(({ day: lineDay, amount, reference, narration }) => [
    lineDay,
    amount,
    reference,
    narration,
  ])
}

test.each([
  [
    'HDFC: rows above the table, two columns of amounts, and dates with two-digit years',
    `HDFC BANK Ltd.,,,,,,\nMESSRS SAMPLE SOCIETY,,,,,,\nStatement From : 01/02/27 To : 28/02/27,,,,,,\n
Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.,Closing Balance
********,**************,****,*****,****,****,****
03/02/27,NEFT CR-ICIC0000011-ASHA NAIR-SMPL0000000000017,ICICN22027020312345678,03/02/27,,"1,180.00","5,00,000.00"
04/02/27,CHARGES,0000000000000000,04/02/27,17.70,,"4,99,982.30"
`,
    [
      [
        '2027-02-03',
        118_000,
        'ICICN22027020312345678',
        'NEFT CR-ICIC0000011-ASHA NAIR-SMPL0000000000017',
      ],
    ],
  ],
  [
    'SBI: months in letters, and spaces in the headings',
    `Txn Date,Value Date,Description,Ref No./Cheque No.,        Debit,Credit,Balance
3 Feb 2027,3 Feb 2027,BY TRANSFER-UPI/CR/703412345678/RAVI,TRANSFER FROM 4897,  ,"1,00,000.50 ","2,00,000.00"
`,
    [['2027-02-03', 10_000_050, 'TRANSFER FROM 4897', 'BY TRANSFER-UPI/CR/703412345678/RAVI']],
  ],
  [
    'ICICI: one column of amounts, and another with Cr or Dr',
    `No.,Transaction ID,Value Date,Txn Posted Date,ChequeNo.,Description,Cr/Dr,Transaction Amount(INR),Available Balance(INR)
1,S12345678,03-02-2027,03-02-2027 10:11:12,,IMPS/703411112222,CR,2360.00,1000
2,S12345679,03-02-2027,03-02-2027 10:12:12,,RENT,DR,5000.00,1000
`,
    [['2027-02-03', 236_000, 'S12345678', 'IMPS/703411112222']],
  ],
  [
    'Axis: short headings, and amounts in rupees',
    `Tran Date,CHQNO,PARTICULARS,DR,CR,BAL,SOL
03-02-2027,-,"UPI/P2A/703499998888/""LATA"", K",,Rs. 590,1000,12
`,
    [['2027-02-03', 59_000, '-', 'UPI/P2A/703499998888/"LATA", K']],
  ],
  [
    'Kotak: two columns with the same heading, and amounts without decimals',
    `Sl. No.,Date,Description,Chq / Ref number,Amount,Dr / Cr,Balance,Dr / Cr
1,03/02/2027,NEFT KKBKH27034000001,NEFTINW-0123,590.00,CR,1000,CR
2,04/02/2027,ATM,x,100.00,DR,900,CR
`,
    [['2027-02-03', 59_000, 'NEFTINW-0123', 'NEFT KKBKH27034000001']],
  ],
])('%s', (_name, text, lines) => {
  expect(readCredits(text)).toEqual(lines)
})

test('if the headings are unknown, staff must choose the columns, and their choice is used', () => {
  const rows = readRows('Wann,Was,Wieviel\n03/02/2027,UTR 1234567890,590\n')
  expect(readStatement(rows)).toEqual({
    ok: false,
    error: { code: 'columns_unknown', header: ['Wann', 'Was', 'Wieviel'] },
  })
  const columns = { date: 0, narration: 1, reference: null, credit: 2, amount: null, sign: null }
  const statement = readStatement(rows, columns)
  expect(statement).toMatchObject({ ok: true, value: { lines: [{ amount: 59_000, line: 2 }] } })
})

test('a row with a date and an unreadable amount is reported', () => {
  const statement = readStatement(
    readRows('Date,Narration,Credit\n03/02/27,UPI,=1+1\n31/02/27,UPI,5\n'),
  )
  expect(statement).toMatchObject({ ok: true, value: { lines: [], unread: [2, 3] } })
})

test.each([
  ['in the last column', 'Date,Narration,Reference,Deposit', '09/12/2026,NEFT,UTR1,5,000.00'],
  ['before another column', 'Date,Narration,Deposit,Balance', '09/12/2026,NEFT,5,000.00,9000'],
  ['with empty cells at the end', 'Date,Narration,Deposit,', '09/12/2026,NEFT,5,000.00,'],
])(
  'a row with more cells than headings is not a deposit of the first digits: an amount without quotes %s',
  (_name, headings, row) => {
    const rows = readRows(`${headings}\n${row}\n`)
    const expected = { ok: true, value: { lines: [], withdrawals: [], unread: [2] } }
    expect(readStatement(rows)).toMatchObject(expected)
  },
)

test('a row with more cells than headings is reported if staff chose the columns, and in a second download', () => {
  const chosen = { date: 0, narration: 1, reference: null, credit: 2, amount: null, sign: null }
  expect(
    readStatement(readRows('Wann,Was,Wieviel\n03/02/2027,UTR 1,5,000.00\n'), chosen),
  ).toMatchObject({ ok: true, value: { lines: [], unread: [2] } })
  const pasted =
    'Date,Narration,Deposit\n03/02/2027,A,5\nDate,Narration,Ref,Deposit\n03/02/2027,B,R,6\n03/02/2027,C,R,7,000\n'
  expect(readStatement(readRows(pasted))).toMatchObject({
    ok: true,
    value: { lines: [{ amount: 500 }, { amount: 600 }], unread: [5] },
  })
})

test('empty cells at the end of a row, and an unnamed column of the headings, do not make it unreadable', () => {
  const text = 'Date,Narration,Deposit,\n03/02/2027,A,5,CR\n03/02/2027,B,6,,,\n'
  expect(readStatement(readRows(text))).toMatchObject({
    ok: true,
    value: { lines: [{ amount: 500 }, { amount: 600 }], unread: [] },
  })
})

const createExpectedPayment = (n: number, overrides: Partial<UnpaidOrder> = {}): UnpaidOrder => ({
  regNo: `SMPL000000000000${n}` as RegNo,
  name: `Delegate ${n}`,
  due: toRupees(1180),
  claim: null,
  ...overrides,
})
const createClaim = (reference: string) => ({ reference, day: day('2027-02-03') })
const CONFERENCE_ACCOUNT = '50200012345678'
const createFile = (
  lines: readonly StatementLine[],
  overrides: Partial<Pick<Statement, 'withdrawals' | 'details'>> = {},
) => ({ currency: INR, lines, withdrawals: [], details: [], ...overrides })
const createLine = (n: number, narration: string, amount = 1180) => ({
  line: n,
  day: day('2027-02-03'),
  narration: `${narration} TO ${CONFERENCE_ACCOUNT}`,
  reference: '',
  amount: toRupees(amount),
})

test('a payment with an unreadable date is reported, but a total below the table is not', () => {
  const statementResult = readStatement(
    readRows(`Date,Narration,Chq/Ref No,Withdrawal Amt,Deposit Amt
24-Nov,UPI 703412345678,,,100
24/11/26,UPI 703412345679,,,100
"Nov 24, 2026",UPI 703412345670,,,100
,NEFT WITHOUT A DAY,,,100
,BALANCE CARRIED FORWARD,,,100
25/11/26,UPI 703412345671,,,100
31/02/2026,UPI 703412345672,,,100
,Total,,,400
`),
  )
  if (!statementResult.ok) throw new Error(statementResult.error.code)
  expect(statementResult.value.lines.map(({ line: lineNumber }) => lineNumber)).toEqual([3, 7])
  expect(statementResult.value.unread).toEqual([2, 4, 5, 8])
})

test.each([
  ['USD in a column', 'Date,Narration,Deposit Amt,Currency\n03/02/27,INWARD,1456.77,USD\n'],
  [
    'USD in a line above the table',
    'Currency: USD,,\nDate,Narration,Deposit Amt\n03/02/27,INWARD,1456.77\n',
  ],
  ['a comma before the paise', 'Date,Narration,Deposit Amt\n03/02/27,INWARD,"1456,77"\n'],
])('an amount in another currency or number format is not read as rupees (%s)', (_, text) => {
  const statementResult = readStatement(readRows(text))
  expect(statementResult).toMatchObject({ ok: true, value: { lines: [] } })
  expect(statementResult.ok && statementResult.value.unread).toHaveLength(1)
})

test('if a file contains two downloads, each is read by its own headings, even if the columns are in a different order', () => {
  expect(
    readCredits(`Date,Narration,Withdrawal Amt,Deposit Amt,Currency
03/02/27,FIRST,,"1,00,000.00",INR
Date,Narration,Deposit Amt,Withdrawal Amt,Currency
04/02/27,SECOND,20,,INR
`),
  ).toEqual([
    ['2027-02-03', 10_000_000, '', 'FIRST'],
    ['2027-02-04', 2_000, '', 'SECOND'],
  ])
})

test('lines match by reported reference or registration number; a match by amount and date is only a suggestion', () => {
  const awaitedPayments = [
    createExpectedPayment(1, { claim: createClaim('icic n2 2027 0203 12345678') }),
    createExpectedPayment(2),
    createExpectedPayment(3, { claim: createClaim('typed wrongly 99') }),
    createExpectedPayment(4, { claim: createClaim('703412345678') }),
  ]
  const lines = [
    createLine(1, 'NEFT ICICN22027020312345678 ASHA'),
    createLine(2, 'IMPS 703400001111 SMPL 0000 0000 0000 2'),
    createLine(3, 'UPI 703499998888'),
    createLine(4, 'UPI 703412345678', 1000),
    createLine(5, 'UPI 703412345678 AGAIN', 1000),
    createLine(6, 'INTEREST 12', 7),
    createLine(7, 'NEFT SBIN0270000000111 SMPL0000000000009'),
    createLine(8, 'NEFT CR GATEWAY UTIBN27020300077', 900),
  ]
  const payout = { utr: 'UTIBN27020300077', lines: 3, net: toRupees(900) }
  const paidRegistration = { id: 1, regNo: 'SMPL0000000000009' as RegNo, amount: toRupees(1180) }
  const reconciliation = reconcileStatement(createFile(lines), awaitedPayments, {
    payments: new Map([[toBankKey('SBIN0270000000111'), paidRegistration]]),
    payouts: new Map([[toBankKey(payout.utr), payout]]),
  })
  expect(
    reconciliation.map(({ as, of, reference }) => [as, of.map((regNo) => regNo.at(-1)), reference]),
  ).toEqual([
    ['matched', ['1'], 'ICICN22027020312345678'],
    ['matched', ['2'], '703400001111'],
    ['ambiguous', ['3'], '703499998888'],
    // Two lines have the same UTR: staff decide which is the payment, because only one can be recorded with this UTR.
    ['ambiguous', ['4'], '703412345678'],
    ['ambiguous', ['4'], '703412345678'],
    // The conference's own account number is in every line, so it is not a reference.
    ['unmatched', [], `2027-02-03 700 INTEREST 12 TO ${CONFERENCE_ACCOUNT}`],
    ['known', ['9'], 'SBIN0270000000111'],
    ['payout', [], 'UTIBN27020300077'],
  ])
  expect(reconciliation.at(-1)?.payout).toEqual(payout)
})

test.each([
  ['a comma before the cents', '"1.234,50"', 123_450],
  ['a point before the cents', '"1,234.50"', 123_450],
  ['the code next to the amount', '"1234,50 EUR"', 123_450],
  ['the symbol before the amount', '"€ 99.75"', 9_975],
  // These can be thousands or three decimal places: a wrong guess would be a thousand times too high.
  ['three digits after a point', '1.234', null],
  ['three zeros after a point', '1.000', null],
])('a statement in euros with %s is either read to the cent or reported', (_, cell, amount) => {
  const rows = readRows(`Date,Narration,Deposit Amt,Currency\n03/02/27,TRANSFER,${cell},EUR\n`)
  const statement = readStatement(rows, null, 'EUR' as Currency)
  if (!statement.ok) throw new Error(statement.error.code)
  expect(statement.value.lines.map((line) => line.amount)).toEqual(amount === null ? [] : [amount])
  expect(statement.value.unread).toEqual(amount === null ? [2] : [])
})

test('a payment recorded in dollars does not match a line with the same amount in euros', () => {
  const lines = [
    {
      line: 2,
      day: day('2027-02-03'),
      narration: 'SEPA SBIN0270000000111',
      reference: 'SBIN0270000000111',
      amount: toRupees(1180),
    },
  ]
  const paymentInDollars = {
    id: 1,
    regNo: 'SMPL0000000000009' as RegNo,
    amount: toRupees(1180),
    currency: 'USD' as Currency,
  }
  const [result] = reconcileStatement(
    { currency: 'EUR' as Currency, lines, withdrawals: [], details: [] },
    [],
    { payments: new Map([[toBankKey('SBIN0270000000111'), paymentInDollars]]) },
  )
  expect(result?.why?.replaceAll('\u00a0', ' ')).toBe(
    'US$ 1,180 is recorded, but the bank shows € 1,180.',
  )
})

test.each([
  ['a rupee sign', 'Date,Narration,Deposit\n03/02/27,NEFT,₹ 659.77\n'],
  ['the code of another currency', 'Date,Narration,Deposit\n03/02/27,NEFT,INR 659.77\n'],
  ['"Rs."', 'Date,Narration,Deposit\n03/02/27,NEFT,Rs. 659.77 Cr\n'],
  // The other cells show a comma before the cents, or both conventions.
  [
    'a comma before thousands, where other lines have a comma before the cents',
    'Date,Narration,Deposit\n03/02/27,A,"659,777"\n04/02/27,B,"7,00"\n',
  ],
  ['three digits after the only separator', 'Date,Narration,Deposit\n03/02/27,A,"659,777"\n'],
])('a line with %s is reported as unreadable in a statement in euros', (_, text) => {
  const statement = readStatement(readRows(text), null, 'EUR' as Currency)
  if (!statement.ok) throw new Error(statement.error.code)
  expect(statement.value.unread).toContain(2)
  expect(statement.value.lines.map(({ line: number }) => number)).not.toContain(2)
})

test('thousands are read correctly if other cells show the file’s decimal separator', () => {
  const statement = readStatement(
    readRows('Date,Narration,Deposit\n03/02/27,A,"1.000"\n04/02/27,B,"7,50"\n'),
    null,
    'EUR' as Currency,
  )
  if (!statement.ok) throw new Error(statement.error.code)
  expect(statement.value.lines.map(({ amount }) => amount)).toEqual([100_000, 750])
})

test.each([
  ['JPY', '74718.00', 74_718],
  ['KWD', '104.81', 104_810],
  ['KWD', '104.810', 104_810],
  ['KWD', '"104,810"', 104_810],
])('a statement in %s with %s is read as %s', (currency, cell, amount) => {
  const rows = readRows(`Date,Narration,Deposit\n03/02/27,A,${cell}\n`)
  const statement = readStatement(rows, null, currency as Currency)
  if (!statement.ok) throw new Error(statement.error.code)
  expect(statement.value.lines.map((line) => line.amount)).toEqual([amount])
})

test('a heading is recognised if it contains the event’s currency, but not if it contains another currency', () => {
  const canReadHeading = (heading: string) =>
    readStatement(
      readRows(`Date,Narration,${heading}\n03/02/27,A,659.77\n`),
      null,
      'EUR' as Currency,
    ).ok
  expect([canReadHeading('Deposit (EUR)'), canReadHeading('Deposit (INR)')]).toEqual([true, false])
})

test('the currency column is read even if staff choose the other columns', () => {
  const chosenColumns = {
    date: 0,
    narration: 1,
    reference: null,
    credit: 2,
    amount: null,
    sign: null,
  }
  const rows = readRows('Day,Text,Money in,Währung\n03/02/27,A,659.77,USD\n04/02/27,B,659.77,EUR\n')
  const statement = readStatement(rows, chosenColumns, 'EUR' as Currency)
  if (!statement.ok) throw new Error(statement.error.code)
  expect([statement.value.lines.map(({ line: number }) => number), statement.value.unread]).toEqual(
    [[3], [2]],
  )
})

test.each([
  ['semicolons', ';'],
  ['tabs', '\t'],
])('a statement with the column separator %s is read', (_, delimiter) => {
  const text = ['Date,Narration,Deposit', '03/02/27,NEFT A,659.77'].join('\n')
  expect(readCredits(text.replaceAll(',', delimiter)).map(([, amount]) => amount)).toEqual([65_977])
})
