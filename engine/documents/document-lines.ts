/** Computes the lines of tax documents: the lines of the bill less refunds, each at its own rate. */
import type { DocumentLine } from './receipt-invoice-and-credit-note.ts'
import { type Line } from '../pricing/bill-lines.ts'
import { REGISTRATION_LINE_ID } from '../event/pricing-types.ts'
import { toAmount, type Amount } from '../lib/money.ts'
import type { Split } from '../pricing/line-tax-and-rounding.ts'

/** A line of an invoice or a credit note with its item and rate. */
export type RatedLine = DocumentLine & Required<Pick<DocumentLine, 'item' | 'option' | 'rate'>>

/** An invoice or credit note. Documents issued by older versions of Rollcall have lines without a rate. */
export type IssuedDocument = {
  readonly serial: string
  /** The invoice that a credit note credits. Null if this is an invoice. */
  readonly of: string | null
  readonly lines: readonly DocumentLine[]
  /** The payment's bill, for lines without a rate. Empty if there was none, or only a change to it is documented. */
  readonly bill: readonly Line[]
}

/** The documents to issue so that invoices less credit notes equal the amount charged for the registration. */
export type DocumentChange = {
  /** Empty if no invoice is needed. */
  readonly invoice: readonly RatedLine[]
  /** One credit note for each invoice that is credited. */
  readonly credits: readonly { readonly of: string; readonly lines: readonly RatedLine[] }[]
}

export type Charge = {
  /** The current bill of the registration. */
  readonly bill: readonly Line[]
  /** The bill that the documents have covered so far. Null if there are none. */
  readonly before: readonly Line[] | null
  /** The bill when a refund was last credited, and the number of documents at that time. */
  readonly lastRefund?: { readonly bill: readonly Line[]; readonly documents: number } | null
  /**
   * A bill that was paid but for which Rollcall issues no invoice: only the excess over it is invoiced. If its items
   * are unknown, it is one line without a rate.
   */
  readonly uninvoicedBill: readonly Line[]
  /** The part of the bill that is still charged: its total less refunds. */
  readonly charged: Amount
  /** If `uninvoicedBill` is not empty: the amount charged above that bill. Refunds of that bill need no credit note. */
  readonly chargedAboveUninvoiced: Amount
  /** An amount that was due but will not be paid. It is credited against the newest invoices. */
  readonly unpaid: Amount
}

/** Tax may be rounded to whole rupees, so rates are recognised with this tolerance. */
const MAX_ROUNDED_PAISE = 50
/** The statutory rates, for lines that were stored without one. */
const STATUTORY_RATES = [18, 5, 12, 28, 40, 3]

/**
 * Returns the invoices and credit notes to issue; call it after every action. If the bill changes, the difference is
 * invoiced or credited line by line. A refund is deducted from all lines in proportion; the refund that completes a
 * full refund also takes any rounding remainder. If a change is reversed, each line returns to its earlier amount.
 */
