/** Settlement reports are parsed, compared with the payments line by line, and totalled by payout. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  INR,
  day,
  instant,
  mergeLines,
  checkSettlementLines,
  groupByPayout,
  readSettlement,
  readStatement,
  startOfDay,
  listUnsettledPayments,
} from '../../../engine/index.ts'
import type { RecordedPayment, RegNo, SettlementLine } from '../../../engine/index.ts'
import { readLines, STATEMENT_LIMITS } from '../../../server/office/spreadsheets/parse-csv.ts'
import { toRupees } from '../fixtures.ts'

const readRows = (text: string) => {
  const readResult = readLines(text, STATEMENT_LIMITS)
  if (!readResult.ok) throw new Error(readResult.error.message)
  return readResult.value
}
const readReport = (text: string) => {
  const settlement = readSettlement(readRows(text))
  if (!settlement.ok) throw new Error(settlement.error.code)
  return settlement.value
}
const shortenLine = ({
  is,
  order,
  reference,
  amount,
  fee,
  tax,
  net,
  day: lineDay,
  utr,
}: SettlementLine) => [
  is,
  order,
  reference,
  ...[amount, fee, tax, net].map((paise) => paise / 100),
  lineDay,
  utr,
]

describe('a report', () => {
  test('reports a line with more cells than headings, and does not read the first digits of its amount', () => {
    const report = readReport(`Merchant Txn ID,Settlement Date,Txn Amount,MDR,GST,Net Amount
SMPL0000000000001,30-01-2026,5,664.01,10,1.80,5652.21
SMPL0000000000002,30-01-2026,1180.00,20.00,3.60,1156.40,,
,,6,844.01,30,5.40,6808.61
`)
    expect(report.lines.map(({ order }) => order)).toEqual(['SMPL0000000000002'])
    expect(report.unread).toEqual([2])
  })

  test.each([
    [
      'is read with headings like the fields of the gateway’s API, net amounts, and a refund marked by a word',
      `Merchant Txn Date Time,Transaction ID,Merchant Txn ID,UTR Number,Txn Amount,MDR,GST,Net Amount,Settlement Date,Txn Type
28-01-2026 20:42:21,188507935,SMPL0000000000001,UTIBN26013000011,1180.00,20.00,3.60,1156.40,30-01-2026,Sale
28-01-2026 21:00:00,188507936,SMPL0000000000002,UTIBN26013000011,"3,540.00",60.00,10.80,"3,469.20",30-01-2026,320
29-01-2026 09:00:00,188509999,SMPL0000000000001,UTIBN26013000011,590.00,0,0,590.00,30-01-2026,Refund
,,,,5310.00,80.00,14.40,4035.60,,
`,
      [
        [
          'sale',
          'SMPL0000000000001',
          '188507935',
          1180,
          20,
          3.6,
          1156.4,
          '2026-01-30',
          'UTIBN26013000011',
        ],
        [
          'sale',
          'SMPL0000000000002',
          '188507936',
          3540,
          60,
          10.8,
          3469.2,
          '2026-01-30',
          'UTIBN26013000011',
        ],
        [
          'refund',
          'SMPL0000000000001',
          '188509999',
          590,
          0,
          0,
          -590,
          '2026-01-30',
          'UTIBN26013000011',
        ],
      ],
    ],
    [
      'is read with headings like the fields of the gateway’s return, rows above the headings, and neither net amounts nor a UTR',
      `SETTLEMENT REPORT,,,,,
Merchant : Sample Society (123456),,,,,
TRANSACTIONID,APTRANSACTIONID,AMOUNT,Service Charge,Service Tax,Settled On
SMPL0000000000003,17691556,Rs. 1180,11.80,2.12,3 Feb 2026
SMPL0000000000003,17691557,-1180,0,0,4 Feb 2026
`,
      [
        ['sale', 'SMPL0000000000003', '17691556', 1180, 11.8, 2.12, 1166.08, '2026-02-03', ''],
        ['refund', 'SMPL0000000000003', '17691557', 1180, 0, 0, -1180, '2026-02-04', ''],
      ],
    ],
    [
      'is read from another gateway, with a chargeback',
      `Order ID,Payment ID,Gross Amount,Fees,Tax on fee,Settlement Amount,Settlement UTR,Type
SMPL4,pay_29QQ,590,10,1.8,578.20,UTR7,payment
SMPL4,disp_77,590,0,0,-590,UTR8,chargeback
SMPL4,disp_78,590,0,0,590,UTR8,Chargeback
SMPL4,disp_78,590,0,0,590,UTR9,Chargeback reversal
`,
      [
        ['sale', 'SMPL4', 'pay_29QQ', 590, 10, 1.8, 578.2, null, 'UTR7'],
        ['other', 'SMPL4', 'disp_77', 590, 0, 0, -590, null, 'UTR8'],
        ['other', 'SMPL4', 'disp_78', 590, 0, 0, -590, null, 'UTR8'],
        ['other', 'SMPL4', 'disp_78', 590, 0, 0, 590, null, 'UTR9'],
      ],
    ],
  ])('%s', (_name, text, lines) => {
    expect(readReport(text).lines.map(shortenLine)).toEqual(lines)
  })

  test('is read with a list of its unreadable lines and a count of its unsettled lines', () => {
    const {
      lines,
      unread: unreadableLines,
      unsettled: openLines,
    } = readReport(`Order ID,Amount,Fee,UTR,Settlement Date
SMPL1,=1+1,0,UTR1,30/01/2026
SMPL2,590,0,,
SMPL3,590,zero,UTR1,30/01/2026
SMPL4,590,0,,31/02/2026
SMPL5,590,10,UTR1,30/01/2026
Total,590,10,,
`)
    expect([lines.map(({ order }) => order), unreadableLines, openLines]).toEqual([
      ['SMPL5'],
      [2, 4, 5],
      1,
    ])
  })

  test('includes payments whose id has no digit, and lists lines without a payment id as unreadable', () => {
    const { lines, unread: unreadableLines } =
      readReport(`Order ID,Payment ID,Type,Amount,Fee,UTR,Settlement Date
,pay_QwErTyUiOpAsDf,payment,590,0,UTR1,30/01/2026
,,adjustment,-100,0,UTR1,30/01/2026
SMPL1,4.99E+11,payment,590,0,UTR1,30/01/2026
,4.99E+11,payment,590,0,UTR1,30/01/2026
Total,,,1670,0,UTR1,30/01/2026
Total,,payment,1670,0,,
`)
    expect(lines.map(({ order, reference }) => [order, reference])).toEqual([
      ['', 'pay_QwErTyUiOpAsDf'],
      ['SMPL1', ''],
    ])
    expect(unreadableLines).toEqual([3, 5])
  })

  test('is distinguished from a bank statement', () => {
    const statements = [
      'Date,Narration,Chq./Ref.No.,Value Dt,Withdrawal Amt.,Deposit Amt.\n03/02/27,UPI,1,03/02/27,,590\n',
      'No.,Transaction ID,Value Date,Txn Posted Date,ChequeNo.,Description,Cr/Dr,Transaction Amount(INR)\n1,S1,03-02-2027,03-02-2027,,UPI,CR,590\n',
      'Date,Description,UTR Number,Transaction ID,Amount,Dr/Cr\n03/02/27,UPI,UTR12345,S1,590,CR\n',
    ]
    for (const statement of statements) {
      expect(readSettlement(readRows(statement)).ok).toBe(false)
      expect(readStatement(readRows(statement)).ok).toBe(true)
    }
  })

  test('with unknown headings is read by the columns that staff choose', () => {
    const rows = readRows('Was,Wieviel,Wann\nSMPL1,590,30/01/2026\n')
    expect(readSettlement(rows)).toMatchObject({ ok: false, error: { code: 'columns_unknown' } })
    const noColumns = {
      fee: null,
      tax: null,
      net: null,
      utr: null,
      kind: null,
      paid: null,
      currencies: [],
    }
    const settlement = readSettlement(rows, {
      order: 0,
      reference: null,
      amount: 1,
      day: 2,
      ...noColumns,
    })
    expect(settlement).toMatchObject({
      ok: true,
      value: { lines: [{ order: 'SMPL1', net: 59_000 }] },
    })
  })
})

test.each(['USD', 'usd', '840', 'Dollar', 'EUR'])(
  'a line in %s is reported, not read as rupees',
  (currency) => {
    const file = `Order ID,Currency,Txn Amount,UTR Number,Settlement Date\nSMPL1,INR,590.00,U1,03-02-2027\nSMPL2,${currency},590.00,U1,03-02-2027\nSMPL3,,590.00,U1,03-02-2027\n`
    const settlementResult = readSettlement(readRows(file))
    expect(settlementResult).toMatchObject({
      ok: true,
      value: { unread: [3], lines: [{ order: 'SMPL1' }, { order: 'SMPL3' }] },
    })
  },
)

test('a line is also reported if only its payout is in another currency, or if its amount contains another currency code', () => {
  const readWithHeadings = (headings: string, row: string) =>
    readSettlement(
      readRows(`Order ID,Txn Amount,UTR Number,Settlement Date,${headings}\nSMPL1,${row}\n`),
    )
  for (const settlementResult of [
    readWithHeadings('Txn Currency,Settlement Currency', '590.00,U1,03-02-2027,INR,USD'),
    readWithHeadings('Remarks', 'USD 590.00,U1,03-02-2027,x'),
    readWithHeadings('Remarks', '$590.00,U1,03-02-2027,x'),
  ])
    expect(settlementResult).toMatchObject({ ok: true, value: { lines: [], unread: [2] } })
})

const createLine = (n: number, overrides: Partial<SettlementLine> = {}): SettlementLine => ({
  line: n,
  is: 'sale',
  order: `SMPL${n}`,
  reference: `AP${n}`,
  amount: toRupees(1180),
  fee: toRupees(20),
  tax: toRupees(3.6),
  net: toRupees(1156.4),
  day: day('2026-01-30'),
  utr: 'UTR1',
  paidOn: null,
  nth: 1,
  ...overrides,
})
const createPayment = (n: number, overrides: Partial<RecordedPayment> = {}): RecordedPayment => ({
  id: n,
  reference: `AP${n}`,
  order: `SMPL${n}`,
  regNo: `SMPL${n}` as RegNo,
  eventId: 'sample',
  currency: INR,
  source: 'airpay',
  account: 'sample',
  amount: toRupees(1180),
  state: 'fits',
  isMoney: true,
  belongsToAccount: true,
  paidAt: instant(startOfDay(day('2026-01-28'))),
  refunds: [],
  ...overrides,
})
const createRefund = (
  id: number,
  amount: number,
  overrides: Partial<RecordedPayment['refunds'][number]> = {},
) => ({
  id,
  reference: null,
  amount: toRupees(amount),
  state: 'done' as const,
  isManual: false,
  ...overrides,
})

describe('a line compared with the payments', () => {
  const createOrder = (n: number) => ({
    order: `SMPL${n}`,
    regNo: `SMPL${n}` as RegNo,
    eventId: 'sample',
  })
  test.each([
    ['equal to its payment', createLine(1), createPayment(1), 'settled', null],
    [
      'without a reference, matched by its order',
      createLine(1, { reference: '' }),
      createPayment(1),
      'settled',
      null,
    ],
    [
      'for a payment that staff accepted',
      createLine(1),
      createPayment(1, { state: 'accepted' }),
      'settled',
      null,
    ],
    [
      'for a payment under review',
      createLine(1),
      createPayment(1, { state: 'review' }),
      'review',
      null,
    ],
    [
      'with a different amount',
      createLine(1, { amount: toRupees(1000) }),
      createPayment(1),
      'differs',
      '1,000',
    ],
    ['for another order', createLine(1, { order: 'SMPL9' }), createPayment(1), 'differs', 'SMPL9'],
    [
      'for a dismissed payment that was paid out',
      createLine(1),
      createPayment(1, { state: 'refused' }),
      'differs',
      'Staff ignored this payment',
    ],
    [
      'for a dismissed payment that was refunded',
      createLine(1),
      createPayment(1, { state: 'refused', refunds: [createRefund(1, 1180)] }),
      'settled',
      null,
    ],
    [
      'for a dismissed payment with a refund in progress',
      createLine(1),
      createPayment(1, { state: 'refused', refunds: [createRefund(1, 1180, { state: 'asked' })] }),
      'differs',
      'its refund is not complete yet',
    ],
    [
      'for a dismissed payment whose refund was rejected',
      createLine(1),
      createPayment(1, {
        state: 'refused',
        refunds: [createRefund(1, 1180, { state: 'refused' })],
      }),
      'differs',
      'but rejected its refund',
    ],
    ['for an unknown payment', createLine(7), createPayment(1), 'unknown', 'No registration'],
    [
      'for an unknown payment for a known order',
      createLine(2),
      createPayment(1),
      'unknown',
      'The order exists',
    ],
    [
      'for a known refund, by the reference of the payment',
      createLine(1, { is: 'refund', amount: toRupees(590) }),
      createPayment(1, {
        refunds: [createRefund(1, 100), createRefund(2, 590, { reference: 'R2' })],
      }),
      'refunded',
      null,
    ],
    [
      'for a known refund, by the reference of the refund',
      createLine(1, { is: 'refund', reference: 'R2', amount: toRupees(590) }),
      createPayment(1, { refunds: [createRefund(2, 590, { reference: 'R2' })] }),
      'refunded',
      null,
    ],
    [
      'for a refund that is in progress in Rollcall',
      createLine(1, { is: 'refund', amount: toRupees(590) }),
      createPayment(1, { refunds: [createRefund(2, 590, { state: 'asked' })] }),
      'review',
      'not complete in Rollcall yet',
    ],
    [
      'for a refund that was rejected in Rollcall',
      createLine(1, { is: 'refund', amount: toRupees(590) }),
      createPayment(1, { refunds: [createRefund(2, 590, { state: 'refused' })] }),
      'unknown',
      'has no refund of',
    ],
    [
      'for an unknown refund',
      createLine(1, { is: 'refund' }),
      createPayment(1),
      'unknown',
      'has no refund of',
    ],
    [
      'for a refund with the reference of a bank transfer, which is described as a bank transfer',
      createLine(3, { is: 'refund', reference: '453001309669', amount: toRupees(590) }),
      createPayment(3, { refunds: [createRefund(2, 590)] }),
      'unknown',
      'bank transfer',
    ],
    [
      'for a chargeback',
      createLine(1, { is: 'other', net: toRupees(-1180) }),
      createPayment(1),
      'differs',
      'chargeback',
    ],
  ] as const)('%s', (_name, testedLine, recordedPayment, expectedState, expectedReason) => {
    const paidTwice = { ...createOrder(3), transfers: ['453001309669'] }
    const orders = [createOrder(1), createOrder(2), paidTwice]
    const [checkedLine] = checkSettlementLines([testedLine], [recordedPayment], orders)
    expect(checkedLine?.as).toBe(expectedState)
    if (expectedReason === null) expect(checkedLine?.why).toBeNull()
    else expect(checkedLine?.why).toContain(expectedReason)
  })

  test('a second settlement of a payment needs a decision by staff, but two equal refunds are two refunds', () => {
    const secondLine = createLine(1, { utr: 'UTR2', day: day('2026-02-02') })
    expect(
      checkSettlementLines([createLine(1), secondLine], [createPayment(1)], []).map(({ as }) => as),
    ).toEqual(['settled', 'differs'])
    const refund = createLine(1, { is: 'refund', amount: toRupees(100) })
    const repeatedRefunds = [refund, { ...refund, nth: 2 }, { ...refund, nth: 3 }]
    const recordedPayment = createPayment(1, {
      refunds: [createRefund(1, 100), createRefund(2, 100)],
    })
    expect(
      checkSettlementLines(repeatedRefunds, [recordedPayment], []).map(({ as }) => as),
    ).toEqual(['refunded', 'refunded', 'unknown'])
  })

  test('a payout is counted once, even if one report contains its reference in lower case', () => {
    const sameLine = createLine(1, { utr: 'utr 01' })
    expect(mergeLines([createLine(1)], [sameLine])).toEqual([sameLine])
    const otherLine = createLine(2, { utr: 'utr1' })
    expect(groupByPayout([createLine(1), otherLine])).toMatchObject([{ utr: 'UTR1', lines: 2 }])
    expect(mergeLines([createLine(1)], [createLine(1, { utr: 'UTR2' })])).toHaveLength(2)
    // Without a reference, the date identifies the payout. A reference of only zeros is valid.
    expect(groupByPayout([createLine(1, { utr: '' }), createLine(2, { utr: '00' })])).toHaveLength(
      2,
    )
  })

  test('a paid order that has not been settled is listed with its age, unless it was refunded or dismissed', () => {
    const recordedPayments = [
      createPayment(1),
      createPayment(2),
      createPayment(3, { paidAt: instant(startOfDay(day('2026-01-20'))) }),
      createPayment(4, { refunds: [createRefund(1, 1180)] }),
      createPayment(5, { state: 'refused' }),
      createPayment(6, { state: 'review' }),
    ]
    const unsettledLines = listUnsettledPayments(
      checkSettlementLines([createLine(1)], recordedPayments, []),
      recordedPayments,
      instant(startOfDay(day('2026-02-01'))),
    )
    expect(unsettledLines.map(({ money: { id }, days }) => [id, days])).toEqual([
      [3, 12],
      [2, 4],
      [6, 4],
    ])
  })
})

const anyLine = fc
  .record({
    n: fc.integer({ min: 1, max: 12 }),
    is: fc.constantFrom('sale', 'refund', 'other'),
    amount: fc.integer({ min: 1, max: 1_000_000 }),
    fee: fc.integer({ min: 0, max: 5_000 }),
    tax: fc.integer({ min: 0, max: 900 }),
    heldBack: fc.integer({ min: -500, max: 500 }),
    transfer: fc.constantFrom('UTR1', 'UTR2', ''),
    on: fc.constantFrom('2026-01-30', '2026-02-02'),
  })
  .map(({ n, is, amount, fee, tax, heldBack, transfer, on }) =>
    createLine(n, {
      is,
      amount: amount as SettlementLine['amount'],
      fee: fee as SettlementLine['fee'],
      tax: tax as SettlementLine['tax'],
      net: ((is === 'sale' ? amount : -amount) - fee - tax - heldBack) as SettlementLine['net'],
      utr: transfer,
      day: day(on),
    }),
  )

describe('the lines of settlement reports', () => {
  const lines = fc
    .array(anyLine, { maxLength: 30 })
    .map((settlementLines) => mergeLines(settlementLines))

  test('add up to the amount of each bank transfer, to the paisa', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const payoutList = groupByPayout(all)
        const sum = (getAmount: (one: (typeof payoutList)[number]) => number) =>
          payoutList.reduce((total, payout) => total + getAmount(payout), 0)
        for (const { sales, refunds, fee, tax, others, net } of payoutList)
          expect(sales - refunds - fee - tax - others).toBe(net)
        expect(sum(({ net }) => net)).toBe(all.reduce((total, { net }) => total + net, 0))
        expect(sum(({ lines: count }) => count)).toBe(all.length)
      }),
    )
  })

  test('are stored once if they are imported twice, in any parts and order', () => {
    fc.assert(
      fc.property(lines, fc.nat(30), (all, cut) => {
        const joinedLines = mergeLines(all, all.slice(cut), all.toReversed())
        expect(groupByPayout(joinedLines)).toEqual(groupByPayout(all))
        expect(mergeLines(joinedLines)).toHaveLength(all.length)
      }),
    )
  })

  test('match each payment once, so that no payment is both settled and outstanding', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const recordedPayments = Array.from({ length: 10 }, (_, index) =>
          createPayment(index + 1, { refunds: [createRefund(100 + index, 10)] }),
        )
        const checkedLines = checkSettlementLines(all, recordedPayments, [])
        expect(checkedLines).toHaveLength(all.length)
        const openPayments = listUnsettledPayments(
          checkedLines,
          recordedPayments,
          instant(startOfDay(day('2026-02-10'))),
        )
        const settledIds = new Set(
          checkedLines.flatMap(({ as, money: of }) =>
            as === 'settled' && of !== null ? [of.id] : [],
          ),
        )
        for (const { money: of } of openPayments) expect(settledIds.has(of.id)).toBe(false)
        expect(checkedLines.filter(({ as }) => as === 'settled')).toHaveLength(settledIds.size)
      }),
    )
  })
})

test('a line in rupees never matches a payment in dollars, neither with the same figure nor with its value in rupees', () => {
  const payment = createPayment(1, { currency: 'USD' as never, amount: toRupees(279.78) })
  for (const amount of [toRupees(279.78), toRupees(25_320.09)])
    expect(checkSettlementLines([createLine(1, { amount })], [payment], [])[0]).toMatchObject({
      as: 'differs',
      why: expect.stringMatching(/^The payment was US\$\s279.78; the report is in rupees./),
    })
})
