/**
 * Creates documents for payers: receipts, tax invoices, and credit notes for refunds.
 *
 * An invoice requires a supplier in the event file. A document is a frozen record: rendering it needs no other data.
 */
import { computeRupeeValue, type ExchangeRate, type RupeeValue } from './invoice-exchange-rate.ts'
import { DOCUMENT_MESSAGES } from '../text-catalogue/documents.ts'
import type { Answers } from '../event/answer-types.ts'
import { getStateOfGstin, type StateCode } from '../event/gstin.ts'
import {
  summariseCreditByRate,
  type TaxHeads,
  getPlaceOfSupply,
  chooseTaxForm,
  summariseByRate,
  TAX_FORMS,
  type PlacedLine,
  type RateSummary,
  type TaxForm,
} from '../pricing/invoice-tax.ts'
import { type Invoice } from '../event/invoice-types.ts'
import { spellAmount } from './amount-in-words.ts'
import { formatLineReference } from '../payments/statement-references.ts'
import { readBuyer, type Buyer, type State } from '../registration/invoice-buyer.ts'
import type { Line } from '../pricing/bill-lines.ts'
import { INR, type Currency, toAmount, type Amount } from '../lib/money.ts'
import type { Split } from '../pricing/line-tax-and-rounding.ts'
import { getOwn } from '../lib/result.ts'
import type { Instant } from '../lib/time.ts'
import type { Issuer } from './issuer.ts'

export const DOCUMENT_KINDS = ['receipt', 'invoice', 'credit'] as const
export type DocumentKind = (typeof DOCUMENT_KINDS)[number]

/**
 * A line of a document. On invoices and credit notes each line has one rate. `base` is its taxable
 * value after discounts (or its amount, if untaxed), and base + gst = total.
 */
export type DocumentLine = Pick<Line, 'label' | 'quantity' | 'unit' | 'base' | 'gst' | 'total'> & {
  /** In percent. Null if untaxed. Absent for a receipt, or if issued before lines had a rate. */
  readonly rate?: number | null
  /** The item sold: `registration` or an item's id, and its option. Absent in the same cases as `rate`. */
  readonly item?: string
  readonly option?: string | null
  /** The service accounting code of the item. */
  readonly sac?: string
  /** The place of supply. Absent in the same cases as `rate`. */
  readonly place?: StateCode
  /** The adjustments to the line (reductions are negative), already included in `base` and `gst`. */
  readonly adjusted?: readonly {
    readonly label: string
    readonly base: Amount
    readonly gst: Amount
  }[]
}

export type DocumentBody = {
  readonly kind: DocumentKind
  /**
   * The statutory document type. Absent for a receipt. Also absent in documents issued before types were stored;
   * their kind determines the type.
   */
  readonly form?: TaxForm
  /** For a receipt, the order id. */
  readonly serial: string
  readonly at: Instant
  readonly event: Issuer['event']
  readonly regNo: string
  readonly buyer: Buyer
  readonly supplier:
    | (Pick<Invoice, 'supplier' | 'address' | 'gstin' | 'sac'> & { readonly declaration?: string })
    | null
  /** Only in documents issued before each line had a place of supply. */
  readonly placeOfSupply: State | null
  readonly lines: readonly DocumentLine[]
  readonly tax: Issuer['tax']
  /** Only in documents issued before `byRate` existed. */
  readonly heads: TaxHeads | null
  /**
   * The tax by rate and place of supply. Absent for a receipt, or if issued before rates were
   * summed separately.
   */
  readonly byRate?: readonly RateSummary[]
  readonly base: Amount
  readonly gst: Amount
  readonly total: Amount
  readonly currency?: Currency
  /** The rupee value of a tax document in another currency. Absent if the document is in rupees, and for a receipt. */
  readonly rupees?: RupeeValue
  /**
   * For a receipt: the untaxed part of `base`. Absent if there is none, or if issued before
   * receipts stated it.
   */
  readonly untaxed?: Amount
  /** For a receipt, the amount received; otherwise the total. */
  readonly inWords: string
  /** `amount`: the amount received, if staff accepted one that differs from the total. */
  readonly paid: {
    readonly reference: string
    readonly at: Instant
    readonly amount?: Amount
  } | null
  /** For a credit note: the invoice it credits. */
  readonly of: {
    readonly serial: string
    readonly at: Instant
    readonly form?: TaxForm
  } | null
}

const TAX_FORM_BY_KIND: Readonly<Record<Exclude<DocumentKind, 'receipt'>, TaxForm>> = {
  invoice: 'tax-invoice',
  credit: 'credit-note',
}