export function computeDocumentChange(
  issuedDocuments: readonly IssuedDocument[],
  { bill, before, lastRefund = null, uninvoicedBill, unpaid, ...amounts }: Charge,
): DocumentChange {
  const currentLines = computeExcess(bill, uninvoicedBill)
  const earlierLines = computeExcess(before ?? [], uninvoicedBill)
  const openInvoices = listRemaining(issuedDocuments)
  const coveredSums = sumByLine(issuedDocuments)
  // The amount charged on a changed bill depends only on the refunds, not on the bills in between.
  const isChanged = JSON.stringify([...currentLines]) !== JSON.stringify([...earlierLines])
  const refundBasis =
    lastRefund === null || !isChanged
      ? { was: earlierLines, covered: coveredSums }
      : {
          was: computeExcess(lastRefund.bill, uninvoicedBill),
          covered: sumByLine(issuedDocuments.slice(0, lastRefund.documents)),
        }
  const uninvoicedTotal = sumTotals(bill) - sumTotals(currentLines.values())
  const requiredLines = computeChargedLines(currentLines, refundBasis, {
    charged:
      uninvoicedBill.length === 0
        ? amounts.charged
        : Math.max(amounts.charged - uninvoicedTotal, amounts.chargedAboveUninvoiced),
    unpaid: computeUnpaidLines(openInvoices, unpaid),
  })
  const billLinesByKey = mapLinesByKey(bill)
  const invoice: RatedLine[] = []
  const credits = new Map<string, RatedLine[]>()
  const addCredits = (key: string, sum: Sum): void => {
    for (const { of, line } of creditInvoices(openInvoices, key, sum))
      credits.set(of, [...(credits.get(of) ?? []), line])
  }
  for (const key of new Set([...requiredLines.keys(), ...coveredSums.keys()])) {
    const target = requiredLines.get(key) ?? ZERO
    const coveredAmount = coveredSums.get(key) ?? ZERO
    const change = subtract(target, coveredAmount)
    const isMixed = Math.sign(change.base) * Math.sign(change.gst) < 0
    const addition = isMixed ? target : dropNegatives(change)
    const reduction = isMixed ? coveredAmount : dropNegatives(subtract(ZERO, change))
    const billLine = billLinesByKey.get(key)
    // The first invoice also lists free items.
    const isFirst = issuedDocuments.length === 0 && billLine !== undefined && billLine.total === 0
    if (billLine !== undefined && (getTotal(addition) > 0 || isFirst))
      invoice.push(takePartOfLine(billLine, addition, mapLinesByKey(before ?? []).get(key)))
    if (getTotal(reduction) > 0) addCredits(key, reduction)
  }
  return {
    invoice: invoice.some(({ total }) => total > 0) ? invoice : [],
    credits: [...credits].map(([of, lines]) => ({ of, lines })),
  }
}

/** Returns the lines of a bill for documents: each item at one rate, including its adjustments. */
export function listBilledLines(bill: readonly Line[]): readonly RatedLine[] {
  const isOlder = bill.some(({ rate, parts }) => rate === undefined && parts === undefined)
  const parts = isOlder ? computePartsOfOlderLines(bill) : bill.map((line) => line.parts ?? null)
  return bill.flatMap((line, index): RatedLine[] => {
    if (parts[index] != null) return []
    const adjusted = bill.flatMap(({ label }, i) =>
      (parts[i] ?? [])
        .filter((part) => part.line === index && (part.base !== 0 || part.gst !== 0))
        .map(({ base, gst }) => ({ label, base, gst })),
    )
    const base = toAmount(adjusted.reduce<number>((sum, part) => sum + part.base, line.base))
    const gst = toAmount(adjusted.reduce<number>((sum, part) => sum + part.gst, line.gst))
    return [
      {
        item: line.id,
        option: line.option,
        rate: line.rate === undefined ? toRate(line) : line.rate || null,
        label: line.label,
        quantity: line.quantity,
        unit: line.unit,
        base,
        gst,
        total: toAmount(base + gst),
        ...(adjusted.length === 0 ? {} : { adjusted }),
      },
    ]
  })
}

/** Computes the parts of an older bill, in which a reduction lowers all lines in proportion. */
function computePartsOfOlderLines(bill: readonly Line[]): readonly (Line['parts'] | null)[] {
  const isSold = ({ total, base, gst }: Line): boolean => total >= 0 && base >= 0 && gst >= 0
  const positiveLines = bill.map((line) => (isSold(line) ? line : { base: 0, gst: 0 }))
  const remainders = positiveLines.map(({ base, gst }) => ({ base, gst }))
  return bill.map((line) => {
    if (isSold(line)) return null
    const bases = splitByWeight(
      -line.base,
      remainders.map(({ base }) => base),
    )
    const gsts = splitByWeight(
      -line.gst,
      remainders.map(({ gst }) => gst),
    )
    return remainders.map((remaining, index) => {
      const [base, gst] = [bases[index] ?? 0, gsts[index] ?? 0]
      remaining.base -= base
      remaining.gst -= gst
      return { line: index, base: toAmount(0 - base), gst: toAmount(0 - gst) }
    })
  })
}

