/** The lines of invoices and credit notes after corrections and refunds in any order. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listBilledLines, computeDocumentChange } from '../../../engine/documents/document-lines.ts'
import type { DocumentChange, IssuedDocument } from '../../../engine/documents/document-lines.ts'
import type { DocumentLine } from '../../../engine/documents/receipt-invoice-and-credit-note.ts'
import { toAmount, type Tax } from '../../../engine/lib/money.ts'
import { adjustPrices, splitPrice } from '../../../engine/pricing/line-tax-and-rounding.ts'
import type { Line } from '../../../engine/pricing/bill-lines.ts'

type SoldItem = {
  readonly id: string
  readonly price: number
  readonly rate: number | null
  readonly quantity?: number
}
const createTax = (
  percent: number | null,
  prices: Tax['prices'],
  round: Tax['round'],
): Tax | null => (percent === null ? null : { name: 'GST', percent, prices, round })

/** Creates a bill in the engine's format, with all lines discounted by `discountPercent`. */
function createBill(
  soldItems: readonly SoldItem[],
  {
    prices = 'exclusive',
    round = 'paise',
    discountPercent = 0,
  }: Partial<Tax> & { readonly discountPercent?: number } = {},
): readonly Line[] {
  const itemPrices = soldItems.map(({ price, quantity = 1 }) => toAmount(price * quantity))
  const discountedPrices = adjustPrices(itemPrices, { percent: -discountPercent })
  const lines = soldItems.map(({ id, price, rate, quantity = 1 }, index): Line => {
    const sums = splitPrice(createTax(rate, prices, round), itemPrices[index] ?? toAmount(0))
    return { id, option: null, label: id, quantity, unit: toAmount(price), ...sums, rate }
  })
  if (discountPercent === 0) return lines
  const parts = soldItems.map(({ rate }, line) => {
    const [pricesBefore, pricesAfter] = [itemPrices, discountedPrices].map((pricesOfLines) =>
      splitPrice(createTax(rate, prices, round), pricesOfLines[line] ?? toAmount(0)),
    )
    return {
      line,
      base: toAmount((pricesAfter?.base ?? 0) - (pricesBefore?.base ?? 0)),
      gst: toAmount((pricesAfter?.gst ?? 0) - (pricesBefore?.gst ?? 0)),
    }
  })
  const sum = (part: 'base' | 'gst'): number =>
    parts.reduce((sumSoFar, linePart) => sumSoFar + linePart[part], 0)
  const [base, gst] = [toAmount(sum('base')), toAmount(sum('gst'))]
  const total = toAmount(base + gst)
  return [
    ...lines,
    {
      id: 'early',
      option: null,
      label: 'Early',
      quantity: 1,
      unit: total,
      base,
      gst,
      total,
      parts,
    },
  ]
}

type DocumentLedger = {
  readonly issued: readonly IssuedDocument[]
  readonly before: readonly Line[] | null
  readonly refunded?: number
  readonly lastRefund?: { readonly bill: readonly Line[]; readonly documents: number } | null
}
const EMPTY_LEDGER: DocumentLedger = { issued: [], before: null }
const sumTotals = (lines: readonly { readonly total: number }[]): number =>
  lines.reduce((sum, { total }) => sum + total, 0)

function applyChange(
  { issued, before, refunded: refundedBefore = 0, lastRefund = null }: DocumentLedger,
  currentBill: readonly Line[],
  refunded = 0,
  linesWithoutInvoice: readonly Line[] = [],
  { chargedAboveUninvoiced = 0, unpaid = 0 } = {},
): { readonly change: DocumentChange; readonly ledger: DocumentLedger } {
  const charged = toAmount(Math.max(0, sumTotals(currentBill) - refunded))
  const change = computeDocumentChange(issued, {
    bill: currentBill,
    before,
    lastRefund,
    uninvoicedBill: linesWithoutInvoice,
    charged,
    chargedAboveUninvoiced: toAmount(chargedAboveUninvoiced),
    unpaid: toAmount(unpaid),
  })
  const invoices = change.invoice.length === 0 ? [] : [{ of: null, lines: change.invoice }]
  const newDocuments = [...change.credits, ...invoices].map((newDocument, index) => ({
    ...newDocument,
    serial: `${issued.length + index}`,
    bill: [],
  }))
  const isRefund = refunded > refundedBefore && change.credits.length > 0
  const refund = isRefund
    ? { bill: currentBill, documents: issued.length + change.credits.length }
    : null
  const ledger = {
    issued: [...issued, ...newDocuments],
    before: currentBill,
    refunded,
    lastRefund: refund ?? lastRefund,
  }
  return { change, ledger }
}