/**
 * Returns the amount that a document and every list state: for a receipt the amount received,
 * otherwise the total.
 */
export function getStatedAmount({
  kind,
  paid,
  total,
}: Pick<DocumentBody, 'kind' | 'paid' | 'total'>): Amount {
  return kind === 'receipt' ? (paid?.amount ?? total) : total
}

type DocumentType = {
  readonly kind: DocumentKind
  readonly form?: TaxForm | undefined
}

/** Returns the title of a document, for its page and for lists. */
export function getDocumentTitle({ kind, form }: DocumentType): string {
  return kind === 'receipt'
    ? DOCUMENT_MESSAGES.receipt
    : TAX_FORMS[form ?? TAX_FORM_BY_KIND[kind]].title
}

/** The items paid for: the lines of the bill if they add up to the amount, otherwise one line. */
export type ItemsPaidFor = {
  readonly regNo: string
  readonly answers: Answers
  readonly fullName: string
  readonly email: string
  readonly amount: Amount
  readonly base: Amount
  readonly gst: Amount
  readonly currency: Currency
  readonly untaxed?: Amount
  readonly lines: readonly DocumentLine[]
  /**
   * Null if the invoice is issued before the payment, as after a correction. `receivedAmount` may differ from the price
   * if staff accepted the payment.
   */
  readonly paid: {
    readonly reference: string
    readonly at: Instant
    readonly receivedAmount: Amount
  } | null
}

/** Creates a receipt, or the document that the law requires for the items sold. `amount` is positive. */
export function createDocument(
  issuer: Issuer,
  items: ItemsPaidFor,
  {
    kind,
    serial,
    at,
    rate = null,
  }: {
    kind: 'receipt' | 'invoice'
    serial: string
    at: Instant
    /** The exchange rate, for an invoice in a currency other than the rupee. */
    rate?: ExchangeRate | null
  },
): DocumentBody {
  const { invoice, event, tax } = issuer
  const invoiceTerms = kind === 'invoice' ? invoice : null
  const statedAmount =
    kind === 'receipt' ? (items.paid?.receivedAmount ?? items.amount) : items.amount
  const buyer = readBuyer(issuer, items)
  const currency = items.currency === INR ? {} : { currency: items.currency }
  const taxPart =
    invoiceTerms === null ? {} : buildTaxPart(issuer, invoiceTerms, items.lines, buyer.gstin)
  return {
    kind,
    serial,
    at,
    event,
    regNo: items.regNo,
    buyer,
    supplier: invoiceTerms === null ? null : buildSupplier(invoiceTerms),
    placeOfSupply: null,
    lines: items.lines,
    tax: items.gst === 0 ? null : tax,
    heads: null,
    ...taxPart,
    base: items.base,
    gst: items.gst,
    total: items.amount,
    ...currency,
    ...(invoiceTerms === null || rate === null
      ? {}
      : { rupees: computeRupeeValue({ ...taxPart, ...currency, base: items.base }, rate) }),
    ...(kind === 'receipt' && items.gst > 0 && items.untaxed ? { untaxed: items.untaxed } : {}),
    inWords: spellAmount(statedAmount, items.currency),
    paid:
      items.paid === null
        ? null
        : {
            reference: formatLineReference(items.paid.reference),
            at: items.paid.at,
            ...(items.paid.receivedAmount === items.amount
              ? {}
              : { amount: items.paid.receivedAmount }),
          },
    of: null,
  }
}

function buildSupplier({
  supplier,
  address,
  gstin,
  sac,
  declaration,
}: Invoice): NonNullable<DocumentBody['supplier']> {
  return { supplier, address, gstin, sac, ...(declaration === undefined ? {} : { declaration }) }
}

/** Adds rate, code and place of supply to each line; returns the lines with their summary and the document type. */
function buildTaxPart(
  issuer: Issuer,
  invoice: Invoice,
  soldLines: readonly DocumentLine[],
  buyerGstin: string | null,
): Required<Pick<DocumentBody, 'form' | 'lines' | 'byRate'>> {
  const supplier = getStateOfGstin(invoice.gstin)
  const buyerState = buyerGstin === null ? null : getStateOfGstin(buyerGstin)
  const lines = soldLines.map((line) => {
    const rate = getLineRate(line, issuer.tax)
    const itemTerms = getOwn(issuer.terms ?? {}, line.item ?? '') ?? {}
    const terms = {
      sac: invoice.sac,
      site: invoice.placeOfSupply.state ?? supplier,
      ...itemTerms,
    }
    return {
      ...line,
      // The conference's SAC applies to taxed lines only: a donation is not a conference fee.
      ...(rate === null && itemTerms.sac === undefined ? {} : { sac: terms.sac }),
      rate,
      place: getPlaceOfSupply(terms, buyerState),
    }
  })
  return {
    lines,
    form: chooseTaxForm(lines, buyerState !== null),
    byRate: summariseByRate(lines, supplier),
  }
}