function toRate({ base, gst }: Pick<Line, 'base' | 'gst'>): number | null {
  if (gst === 0 || base === 0) return null
  const isRate = (rate: number): boolean => Math.abs(gst - (base * rate) / 100) <= MAX_ROUNDED_PAISE
  return STATUTORY_RATES.find(isRate) ?? Math.round((gst * 10_000) / base) / 100
}

/** Returns the amounts of a bill that exceed those paid without an invoice. */
function computeExcess(bill: readonly Line[], uninvoicedBill: readonly Line[]): Map<string, Sum> {
  const sums = sumByKey(listBilledLines(bill))
  const [first, second] = uninvoicedBill
  if (first !== undefined && second === undefined && first.rate === undefined) {
    let remainder: number = first.total
    for (const [key, sum] of sums) {
      const paidPart = divideOverLines(remainder, [sum])[0] ?? ZERO
      remainder -= getTotal(paidPart)
      sums.set(key, subtract(sum, paidPart))
    }
    return sums
  }
  for (const [key, paid] of sumByKey(listBilledLines(uninvoicedBill)))
    if (sums.has(key)) sums.set(key, dropNegatives(subtract(sums.get(key) ?? ZERO, paid)))
  return sums
}

/** Deducts an amount from the remaining amounts of the invoices, newest first. */
function computeUnpaidLines(
  openInvoices: readonly Remainder[],
  amount: number,
): ReadonlyMap<string, Sum> {
  const sums = new Map<string, Sum>()
  let remainder = amount
  for (const { lines } of openInvoices.toReversed())
    for (const [at, part] of divideOverLines(remainder, lines).entries()) {
      const line = lines[at]
      if (line !== undefined) sums.set(toKey(line), add(sums.get(toKey(line)) ?? ZERO, part))
      remainder -= getTotal(part)
    }
  return sums
}

type Sum = { readonly base: number; readonly gst: number }
const ZERO: Sum = { base: 0, gst: 0 }
const withTotal = ({ base, gst }: Sum): Split => ({
  base: toAmount(base),
  gst: toAmount(gst),
  total: toAmount(base + gst),
})
const getTotal = ({ base, gst }: Sum): number => base + gst
const sumTotals = (sums: Iterable<Sum>): number =>
  [...sums].reduce((total, sum) => total + getTotal(sum), 0)
const add = (a: Sum, b: Sum): Sum => ({ base: a.base + b.base, gst: a.gst + b.gst })
const subtract = (a: Sum, b: Sum): Sum => ({ base: a.base - b.base, gst: a.gst - b.gst })
const dropNegatives = ({ base, gst }: Sum): Sum => ({
  base: Math.max(0, base),
  gst: Math.max(0, gst),
})
const pickSmallerSum = (a: Sum, b: Sum): Sum => ({
  base: Math.min(a.base, b.base),
  gst: Math.min(a.gst, b.gst),
})

/** Returns the key of a line: its item, option and rate, regardless of label and quantity. */
const toKey = ({ item, option, rate }: Pick<RatedLine, 'item' | 'option' | 'rate'>): string =>
  JSON.stringify([item, option, rate])

const mapLinesByKey = (bill: readonly Line[]): ReadonlyMap<string, RatedLine> =>
  new Map(listBilledLines(bill).map((line) => [toKey(line), line]))

function sumByKey(lines: readonly RatedLine[]): Map<string, Sum> {
  const sums = new Map<string, Sum>()
  for (const line of lines) sums.set(toKey(line), add(sums.get(toKey(line)) ?? ZERO, line))
  return sums
}

/**
 * Returns the lines that are charged. A line keeps its refund when the bill changes. The refund of a removed line is
 * deducted from the other lines.
 */