/** Sums the taxable value and the tax for each rate, with credit notes subtracted. */
function sumByRate(
  issued: readonly Pick<IssuedDocument, 'of' | 'lines'>[],
): Record<string, number[]> {
  const sums: Record<string, number[]> = {}
  for (const { of, lines } of issued)
    for (const { rate, base, gst } of lines) {
      const sum = (sums[String(rate)] ??= [0, 0])
      const sign = of === null ? 1 : -1
      sum[0] = (sum[0] ?? 0) + sign * base
      sum[1] = (sum[1] ?? 0) + sign * gst
    }
  return Object.fromEntries(
    Object.entries(sums).filter(([, sum]) => sum.some((amount) => amount !== 0)),
  )
}
const sumBillByRate = (lines: readonly Line[]): Record<string, number[]> =>
  sumByRate([{ of: null, lines: listBilledLines(lines) }])
const shortenLines = (lines: readonly DocumentLine[]): unknown[] =>
  lines.map(({ label, rate, base, gst }) => [label, rate, base, gst])

const delegate: SoldItem = { id: 'delegate', price: 315_000, rate: 18 }
const roomItem: SoldItem = { id: 'room', price: 300_000, rate: 5 }
const donationItem: SoldItem = { id: 'donation', price: 100_000, rate: null }
const companionItem: SoldItem = { id: 'companion', price: 77_777, rate: 18 }

