/** Which lines invoices and credit notes cover, after any sequence of corrections and refunds. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { billedLines, documentChange } from '../../../engine/documents/document-lines.ts'
import type { DocumentChange, IssuedDocument } from '../../../engine/documents/document-lines.ts'
import type { DocumentLine } from '../../../engine/documents/documents.ts'
import { adjusted, paise, split, type Tax } from '../../../engine/lib/money.ts'
import type { Line } from '../../../engine/pricing/bill-lines.ts'

type Sold = {
  readonly id: string
  readonly price: number
  readonly rate: number | null
  readonly quantity?: number
}
const tax = (percent: number | null, prices: Tax['prices'], round: Tax['round']): Tax | null =>
  percent === null ? null : { name: 'GST', percent, prices, round }

/** A bill as the engine makes it: lines, and an adjustment in percent of all of them. */
function bill(
  sold: readonly Sold[],
  { prices = 'exclusive', round = 'paise', off = 0 }: Partial<Tax> & { readonly off?: number } = {},
): readonly Line[] {
  const prized = sold.map(({ price, quantity = 1 }) => paise(price * quantity))
  const after = adjusted(prized, { percent: -off })
  const lines = sold.map(({ id, price, rate, quantity = 1 }, at): Line => {
    const sums = split(tax(rate, prices, round), prized[at] ?? paise(0))
    return { id, option: null, label: id, quantity, unit: paise(price), ...sums, rate }
  })
  if (off === 0) return lines
  const parts = sold.map(({ rate }, line) => {
    const [was, is] = [prized, after].map((of) =>
      split(tax(rate, prices, round), of[line] ?? paise(0)),
    )
    return {
      line,
      base: paise((is?.base ?? 0) - (was?.base ?? 0)),
      gst: paise((is?.gst ?? 0) - (was?.gst ?? 0)),
    }
  })
  const sum = (of: 'base' | 'gst'): number => parts.reduce((so, part) => so + part[of], 0)
  const [base, gst] = [paise(sum('base')), paise(sum('gst'))]
  const total = paise(base + gst)
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

type Ledger = {
  readonly issued: readonly IssuedDocument[]
  readonly before: readonly Line[] | null
}
const NEW: Ledger = { issued: [], before: null }
const totalOf = (lines: readonly { readonly total: number }[]): number =>
  lines.reduce((sum, { total }) => sum + total, 0)

function follow(
  { issued, before }: Ledger,
  now: readonly Line[],
  refunded = 0,
  withoutInvoice: readonly Line[] = [],
  { chargedHere = 0, unpaid = 0 } = {},
): { readonly change: DocumentChange; readonly ledger: Ledger } {
  const charged = paise(totalOf(now) - refunded)
  const change = documentChange(issued, {
    bill: now,
    before,
    withoutInvoice,
    charged,
    chargedHere: paise(chargedHere),
    unpaid: paise(unpaid),
  })
  const invoices = change.invoice.length === 0 ? [] : [{ of: null, lines: change.invoice }]
  const fresh = [...change.credits, ...invoices].map((one, at) => ({
    ...one,
    serial: `${issued.length + at}`,
    bill: [],
  }))
  return { change, ledger: { issued: [...issued, ...fresh], before: now } }
}

/** Taxable value and tax by rate, invoices less credit notes. */
function byRate(issued: readonly Pick<IssuedDocument, 'of' | 'lines'>[]): Record<string, number[]> {
  const sums: Record<string, number[]> = {}
  for (const { of, lines } of issued)
    for (const { rate, base, gst } of lines) {
      const sum = (sums[String(rate)] ??= [0, 0])
      const sign = of === null ? 1 : -1
      sum[0] = (sum[0] ?? 0) + sign * base
      sum[1] = (sum[1] ?? 0) + sign * gst
    }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum.some((of) => of !== 0)))
}
const ofBill = (lines: readonly Line[]): Record<string, number[]> =>
  byRate([{ of: null, lines: billedLines(lines) }])
const short = (lines: readonly DocumentLine[]): unknown[] =>
  lines.map(({ label, rate, base, gst }) => [label, rate, base, gst])

const delegate: Sold = { id: 'delegate', price: 315_000, rate: 18 }
const room: Sold = { id: 'room', price: 300_000, rate: 5 }
const donation: Sold = { id: 'donation', price: 100_000, rate: null }
const companion: Sold = { id: 'companion', price: 77_777, rate: 18 }