function computeChargedLines(
  current: ReadonlyMap<string, Sum>,
  { was: before, covered }: Readonly<Record<'was' | 'covered', ReadonlyMap<string, Sum>>>,
  { charged, unpaid }: { readonly charged: number; readonly unpaid: ReadonlyMap<string, Sum> },
): ReadonlyMap<string, Sum> {
  const keys = [...current.keys()]
  const lines = keys.map((key) => {
    const refunded = dropNegatives(subtract(before.get(key) ?? ZERO, covered.get(key) ?? ZERO))
    const unrefunded = dropNegatives(subtract(current.get(key) ?? ZERO, refunded))
    return dropNegatives(subtract(unrefunded, unpaid.get(key) ?? ZERO))
  })
  const excess = lines.reduce((sum, line) => sum + getTotal(line), 0) - charged
  const gaps = keys.map((key, index) => subtract(current.get(key) ?? ZERO, lines[index] ?? ZERO))
  const changes = excess > 0 ? divideOverLines(excess, lines) : divideOverLines(-excess, gaps)
  return new Map(
    keys.map((key, index) => {
      const [line, change] = [lines[index] ?? ZERO, changes[index] ?? ZERO]
      return [key, excess > 0 ? subtract(line, change) : add(line, change)]
    }),
  )
}

/** Divides an amount among lines in proportion to their totals. Each part has the same share of tax as its line. */
function divideOverLines(amount: number, lines: readonly Sum[]): readonly Sum[] {
  const totals = lines.map(getTotal)
  const cappedAmount = Math.min(
    amount,
    totals.reduce((sum, total) => sum + total, 0),
  )
  return splitByWeight(cappedAmount, totals).map((share, index) => {
    const line = lines[index] ?? ZERO
    const gst = share === 0 ? 0 : roundShare(line.gst, share, getTotal(line))
    return { base: share - gst, gst }
  })
}

/** Returns amount × part ÷ whole to the nearest unit, half up. */
const roundShare = (amount: number, part: number, totalAmount: number): number =>
  Number((2n * BigInt(amount) * BigInt(part) + BigInt(totalAmount)) / (2n * BigInt(totalAmount)))

/**
 * Divides paise in proportion to the weights. No share exceeds its weight. The largest remainders get the odd paise.
 */
function splitByWeight(amount: number, weights: readonly number[]): readonly number[] {
  const weightSum = weights.reduce((sum, weight) => sum + weight, 0)
  if (weightSum === 0 || amount === 0) return weights.map(() => 0)
  const scaledShares = weights.map((weight) => BigInt(amount) * BigInt(weight))
  const floors = scaledShares.map((of) => Number(of / BigInt(weightSum)))
  const leftoverPaise = amount - floors.reduce((sum, share) => sum + share, 0)
  const largestRemainders = scaledShares
    .map((of, index) => ({ at: index, rest: Number(of % BigInt(weightSum)) }))
    .filter(({ rest }) => rest > 0)
    .sort((a, b) => b.rest - a.rest || a.at - b.at)
    .slice(0, leftoverPaise)
  const roundedUp = new Set(largestRemainders.map(({ at }) => at))
  return floors.map((share, index) => share + (roundedUp.has(index) ? 1 : 0))
}

const sumByLine = (issued: readonly IssuedDocument[]): ReadonlyMap<string, Sum> =>
  sumByKey(listRemaining(issued).flatMap(({ lines }) => lines))
type Remainder = { readonly serial: string; readonly lines: readonly RatedLine[] }

/** Returns the remaining amounts of each invoice after its credit notes, oldest first. */
function listRemaining(issued: readonly IssuedDocument[]): readonly Remainder[] {
  return issued
    .filter(({ of }) => of === null)
    .map((invoice) => ({
      serial: invoice.serial,
      lines: issued
        .filter(({ of }) => of === invoice.serial)
        .reduce(subtractCreditNote, listRatedLines(invoice) ?? rebuildOlderInvoice(invoice)),
    }))
}