describe('a change to a paid bill', () => {
  test.for([
    [
      'an added room taxed at 5% is invoiced with 5% tax',
      [delegate],
      [delegate, roomItem],
      [['room', 5, 300_000, 15_000]],
      [],
    ],
    [
      'an added donation is invoiced without tax',
      [delegate],
      [delegate, donationItem],
      [['donation', null, 100_000, 0]],
      [],
    ],
    [
      'a removed donation is credited without tax',
      [delegate, donationItem],
      [delegate],
      [],
      [['donation', null, 100_000, 0]],
    ],
    [
      'an exchange with an equal total results in an invoice and a credit note',
      [delegate, { id: 'workshop', price: 100_000, rate: 18 }],
      [delegate, { id: 'donation', price: 118_000, rate: null }],
      [['donation', null, 118_000, 0]],
      [['workshop', 18, 100_000, 18_000]],
    ],
    [
      'if the quantity of an item increases by one, only the additional one is invoiced',
      [delegate, companionItem],
      [delegate, { ...companionItem, quantity: 2 }],
      [['companion', 18, 77_777, 14_000]],
      [],
    ],
  ] as const)('%s', ([, before, after, invoice, credit]) => {
    const paidLedger = applyChange(EMPTY_LEDGER, createBill(before)).ledger
    const { change } = applyChange(paidLedger, createBill(after))
    expect(shortenLines(change.invoice)).toEqual(invoice)
    expect(change.credits.flatMap(({ lines }) => shortenLines(lines))).toEqual(credit)
  })

  test('an adjustment reduces each line at its own tax rate', () => {
    const { change } = applyChange(
      EMPTY_LEDGER,
      createBill([delegate, roomItem, donationItem], { discountPercent: 10 }),
    )
    expect(shortenLines(change.invoice)).toEqual([
      ['delegate', 18, 283_500, 51_030],
      ['room', 5, 270_000, 13_500],
      ['donation', null, 90_000, 0],
    ])
    expect(change.invoice[0]?.adjusted).toEqual([{ label: 'Early', base: -31_500, gst: -5_670 }])
  })

  test('an earlier refund is not invoiced again, and the new line is invoiced in full', () => {
    const refundedLedger = applyChange(
      applyChange(EMPTY_LEDGER, createBill([delegate])).ledger,
      createBill([delegate]),
      50_000,
    ).ledger
    const { change } = applyChange(refundedLedger, createBill([delegate, roomItem]), 50_000)
    expect(shortenLines(change.invoice)).toEqual([['room', 5, 300_000, 15_000]])
    expect(change.credits).toEqual([])
  })

  test('after a change to a bill that was paid without an invoice, only the difference is invoiced', () => {
    const importedBill = createBill([delegate])
    const { change, ledger } = applyChange(
      { issued: [], before: importedBill },
      createBill([delegate, roomItem]),
      0,
      importedBill,
    )
    expect(shortenLines(change.invoice)).toEqual([['room', 5, 300_000, 15_000]])
    const fullRefund = applyChange(
      ledger,
      createBill([delegate, roomItem]),
      sumTotals(createBill([delegate, roomItem])),
      importedBill,
    )
    expect(sumByRate(fullRefund.ledger.issued)).toEqual({})
  })

  test('documents issued by an older version are credited exactly as they were charged', () => {
    const linesWithoutRate = createBill([delegate, donationItem]).map(
      ({ rate: _rate, ...line }) => line,
    )
    const line = (label: string, base: number, gst: number): DocumentLine => ({
      label,
      quantity: 1,
      unit: toAmount(base),
      base: toAmount(base),
      gst: toAmount(gst),
      total: toAmount(base + gst),
    })
    const olderDocuments: IssuedDocument[] = [
      { serial: 'A', of: null, lines: linesWithoutRate, bill: linesWithoutRate },
      { serial: 'B', of: 'A', lines: [line('Refund', 30_000, 4_000)], bill: [] },
    ]
    const startLedger: DocumentLedger = { issued: olderDocuments, before: linesWithoutRate }
    expect(applyChange(startLedger, linesWithoutRate, 34_000).change).toEqual({
      invoice: [],
      credits: [],
    })
    const { change } = applyChange(startLedger, linesWithoutRate, sumTotals(linesWithoutRate))
    expect(change.credits.map(({ of }) => of)).toEqual(['A'])
    const sum = (part: 'base' | 'gst'): number =>
      change.credits
        .flatMap(({ lines }) => lines)
        .reduce((sumSoFar, creditLine) => sumSoFar + creditLine[part], 0)
    expect([sum('base'), sum('gst')]).toEqual([415_000 - 30_000, 56_700 - 4_000])
  })
})

const soldItems = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom('delegate', 'room', 'donation', 'companion', 'dinner'),
    price: fc.integer({ min: 0, max: 999_999 }),
    rate: fc.constantFrom(null, 0, 5, 12, 18),
    quantity: fc.integer({ min: 1, max: 3 }),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 5 },
)
const terms = fc.record({
  prices: fc.constantFrom<Tax['prices']>('exclusive', 'inclusive'),
  round: fc.constantFrom<Tax['round']>('paise', 'rupee'),
  discountPercent: fc.constantFrom(0, 0, 7, 33),
})
const step = fc.oneof(
  fc.record({ bill: soldItems, discountPercent: fc.constantFrom(0, 0, 7, 33) }),
  fc.record({ refund: fc.integer({ min: 0, max: 1000 }) }),
)