describe('a change to a paid bill', () => {
  test.for([
    [
      'a room at 5% that was added carries 5%',
      [delegate],
      [delegate, room],
      [['room', 5, 300_000, 15_000]],
      [],
    ],
    [
      'a donation that was added carries no tax',
      [delegate],
      [delegate, donation],
      [['donation', null, 100_000, 0]],
      [],
    ],
    [
      'a donation that was removed is credited without tax',
      [delegate, donation],
      [delegate],
      [],
      [['donation', null, 100_000, 0]],
    ],
    [
      'an exchange of equal total has an invoice and a credit note',
      [delegate, { id: 'workshop', price: 100_000, rate: 18 }],
      [delegate, { id: 'donation', price: 118_000, rate: null }],
      [['donation', null, 118_000, 0]],
      [['workshop', 18, 100_000, 18_000]],
    ],
    [
      'one more of an item is invoiced once',
      [delegate, companion],
      [delegate, { ...companion, quantity: 2 }],
      [['companion', 18, 77_777, 14_000]],
      [],
    ],
  ] as const)('%s', ([, before, after, invoice, credit]) => {
    const paid = follow(NEW, bill(before)).ledger
    const { change } = follow(paid, bill(after))
    expect(short(change.invoice)).toEqual(invoice)
    expect(change.credits.flatMap(({ lines }) => short(lines))).toEqual(credit)
  })

  test('an adjustment lowers each line at its own rate', () => {
    const { change } = follow(NEW, bill([delegate, room, donation], { off: 10 }))
    expect(short(change.invoice)).toEqual([
      ['delegate', 18, 283_500, 51_030],
      ['room', 5, 270_000, 13_500],
      ['donation', null, 90_000, 0],
    ])
    expect(change.invoice[0]?.adjusted).toEqual([{ label: 'Early', base: -31_500, gst: -5_670 }])
  })

  test('what was refunded before stays refunded, and the new line is invoiced in full', () => {
    const first = follow(follow(NEW, bill([delegate])).ledger, bill([delegate]), 50_000).ledger
    const { change } = follow(first, bill([delegate, room]), 50_000)
    expect(short(change.invoice)).toEqual([['room', 5, 300_000, 15_000]])
    expect(change.credits).toEqual([])
  })

  test('of a bill that was paid without an invoice only what exceeds it is invoiced', () => {
    const imported = bill([delegate])
    const { change, ledger } = follow(
      { issued: [], before: imported },
      bill([delegate, room]),
      0,
      imported,
    )
    expect(short(change.invoice)).toEqual([['room', 5, 300_000, 15_000]])
    const all = follow(ledger, bill([delegate, room]), totalOf(bill([delegate, room])), imported)
    expect(byRate(all.ledger.issued)).toEqual({})
  })

  test('documents of an older version are credited to the last rupee, as they were charged', () => {
    const bare = bill([delegate, donation]).map(({ rate: _rate, ...line }) => line)
    const line = (label: string, base: number, gst: number): DocumentLine => ({
      label,
      quantity: 1,
      unit: paise(base),
      base: paise(base),
      gst: paise(gst),
      total: paise(base + gst),
    })
    const older: IssuedDocument[] = [
      { serial: 'A', of: null, lines: bare, bill: bare },
      { serial: 'B', of: 'A', lines: [line('Refund', 30_000, 4_000)], bill: [] },
    ]
    const start: Ledger = { issued: older, before: bare }
    expect(follow(start, bare, 34_000).change).toEqual({ invoice: [], credits: [] })
    const { change } = follow(start, bare, totalOf(bare))
    expect(change.credits.map(({ of }) => of)).toEqual(['A'])
    const sum = (of: 'base' | 'gst'): number =>
      change.credits.flatMap(({ lines }) => lines).reduce((so, one) => so + one[of], 0)
    expect([sum('base'), sum('gst')]).toEqual([415_000 - 30_000, 56_700 - 4_000])
  })
})

const sold = fc.uniqueArray(
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
  off: fc.constantFrom(0, 0, 7, 33),
})
const step = fc.oneof(
  fc.record({ bill: sold, off: fc.constantFrom(0, 0, 7, 33) }),
  fc.record({ refund: fc.integer({ min: 0, max: 1000 }) }),
)

test('invoices less credit notes are the bill by rate, whatever is corrected and refunded, to the paisa', () => {
  fc.assert(
    fc.property(sold, terms, fc.array(step, { maxLength: 8 }), (first, how, steps) => {
      let now = bill(first, how)
      let refunded = 0
      let { ledger } = follow(NEW, now)
      const check = (): void => {
        const open = ledger.issued.flatMap(({ of, lines }) =>
          lines.map(({ total }) => (of === null ? total : -total)),
        )
        expect(open.reduce((sum, total) => sum + total, 0)).toBe(totalOf(now) - refunded)
        if (refunded === 0 && totalOf(now) > 0) expect(byRate(ledger.issued)).toEqual(ofBill(now))
        for (const { lines } of ledger.issued)
          for (const { base, gst, total } of lines) {
            expect(base).toBeGreaterThanOrEqual(0)
            expect(gst).toBeGreaterThanOrEqual(0)
            expect(base + gst).toBe(total)
          }
        for (const { serial, of, lines } of ledger.issued)
          if (of === null) {
            const left = byRate([
              { of, lines },
              ...ledger.issued.filter((credit) => credit.of === serial),
            ])
            for (const sum of Object.values(left).flat()) expect(sum).toBeGreaterThanOrEqual(0)
          }
      }
      check()
      for (const one of steps) {
        if ('bill' in one) now = bill(one.bill, { ...how, off: one.off })
        else refunded += Math.floor(((totalOf(now) - refunded) * one.refund) / 1000)
        refunded = Math.min(refunded, totalOf(now))
        ledger = follow(ledger, now, refunded).ledger
        check()
        expect(follow(ledger, now, refunded).change).toEqual({ invoice: [], credits: [] })
      }
      refunded = totalOf(now)
      ledger = follow(ledger, now, refunded).ledger
      expect(byRate(ledger.issued)).toEqual({})
    }),
    { numRuns: 500 },
  )
})