function subtractCreditNote(
  lines: readonly RatedLine[],
  creditNote: IssuedDocument,
): readonly RatedLine[] {
  const ratedLines = listRatedLines(creditNote)
  const byKey = ratedLines === null ? null : sumByKey(ratedLines)
  const shares = ratedLines === null ? divideSum(creditNote.lines.reduce(add, ZERO), lines) : []
  return lines.map((line, index) => {
    const uncredited = subtract(
      line,
      (byKey === null ? shares[index] : byKey.get(toKey(line))) ?? ZERO,
    )
    return { ...line, ...withTotal(uncredited) }
  })
}

/** Returns the lines with their rates. Null if the document was issued before each line had a rate. */
function listRatedLines({ lines }: IssuedDocument): readonly RatedLine[] | null {
  const ratedLines = lines.flatMap((line): RatedLine[] => {
    const { item, option = null, rate = null } = line
    return item === undefined ? [] : [{ ...line, item, option, rate }]
  })
  return ratedLines.length === lines.length ? ratedLines : null
}

/** Rebuilds the lines of an older invoice: those of the bill, or a single line for a change to the bill. */
function rebuildOlderInvoice({ lines, bill }: IssuedDocument): readonly RatedLine[] {
  const sum = lines.reduce(add, ZERO)
  const billedLines = listBilledLines(bill)
  const billedSum = billedLines.reduce(add, ZERO)
  if (billedSum.base === sum.base && billedSum.gst === sum.gst) return billedLines
  const label = lines[0]?.label ?? ''
  const isWhole = bill.length > 0 || lines.length > 1
  const item = isWhole ? REGISTRATION_LINE_ID : 'difference'
  const sums = withTotal(sum)
  return [{ item, option: null, rate: toRate(sums), label, quantity: 1, unit: sums.base, ...sums }]
}

/** Divides base and tax in proportion to those of the lines. If all are zero, the first line gets the whole sum. */
function divideSum(sum: Sum, lines: readonly Sum[]): Sum[] {
  const getPart = (of: keyof Sum): readonly number[] => {
    const weights = lines.map((line) => line[of])
    const areAllZero = weights.every((weight) => weight === 0)
    if (areAllZero) return weights.map((_, i) => (i === 0 ? sum[of] : 0))
    return splitByWeight(sum[of], weights)
  }
  const [bases, gsts] = [getPart('base'), getPart('gst')]
  return lines.map((_, index) => ({ base: bases[index] ?? 0, gst: gsts[index] ?? 0 }))
}

/** Credits a sum against the invoices that contain it, newest first. */
function creditInvoices(
  openInvoices: readonly Remainder[],
  key: string,
  sum: Sum,
): readonly { readonly of: string; readonly line: RatedLine }[] {
  let remainder = sum
  return openInvoices.toReversed().flatMap((invoice) =>
    invoice.lines.flatMap((line) => {
      if (toKey(line) !== key) return []
      const part = pickSmallerSum(remainder, line)
      if (getTotal(part) === 0) return []
      remainder = subtract(remainder, part)
      return [{ of: invoice.serial, line: takePartOfLine(line, part, undefined) }]
    }),
  )
}

/** Returns all or part of a line. */
function takePartOfLine(line: RatedLine, sum: Sum, before: RatedLine | undefined): RatedLine {
  const { item, option, rate, label, quantity, unit, adjusted } = line
  const commonParts = { item, option, rate, label, ...withTotal(sum) }
  if (before === undefined && line.base === sum.base && line.gst === sum.gst)
    return { ...commonParts, quantity, unit, ...(adjusted === undefined ? {} : { adjusted }) }
  // A part has the quantity added to the line since `before` if the sum is exactly its price, otherwise 1.
  const addedQuantity = quantity - (before?.quantity ?? quantity)
  const isExact = addedQuantity > 0 && [sum.base, getTotal(sum)].includes(unit * addedQuantity)
  return {
    ...commonParts,
    ...(isExact ? { quantity: addedQuantity, unit } : { quantity: 1, unit: toAmount(sum.base) }),
  }
}