/** Returns the rate of a line. A line stored before lines had a rate gets the event's rate, if it has tax. */
const getLineRate = (
  { rate, gst }: Pick<DocumentLine, 'rate' | 'gst'>,
  tax: Issuer['tax'],
): number | null => (rate === undefined ? (gst === 0 ? null : (tax?.percent ?? null)) : rate)

/**
 * Creates a credit note for these lines of an invoice, with the invoice's codes and places of supply. `refund` is
 * null if the bill was lowered and nothing has been refunded yet. `earlier`: the existing credit notes of the
 * invoice.
 */
export function createCreditNote(
  invoice: DocumentBody,
  creditedLines: readonly DocumentLine[],
  refund: { readonly reference: string } | null,
  {
    serial,
    at,
    earlier = [],
  }: {
    readonly serial: string
    readonly at: Instant
    readonly earlier?: readonly DocumentBody[]
  },
): DocumentBody {
  const { supplier } = invoice
  const lines = creditedLines.map((line) => buildInvoicedLine(invoice, line))
  const { base, gst, total } = sumDocument(lines)
  const byRate =
    supplier === null
      ? {}
      : {
          byRate: summariseCreditByRate(
            withPlaceOfSupply(lines, supplier),
            getStateOfGstin(supplier.gstin),
            earlier.flatMap((credit) => summariseRates(invoice, credit, supplier)),
          ),
        }
  return {
    ...invoice,
    kind: 'credit',
    form: 'credit-note',
    serial,
    at,
    placeOfSupply: null,
    lines,
    heads: null,
    ...byRate,
    // Uses the exchange rate of the invoice, because the credit note reduces the invoice's value.
    ...(invoice.rupees === undefined
      ? {}
      : { rupees: computeRupeeValue({ ...invoice, ...byRate, base }, invoice.rupees, earlier) }),
    base,
    gst,
    total,
    inWords: spellAmount(total, invoice.currency ?? INR),
    paid: refund === null ? null : { reference: refund.reference, at },
    of: {
      serial: invoice.serial,
      at: invoice.at,
      ...(invoice.form === undefined ? {} : { form: invoice.form }),
    },
  }
}

/** Returns the sums of a document's lines. */
export function sumDocument(lines: readonly Split[]): Split {
  const sum = (of: keyof Split): Amount =>
    toAmount(lines.reduce((total, line) => total + line[of], 0))
  return { base: sum('base'), gst: sum('gst'), total: sum('total') }
}

/**
 * Returns a line as invoiced. An older invoice without rates and places uses the event's rate and
 * the document's place.
 */
function buildInvoicedLine(
  { lines, supplier, placeOfSupply: documentPlace, tax }: DocumentBody,
  line: DocumentLine,
): DocumentLine {
  const isSame = (invoiceLine: DocumentLine): boolean =>
    invoiceLine.item === line.item && (invoiceLine.option ?? null) === (line.option ?? null)
  const invoicedLine = lines.find(isSame) ?? lines.find(({ rate }) => rate === line.rate)
  const place = invoicedLine?.place ?? documentPlace?.code
  const sac = invoicedLine?.rate === undefined ? supplier?.sac : invoicedLine.sac
  return {
    ...line,
    rate: getLineRate(line, tax),
    ...(sac === undefined ? {} : { sac }),
    ...(place === undefined ? {} : { place }),
  }
}

/**
 * Returns the tax of a credit note by rate. If it was issued before rates were summed separately, computes the tax
 * from its lines.
 */
const summariseRates = (
  invoice: DocumentBody,
  { byRate, lines }: DocumentBody,
  supplier: { readonly gstin: string },
): readonly RateSummary[] =>
  byRate ??
  summariseByRate(
    withPlaceOfSupply(
      lines.map((line) => buildInvoicedLine(invoice, line)),
      supplier,
    ),
    getStateOfGstin(supplier.gstin),
  )

/** Adds the place of supply; for a line without one, this is the supplier's state. */
function withPlaceOfSupply(
  lines: readonly DocumentLine[],
  { gstin }: { readonly gstin: string },
): readonly PlacedLine[] {
  return lines.map((line) => ({
    rate: line.rate ?? null,
    place: line.place ?? getStateOfGstin(gstin),
    base: line.base,
    gst: line.gst,
  }))
}