test('after any corrections and refunds, invoices minus credit notes equal the bill to the paisa at each tax rate', () => {
  fc.assert(
    fc.property(
      soldItems,
      terms,
      fc.array(step, { maxLength: 8 }),
      (firstItems, billTerms, steps) => {
        let currentBill = createBill(firstItems, billTerms)
        let refundedAmount = 0
        let { ledger } = applyChange(EMPTY_LEDGER, currentBill)
        const expectEqualSums = (): void => {
          const signedTotals = ledger.issued.flatMap(({ of, lines }) =>
            lines.map(({ total }) => (of === null ? total : -total)),
          )
          const charged = Math.max(0, sumTotals(currentBill) - refundedAmount)
          expect(signedTotals.reduce((sum, total) => sum + total, 0)).toBe(charged)
          if (refundedAmount === 0 && sumTotals(currentBill) > 0)
            expect(sumByRate(ledger.issued)).toEqual(sumBillByRate(currentBill))
          for (const { lines } of ledger.issued)
            for (const { base, gst, total } of lines) {
              expect(base).toBeGreaterThanOrEqual(0)
              expect(gst).toBeGreaterThanOrEqual(0)
              expect(base + gst).toBe(total)
            }
          for (const { serial, of, lines } of ledger.issued)
            if (of === null) {
              const remainingByRate = sumByRate([
                { of, lines },
                ...ledger.issued.filter((credit) => credit.of === serial),
              ])
              for (const sum of Object.values(remainingByRate).flat())
                expect(sum).toBeGreaterThanOrEqual(0)
            }
        }
        expectEqualSums()
        for (const currentStep of steps) {
          if ('bill' in currentStep)
            currentBill = createBill(currentStep.bill, {
              ...billTerms,
              discountPercent: currentStep.discountPercent,
            })
          else
            refundedAmount += Math.floor(
              (Math.max(0, sumTotals(currentBill) - refundedAmount) * currentStep.refund) / 1000,
            )
          ledger = applyChange(ledger, currentBill, refundedAmount).ledger
          expectEqualSums()
          expect(applyChange(ledger, currentBill, refundedAmount).change).toEqual({
            invoice: [],
            credits: [],
          })
        }
        refundedAmount = Math.max(refundedAmount, sumTotals(currentBill))
        ledger = applyChange(ledger, currentBill, refundedAmount).ledger
        expect(sumByRate(ledger.issued)).toEqual({})
      },
    ),
    { numRuns: 500 },
  )
})

test('after a refund, undoing a correction restores the amounts charged at each tax rate', () => {
  const correction = fc.record({ bill: soldItems, discountPercent: fc.constantFrom(0, 0, 7, 33) })
  const corrections = fc.array(correction, { minLength: 1, maxLength: 4 })
  const refundsWithCorrections = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 1000 }), corrections),
    { minLength: 1, maxLength: 4 },
  )
  fc.assert(
    fc.property(soldItems, terms, refundsWithCorrections, (firstItems, billTerms, rounds) => {
      let currentBill = createBill(firstItems, billTerms)
      let refundedAmount = 0
      let { ledger } = applyChange(EMPTY_LEDGER, currentBill)
      for (const [part, correctedBills] of rounds) {
        refundedAmount += Math.floor(
          (Math.max(0, sumTotals(currentBill) - refundedAmount) * part) / 1000,
        )
        ledger = applyChange(ledger, currentBill, refundedAmount).ledger
        const sumsByBill = new Map([[JSON.stringify(currentBill), sumByRate(ledger.issued)]])
        const refundedBill = currentBill
        // Applies each bill several times, in different orders, with the refunded bill in between.
        const bills = correctedBills.map((entry) =>
          createBill(entry.bill, { ...billTerms, discountPercent: entry.discountPercent }),
        )
        for (currentBill of [
          ...bills,
          refundedBill,
          ...bills.toReversed(),
          refundedBill,
          ...bills,
        ]) {
          ledger = applyChange(ledger, currentBill, refundedAmount).ledger
          const earlierSums = sumsByBill.get(JSON.stringify(currentBill))
          if (earlierSums !== undefined) expect(sumByRate(ledger.issued)).toEqual(earlierSums)
          sumsByBill.set(JSON.stringify(currentBill), sumByRate(ledger.issued))
        }
      }
    }),
    { numRuns: 60 },
  )
})
